"""What softmax makes of scores."""

from math import exp, log, log2, tanh
from random import Random

from mha_quiz.families.runs import entropy_of_scores, masked_weights, overflowing, softmax_weights
from mha_quiz.question import Slip, Text, Theme, Variant, family
from mha_quiz.question_text import factor_text, number_text


@family("E1", Theme.VALUES, Text("softmax of three scores", "teen scores ka softmax"), precision=3)
def softmax_of_three(rng: Random) -> Variant:
    a, b, c = rng.choice((0.5, 1, 1.5, 2, 3)), rng.choice((-1, 0, 0.5, 2.5)), rng.choice((-0.5, 0.2, 1.2, 4))
    while a + b + c == 0:
        b = rng.choice((-1, 0, 0.5, 2.5))
    A, B, C = factor_text(a), factor_text(b), factor_text(c)
    shown = [number_text(score) for score in (a, b, c)]
    total = exp(a) + exp(b) + exp(c)
    answer = exp(a) / total
    exponentials = f"e^{A} = {exp(a):.3f}, e^{B} = {exp(b):.3f}, e^{C} = {exp(c):.3f}"
    return Variant(
        {"a": a, "b": b, "c": c},
        Text(
            f"Three scores are {shown[0]}, {shown[1]} and {shown[2]}. What weight does the first key get after softmax?",
            f"Teen scores {shown[0]}, {shown[1]} aur {shown[2]} hain. "
            "Softmax ke baad pehli key ka weight kitna aayega?",
        ),
        answer,
        lambda: softmax_weights(a, b, c)[0],
        (
            Slip(
                "linear",
                a / (a + b + c),
                f"{A} / ({A} + {B} + {C})",
                "softmax divides exponentials, not the scores",
                "softmax exponentials ko divide karta hai, scores ko nahi",
            ),
            Slip(
                "unnormalised",
                exp(a),
                f"e^{A}",
                "the exponentials must be divided by their sum",
                "exponentials ko unke sum se divide karna hota hai",
            ),
            Slip(
                "base-two",
                2**a / (2**a + 2**b + 2**c),
                f"2^{A} / (2^{A} + 2^{B} + 2^{C})",
                "the base is e",
                "base e hota hai, 2 nahi",
            ),
        ),
        Text(
            f"""Exponentials: {exponentials}.
            Their sum: {total:.3f}.
            First weight: {exp(a):.3f} / {total:.3f} = {answer:.3f} (3 decimals).""",
            f"""Exponentials: {exponentials}.
            Inka sum: {total:.3f}.
            Pehla weight: {exp(a):.3f} / {total:.3f} = {answer:.3f} (teen decimals).""",
        ),
    )


@family("E3", Theme.VALUES, Text("ratio of two weights", "do weights ka ratio"), precision=3)
def ratio(rng: Random) -> Variant:
    x, y = rng.choice((0.5, 1, 1.5, 2, 3)), rng.choice((-1, 0.25, 1, 2.5))
    answer = exp(x - y)
    X, Y = number_text(x), number_text(y)
    difference = factor_text(x - y)
    return Variant(
        {"x": x, "y": y},
        Text(
            f"Among several keys, key 1 has score {X} and key 2 has score {Y}. "
            "What is the weight of key 1 divided by the weight of key 2?",
            f"Kai keys mein se key 1 ka score {X} hai aur key 2 ka score {Y}. "
            "Key 1 ke weight ko key 2 ke weight se divide karo: kitna aayega?",
        ),
        answer,
        lambda: (weights := softmax_weights(x, y, 0.7, -2, 1.2))[0] / weights[1],
        (
            Slip(
                "quotient",
                x / y,
                f"{X} / {factor_text(y)}",
                "the ratio is e to the difference",
                "ratio e^(difference) hota hai",
            ),
            Slip(
                "difference",
                x - y,
                f"{X} − {factor_text(y)}",
                "the exponential was left out",
                "exponential lena reh gaya",
            ),
        ),
        Text(
            f"""The weights are e^{X} and e^{factor_text(y)} over the same sum, whatever the other keys are; it cancels.
            The difference of the scores: {X} − {factor_text(y)} = {number_text(x - y)}.
            The ratio is e^{difference} = {answer:.3f} (3 decimals).""",
            f"""Weights e^{X} aur e^{factor_text(y)} hain, dono ke neeche wahi sum, baaki keys chahe jo hon; woh kat jaata hai.
            Scores ka fark: {X} − {factor_text(y)} = {number_text(x - y)}.
            Ratio e^{difference} = {answer:.3f} hai (teen decimals).""",
        ),
    )


@family("E4", Theme.VALUES, Text("equal scores", "barabar scores"), precision=4)
def equal_scores(rng: Random) -> Variant:
    n = rng.choice((3, 4, 5, 6, 7, 8, 10, 12, 16, 20, 25, 32, 40, 50, 64))
    return Variant(
        {"n": n},
        Text(
            f"A query meets {n} keys, and all scores are equal. What weight does each key get?",
            f"Ek query ke saamne {n} keys hain aur saare scores barabar hain. Har key ko kitna weight milta hai?",
        ),
        1 / n,
        lambda: softmax_weights(*[0.7] * n)[0],
        (
            Slip("one", 1, "", "the weights of a row sum to 1", "poori row ke weights ka sum 1 hota hai"),
            Slip(
                "zero",
                0,
                "",
                "equal scores share the weight",
                "barabar scores weight ko aapas mein baant lete hain",
            ),
            Slip("exponential", exp(-n), f"e^(−{n})", "the exponentials cancel", "exponentials kat jaate hain"),
        ),
        Text(
            f"""Equal scores s have equal exponentials e^s, so all {n} weights are equal.
            Their sum is {n} · e^s, and each weight is e^s / ({n} · e^s).
            Each is 1 / {n} = {1 / n:.4f} (4 decimals).""",
            f"""Barabar scores s ke exponentials e^s bhi barabar hain, to saare {n} weights barabar hain.
            Inka sum {n} · e^s hai, aur har weight e^s / ({n} · e^s).
            Har ek 1 / {n} = {1 / n:.4f} hai (chaar decimals).""",
        ),
    )


@family("E5", Theme.VALUES, Text("shift", "sab scores mein ek number jodna"), precision=3)
def changed_weight(rng: Random) -> Variant:
    c = rng.choice((0.5, 1, 1.5, 2, 2.5, 3, 4, 5, 8, 10))
    C = number_text(c)
    return Variant(
        {"c": c},
        Text(
            f"{C} is added to every score of a row. By how much does the weight of the first key change?",
            f"Ek row ke har score mein {C} jod diya. Pehli key ka weight kitna badlega?",
        ),
        0,
        lambda: softmax_weights(1.5 + c, 0.2 + c, -1 + c)[0] - softmax_weights(1.5, 0.2, -1)[0],
        (
            Slip("constant", c, "", "the constant cancels in the quotient", "constant quotient mein kat jaata hai"),
            Slip(
                "factor",
                exp(c),
                f"e^{C}",
                "numerator and denominator get the same factor",
                "upar aur neeche dono mein wahi factor lagta hai",
            ),
        ),
        Text(
            f"""Every exponential gets the factor e^{C}: e^(s + {C}) = e^s · e^{C}.
            Numerator and denominator both get it, so e^{C} / e^{C} = 1 stays.
            The weight changes by 0.000 (3 decimals).""",
            f"""Har exponential mein e^{C} ka factor aata hai: e^(s + {C}) = e^s · e^{C}.
            Upar bhi, neeche bhi, to e^{C} / e^{C} = 1 bachta hai.
            Weight 0.000 badalta hai (teen decimals).""",
        ),
    )


@family("E7", Theme.VALUES, Text("entropy of uniform weights", "barabar weights ki entropy"), unit="bits", precision=2)
def entropy_of_uniform(rng: Random) -> Variant:
    n = rng.choice((3, 4, 5, 8, 10, 16, 32, 64, 100))
    return Variant(
        {"n": n},
        Text(
            f"A row gives {n} keys the same weight. What is its entropy in bits?",
            f"Ek row {n} keys ko barabar weight deti hai. Uski entropy kitne bits ki hai?",
        ),
        log2(n),
        lambda: entropy_of_scores(*[0.7] * n),
        (
            Slip("nats", log(n), f"ln({n})", "bits use log base 2", "bits mein log ka base 2 hota hai"),
            Slip(
                "count",
                n,
                "",
                "the entropy is the logarithm of the count",
                "entropy ginti ka logarithm hoti hai",
            ),
            Slip("one", 1, "", "that is the entropy of two equal keys", "itni entropy do barabar keys ki hoti hai"),
        ),
        Text(
            f"""Each weight is 1 / {n} and adds (1 / {n}) · log2({n}).
            There are {n} such terms: {n} · (1 / {n}) · log2({n}).
            The entropy is log2({n}) = {log2(n):.2f} bits (2 decimals).""",
            f"""Har weight 1 / {n} hai aur (1 / {n}) · log2({n}) jodta hai.
            Aise {n} terms hain: {n} · (1 / {n}) · log2({n}).
            Entropy log2({n}) = {log2(n):.2f} bits hai (do decimals).""",
        ),
    )


@family("E8", Theme.VALUES, Text("entropy of two weights", "do weights ki entropy"), unit="bits", precision=3)
def entropy_of_two(rng: Random) -> Variant:
    p = rng.choice((0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95))
    q = 1 - p
    first, second = -p * log2(p), -q * log2(q)
    P, Q = number_text(p), number_text(q)
    return Variant(
        {"p": p},
        Text(
            f"A row has two weights, {P} and {Q}. What is its entropy in bits?",
            f"Ek row mein do weights hain, {P} aur {Q}. Uski entropy kitne bits ki hai?",
        ),
        first + second,
        lambda: entropy_of_scores(log(p), log(q)),
        (
            Slip(
                "nats",
                -(p * log(p) + q * log(q)),
                f"−({P} · ln({P}) + {Q} · ln({Q}))",
                "bits use log base 2",
                "bits mein log ka base 2 hota hai",
            ),
            Slip(
                "first-term",
                first,
                f"−{P} · log2({P})",
                "the second weight counts too",
                "doosra weight bhi gino",
            ),
        ),
        Text(
            f"""The first weight adds −{P} · log2({P}) = {first:.4f}.
            The second adds −{Q} · log2({Q}) = {second:.4f}.
            Together {first + second:.3f} bits (3 decimals).""",
            f"""Pehla weight −{P} · log2({P}) = {first:.4f} jodta hai.
            Doosra −{Q} · log2({Q}) = {second:.4f} jodta hai.
            Kul milakar {first + second:.3f} bits (teen decimals).""",
        ),
    )


@family("E9", Theme.VALUES, Text("temperature", "temperature"), precision=3, version=2)
def temperature(rng: Random) -> Variant:
    a, T = rng.choice([(a, T) for a in (0.5, 1, 2, 3) for T in (0.25, 0.5, 2, 4, 5) if 0.2 <= a / T <= 5])
    A, W = number_text(a), number_text(T)
    answer = 1 / (1 + exp(-a / T))
    return Variant(
        {"a": a, "T": T},
        Text(
            f"Two keys have the scores {A} and 0. What weight does the first key get at temperature {W}?",
            f"Do keys ke scores {A} aur 0 hain. Temperature {W} par pehli key ka weight kitna hoga?",
        ),
        answer,
        lambda: softmax_weights(a / T, 0 / T)[0],
        (
            Slip(
                "inverted",
                1 / (1 + exp(-a * T)),
                f"1 / (1 + e^(−{A} · {W}))",
                "the scores are divided by the temperature",
                "scores ko temperature se divide karte hain",
            ),
            Slip(
                "ignored",
                1 / (1 + exp(-a)),
                f"1 / (1 + e^(−{A}))",
                "the temperature was left out",
                "temperature chhoot gaya",
            ),
        ),
        Text(
            f"""The scores are divided by the temperature: {A} / {W} = {number_text(a / T)}, and 0.
            With two keys the weight is 1 / (1 + e^(−{number_text(a / T)})).
            First weight: {answer:.3f} (3 decimals).""",
            f"""Scores ko temperature se divide karo: {A} / {W} = {number_text(a / T)}, aur 0.
            Do keys ho to weight 1 / (1 + e^(−{number_text(a / T)})) hai.
            Pehla weight: {answer:.3f} (teen decimals).""",
        ),
    )


@family("E14", Theme.VALUES, Text("two keys", "do keys"), precision=3)
def gap(rng: Random) -> Variant:
    x = rng.choice((0.25, 0.5, 0.75, 1, 1.5, 2, 2.5, 3, 4))
    X = number_text(x)
    answer = 1 / (1 + exp(-x))
    return Variant(
        {"x": x},
        Text(
            f"Of two keys the first has a score {X} above that of the second. What weight does it get?",
            f"Do keys hain; pehli ka score doosri se {X} zyada hai. Pehli key ko kitna weight milega?",
        ),
        answer,
        lambda: softmax_weights(x, 0)[0],
        (
            Slip(
                "tanh",
                tanh(x),
                f"tanh({X})",
                "two keys give the logistic function",
                "do keys se logistic function banta hai",
            ),
            Slip(
                "half-exp",
                exp(x) / (1 + x),
                f"e^{X} / (1 + {X})",
                "both terms are exponentials: e^x/(e^x + 1)",
                "dono terms exponentials hain: e^x/(e^x + 1)",
            ),
        ),
        Text(
            f"""Only the difference counts, so take the scores {X} and 0.
            Exponentials: e^{X} = {exp(x):.4f} and e^0 = 1.
            First weight: {exp(x):.4f} / {exp(x) + 1:.4f} = {answer:.3f} (3 decimals).""",
            f"""Sirf fark maayne rakhta hai, to scores {X} aur 0 maan lo.
            Exponentials: e^{X} = {exp(x):.4f} aur e^0 = 1.
            Pehla weight: {exp(x):.4f} / {exp(x) + 1:.4f} = {answer:.3f} (teen decimals).""",
        ),
    )


@family("E16", Theme.VALUES, Text("mask before softmax", "softmax se pehle mask"), precision=3)
def masked_score(rng: Random) -> Variant:
    a, b, c = rng.choice((0.5, 1, 1.5, 2, 3)), rng.choice((-1, 0, 0.5, 2.5)), rng.choice((-0.5, 0.2, 1.2, 4))
    A, B, C = factor_text(a), factor_text(b), factor_text(c)
    shown = [number_text(score) for score in (a, b, c)]
    answer = exp(a) / (exp(a) + exp(b))
    return Variant(
        {"a": a, "b": b, "c": c},
        Text(
            f"Three keys have the scores {shown[0]}, {shown[1]} and {shown[2]}; the third is masked with −∞. "
            "What weight does the first key get?",
            f"Teen keys ke scores {shown[0]}, {shown[1]} aur {shown[2]} hain; teesri par −∞ ka mask hai. "
            "Pehli key ka weight kitna hoga?",
        ),
        answer,
        lambda: masked_weights((a, b, c), (True, True, False))[0],
        (
            Slip(
                "after-softmax",
                exp(a) / (exp(a) + exp(b) + exp(c)),
                f"e^{A} / (e^{A} + e^{B} + e^{C})",
                "a mask after softmax leaves the row short of 1",
                "softmax ke baad mask lagane se row ka sum 1 se kam reh jaata hai",
            ),
            Slip(
                "score-zero",
                exp(a) / (exp(a) + exp(b) + 1),
                f"e^{A} / (e^{A} + e^{B} + 1)",
                "score 0 is not “no attention”: e^0 = 1",
                "score 0 ka matlab “no attention” nahi: e^0 = 1",
            ),
        ),
        Text(
            f"""The masked key adds e^(−∞) = 0 to the sum.
            The others: e^{A} = {exp(a):.4f} and e^{B} = {exp(b):.4f}, together {exp(a) + exp(b):.4f}.
            First weight: {exp(a):.4f} / {exp(a) + exp(b):.4f} = {answer:.3f} (3 decimals).""",
            f"""Masked key sum mein e^(−∞) = 0 jodti hai.
            Baaki: e^{A} = {exp(a):.4f} aur e^{B} = {exp(b):.4f}, milakar {exp(a) + exp(b):.4f}.
            Pehla weight: {exp(a):.4f} / {exp(a) + exp(b):.4f} = {answer:.3f} (teen decimals).""",
        ),
    )


_LARGEST = {16: 11, 32: 88, 64: 709}
"""Last whole x with a finite e^x in IEEE 754, by bits."""


@family("E22", Theme.VALUES, Text("overflow of exp", "exp ka overflow"), least=0)
def overflow(rng: Random) -> Variant:
    bits = rng.choice((16, 32, 64))
    scores = rng.sample((5, 9, 11, 12, 20, 60, 88, 89, 95, 200, 650, 709, 710, 800), 5)
    answer = sum(score > _LARGEST[bits] for score in scores)
    other = {16: 32, 32: 64, 64: 32}[bits]
    shown = ", ".join(map(str, scores))
    over = [str(score) for score in sorted(scores) if score > _LARGEST[bits]]
    return Variant(
        {f"s{i}": score for i, score in enumerate(scores, 1)} | {"bits": bits},
        Text(
            f"Five scores are {shown}. For how many of them does exp overflow in float{bits}, "
            "if the maximum is not subtracted first?",
            f"Paanch scores {shown} hain. Maximum ghataye bina float{bits} mein exp lo to kitne scores par "
            "overflow hoga?",
        ),
        answer,
        lambda: overflowing(scores, bits),
        (
            Slip(
                "none",
                0,
                "",
                "softmax is safe only after subtracting the maximum",
                "softmax maximum ghatane ke baad hi safe hai",
            ),
            Slip("all", 5, "", "small scores do not overflow", "chhote scores par overflow nahi hota"),
            Slip(
                "other-type",
                sum(score > _LARGEST[other] for score in scores),
                "",
                f"{_LARGEST[other]} is the limit of float{other}; 11, 88 and 709 are the last whole numbers "
                "that fit in float16, float32 and float64",
                f"{_LARGEST[other]} float{other} ki limit hai; float16, float32 aur float64 mein sabse bade poore numbers "
                "11, 88 aur 709 hain",
            ),
        ),
        Text(
            f"""The last whole x with a finite e^x in float{bits} is {_LARGEST[bits]}.
            Larger than {_LARGEST[bits]}: {", ".join(over) or "none"}.
            So exp overflows for {answer} of the 5 scores.""",
            f"""float{bits} mein sabse bada poora x jiska e^x finite rahe, {_LARGEST[bits]} hai.
            {_LARGEST[bits]} se bade: {", ".join(over) or "koi nahi"}.
            Yaani 5 scores mein se {answer} par overflow hota hai.""",
        ),
    )
