"""How many bytes an attention layer keeps."""

from random import Random

from mha_quiz.families.caches import cache_bytes, gain_of_grouping, largest_batch, latent_cache, numbers_a_token
from mha_quiz.families.presets import CACHING, MULTI_HEAD, VIT_B_16, WITHOUT_BIASES
from mha_quiz.families.ranges import BATCHES, BYTES, HEADS, MANY_TOKENS, MODEL_SHARE, layer, other_than
from mha_quiz.families.runs import dry, gibibytes_of, row_statistics_bytes, run
from mha_quiz.question import Slip, Text, Theme, Variant, family


def _maps(rng: Random) -> tuple[int, int, str]:
    """Heads and tokens, and the name of the released model they are of, if of one."""
    if rng.random() < MODEL_SHARE:
        model = rng.choice([model for model in MULTI_HEAD if model.context])
        lengths = [n for n in MANY_TOKENS if n <= (model.context or 0)]
        return model.h, 197 if model is VIT_B_16 else rng.choice(lengths), model.name
    return rng.choice(HEADS), rng.choice(MANY_TOKENS), ""


@family("D1", Theme.MEMORY, Text("score tensor", "scores ki memory"), unit="bytes", version=2)
def score_bytes(rng: Random) -> Variant:
    h, n, name = _maps(rng)
    s = rng.choice(BYTES)
    B = other_than(rng, BATCHES, h)
    answer = B * h * n**2 * s
    heads, ki = (f"of {name}, with {h} heads,", f"{name} ki ") if name else (f"with {h} heads", "")
    return Variant(
        {"B": B, "h": h, "n": n, "s": s},
        Text(
            f"A layer {heads} keeps its scores q·kᵀ for a batch of {B} sequences of {n} tokens, "
            f"{s} bytes a number. How many bytes is that?",
            f"{ki}{h} heads wali layer ne {B} sequences (har ek {n} tokens) ke scores q·kᵀ rakhe hain, "
            f"{s} bytes per number. Yeh kul kitne bytes hue?",
        ),
        answer,
        lambda: run(d=16 * h, h=h, B=B, n=n, itemsize=s).nbytes("scores"),
        (
            Slip(
                "no-heads",
                B * n**2 * s,
                f"{B} · {n}² · {s}",
                "every head has its own map",
                "har head ka apna map hota hai",
            ),
            Slip(
                "elements",
                B * h * n**2,
                f"{B} · {h} · {n}²",
                "that counts numbers, not bytes",
                "yeh numbers ki ginti hai, bytes ki nahi",
            ),
            Slip(
                "twice",
                2 * B * h * n**2 * s,
                f"2 · {B} · {h} · {n}² · {s}",
                "only the scores were asked for, not scores and weights",
                "sawaal sirf scores ka tha, scores aur weights dono ka nahi",
            ),
        ),
        Text(
            f"""One map of {n} × {n} scores: {n}² = {n**2:,} numbers.
            {B} sequences with {h} heads each have {B} · {h} = {B * h} maps: {B * h} · {n**2:,} = {B * h * n**2:,} numbers.
            At {s} bytes a number {s} · {B * h * n**2:,} = {answer:,} bytes.""",
            f"""{n} × {n} scores ka ek map: {n}² = {n**2:,} numbers.
            {B} sequences aur {h} heads se {B} · {h} = {B * h} maps bante hain: \
{B * h} · {n**2:,} = {B * h * n**2:,} numbers.
            {s} bytes per number: {s} · {B * h * n**2:,} = {answer:,} bytes.""",
        ),
    )


@family("D6", Theme.MEMORY, Text("weights", "weights ki memory"), unit="bytes")
def weight_bytes(rng: Random) -> Variant:
    drawn, s = layer(rng, WITHOUT_BIASES), rng.choice(BYTES)
    d, h = drawn.d, drawn.h
    answer = 4 * d**2 * s
    return Variant(
        {"d": d, "h": h, "s": s},
        drawn.said
        + Text(
            f"How many bytes do W_Q, W_K, W_V and W_O take without biases, {s} bytes a number?",
            f"Bina bias ke W_Q, W_K, W_V aur W_O kul kitne bytes lete hain, {s} bytes per number?",
        ),
        answer,
        lambda: sum(tensor.nbytes for tensor in dry(d, h, itemsize=s).parameters.values()),
        (
            Slip(
                "count",
                4 * d**2,
                f"4 · {d}²",
                "that counts numbers, not bytes",
                "yeh numbers ki ginti hai, bytes ki nahi",
            ),
            Slip("no-out", 3 * d**2 * s, f"3 · {d}² · {s}", "W_O was left out", "W_O chhoot gaya"),
        ),
        Text(
            f"""Each of the four matrices is {d} × {d}: {d}² = {d**2:,} numbers.
            All four: 4 · {d**2:,} = {4 * d**2:,} numbers.
            At {s} bytes a number {s} · {4 * d**2:,} = {answer:,} bytes.""",
            f"""Chaaron matrices {d} × {d} ki hain: {d}² = {d**2:,} numbers.
            Chaaron milakar: 4 · {d**2:,} = {4 * d**2:,} numbers.
            {s} bytes per number: {s} · {4 * d**2:,} = {answer:,} bytes.""",
        ),
    )


_CACHES = tuple(
    (model, n, sequences, b)
    for model in CACHING
    for n in (1000, 1024, 2000, 4000, 4096, 8000, 8192)
    for sequences in (1, 2, 3, 5, 8)
    if n <= (model.context or 0)
    and (b := 2 * model.layers * model.g * (model.d // model.h) * 2 * sequences * n) >= 2**30
)
"""Caches of released models, 2 bytes a number, large enough that the units differ in two decimals."""


@family("D7", Theme.MEMORY, Text("GiB and GB", "GiB aur GB"), unit="GiB", precision=2)
def gibibytes(rng: Random) -> Variant:
    model, n, sequences, b = rng.choice(_CACHES)
    answer = b / 2**30
    cached = f"{sequences} sequences of {n} tokens" if sequences > 1 else f"{n} tokens"
    wali = f"{n} tokens wali {sequences} sequences" if sequences > 1 else f"{n} tokens"
    return Variant(
        {"b": b},
        Text(
            f"The KV cache of {model.name} takes {b:,} bytes for {cached}. How many GiB is that?",
            f"{model.name} ka KV cache {wali} ke liye {b:,} bytes leta hai. Yeh kitne GiB hue?",
        ),
        answer,
        lambda: gibibytes_of(b),
        (
            Slip(
                "decimal",
                b / 10**9,
                f"{b:,} / 10^9",
                "that is GB (10^9); GiB is 2^30",
                "yeh GB (10^9) hai; GiB 2^30 hota hai",
            ),
            Slip(
                "bits",
                8 * b / 2**30,
                f"8 · {b:,} / 2^30",
                "bytes were asked for, not bits",
                "sawaal bytes ka tha, bits ka nahi",
            ),
            Slip(
                "mixed",
                b / (2**20 * 1000),
                f"{b:,} / (2^20 · 1000)",
                "one factor 1000, two factors 1024",
                "ek factor 1000 ka lagaya, do 1024 ke",
            ),
        ),
        Text(
            f"""Ki, Mi and Gi are steps of 2^10 = 1,024, so 1 GiB is 2^30 = {2**30:,} bytes.
            GB would be steps of 1,000: 10^9 = 1,000,000,000 bytes.
            {b:,} / {2**30:,} = {answer:.2f} GiB (2 decimals).""",
            f"""Ki, Mi aur Gi mein har step 2^10 = 1,024 ka hai, to 1 GiB 2^30 = {2**30:,} bytes hai.
            GB mein har step 1,000 ka hota: 10^9 = 1,000,000,000 bytes.
            {b:,} / {2**30:,} = {answer:.2f} GiB (do decimals).""",
        ),
    )


@family("D9", Theme.MEMORY, Text("blockwise attention", "blockwise attention"), unit="bytes", version=2)
def row_statistics(rng: Random) -> Variant:
    h, n, name = _maps(rng)
    s = rng.choice(BYTES)
    B = other_than(rng, BATCHES, h)
    answer = 4 * B * h * n
    heads, iske = (f"the {h} heads of {name}", f"{name} ke {h} heads") if name else (f"{h} heads",) * 2
    return Variant(
        {"B": B, "h": h, "n": n, "s": s},
        Text(
            f"Blockwise attention does not keep the {n} × {n} maps for the backward pass, only one float32 "
            f"log-sum-exp for each row. How many bytes is that for {B} sequences of {n} tokens and {heads}, "
            f"where a score takes {s} bytes?",
            f"Blockwise attention backward pass ke liye {n} × {n} map nahi rakhta, har row ka sirf ek float32 "
            f"log-sum-exp rakhta hai. {n} tokens wali {B} sequences aur {iske} ke liye yeh kitne bytes hue, "
            f"jab ek score {s} bytes ka ho?",
        ),
        answer,
        lambda: row_statistics_bytes(B, h, n, itemsize=s),
        (
            Slip(
                "map",
                B * h * n**2 * s,
                f"{B} · {h} · {n}² · {s}",
                "that is the map it avoids",
                "yeh wahi map hai jo woh nahi rakhta",
            ),
            Slip(
                "no-heads",
                4 * B * n,
                f"4 · {B} · {n}",
                "every head has its own rows",
                "har head ki apni rows hoti hain",
            ),
            Slip(
                "two",
                8 * B * h * n,
                f"8 · {B} · {h} · {n}",
                "maximum and sum are kept as one number, the log-sum-exp",
                "maximum aur sum ek hi number mein rehte hain, log-sum-exp mein",
            ),
        ),
        Text(
            f"""Each of {B} sequences has {n} rows in each of {h} heads: {B} · {h} · {n} = {B * h * n:,} rows.
            A row keeps one float32, 4 bytes, whatever the scores take.
            Together 4 · {B * h * n:,} = {answer:,} bytes.""",
            f"""{B} sequences, har ek ke {h} heads, har head mein {n} rows: {B} · {h} · {n} = {B * h * n:,} rows.
            Har row ek float32 rakhti hai, 4 bytes, scores chahe jitne bytes ke hon.
            Kul milakar 4 · {B * h * n:,} = {answer:,} bytes.""",
        ),
    )


MEMORY = (
    score_bytes,
    cache_bytes,
    gain_of_grouping,
    numbers_a_token,
    latent_cache,
    weight_bytes,
    gibibytes,
    largest_batch,
    row_statistics,
)
