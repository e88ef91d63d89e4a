"""What an attention layer makes of its weights: mixed values, joined heads, averages."""

from itertools import permutations
from math import exp
from random import Random

from mha_quiz.families.runs import attended, dropped_sum, joined_output, mean_weight, row_that_moved
from mha_quiz.question import Slip, Text, Theme, Variant, family
from mha_quiz.question_text import factor_text, number_text


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
