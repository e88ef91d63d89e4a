"""What an attention layer costs to compute."""

from math import prod
from random import Random

from mha_quiz.families.ranges import layer, tokens
from mha_quiz.families.runs import attention_products, run
from mha_quiz.question import Slip, Text, Theme, Variant, family

FLOPS = Text(
    "A multiply-add is 2 FLOPs; softmax, scaling, masks and biases cost nothing here.",
    "Ek multiply-add = 2 FLOPs; softmax, scaling, mask aur bias ka kharcha mat gino.",
)


@family("C1", Theme.COSTS, Text("dot products", "dot products ki ginti"))
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
                "yeh dot product ki lambai gin raha hai, unki ginti nahi",
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


@family("C3", Theme.COSTS, Text("FLOPs of attention proper", "sirf attention ke FLOPs"), unit="FLOPs")
def attention_flops(rng: Random) -> Variant:
    drawn = layer(rng)
    d, h, k = drawn.d, drawn.h, drawn.k
    n = tokens(rng, drawn)
    answer = 4 * n**2 * d
    return Variant(
        {"n": n, "d": d, "h": h},
        drawn.said
        + Text(
            f"How many FLOPs do q·kᵀ and weights·v take together, all heads, for one sequence of {n} tokens?",
            f"{n} tokens ki ek sequence par, saare heads milakar, q·kᵀ aur weights·v mein kul kitne FLOPs lagte hain?",
        )
        + FLOPS,
        answer,
        lambda: 2 * attention_products(d, h, n),
        (
            Slip(
                "macs",
                2 * n**2 * d,
                f"2 · {n}² · {d}",
                "a multiply-add is two FLOPs",
                "ek multiply-add do FLOPs hota hai",
            ),
            Slip(
                "only-qk",
                2 * n**2 * d,
                f"2 · {n}² · {d}",
                "the product with v was left out",
                "v wala product chhoot gaya",
            ),
            Slip(
                "times-h",
                4 * h * n**2 * d,
                f"4 · {h} · {n}² · {d}",
                "the heads share the width",
                "heads width aapas mein baant lete hain",
            ),
        ),
        Text(
            f"""q·kᵀ in one head: {n} · {n} scores of {k} multiply-adds each, {n}² · {k} = {n**2 * k:,}.
            In all {h} heads {h} · {n**2 * k:,} = {n**2 * d:,}.
            weights·v costs the same: 2 · {n**2 * d:,} = {2 * n**2 * d:,} multiply-adds.
            At 2 FLOPs each, {answer:,} FLOPs.""",
            f"""Ek head mein q·kᵀ: {n} · {n} scores, har ek mein {k} multiply-adds, {n}² · {k} = {n**2 * k:,}.
            Saare {h} heads mein {h} · {n**2 * k:,} = {n**2 * d:,}.
            weights·v ka kharcha bhi utna hi hai: 2 · {n**2 * d:,} = {2 * n**2 * d:,} multiply-adds.
            Har ek ke 2 FLOPs, yaani {answer:,} FLOPs.""",
        ),
    )


COSTS = (dot_products, attention_flops)
