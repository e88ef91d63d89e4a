"""What an attention layer computes: scaled scores, masked rows, mixed values, joined heads."""

from itertools import permutations
from math import exp, sqrt
from random import Random

from mha_quiz.families.presets import SCALED, SHORT_TEXTS
from mha_quiz.families.ranges import BATCHES, layer, other_than, tokens
from mha_quiz.families.runs import (
    attended,
    causal_weights,
    dropped_sum,
    joined_output,
    mean_weight,
    row_that_moved,
    scale_of_scores,
    scaled_weights,
    sum_of_weights,
    variance_of_scores,
)
from mha_quiz.families.softmax import (
    changed_weight,
    entropy_of_two,
    entropy_of_uniform,
    equal_scores,
    gap,
    masked_score,
    overflow,
    ratio,
    softmax_of_three,
    temperature,
)
from mha_quiz.question import Slip, Text, Theme, Variant, factor_text, family, number_text


@family("E2", Theme.VALUES, Text("scaling by √d_k", "√d_k se scaling"), precision=3)
def scaled_scores(rng: Random) -> Variant:
    a, b, k = rng.choice((2, 4, 8, 16)), rng.choice((-4, 0, 1, 6)), rng.choice((4, 16, 25, 64, 128))
    gap = (a - b) / sqrt(k)
    answer = 1 / (1 + exp(-gap))
    A, B = number_text(a), number_text(b)
    root, difference, scaled = f"{sqrt(k):.6g}", factor_text(b - a), number_text(round(gap, 3))
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
            With two keys the weight depends on this gap alone: 1 / (1 + e^{factor_text(round(-gap, 3))}).
            First weight: {answer:.3f} (3 decimals).""",
            f"""Har dot product ko √d_k = √{k} = {root} se divide karte hain.
            Scaling ke baad pehla score ({A} − {B if b >= 0 else f"({B})"}) / {root} = {scaled} aage hai.
            Do keys ho to weight sirf isi gap par nirbhar hai: 1 / (1 + e^{factor_text(round(-gap, 3))}).
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
    W, V, Y = number_text(w), number_text(1 - w), factor_text(y)
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
                "attention values ko milata hai, sabse bade weight wali nahi chunta",
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


@family("E11", Theme.VALUES, Text("variance of a score", "ek score ka variance"))
def score_variance(rng: Random) -> Variant:
    model = rng.choice((None, *SCALED))
    k = model.d // model.h if model else rng.choice((4, 16, 25, 32, 36, 48, 80, 96, 100, 128, 144, 256))
    said = (
        Text(f"In {model.name} a head is d_k = {k} wide.", f"{model.name} mein ek head ki width d_k = {k} hai.")
        if model
        else Text(f"A head is d_k = {k} wide.", f"Ek head ki width d_k = {k} hai.")
    )
    return Variant(
        {"k": k},
        said
        + Text(
            "Suppose all numbers in q and k are independent, with mean 0 and variance 1. "
            "What is the variance of q·k, before scaling?",
            "Maan lo q aur k ke saare numbers independent hain, mean 0 aur variance 1. "
            "Scaling se pehle q·k ka variance kitna hoga?",
        ),
        k,
        lambda: variance_of_scores(k),
        (
            Slip("root", sqrt(k), f"√{k}", "that is the standard deviation", "yeh standard deviation hai"),
            Slip(
                "one",
                1,
                "",
                "it is 1 only after the division by √d_k",
                "1 to √d_k se divide karne ke baad hota hai",
            ),
            Slip(
                "square",
                k**2,
                f"{k}²",
                f"{k} terms of variance 1 add up to {k}",
                f"variance 1 wale {k} terms ka variance judkar {k} hota hai",
            ),
        ),
        Text(
            f"""A product of two independent numbers with mean 0 and variance 1 has variance 1 · 1 = 1.
            q·k adds up {k} such products, and variances of independent terms add up.
            The variance is {k} · 1 = {k}.""",
            f"""Mean 0 aur variance 1 wale do independent numbers ke product ka variance 1 · 1 = 1 hota hai.
            q·k aise {k} products ka sum hai, aur independent terms ke variance jud jaate hain.
            Variance {k} · 1 = {k} hai.""",
        ),
        tolerance=0.05,
    )


@family("E12", Theme.VALUES, Text("scale factor", "scale factor"), precision=4)
def scale_factor(rng: Random) -> Variant:
    drawn = layer(rng, SCALED)
    d, h, k = drawn.d, drawn.h, drawn.k
    answer = 1 / sqrt(d / h)
    return Variant(
        {"d": d, "h": h},
        drawn.said
        + Text(
            "By which number are the scores multiplied, that is, what is 1/√d_k?",
            "Scores ko kis number se multiply karte hain, yaani 1/√d_k kitna hai?",
        ),
        answer,
        lambda: scale_of_scores(d, h),
        (
            Slip(
                "model-width",
                1 / sqrt(d),
                f"1 / √{d}",
                "the width of a head counts, not d_model",
                "head ki width dekho, d_model nahi",
            ),
            Slip("no-root", h / d, f"{h} / {d}", "the square root was left out", "square root lena reh gaya"),
            Slip(
                "by-heads",
                1 / sqrt(h),
                f"1 / √{h}",
                "divide by the root of the width, not of the number of heads",
                "width ke root se divide karo, heads ki ginti ke root se nahi",
            ),
        ),
        Text(
            f"""A head is d_k = {d} / {h} = {k} wide.
            √{k} = {sqrt(k):.4f}.
            So the factor is 1 / √{k} = {answer:.4f} (4 decimals).""",
            f"""Ek head ki width d_k = {d} / {h} = {k} hai.
            √{k} = {sqrt(k):.4f}.
            Yaani factor 1 / √{k} = {answer:.4f} hai (chaar decimals).""",
        ),
    )


@family("E13", Theme.VALUES, Text("sum of all weights", "saare weights ka sum"))
def all_weights_sum(rng: Random) -> Variant:
    drawn = layer(rng, SHORT_TEXTS)
    d, h = drawn.d, drawn.h
    B = other_than(rng, BATCHES, h)
    n = tokens(rng, drawn, (B,), (6, 7, 10, 12, 16, 20, 48))
    answer = B * h * n
    return Variant(
        {"B": B, "n": n, "d": d, "h": h},
        drawn.said
        + Text(
            f"For a batch of {B} sequences of {n} tokens, what do all attention weights of the layer add up to?",
            f"Batch {B}, har sequence mein {n} tokens: layer ke saare attention weights ka sum kitna hoga?",
        ),
        answer,
        lambda: sum_of_weights(B, n, h),
        (
            Slip(
                "one",
                1,
                "",
                f"each row sums to 1, and there are B·h·n = {answer:,} rows",
                f"har row ka sum 1 hota hai, aur rows B·h·n = {answer:,} hain",
            ),
            Slip(
                "maps",
                B * h,
                f"{B} · {h}",
                "each row sums to 1, not each map",
                "sum 1 har row ka hota hai, har map ka nahi",
            ),
            Slip(
                "entries",
                B * h * n**2,
                f"{B} · {h} · {n}²",
                "the weights of a row sum to 1; they are not 1 each",
                "ek row ke weights ka sum 1 hota hai; har weight 1 nahi hota",
            ),
        ),
        Text(
            f"""Softmax makes the weights of each row sum to 1.
            Each head of each sequence has {n} rows: {B} · {h} · {n} = {answer:,} rows.
            Together {answer:,} · 1 = {answer:,}.""",
            f"""Softmax se har row ke weights ka sum 1 hota hai.
            Har sequence ke har head mein {n} rows hain: {B} · {h} · {n} = {answer:,} rows.
            Kul milakar {answer:,} · 1 = {answer:,}.""",
        ),
        tolerance=1e-9,
    )


@family("E15", Theme.VALUES, Text("dropout on weights", "weights par dropout"), precision=3)
def dropout(rng: Random) -> Variant:
    tenths = rng.choice(((1, 2, 3, 4), (2, 2, 1, 5), (3, 3, 2, 2), (1, 1, 2, 6), (4, 1, 3, 2), (5, 1, 1, 3)))
    w = [part / 10 for part in rng.sample(tenths, 4)]
    dropped = rng.sample(range(4), rng.choice((1, 2)))
    q = rng.choice((0.1, 0.2, 0.25, 0.4))
    keep = [0 if i in dropped else 1 for i in range(4)]
    kept = sum(weight * mark for weight, mark in zip(w, keep, strict=True))
    answer = kept / (1 - q)
    weights, marks = ", ".join(map(number_text, w)), ", ".join(map(str, keep))
    added = " + ".join(number_text(weight) for weight, mark in zip(w, keep, strict=True) if mark)
    rate, rest, total = number_text(q), number_text(1 - q), number_text(kept)
    return Variant(
        {f"w{i}": weight for i, weight in enumerate(w, 1)}
        | {f"keep{i}": mark for i, mark in enumerate(keep, 1)}
        | {"q": q},
        Text(
            f"A row of weights is {weights}. Dropout with rate {rate} keeps those marked 1: {marks}. "
            "What is the row sum afterwards, in training?",
            f"Weights ki ek row {weights} hai. Training mein dropout (rate {rate}) sirf 1 wale rakhta hai: {marks}. "
            "Uske baad row ka sum kitna hoga?",
        ),
        answer,
        lambda: dropped_sum(w, keep, q),
        (
            Slip(
                "one",
                1,
                "",
                "dropped weights are not shared out again",
                "jo weights drop hue, woh baaki weights mein nahi baante jaate",
            ),
            Slip(
                "unscaled",
                kept,
                added,
                "kept weights are divided by 1 − q",
                "bache hue weights ko 1 − q se divide karte hain",
            ),
            Slip(
                "by-rate",
                kept / q,
                f"({added}) / {rate}",
                "divide by the keep rate 1 − q, not by q",
                "1 − q se divide karo, q se nahi",
            ),
        ),
        Text(
            f"""The kept weights: {added} = {total}.
            Each is divided by the keep rate 1 − {rate} = {rest}, so that the mean stays.
            Row sum: {total} / {rest} = {answer:.3f} (3 decimals).""",
            f"""Bache hue weights: {added} = {total}.
            Har ek ko keep rate 1 − {rate} = {rest} se divide karte hain, taaki mean wahi rahe.
            Row ka sum: {total} / {rest} = {answer:.3f} (teen decimals).""",
        ),
    )


_PERMUTATIONS = tuple(
    (order, row)
    for size in (3, 4)
    for order in permutations(range(size))
    if all(place != old for place, old in enumerate(order))
    for row in range(size)
    if order[order[row]] != row
)
"""New orders that move every token, each with a row that going back would send elsewhere."""


@family("E19", Theme.VALUES, Text("permuted tokens", "tokens ki adla-badli"), least=0)
def permuted_tokens(rng: Random) -> Variant:
    order, r = rng.choice(_PERMUTATIONS)
    answer, inverse = order[r], order.index(r)
    pairs = ", ".join(f"{new} ← {old}" for new, old in enumerate(order))
    return Variant(
        {f"p{new}": old for new, old in enumerate(order)} | {"r": r},
        Text(
            f"Self-attention without positions and mask: the tokens are put into a new order, new row ← old row: "
            f"{pairs} (counted from 0). Which old output row does new output row {r} equal?",
            f"Self-attention mein na positions hain na mask. Tokens ka naya order, nayi row ← purani row: "
            f"{pairs} (ginti 0 se). Output ki nayi row {r} kis purani output row ke barabar hai?",
        ),
        answer,
        lambda: row_that_moved(order, r),
        (
            Slip("same", r, "", "the outputs move with the tokens", "tokens ke saath outputs ki jagah bhi badalti hai"),
            Slip(
                "inverse",
                inverse,
                "",
                f"row {r} of the new input is old row {answer}, not the other way round",
                f"naye input ki row {r} purani row {answer} hai, ulta nahi",
            ),
        ),
        Text(
            f"""New row {r} holds the token of old row {answer}, so it asks the same query.
            It meets the same {len(order)} keys and values, in another order; a weighted sum does not care.
            New output row {r} equals old output row {answer}.""",
            f"""Nayi row {r} mein purani row {answer} ka token hai, isliye query wahi hai.
            Keys aur values wahi {len(order)} hain, bas order alag; weighted sum ko order se fark nahi padta.
            Nayi output row {r} purani output row {answer} ke barabar hai.""",
        ),
    )


@family("E20", Theme.VALUES, Text("joined heads and W_O", "jude hue heads aur W_O"))
def two_heads_joined(rng: Random) -> Variant:
    o, p, a, b = (rng.choice(numbers) for numbers in ((1, 2, 3, 5), (2, 3, 4, 6), (3, 4, 5), (2, 5, 6, 7)))
    answer = o * a + p * b
    return Variant(
        {"o": o, "p": p, "a": a, "b": b},
        Text(
            f"Two heads give one number each for a token, {o} and {p}. W_O has two rows of one number, {a} and {b}. "
            "What is the layer's output?",
            f"Do heads ek token ke liye ek-ek number dete hain, {o} aur {p}. W_O mein ek number wali do rows hain, "
            f"{a} aur {b}. Layer ka output kitna hoga?",
        ),
        answer,
        lambda: joined_output((o, p), (a, b)),
        (
            Slip(
                "sum-first",
                (o + p) * a,
                f"({o} + {p}) · {a}",
                "each head has its own block of W_O",
                "har head ka W_O mein apna block hota hai",
            ),
            Slip(
                "averaged",
                (o * a + p * b) / 2,
                f"({o} · {a} + {p} · {b}) / 2",
                "W_O adds, it does not average",
                "W_O jodta hai, average nahi leta",
            ),
            Slip("no-out", o + p, f"{o} + {p}", "W_O was left out", "W_O chhoot gaya"),
        ),
        Text(
            f"""Side by side the heads give the row ({o}, {p}).
            Head 1 meets the first row of W_O: {o} · {a} = {o * a}.
            Head 2 meets the second: {p} · {b} = {p * b}.
            Output: {o * a} + {p * b} = {answer}.""",
            f"""Saath-saath rakhne par heads row ({o}, {p}) dete hain.
            Head 1 W_O ki pehli row se milta hai: {o} · {a} = {o * a}.
            Head 2 doosri row se: {p} · {b} = {p * b}.
            Output: {o * a} + {p * b} = {answer}.""",
        ),
    )


@family("E21", Theme.VALUES, Text("averaged weights", "weights ka average"), precision=3)
def averaged_weights(rng: Random) -> Variant:
    x, y = rng.choice((0.5, 1, 2, 4)), rng.choice((-1, 0, 1.5, 3))
    first, second = 1 / (1 + exp(-x)), 1 / (1 + exp(-y))
    answer = (first + second) / 2
    X, Y = factor_text(-x), factor_text(-y)
    return Variant(
        {"x": x, "y": y},
        Text(
            f"A query meets two keys. In head 1 the score of key 1 is {number_text(x)} above that of key 2, in head 2 "
            f"the difference is {number_text(y)}. What is the weight of key 1, averaged over both heads?",
            f"Ek query ke saamne do keys hain. Head 1 mein key 1 ka score key 2 se {number_text(x)} zyada hai, "
            f"head 2 mein yeh fark {number_text(y)} hai. Dono heads ka average lo to key 1 ka weight kitna hai?",
        ),
        answer,
        lambda: mean_weight(x, y),
        (
            Slip(
                "of-mean",
                1 / (1 + exp(-(x + y) / 2)),
                f"1 / (1 + e^{factor_text(-(x + y) / 2)})",
                "the mean of softmax is not the softmax of the mean",
                "softmax ka mean aur mean ka softmax alag hote hain",
            ),
            Slip(
                "first-head",
                first,
                f"1 / (1 + e^{X})",
                "the second head counts too",
                "doosra head bhi gino",
            ),
        ),
        Text(
            f"""Head 1: 1 / (1 + e^{X}) = {first:.4f}.
            Head 2: 1 / (1 + e^{Y}) = {second:.4f}.
            Mean: ({first:.4f} + {second:.4f}) / 2 = {answer:.3f} (3 decimals).""",
            f"""Head 1: 1 / (1 + e^{X}) = {first:.4f}.
            Head 2: 1 / (1 + e^{Y}) = {second:.4f}.
            Average: ({first:.4f} + {second:.4f}) / 2 = {answer:.3f} (teen decimals).""",
        ),
    )


VALUES = (
    softmax_of_three,
    scaled_scores,
    ratio,
    equal_scores,
    changed_weight,
    causal_row,
    entropy_of_uniform,
    entropy_of_two,
    temperature,
    weighted_sum,
    score_variance,
    scale_factor,
    all_weights_sum,
    gap,
    dropout,
    masked_score,
    permuted_tokens,
    two_heads_joined,
    averaged_weights,
    overflow,
)
