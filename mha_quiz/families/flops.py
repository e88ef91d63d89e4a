"""How many FLOPs an attention layer takes."""

from random import Random

from mha_quiz.families.presets import MULTI_HEAD
from mha_quiz.families.ranges import layer, tokens
from mha_quiz.families.runs import (
    attention_products,
    causal_attention_flops,
    decoding_step_flops,
    first_length_where_attention_costs_as_much,
    projection_products,
    run,
    training_flops,
)
from mha_quiz.question import Slip, Text, Theme, Variant, family

FLOPS = Text(
    "A multiply-add is 2 FLOPs; softmax, scaling, masks and biases cost nothing here.",
    "Ek multiply-add = 2 FLOPs; softmax, scaling, mask aur bias ka kharcha mat gino.",
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


@family("C4", Theme.COSTS, Text("FLOPs of the projections", "projections ke FLOPs"), unit="FLOPs")
def projection_flops(rng: Random) -> Variant:
    drawn = layer(rng)
    d, h = drawn.d, drawn.h
    n = tokens(rng, drawn)
    answer = 8 * n * d**2
    return Variant(
        {"n": n, "d": d, "h": h},
        drawn.said
        + Text(
            f"How many FLOPs do the four projections W_Q, W_K, W_V and W_O take for one sequence of {n} tokens?",
            f"{n} tokens ki ek sequence par W_Q, W_K, W_V aur W_O, in chaaron projections mein kul kitne FLOPs "
            "lagte hain?",
        )
        + FLOPS,
        answer,
        lambda: 2 * projection_products(d, h, n),
        (
            Slip(
                "macs",
                4 * n * d**2,
                f"4 · {n} · {d}²",
                "a multiply-add is two FLOPs",
                "ek multiply-add do FLOPs hota hai",
            ),
            Slip(
                "no-out",
                6 * n * d**2,
                f"6 · {n} · {d}²",
                "the output projection was left out",
                "output projection chhoot gaya",
            ),
            Slip(
                "length-squared",
                8 * n**2 * d,
                f"8 · {n}² · {d}",
                "a projection works on each token alone: linear in n",
                "projection har token par alag-alag kaam karta hai, isliye n mein linear hai",
            ),
        ),
        Text(
            f"""One projection of one token multiplies by a {d} × {d} matrix: {d}² = {d**2:,} multiply-adds.
            Four projections of {n} tokens: 4 · {n} · {d**2:,} = {4 * n * d**2:,} multiply-adds.
            At 2 FLOPs each, {answer:,} FLOPs.""",
            f"""Ek token ka ek projection {d} × {d} matrix se multiply karta hai: {d}² = {d**2:,} multiply-adds.
            {n} tokens ke chaar projections: 4 · {n} · {d**2:,} = {4 * n * d**2:,} multiply-adds.
            Har ek ke 2 FLOPs, yaani {answer:,} FLOPs.""",
        ),
    )


@family("C5", Theme.COSTS, Text("FLOPs of the layer", "poori layer ke FLOPs"), unit="FLOPs")
def layer_flops(rng: Random) -> Variant:
    drawn = layer(rng)
    d, h = drawn.d, drawn.h
    n = tokens(rng, drawn)
    answer = 8 * n * d**2 + 4 * n**2 * d
    return Variant(
        {"n": n, "d": d, "h": h},
        drawn.said
        + Text(
            f"How many FLOPs does the whole attention layer take, projections included, for one sequence of {n} tokens?",
            f"{n} tokens ki ek sequence par, projections samet, poori attention layer mein kitne FLOPs lagte hain?",
        )
        + FLOPS,
        answer,
        lambda: run(d=d, h=h, n=n).flops,
        (
            Slip(
                "macs",
                4 * n * d**2 + 2 * n**2 * d,
                f"4 · {n} · {d}² + 2 · {n}² · {d}",
                "a multiply-add is two FLOPs",
                "ek multiply-add do FLOPs hota hai",
            ),
            Slip(
                "qk-as-projection",
                10 * n * d**2 + 2 * n**2 * d,
                f"10 · {n} · {d}² + 2 · {n}² · {d}",
                "q·kᵀ costs n²·d multiply-adds, not n·d²",
                "q·kᵀ mein n²·d multiply-adds lagte hain, n·d² nahi",
            ),
            Slip(
                "qk-and-out-twice",
                12 * n * d**2 + 2 * n**2 * d,
                f"12 · {n} · {d}² + 2 · {n}² · {d}",
                "q·kᵀ was costed as a projection, and the output projection was counted twice",
                "q·kᵀ ko projection maan liya, aur output projection do baar gin liya",
            ),
            Slip(
                "no-projections",
                4 * n**2 * d,
                f"4 · {n}² · {d}",
                "the four projections were left out",
                "chaaron projections chhoot gaye",
            ),
            Slip(
                "no-out",
                6 * n * d**2 + 4 * n**2 * d,
                f"6 · {n} · {d}² + 4 · {n}² · {d}",
                "the output projection was left out",
                "output projection chhoot gaya",
            ),
            Slip(
                "only-qk",
                8 * n * d**2 + 2 * n**2 * d,
                f"8 · {n} · {d}² + 2 · {n}² · {d}",
                "the product with v was left out",
                "v wala product chhoot gaya",
            ),
            Slip(
                "no-attention",
                8 * n * d**2,
                f"8 · {n} · {d}²",
                "q·kᵀ and weights·v were left out",
                "q·kᵀ aur weights·v chhoot gaye",
            ),
        ),
        Text(
            f"""Four projections: 2 · 4 · {n} · {d}² = {8 * n * d**2:,} FLOPs.
            q·kᵀ over all heads: 2 · {n}² · {d} = {2 * n**2 * d:,} FLOPs.
            weights·v costs the same: {2 * n**2 * d:,} FLOPs.
            Together {8 * n * d**2:,} + 2 · {2 * n**2 * d:,} = {answer:,} FLOPs.""",
            f"""Chaar projections: 2 · 4 · {n} · {d}² = {8 * n * d**2:,} FLOPs.
            Saare heads ka q·kᵀ: 2 · {n}² · {d} = {2 * n**2 * d:,} FLOPs.
            weights·v ka kharcha bhi utna hi hai: {2 * n**2 * d:,} FLOPs.
            Kul milakar {8 * n * d**2:,} + 2 · {2 * n**2 * d:,} = {answer:,} FLOPs.""",
        ),
    )


@family("C6", Theme.COSTS, Text("where the two costs meet", "dono kharche kahan barabar"), unit="tokens")
def costs_meet(rng: Random) -> Variant:
    drawn = layer(rng)
    d, h = drawn.d, drawn.h
    answer = 2 * d
    return Variant(
        {"d": d, "h": h},
        drawn.said
        + Text(
            "At how many tokens do q·kᵀ and weights·v together cost as many FLOPs as the four projections?",
            "Kitne tokens par q·kᵀ aur weights·v ka kharcha milakar chaaron projections ke barabar ho jaata hai?",
        ),
        answer,
        lambda: first_length_where_attention_costs_as_much(d, h),
        (
            Slip(
                "equal",
                d,
                "d_model",
                "8 · n · d² = 4 · n² · d gives n = 2 · d",
                "8 · n · d² = 4 · n² · d se n = 2 · d aata hai",
            ),
            Slip("half", d / 2, f"{d} / 2", "the factor 2 is on the other side", "2 ka factor doosri taraf hai"),
            Slip("four", 4 * d, f"4 · {d}", "8 against 4 gives a factor 2", "8 aur 4 ka ratio 2 hai"),
        ),
        Text(
            f"""n tokens cost 8 · n · {d}² FLOPs in the projections and 4 · n² · {d} in q·kᵀ and weights·v.
            Divide both by 4 · n · {d}: the projections leave 2 · {d}, attention leaves n.
            They are equal at n = 2 · {d} = {answer:,} tokens.""",
            f"""n tokens par projections mein 8 · n · {d}² FLOPs lagte hain, q·kᵀ aur weights·v mein 4 · n² · {d}.
            Dono ko 4 · n · {d} se divide karo: projections mein 2 · {d} bachta hai, attention mein n.
            Dono barabar hain jab n = 2 · {d} = {answer:,} tokens.""",
        ),
    )


@family("C12", Theme.COSTS, Text("causal FLOPs", "causal FLOPs"), unit="FLOPs")
def causal_flops(rng: Random) -> Variant:
    drawn = layer(rng)
    d, h, k = drawn.d, drawn.h, drawn.k
    n = tokens(rng, drawn)
    pairs = n * (n + 1) // 2
    answer = 2 * n * (n + 1) * d
    return Variant(
        {"n": n, "d": d, "h": h},
        drawn.said
        + Text(
            f"A causal kernel skips the blocked pairs and computes the diagonal and all below it. How many FLOPs do "
            f"q·kᵀ and weights·v take together, all heads, for one sequence of {n} tokens?",
            "Causal kernel blocked pairs chhod deta hai; diagonal aur uske neeche ka sab nikalta hai. "
            f"{n} tokens ki ek sequence par, saare heads milakar, q·kᵀ aur weights·v mein kul kitne FLOPs lagte hain?",
        )
        + FLOPS,
        answer,
        lambda: causal_attention_flops(d, h, n),
        (
            Slip("full", 4 * n**2 * d, f"4 · {n}² · {d}", "blocked pairs were counted", "blocked pairs bhi gin liye"),
            Slip(
                "half",
                2 * n**2 * d,
                f"2 · {n}² · {d}",
                "half of the square forgets half of the diagonal",
                "square ka aadha lene se aadha diagonal chhoot jaata hai",
            ),
            Slip(
                "no-diagonal",
                2 * n * (n - 1) * d,
                f"2 · {n} · {n - 1} · {d}",
                "the diagonal is allowed",
                "diagonal allowed hai",
            ),
            Slip(
                "macs",
                n * (n + 1) * d,
                f"{n} · {n + 1} · {d}",
                "a multiply-add is two FLOPs",
                "ek multiply-add do FLOPs hota hai",
            ),
        ),
        Text(
            f"""Allowed pairs of one head: {n} · {n + 1} / 2 = {pairs:,}; of all {h} heads {h} · {pairs:,} = {h * pairs:,}.
            Each pair costs {k} multiply-adds in q·kᵀ and {k} in weights·v: 2 · {k} · {h * pairs:,} = {2 * d * pairs:,}.
            At 2 FLOPs each, {answer:,} FLOPs.""",
            f"""Ek head ke allowed pairs: {n} · {n + 1} / 2 = {pairs:,}; saare {h} heads ke \
{h} · {pairs:,} = {h * pairs:,}.
            Har pair par q·kᵀ mein {k} aur weights·v mein {k} multiply-adds: 2 · {k} · {h * pairs:,} = {2 * d * pairs:,}.
            Har ek ke 2 FLOPs, yaani {answer:,} FLOPs.""",
        ),
    )


@family("C13", Theme.COSTS, Text("one decoding step", "ek decoding step"), unit="FLOPs")
def decoding_flops(rng: Random) -> Variant:
    drawn = layer(rng, tuple(model for model in MULTI_HEAD if model.caches))
    d, h = drawn.d, drawn.h
    n = tokens(rng, drawn)
    answer = 8 * d**2 + 4 * n * d
    return Variant(
        {"n": n, "d": d, "h": h},
        drawn.said
        + Text(
            f"Its cache holds {n} keys, the new token's own included. "
            "How many FLOPs does this layer take for one new token?",
            f"Cache mein naye token samet {n} keys hain. "
            "Ek naya token generate karne mein is layer ke kitne FLOPs lagenge?",
        )
        + FLOPS,
        answer,
        lambda: decoding_step_flops(d, h, n),
        (
            Slip(
                "no-cache",
                8 * n * d**2 + 4 * n**2 * d,
                f"8 · {n} · {d}² + 4 · {n}² · {d}",
                "earlier tokens are not computed again",
                "pehle ke tokens dobara compute nahi hote",
            ),
            Slip(
                "macs",
                4 * d**2 + 2 * n * d,
                f"4 · {d}² + 2 · {n} · {d}",
                "a multiply-add is two FLOPs",
                "ek multiply-add do FLOPs hota hai",
            ),
            Slip(
                "no-projections",
                4 * n * d,
                f"4 · {n} · {d}",
                "the new token must be projected",
                "naye token ko project bhi karna padta hai",
            ),
            Slip(
                "only-qk",
                8 * d**2 + 2 * n * d,
                f"8 · {d}² + 2 · {n} · {d}",
                "the product with v was left out",
                "v wala product chhoot gaya",
            ),
        ),
        Text(
            f"""Only the new token is projected, four times: 2 · 4 · {d}² = {8 * d**2:,} FLOPs.
            Its query meets {n} keys in q·kᵀ: 2 · {n} · {d} = {2 * n * d:,} FLOPs over all heads.
            weights·v costs the same: {2 * n * d:,} FLOPs.
            Together {8 * d**2:,} + 2 · {2 * n * d:,} = {answer:,} FLOPs.""",
            f"""Sirf naya token project hota hai, chaar baar: 2 · 4 · {d}² = {8 * d**2:,} FLOPs.
            Uski query q·kᵀ mein {n} keys se milti hai: saare heads mein 2 · {n} · {d} = {2 * n * d:,} FLOPs.
            weights·v ka kharcha bhi utna hi hai: {2 * n * d:,} FLOPs.
            Kul milakar {8 * d**2:,} + 2 · {2 * n * d:,} = {answer:,} FLOPs.""",
        ),
    )


@family("C14", Theme.COSTS, Text("training cost", "training ka kharcha"), unit="FLOPs")
def training_cost(rng: Random) -> Variant:
    drawn = layer(rng)
    d, h = drawn.d, drawn.h
    t = tokens(rng, drawn)
    P = 4 * d**2
    answer = 6 * P * t
    return Variant(
        {"t": t, "d": d, "h": h},
        drawn.said
        + Text(
            f"How many FLOPs do its four projections (without biases) take to train on {t} tokens, "
            "forward and backward? A multiply-add is 2 FLOPs.",
            f"Bina bias ke chaaron projections ko {t} tokens par train karne mein, forward aur backward milakar, "
            "kitne FLOPs lagte hain? Ek multiply-add = 2 FLOPs.",
        ),
        answer,
        lambda: training_flops(d, h, t),
        (
            Slip("forward", 2 * P * t, f"2 · {P:,} · {t}", "that is the forward pass", "yeh sirf forward pass hai"),
            Slip("backward", 4 * P * t, f"4 · {P:,} · {t}", "that is the backward pass", "yeh sirf backward pass hai"),
            Slip(
                "eight",
                8 * P * t,
                f"8 · {P:,} · {t}",
                "2 for forward and 4 for backward make 6, not 8",
                "forward ke 2 aur backward ke 4 milakar 6 hote hain, 8 nahi",
            ),
        ),
        Text(
            f"""The four projections have P = 4 · {d}² = {P:,} weights.
            Forward: 2 · {P:,} · {t} = {2 * P * t:,} FLOPs.
            Backward needs two products as large, one for the inputs and one for the weights: \
2 · {2 * P * t:,} = {4 * P * t:,} FLOPs.
            Together 6 · {P:,} · {t} = {answer:,} FLOPs.""",
            f"""Chaaron projections mein P = 4 · {d}² = {P:,} weights hain.
            Forward: 2 · {P:,} · {t} = {2 * P * t:,} FLOPs.
            Backward mein utne hi bade do products lagte hain, ek inputs ke liye aur ek weights ke liye: \
2 · {2 * P * t:,} = {4 * P * t:,} FLOPs.
            Kul milakar 6 · {P:,} · {t} = {answer:,} FLOPs.""",
        ),
    )
