"""What an attention layer computes: scaled scores, masked rows, sums of weights."""

from math import exp, sqrt
from random import Random

from mha_quiz.families.mixing import averaged_weights, dropout, permuted_tokens, two_heads_joined, weighted_sum
from mha_quiz.families.presets import SCALED, SHORT_TEXTS
from mha_quiz.families.ranges import BATCHES, layer, other_than, tokens
from mha_quiz.families.runs import causal_weights, scale_of_scores, scaled_weights, sum_of_weights, variance_of_scores
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
from mha_quiz.question import Slip, Text, Theme, Variant, family
from mha_quiz.question_text import factor_text, number_text


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
