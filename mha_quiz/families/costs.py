"""What an attention layer costs to compute."""

from math import prod
from random import Random

from mha_quiz.families.presets import ENCODER_DECODER, MULTI_HEAD
from mha_quiz.families.ranges import FACTORS, layer, split, tokens
from mha_quiz.families.runs import (
    attention_products,
    causal_attention_flops,
    decoding_step_flops,
    first_length_where_attention_costs_as_much,
    products_a_score,
    projection_products,
    run,
    training_flops,
)
from mha_quiz.question import Slip, Text, Theme, Variant, family

FLOPS = Text(
    "A multiply-add is 2 FLOPs; softmax, scaling, masks and biases cost nothing here.",
    "Ek multiply-add = 2 FLOPs; softmax, scaling, mask aur bias ka kharcha mat gino.",
)


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
