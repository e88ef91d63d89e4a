"""How many bytes an attention layer keeps."""

from dataclasses import dataclass
from random import Random

from mha_quiz.families.presets import GROUPED
from mha_quiz.families.ranges import (
    BATCHES,
    BYTES,
    HEADS,
    KEY_WIDTHS,
    LAYERS,
    MANY_TOKENS,
    divisors_between,
    other_than,
)
from mha_quiz.families.runs import run
from mha_quiz.question import Slip, Text, Theme, Variant, family


@dataclass(frozen=True, slots=True)
class Cache:
    """Whose keys and values are kept."""

    L: int
    h: int
    g: int
    k: int
    name: str

    @property
    def said(self) -> Text:
        en = f"{self.L} layers, {self.h} query heads, {self.g} key/value heads and heads {self.k} wide"
        hinglish = f"{self.L} layers, {self.h} query heads, {self.g} key/value heads hain aur head width {self.k} hai"
        return Text(f"{self.name or 'A model'} has {en}.", f"{self.name or 'Ek model'} mein {hinglish}.")


def _cache(rng: Random) -> Cache:
    if rng.random() < 0.3:
        model = rng.choice(GROUPED)
        return Cache(model.layers, model.h, model.g, model.d // model.h, model.name)
    h = rng.choice([h for h in HEADS if divisors_between(h)])
    return Cache(rng.choice(LAYERS), h, rng.choice(divisors_between(h)), rng.choice(KEY_WIDTHS), "")


@family("D1", Theme.MEMORY, Text("score tensor", "scores ki memory"), unit="bytes")
def score_bytes(rng: Random) -> Variant:
    h, n, s = rng.choice(HEADS), rng.choice(MANY_TOKENS), rng.choice(BYTES)
    B = other_than(rng, BATCHES, h)
    answer = B * h * n**2 * s
    return Variant(
        {"B": B, "h": h, "n": n, "s": s},
        Text(
            f"A layer with {h} heads keeps its scores q·kᵀ for a batch of {B} sequences of {n} tokens, "
            f"{s} bytes a number. How many bytes are that?",
            f"{h} heads wali layer ne {B} sequences (har ek {n} tokens) ke scores q·kᵀ rakhe hain, "
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


@family("D2", Theme.MEMORY, Text("KV cache", "KV cache"), unit="bytes")
def cache_bytes(rng: Random) -> Variant:
    cache = _cache(rng)
    L, h, g, k = cache.L, cache.h, cache.g, cache.k
    B, n, s = rng.choice((1, *BATCHES)), rng.choice(MANY_TOKENS), rng.choice(BYTES)
    a_token = 2 * g * k
    answer = 2 * B * L * g * n * k * s
    sequences = Text(
        f"{B} sequences of {n} tokens each" if B > 1 else f"one sequence (batch 1) of {n} tokens",
        f"{n} tokens wali {B} sequences ka" if B > 1 else f"{n} tokens wali ek sequence (batch 1) ka",
    )
    return Variant(
        {"B": B, "L": L, "h": h, "g": g, "n": n, "k": k, "s": s},
        cache.said
        + Text(
            f"How many bytes does the KV cache of {sequences.en} take, {s} bytes a number?",
            f"{s} bytes per number ho to {sequences.hinglish} KV cache kitne bytes lega?",
        ),
        answer,
        lambda: L * run(d=h * k, h=h, g=g, B=B, n=n, itemsize=s).kv_cache_nbytes,
        (
            Slip(
                "one-of-two",
                B * L * g * n * k * s,
                f"{B} · {L} · {g} · {n} · {k} · {s}",
                "both k and v are stored",
                "k aur v dono store hote hain",
            ),
            Slip(
                "all-heads",
                2 * B * L * h * n * k * s,
                f"2 · {B} · {L} · {h} · {n} · {k} · {s}",
                f"only the {g} key/value heads are stored",
                f"sirf {g} key/value heads store hote hain",
            ),
            Slip(
                "one-layer",
                2 * B * g * n * k * s,
                f"2 · {B} · {g} · {n} · {k} · {s}",
                "every layer has its own cache",
                "har layer ka apna cache hota hai",
            ),
            Slip(
                "squared",
                2 * B * L * g * n**2 * s,
                f"2 · {B} · {L} · {g} · {n}² · {s}",
                "the cache holds tokens, not pairs of tokens",
                "cache mein tokens rehte hain, tokens ke jode nahi",
            ),
            Slip(
                "elements",
                2 * B * L * g * n * k,
                f"2 · {B} · {L} · {g} · {n} · {k}",
                "that counts numbers, not bytes",
                "yeh numbers ki ginti hai, bytes ki nahi",
            ),
        ),
        Text(
            f"""One layer keeps k and v of {g} heads for each token: 2 · {g} · {k} = {a_token:,} numbers.
            All {L} layers keep {L} · {a_token:,} = {L * a_token:,} numbers a token, \
{s} · {L * a_token:,} = {s * L * a_token:,} bytes.
            {B} · {n} = {B * n:,} tokens need {B * n:,} · {s * L * a_token:,} = {answer:,} bytes.""",
            f"""Ek layer har token ke liye {g} heads ke k aur v rakhti hai: 2 · {g} · {k} = {a_token:,} numbers.
            Saari {L} layers mein har token ke {L} · {a_token:,} = {L * a_token:,} numbers, \
yaani {s} · {L * a_token:,} = {s * L * a_token:,} bytes.
            {B} · {n} = {B * n:,} tokens ke liye {B * n:,} · {s * L * a_token:,} = {answer:,} bytes.""",
        ),
    )


MEMORY = (score_bytes, cache_bytes)
