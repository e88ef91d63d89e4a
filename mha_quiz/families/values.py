"""What numbers an attention layer computes."""

from math import exp, sqrt
from random import Random

from mha_quiz.families.runs import attended, causal_weights, scaled_weights, softmax_weights
from mha_quiz.question import Slip, Text, Theme, Variant, family, number_text


def _factor(number: float) -> str:
    """A number inside a formula; a negative one in brackets."""
    shown = number_text(number)
    return f"({shown})" if number < 0 else shown


@family("E1", Theme.VALUES, Text("softmax of three scores", "teen scores ka softmax"), precision=3)
def softmax_of_three(rng: Random) -> Variant:
    a, b, c = rng.choice((0.5, 1, 1.5, 2, 3)), rng.choice((-1, 0, 0.5, 2.5)), rng.choice((-0.5, 0.2, 1.2, 4))
    while a + b + c == 0:
        b = rng.choice((-1, 0, 0.5, 2.5))
    A, B, C = _factor(a), _factor(b), _factor(c)
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


@family("E2", Theme.VALUES, Text("scaling by √d_k", "√d_k se scaling"), precision=3)
def scaled_scores(rng: Random) -> Variant:
    a, b, k = rng.choice((2, 4, 8, 16)), rng.choice((-4, 0, 1, 6)), rng.choice((4, 16, 25, 64, 128))
    gap = (a - b) / sqrt(k)
    answer = 1 / (1 + exp(-gap))
    A, B = number_text(a), number_text(b)
    root, difference, scaled = f"{sqrt(k):.6g}", _factor(b - a), number_text(round(gap, 3))
    return Variant(
        {"a": a, "b": b, "k": k},
        Text(
            f"A query has the dot products q·k = {A} and {B} with two keys, and d_k = {k}. "
            "What weight does the first key get after scaling and softmax?",
            f"Ek query ke do keys ke saath dot products q·k = {A} aur {B} hain, aur d_k = {k} hai. "
            "Scaling aur softmax ke baad pehli key ka weight kitna hoga?",
        ),
        answer,
        lambda: scaled_weights(a, b, d_k=k)[0],
        (
            Slip(
                "unscaled",
                1 / (1 + exp(b - a)),
                f"1 / (1 + e^{difference})",
                f"the division by √d_k = {root} was left out",
                f"√d_k = {root} se divide karna chhoot gaya",
            ),
            Slip(
                "by-k",
                1 / (1 + exp((b - a) / k)),
                f"1 / (1 + e^({difference} / {k}))",
                "divide by √d_k, not by d_k",
                "√d_k se divide karo, d_k se nahi",
            ),
            Slip(
                "multiplied",
                1 / (1 + exp((b - a) * sqrt(k))),
                f"1 / (1 + e^({difference} · √{k}))",
                "divide, do not multiply",
                "divide karo, multiply nahi",
            ),
        ),
        Text(
            f"""Each dot product is divided by √d_k = √{k} = {root}.
            Scaled, the first score is ahead by ({A} − {B if b >= 0 else f"({B})"}) / {root} = {scaled}.
            With two keys the weight depends on this gap alone: 1 / (1 + e^{_factor(round(-gap, 3))}).
            First weight: {answer:.3f} (3 decimals).""",
            f"""Har dot product ko √d_k = √{k} = {root} se divide karte hain.
            Scaling ke baad pehla score ({A} − {B if b >= 0 else f"({B})"}) / {root} = {scaled} aage hai.
            Do keys ho to weight sirf isi gap par nirbhar hai: 1 / (1 + e^{_factor(round(-gap, 3))}).
            Pehla weight: {answer:.3f} (teen decimals).""",
        ),
    )


@family("E6", Theme.VALUES, Text("causal row", "causal mask ki ek row"), precision=4)
def causal_row(rng: Random) -> Variant:
    i, n = rng.choice((2, 3, 4, 5, 6, 7, 8)), rng.choice((10, 12, 16, 20))
    return Variant(
        {"i": i, "n": n},
        Text(
            f"{n} tokens, a causal mask, and all scores are equal. "
            f"What weight does each allowed key get in row {i} (counted from 1)?",
            f"{n} tokens hain, causal mask laga hai aur saare scores barabar hain. "
            f"Row {i} (ginti 1 se) mein har allowed key ko kitna weight milta hai?",
        ),
        1 / i,
        lambda: causal_weights(n)[i - 1][0],
        (
            Slip("all", 1 / n, f"1 / {n}", "later tokens are blocked", "baad wale tokens block hote hain"),
            Slip(
                "off-by-one",
                1 / (i + 1),
                f"1 / {i + 1}",
                f"row {i} sees {i} tokens, itself included",
                f"row {i} khud ko milakar {i} tokens dekhti hai",
            ),
            Slip(
                "strict",
                1 / (i - 1),
                f"1 / {i - 1}",
                "a token sees itself too",
                "token khud ko bhi dekhta hai",
            ),
        ),
        Text(
            f"""The causal mask lets row {i} see the tokens 1 to {i} and blocks the other {n} − {i} = {n - i}.
            Equal scores share the weight equally among {i} keys.
            Each gets 1 / {i} = {1 / i:.4f} (4 decimals).""",
            f"""Causal mask se row {i} sirf tokens 1 se {i} dekhti hai; baaki {n} − {i} = {n - i} block hain.
            Scores barabar hain, to weight {i} keys mein barabar bantta hai.
            Har ek ko 1 / {i} = {1 / i:.4f} milta hai (chaar decimals).""",
        ),
    )


@family("E10", Theme.VALUES, Text("weighted sum", "weighted sum"), precision=2)
def weighted_sum(rng: Random) -> Variant:
    w = rng.choice((0.1, 0.2, 0.25, 0.4, 0.6, 0.7, 0.75, 0.9))
    x, y = rng.choice((1, 2, 4, 10)), rng.choice((-2, 3, 5, 8))
    answer = w * x + (1 - w) * y
    W, V, Y = number_text(w), number_text(1 - w), _factor(y)
    return Variant(
        {"w": w, "x": x, "y": y},
        Text(
            f"A query gives two keys the weights {W} and {V}; their values are {x} and {number_text(y)}. "
            "What is the output?",
            f"Ek query do keys ko {W} aur {V} weights deti hai; unki values {x} aur {number_text(y)} hain. "
            "Output kitna hoga?",
        ),
        answer,
        lambda: attended((w, 1 - w), (x, y)),
        (
            Slip("mean", (x + y) / 2, f"({x} + {Y}) / 2", "the weights are not equal", "weights barabar nahi hain"),
            Slip(
                "argmax",
                x if w > 0.5 else y,
                "",
                "attention mixes, it does not pick the best",
                "attention values ko milata hai, sabse badi weight wali nahi chunta",
            ),
            Slip(
                "swapped",
                (1 - w) * x + w * y,
                f"{V} · {x} + {W} · {Y}",
                "weight and value are paired wrongly",
                "weight aur value ki jodi galat bani",
            ),
        ),
        Text(
            f"""The first key adds {W} · {x} = {number_text(w * x)}.
            The second adds {V} · {Y} = {number_text((1 - w) * y)}.
            Together {answer:.2f} (2 decimals).""".replace("-", "−"),
            f"""Pehli key {W} · {x} = {number_text(w * x)} jodti hai.
            Doosri {V} · {Y} = {number_text((1 - w) * y)} jodti hai.
            Kul milakar {answer:.2f} (do decimals).""".replace("-", "−"),
        ),
    )


VALUES = (softmax_of_three, scaled_scores, causal_row, weighted_sum)
