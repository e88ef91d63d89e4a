"""How much an attention layer computes: what is counted, and how it grows. FLOPs have a module of their own."""

from math import prod
from random import Random

from mha_quiz.families.flops import (
    attention_flops,
    causal_flops,
    costs_meet,
    decoding_flops,
    layer_flops,
    projection_flops,
    training_cost,
)
from mha_quiz.families.presets import ENCODER_DECODER
from mha_quiz.families.ranges import FACTORS, layer, split, tokens
from mha_quiz.families.runs import products_a_score, run
from mha_quiz.question import Slip, Text, Theme, Variant, family


@family("C1", Theme.COSTS, Text("dot products", "dot products ki ginti"), unit="dot products")
def dot_products(rng: Random) -> Variant:
    drawn = layer(rng)
    d, h, k = drawn.d, drawn.h, drawn.k
    n = tokens(rng, drawn)
    answer = h * n**2
    return Variant(
        {"n": n, "d": d, "h": h},
        drawn.said
        + Text(
            f"How many dot products of a query with a key does self-attention take for one sequence of {n} tokens, "
            "all heads together?",
            f"{n} tokens ki ek sequence par self-attention mein, saare heads milakar, query aur key ke kitne "
            "dot products nikalte hain?",
        ),
        answer,
        lambda: prod(run(d=d, h=h, n=n).shape("scores")),
        (
            Slip(
                "one-head",
                n**2,
                f"{n}²",
                f"every head makes its own {n**2:,} scores",
                f"har head apne alag {n**2:,} scores banata hai",
            ),
            Slip(
                "triangle",
                h * n * (n - 1) / 2,
                f"{h} · {n} · {n - 1} / 2",
                "each query meets every key, also the one at its own place",
                "har query har key se milti hai, apni jagah wali key se bhi",
            ),
            Slip(
                "width",
                n**2 * d,
                f"{n}² · {d}",
                "the length of a dot product is not their number",
                "yeh dot product ki length gin raha hai, unki ginti nahi",
            ),
        ),
        Text(
            f"""In one head each of {n} queries meets each of {n} keys: {n}² = {n**2:,}.
            All {h} heads do this, however wide ({k}) they are.
            Together {h} · {n**2:,} = {answer:,} dot products.""",
            f"""Ek head mein {n} queries mein se har ek {n} keys se milti hai: {n}² = {n**2:,}.
            Yeh kaam {h} ke {h} heads karte hain, unki width ({k}) chahe jo ho.
            Kul milakar {h} · {n**2:,} = {answer:,} dot products.""",
        ),
    )


@family("C2", Theme.COSTS, Text("multiplications in q·kᵀ", "q·kᵀ ke multiplications"), unit="multiplications")
def score_products(rng: Random) -> Variant:
    drawn = layer(rng)
    d, h, k = drawn.d, drawn.h, drawn.k
    n = tokens(rng, drawn)
    answer = n**2 * d
    return Variant(
        {"n": n, "d": d, "h": h},
        drawn.said
        + Text(
            f"How many multiplications does q·kᵀ take, all heads together, for one sequence of {n} tokens?",
            f"{n} tokens ki ek sequence par, saare heads milakar, q·kᵀ mein kitne multiplications hote hain?",
        ),
        answer,
        lambda: run(d=d, h=h, n=n).products["scores"],
        (
            Slip(
                "times-h",
                h * n**2 * d,
                f"{h} · {n}² · {d}",
                f"each head multiplies d/h = {k} numbers a score, not {d}",
                f"har head ek score ke liye d/h = {k} numbers multiply karta hai, {d} nahi",
            ),
            Slip("one-head", n**2 * k, f"{n}² · {k}", "that is one head", "yeh sirf ek head ka hai"),
            Slip("projection", n * d**2, f"{n} · {d}²", "that is a projection", "yeh ek projection ka kharcha hai"),
        ),
        Text(
            f"""One score is a dot product of {d} / {h} = {k} numbers: {k} multiplications.
            One head makes {n} · {n} scores: {n}² · {k} = {n**2 * k:,}.
            All {h} heads: {h} · {n**2 * k:,} = {answer:,} multiplications.""",
            f"""Ek score {d} / {h} = {k} numbers ka dot product hai: {k} multiplications.
            Ek head {n} · {n} scores banata hai: {n}² · {k} = {n**2 * k:,}.
            Saare {h} heads: {h} · {n**2 * k:,} = {answer:,} multiplications.""",
        ),
    )


@family("C7", Theme.COSTS, Text("longer text", "lamba text"), version=2)
def longer_text(rng: Random) -> Variant:
    drawn, c = layer(rng, ENCODER_DECODER), rng.choice(FACTORS)
    d, h = drawn.d, drawn.h
    n = tokens(rng, drawn)
    answer = c**2
    return Variant(
        {"n": n, "d": d, "h": h, "c": c},
        drawn.said
        + Text(
            f"A text grows {c}-fold, from {n} to {c * n} tokens. By which factor does the cost of q·kᵀ grow?",
            f"Text {c} guna lamba ho gaya, {n} se {c * n} tokens. q·kᵀ ka kharcha kitne guna ho jaata hai?",
        ),
        answer,
        lambda: run(d=d, h=h, n=c * n).products["scores"] / run(d=d, h=h, n=n).products["scores"],
        (
            Slip(
                "linear",
                c,
                f"{c * n} / {n}",
                "both sides of the n × n map grow",
                "n × n map ki dono sides badhti hain",
            ),
            Slip("cubed", c**3, f"{c}³", "the map has two sides", "map ki do hi sides hoti hain"),
        ),
        Text(
            f"""q·kᵀ compares each token with each: {n}² = {n**2:,} pairs before.
            Afterwards {c * n}² = {(c * n) ** 2:,} pairs, each as costly as before.
            The factor is {(c * n) ** 2:,} / {n**2:,} = {c}² = {answer}.""",
            f"""q·kᵀ har token ko har token se milata hai: pehle {n}² = {n**2:,} pairs.
            Baad mein {c * n}² = {(c * n) ** 2:,} pairs, har ek ka kharcha utna hi.
            Yaani {(c * n) ** 2:,} / {n**2:,} = {c}² = {answer} guna.""",
        ),
    )


@family(
    "C8", Theme.COSTS, Text("more heads, same width", "zyada heads, width wahi"), precision=2, version=2, weight=0.25
)
def more_heads_cost(rng: Random) -> Variant:
    drawn, c = split(rng)
    d, h = drawn.d, drawn.h
    n = tokens(rng, drawn)
    return Variant(
        {"n": n, "d": d, "h": h, "c": c},
        drawn.before(
            Text(
                f"d_model stays {d}, and the number of heads grows {c}-fold, from {h} to {c * h}. "
                f"By which factor does the cost of q·kᵀ change, for {n} tokens?",
                f"d_model {d} hi rakho aur heads {c} guna kar do, {h} se {c * h}. "
                f"{n} tokens par q·kᵀ ka kharcha kitne guna ho jaata hai?",
            )
        ),
        1,
        lambda: run(d=d, h=c * h, n=n).products["scores"] / run(d=d, h=h, n=n).products["scores"],
        (
            Slip(
                "grows",
                c,
                f"{c * h} / {h}",
                "each head gets narrower in the same measure",
                "har head utna hi patla bhi ho jaata hai",
            ),
            Slip(
                "shrinks",
                1 / c,
                f"{h} / {c * h}",
                "there are more heads in return",
                "badle mein heads zyada ho jaate hain",
            ),
        ),
        Text(
            f"""Before: {h} heads of width {d} / {h} = {d // h}, so {h} · {n}² · {d // h} = {n**2 * d:,} multiply-adds.
            Now: {c * h} heads of width {d} / {c * h} = {d // (c * h)}, so \
{c * h} · {n}² · {d // (c * h)} = {n**2 * d:,} multiply-adds.
            The factor is {n**2 * d:,} / {n**2 * d:,} = 1.""",
            f"""Pehle: {h} heads, har ek ki width {d} / {h} = {d // h}, to {h} · {n}² · {d // h} = {n**2 * d:,} multiply-adds.
            Ab: {c * h} heads, har ek ki width {d} / {c * h} = {d // (c * h)}, to \
{c * h} · {n}² · {d // (c * h)} = {n**2 * d:,} multiply-adds.
            Yaani {n**2 * d:,} / {n**2 * d:,} = 1 guna.""",
        ),
    )


@family(
    "C9", Theme.COSTS, Text("exponentials under a causal mask", "causal mask mein exponentials"), unit="exponentials"
)
def causal_exponentials(rng: Random) -> Variant:
    drawn = layer(rng)
    d, h = drawn.d, drawn.h
    n = tokens(rng, drawn)
    answer = h * n * (n + 1) // 2
    return Variant(
        {"n": n, "d": d, "h": h},
        drawn.said
        + Text(
            f"Under a causal mask, how many exponentials does softmax need for one sequence of {n} tokens, "
            "all heads, if blocked entries are skipped?",
            f"Causal mask laga hai aur blocked entries chhod dete hain: {n} tokens ki ek sequence par, saare heads "
            "milakar, softmax ko kitne exponentials nikalne padte hain?",
        ),
        answer,
        lambda: run(d=d, h=h, n=n, causal=True).finite_scores,
        (
            Slip(
                "no-diagonal",
                h * n * (n - 1) / 2,
                f"{h} · {n} · {n - 1} / 2",
                "a token attends to itself as well",
                "token khud par bhi attend karta hai",
            ),
            Slip("full", h * n**2, f"{h} · {n}²", "the upper triangle is blocked", "upar wala triangle block hai"),
            Slip(
                "one-head",
                n * (n + 1) / 2,
                f"{n} · {n + 1} / 2",
                "every head has its own map",
                "har head ka apna map hota hai",
            ),
            Slip(
                "half",
                h * n**2 / 2,
                f"{h} · {n}² / 2",
                "half of the square forgets half of the diagonal",
                "square ka aadha lene se aadha diagonal chhoot jaata hai",
            ),
        ),
        Text(
            f"""Row i of the {n} × {n} map sees i keys, its own included.
            One map: 1 + 2 + … + {n}, that is {n} · {n + 1} / 2 = {n * (n + 1) // 2:,}.
            All {h} heads: {h} · {n * (n + 1) // 2:,} = {answer:,} exponentials.""",
            f"""{n} × {n} map ki row i mein i keys dikhti hain, khud wali bhi.
            Ek map: 1 + 2 + … + {n}, yaani {n} · {n + 1} / 2 = {n * (n + 1) // 2:,}.
            Saare {h} heads: {h} · {n * (n + 1) // 2:,} = {answer:,} exponentials.""",
        ),
    )


@family("C10", Theme.COSTS, Text("blocked entries", "blocked entries"), unit="entries")
def blocked_entries(rng: Random) -> Variant:
    drawn = layer(rng)
    d, h = drawn.d, drawn.h
    n = tokens(rng, drawn)
    answer = h * n * (n - 1) // 2
    return Variant(
        {"n": n, "d": d, "h": h},
        drawn.said
        + Text(
            f"How many score entries does a causal mask block for one sequence of {n} tokens, all heads together?",
            f"{n} tokens ki ek sequence par, saare heads milakar, causal mask scores ki kitni entries block karta hai?",
        ),
        answer,
        lambda: run(d=d, h=h, n=n, causal=True).blocked_scores,
        (
            Slip(
                "with-diagonal",
                h * n * (n + 1) / 2,
                f"{h} · {n} · {n + 1} / 2",
                "the diagonal is allowed",
                "diagonal allowed hai",
            ),
            Slip(
                "half",
                h * n**2 / 2,
                f"{h} · {n}² / 2",
                "the diagonal is not half blocked",
                "diagonal aadha block nahi hota",
            ),
            Slip(
                "one-head",
                n * (n - 1) / 2,
                f"{n} · {n - 1} / 2",
                "every head has its own map",
                "har head ka apna map hota hai",
            ),
        ),
        Text(
            f"""Row i of a map may see i keys, so {n} − i are blocked.
            One map: {n - 1} + … + 1 + 0, that is {n} · {n - 1} / 2 = {n * (n - 1) // 2:,}.
            All {h} heads: {h} · {n * (n - 1) // 2:,} = {answer:,} blocked entries.""",
            f"""Map ki row i mein i keys dikhti hain, to {n} − i block hoti hain.
            Ek map: {n - 1} + … + 1 + 0, yaani {n} · {n - 1} / 2 = {n * (n - 1) // 2:,}.
            Saare {h} heads: {h} · {n * (n - 1) // 2:,} = {answer:,} blocked entries.""",
        ),
    )


@family("C11", Theme.COSTS, Text("one score", "ek score"), unit="multiplications")
def one_score(rng: Random) -> Variant:
    drawn = layer(rng)
    d, h = drawn.d, drawn.h
    answer = d // h
    return Variant(
        {"d": d, "h": h},
        drawn.said
        + Text(
            "How many multiplications does one score take, that is, one dot product of a query with a key?",
            "Ek score, yaani query aur key ke ek dot product mein kitne multiplications hote hain?",
        ),
        answer,
        lambda: products_a_score(d, h),
        (
            Slip(
                "full",
                d,
                "d_model",
                f"a head sees d/h = {d // h} numbers of each token",
                f"ek head har token ke d/h = {d // h} numbers hi dekhta hai",
            ),
            Slip("heads", h, "h", "that is the number of heads", "yeh heads ki ginti hai"),
        ),
        Text(
            f"""A score is computed inside one of the {h} heads.
            There q and k are d_model / h = {d} / {h} = {answer} numbers long.
            Number by number, that makes {answer} multiplications.""",
            f"""Ek score {h} heads mein se ek hi ke andar banta hai.
            Wahan q aur k mein d_model / h = {d} / {h} = {answer} numbers hote hain.
            Ek-ek karke multiply karo to {answer} multiplications.""",
        ),
    )


COSTS = (
    dot_products,
    score_products,
    attention_flops,
    projection_flops,
    layer_flops,
    costs_meet,
    longer_text,
    more_heads_cost,
    causal_exponentials,
    blocked_entries,
    one_score,
    causal_flops,
    decoding_flops,
    training_cost,
)
