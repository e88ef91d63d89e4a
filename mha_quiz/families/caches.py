"""What generating token by token keeps of keys and values."""

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
    MODEL_SHARE,
    divisors_between,
    grouped_layer,
)
from mha_quiz.families.runs import cache_nbytes, latent_numbers, most_sequences
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
    if rng.random() < MODEL_SHARE:
        model = rng.choice(GROUPED)
        return Cache(model.layers, model.h, model.g, model.d // model.h, model.name)
    h = rng.choice([h for h in HEADS if divisors_between(h)])
    return Cache(rng.choice(LAYERS), h, rng.choice(divisors_between(h)), rng.choice(KEY_WIDTHS), "")


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
        lambda: L * cache_nbytes(h * k, h, g=g, B=B, n=n, itemsize=s),
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
                "cache mein tokens rehte hain, tokens ke pairs nahi",
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


@family("D3", Theme.MEMORY, Text("gain of grouping", "grouping ka faayda"))
def gain_of_grouping(rng: Random) -> Variant:
    drawn = grouped_layer(rng)
    d, h, g = drawn.d, drawn.h, drawn.g
    answer = h // g
    name = f"{drawn.model.name} has" if drawn.model else "A layer has"
    naam = f"{drawn.model.name} mein" if drawn.model else "Ek layer mein"
    return Variant(
        {"h": h, "g": g},
        Text(
            f"{name} {h} query heads and {g} key/value heads. "
            f"How many times smaller is its KV cache than with {h} key/value heads?",
            f"{naam} {h} query heads aur {g} key/value heads hain. "
            f"{h} key/value heads ke mukable iska KV cache kitne guna chhota hai?",
        ),
        answer,
        lambda: cache_nbytes(d, h, g=h, n=5) / cache_nbytes(d, h, g=g, n=5),
        (
            Slip("kv-heads", g, "g", "that is the number of key/value heads", "yeh key/value heads ki ginti hai"),
            Slip(
                "half",
                h / (2 * g),
                f"{h} / (2 · {g})",
                "k and v both shrink; the factor 2 cancels",
                "k aur v dono chhote hote hain, isliye 2 ka factor kat jaata hai",
            ),
            Slip(
                "double",
                2 * h // g,
                f"2 · {h} / {g}",
                "k and v both shrink, but the cache they are measured against has both as well",
                "k aur v dono chhote hote hain, par jis cache se mila rahe ho usme bhi dono hain",
            ),
        ),
        Text(
            f"""A token takes 2 · {h} heads of cache with {h} key/value heads, for k and v.
            With {g} it takes 2 · {g}.
            The cache gets {h} / {g} = {answer} times smaller.""",
            f"""{h} key/value heads ho to ek token cache mein k aur v ke 2 · {h} heads leta hai.
            {g} ho to sirf 2 · {g}.
            Cache {h} / {g} = {answer} guna chhota ho jaata hai.""",
        ),
    )


@family("D4", Theme.MEMORY, Text("cache a token", "ek token ka cache"), unit="numbers")
def numbers_a_token(rng: Random) -> Variant:
    drawn = grouped_layer(rng)
    d, h, g, k = drawn.d, drawn.h, drawn.g, drawn.k
    answer = 2 * g * k
    return Variant(
        {"d": d, "h": h, "g": g},
        drawn.said
        + Text(
            "How many numbers does one layer cache for each token?",
            "Ek layer har token ke liye cache mein kitne numbers rakhti hai?",
        ),
        answer,
        lambda: cache_nbytes(d, h, g=g, n=1) // 4,
        (
            Slip(
                "all-heads",
                2 * d,
                f"2 · {d}",
                f"only the {g} key/value heads are stored",
                f"sirf {g} key/value heads store hote hain",
            ),
            Slip("one-of-two", g * k, f"{g} · {k}", "both k and v are stored", "k aur v dono store hote hain"),
        ),
        Text(
            f"""A head is {d} / {h} = {k} wide.
            The keys of one token fill {g} · {k} = {g * k:,} numbers, and its values as many.
            Together 2 · {g * k:,} = {answer:,} numbers.""",
            f"""Ek head ki width {d} / {h} = {k} hai.
            Ek token ki keys {g} · {k} = {g * k:,} numbers leti hain, values bhi utne hi.
            Kul milakar 2 · {g * k:,} = {answer:,} numbers.""",
        ),
    )


_DEEPSEEK_V2 = (512, 64, 128, 128)
"""Latent, rotary part, heads and their width, as in its paper."""


@family("D5", Theme.MEMORY, Text("latent cache (MLA)", "latent cache (MLA)"), unit="numbers", version=2)
def latent_cache(rng: Random) -> Variant:
    if rng.random() < MODEL_SHARE:
        c, r, h, k, where, kahan = *_DEEPSEEK_V2, " as in DeepSeek-V2,", "DeepSeek-V2 ki multi-head"
    else:
        c, r = rng.choice((256, 384, 512)), rng.choice((32, 64))
        h, k, where, kahan = rng.choice((16, 32, 64, 128)), rng.choice((64, 128)), "", "Multi-head"
    answer = c + r
    return Variant(
        {"c": c, "r": r, "h": h, "k": k},
        Text(
            f"Multi-head latent attention{where} with {h} heads of width {k} caches a latent of {c} numbers and one shared "
            f"rotary key part of {r}. How many numbers does one layer cache for each token?",
            f"{kahan} latent attention mein {h} heads hain, har ek ki width {k}; cache mein {c} numbers ka latent "
            f"aur {r} numbers ka shared rotary part rakhte hain. "
            "Ek layer har token ke liye cache mein kitne numbers rakhti hai?",
        ),
        answer,
        lambda: latent_numbers(c, r),
        (
            Slip(
                "twice",
                2 * (c + r),
                f"2 · ({c} + {r})",
                "k and v are both rebuilt from the one latent",
                "k aur v dono usi ek latent se wapas bante hain",
            ),
            Slip("full", 2 * h * k, f"2 · {h} · {k}", "that is an ordinary cache", "yeh to normal cache hua"),
            Slip(
                "no-rotary",
                c,
                "",
                "the rotary part is cached as well",
                "rotary part bhi cache mein jaata hai",
            ),
            Slip(
                "rotary-per-head",
                c + h * r,
                f"{c} + {h} · {r}",
                "the rotary part is shared by all heads",
                "rotary part saare heads ka ek hi hota hai",
            ),
        ),
        Text(
            f"""k and v of all {h} heads are rebuilt from one latent: {c} numbers, not 2 · {h} · {k} = {2 * h * k:,}.
            The rotary part cannot be rebuilt from it; all heads share one of {r} numbers.
            Together {c} + {r} = {answer} numbers.""",
            f"""Saare {h} heads ke k aur v ek hi latent se wapas bante hain: {c} numbers, 2 · {h} · {k} = {2 * h * k:,} nahi.
            Rotary part usse nahi ban sakta; saare heads {r} numbers ka ek hi part baant lete hain.
            Kul milakar {c} + {r} = {answer} numbers.""",
        ),
    )


@family("D8", Theme.MEMORY, Text("largest batch", "sabse bada batch"), unit="sequences", least=0)
def largest_batch(rng: Random) -> Variant:
    cache, s = _cache(rng), rng.choice(BYTES)
    L, h, g, k = cache.L, cache.h, cache.g, cache.k
    each = 2 * L * g * k * s
    gibi, n = rng.choice(
        [(M, n) for M in (8, 24, 40, 80) for n in MANY_TOKENS if each * n < M * 2**30 and M * 2**30 % (each * n)]
    )
    M = gibi * 2**30
    answer = M // (each * n)
    return Variant(
        {"M": M, "L": L, "h": h, "g": g, "n": n, "k": k, "s": s},
        cache.said
        + Text(
            f"{gibi} GiB ({M:,} bytes) are free for its KV cache, {s} bytes a number. "
            f"How many sequences of {n} tokens fit?",
            f"KV cache ke liye {gibi} GiB ({M:,} bytes) free hain, {s} bytes per number. "
            f"{n} tokens wali kitni sequences fit hongi?",
        ),
        answer,
        lambda: most_sequences(M, L, h, g, n, k, itemsize=s),
        (
            Slip(
                "all-heads",
                M // (2 * L * h * n * k * s),
                f"⌊{M:,} / (2 · {L} · {h} · {n} · {k} · {s})⌋",
                f"only the {g} key/value heads are stored",
                f"sirf {g} key/value heads store hote hain",
            ),
            Slip(
                "one-of-two",
                M // (L * g * n * k * s),
                f"⌊{M:,} / ({L} · {g} · {n} · {k} · {s})⌋",
                "both k and v are stored",
                "k aur v dono store hote hain",
            ),
            Slip(
                "rounded-up",
                -(-M // (each * n)),
                f"⌈{M:,} / (2 · {L} · {g} · {n} · {k} · {s})⌉",
                "the last one does not fit",
                "aakhri wali fit nahi hoti",
            ),
        ),
        Text(
            f"""One token takes 2 · {L} · {g} · {k} · {s} = {each:,} bytes in all layers.
            A sequence of {n} tokens takes {n} · {each:,} = {n * each:,} bytes.
            For {answer:,} that makes {answer * n * each:,} bytes; with one more it would be {(answer + 1) * n * each:,}.
            Whole sequences that fit into {M:,} bytes: {answer:,}.""",
            f"""Ek token saari layers mein 2 · {L} · {g} · {k} · {s} = {each:,} bytes leta hai.
            {n} tokens ki ek sequence {n} · {each:,} = {n * each:,} bytes leti hai.
            {answer:,} ke liye {answer * n * each:,} bytes chahiye; ek aur ho to {(answer + 1) * n * each:,}.
            {M:,} bytes mein fit hone wali poori sequences: {answer:,}.""",
        ),
    )
