"""How many parameters heads have: one alone, of free widths, or with shared keys and values."""

from random import Random

from mha_quiz.families.ranges import KEY_WIDTHS, VALUE_WIDTHS, grouped_layer, layer
from mha_quiz.families.runs import dry, one_head_parameters, parameters
from mha_quiz.question import Slip, Text, Theme, Variant, family


@family("B3", Theme.PARAMETERS, Text("one head", "ek head"), unit="parameters")
def one_head(rng: Random) -> Variant:
    drawn = layer(rng)
    d, h, k = drawn.d, drawn.h, drawn.k
    answer = 3 * d * k
    return Variant(
        {"d": d, "h": h},
        drawn.said
        + Text(
            "How many parameters of W_Q, W_K and W_V belong to one head, without biases?",
            "Bina bias ke W_Q, W_K aur W_V ke kitne parameters ek head ke hisse mein aate hain?",
        ),
        answer,
        lambda: one_head_parameters(d, h),
        (
            Slip(
                "square",
                3 * k**2,
                f"3 · {k}²",
                f"each head reads the full width {d} and writes {k}",
                f"har head poori width {d} padhta hai aur {k} likhta hai",
            ),
            Slip("full", 3 * d**2, f"3 · {d}²", "that is all heads together", "yeh saare heads ka hai, ek ka nahi"),
            Slip(
                "with-out",
                4 * d * k,
                f"4 · {d} · {k}",
                "only W_Q, W_K and W_V were asked for",
                "sawaal sirf W_Q, W_K aur W_V ka tha",
            ),
            Slip(
                "one-matrix",
                d * k,
                f"{d} · {k}",
                "that is one matrix; W_Q, W_K and W_V are three",
                "yeh ek matrix ka hai; W_Q, W_K aur W_V teen hain",
            ),
        ),
        Text(
            f"""A head is {d} / {h} = {k} wide.
            Each of its three matrices reads {d} numbers and writes {k}: {d} · {k} = {d * k:,}.
            For W_Q, W_K and W_V together 3 · {d * k:,} = {answer:,} parameters.""",
            f"""Ek head ki width {d} / {h} = {k} hai.
            Uski teenon matrices {d} numbers padhti hain aur {k} likhti hain: {d} · {k} = {d * k:,}.
            W_Q, W_K aur W_V milakar 3 · {d * k:,} = {answer:,} parameters.""",
        ),
    )


@family("B4", Theme.PARAMETERS, Text("W_O, d_v ≠ d_k", "W_O, d_v ≠ d_k"), unit="parameters")
def output_matrix(rng: Random) -> Variant:
    d, h, k, v = _free_widths(rng)
    answer = h * v * d
    return Variant(
        {"d": d, "h": h, "k": k, "v": v},
        Text(
            f"A layer has d_model = {d} and {h} heads with d_k = {k} and d_v = {v}. "
            "How many parameters does W_O have, without bias?",
            f"d_model = {d} hai aur {h} heads hain, d_k = {k} aur d_v = {v}. "
            "Bina bias ke W_O mein kitne parameters hain?",
        ),
        answer,
        lambda: dry(d, h, k=k, v=v).w_o.size,
        (
            Slip(
                "square",
                d**2,
                f"{d}²",
                f"W_O reads h·d_v = {h * v} numbers, which need not be d_model",
                f"W_O h·d_v = {h * v} numbers padhta hai, jo d_model ke barabar ho yeh zaroori nahi",
            ),
            Slip(
                "uses-k",
                h * k * d,
                f"{h} · {k} · {d}",
                f"W_O reads the values, of width d_v = {v}",
                f"W_O values padhta hai, jinki width d_v = {v} hai",
            ),
            Slip(
                "one-head",
                v * d,
                f"{v} · {d}",
                "W_O reads all heads at once",
                "W_O saare heads ek saath padhta hai",
            ),
        ),
        Text(
            f"""W_O reads the joined heads: {h} · {v} = {h * v} numbers.
            It writes d_model = {d} numbers.
            So it has {h * v} · {d} = {answer:,} parameters.""",
            f"""W_O jude hue heads padhta hai: {h} · {v} = {h * v} numbers.
            Aur d_model = {d} numbers likhta hai.
            Yaani {h * v} · {d} = {answer:,} parameters.""",
        ),
    )


@family("B5", Theme.PARAMETERS, Text("free d_k and d_v", "apne d_k aur d_v"), unit="parameters")
def free_widths(rng: Random) -> Variant:
    d, h, k, v = _free_widths(rng)
    answer = 2 * d * h * k + 2 * d * h * v
    return Variant(
        {"d": d, "h": h, "k": k, "v": v},
        Text(
            f"A layer has d_model = {d} and {h} heads with d_k = {k} and d_v = {v}. "
            "How many parameters do W_Q, W_K, W_V and W_O have together, without biases?",
            f"d_model = {d} hai aur {h} heads hain, d_k = {k} aur d_v = {v}. "
            "Bina bias ke W_Q, W_K, W_V aur W_O milakar kul kitne parameters hain?",
        ),
        answer,
        lambda: parameters(d, h, k=k, v=v),
        (
            Slip(
                "four-squares",
                4 * d**2,
                f"4 · {d}²",
                f"true only if h·d_k = h·d_v = {d}",
                f"yeh tabhi sahi hai jab h·d_k = h·d_v = {d} ho",
            ),
            Slip(
                "all-k",
                4 * d * h * k,
                f"4 · {d} · {h} · {k}",
                "W_V and W_O have the width of v",
                "W_V aur W_O ki width d_v se banti hai, d_k se nahi",
            ),
            Slip(
                "no-out",
                2 * d * h * k + d * h * v,
                f"2 · {d} · {h} · {k} + {d} · {h} · {v}",
                "W_O was left out",
                "W_O chhoot gaya",
            ),
        ),
        Text(
            f"""W_Q and W_K write d_k = {k} numbers for each head: 2 · {d} · {h} · {k} = {2 * d * h * k:,}.
            W_V writes d_v = {v} numbers for each head: {d} · {h} · {v} = {d * h * v:,}.
            W_O reads as many and writes d_model: {h} · {v} · {d} = {d * h * v:,}.
            Together {answer:,} parameters.""",
            f"""W_Q aur W_K har head ke liye d_k = {k} numbers likhte hain: 2 · {d} · {h} · {k} = {2 * d * h * k:,}.
            W_V har head ke liye d_v = {v} numbers likhta hai: {d} · {h} · {v} = {d * h * v:,}.
            W_O utne hi padhta hai aur d_model likhta hai: {h} · {v} · {d} = {d * h * v:,}.
            Kul milakar {answer:,} parameters.""",
        ),
    )


@family("B6", Theme.PARAMETERS, Text("grouped heads", "grouped heads (GQA)"), unit="parameters")
def grouped_heads(rng: Random) -> Variant:
    drawn = grouped_layer(rng)
    d, h, g, k = drawn.d, drawn.h, drawn.g, drawn.k
    answer = 2 * d**2 + 2 * d * g * k
    return Variant(
        {"d": d, "h": h, "g": g},
        drawn.said
        + Text(
            "How many parameters do W_Q, W_K, W_V and W_O have together, without biases?",
            "Bina bias ke chaaron matrices mein kul kitne parameters hain?",
        ),
        answer,
        lambda: parameters(d, h, g=g),
        (
            Slip(
                "all-heads",
                4 * d**2,
                f"4 · {d}²",
                f"W_K and W_V really are smaller: they write g·d_k = {g * k} numbers",
                f"W_K aur W_V sach mein chhote hain: woh g·d_k = {g * k} numbers likhte hain",
            ),
            Slip(
                "out-shrinks",
                d**2 + 3 * d * g * k,
                f"{d}² + 3 · {d} · {g} · {k}",
                f"W_O still reads all {h} heads",
                f"W_O ab bhi saare {h} heads padhta hai",
            ),
            Slip(
                "divided",
                4 * d**2 * g / h,
                f"4 · {d}² · {g} / {h}",
                "only two of the four matrices shrink",
                "chaar mein se sirf do matrices chhoti hoti hain",
            ),
        ),
        Text(
            f"""A head is {d} / {h} = {k} wide.
            W_Q and W_O serve all {h} heads: 2 · {d}² = {2 * d**2:,}.
            W_K and W_V serve {g} heads: 2 · {d} · {g} · {k} = {2 * d * g * k:,}.
            Together {2 * d**2:,} + {2 * d * g * k:,} = {answer:,} parameters.""",
            f"""Ek head ki width {d} / {h} = {k} hai.
            W_Q aur W_O saare {h} heads ke liye hain: 2 · {d}² = {2 * d**2:,}.
            W_K aur W_V sirf {g} heads ke liye hain: 2 · {d} · {g} · {k} = {2 * d * g * k:,}.
            Kul milakar {2 * d**2:,} + {2 * d * g * k:,} = {answer:,} parameters.""",
        ),
    )


@family(
    "B11", Theme.PARAMETERS, Text("one key/value head", "sirf ek key/value head (MQA)"), unit="parameters", version=2
)
def one_key_head(rng: Random) -> Variant:
    drawn = layer(rng)
    d, h, k = drawn.d, drawn.h, drawn.k
    answer = 2 * d**2 + 2 * d * k
    return Variant(
        {"d": d, "h": h},
        drawn.said
        + Text(
            "Give it a single key/value head for all query heads. "
            "How many parameters do W_Q, W_K, W_V and W_O then have together, without biases?",
            "Ab saare query heads ke liye sirf ek key/value head rakho. "
            "Bina bias ke chaaron matrices mein ab kul kitne parameters honge?",
        )
        if drawn.model
        else Text(
            f"A multi-query layer has d_model = {d}, {h} query heads and a single key/value head. "
            "How many parameters do W_Q, W_K, W_V and W_O have together, without biases?",
            f"Ek multi-query layer mein d_model = {d}, {h} query heads aur sirf ek key/value head hai. "
            "Bina bias ke chaaron matrices mein kul kitne parameters hain?",
        ),
        answer,
        lambda: parameters(d, h, g=1),
        (
            Slip(
                "all-heads",
                4 * d**2,
                f"4 · {d}²",
                "W_K and W_V write one head only",
                "W_K aur W_V sirf ek head likhte hain",
            ),
            Slip(
                "all-shrink",
                d**2 + 3 * d * k,
                f"{d}² + 3 · {d} · {k}",
                f"W_O still reads all {h} heads",
                f"W_O ab bhi saare {h} heads padhta hai",
            ),
            Slip("no-out", d**2 + 2 * d * k, f"{d}² + 2 · {d} · {k}", "W_O was left out", "W_O chhoot gaya"),
        ),
        Text(
            f"""A head is {d} / {h} = {k} wide.
            W_Q and W_O serve all {h} heads: 2 · {d}² = {2 * d**2:,}.
            W_K and W_V write one head: 2 · {d} · {k} = {2 * d * k:,}.
            Together {2 * d**2:,} + {2 * d * k:,} = {answer:,} parameters.""",
            f"""Ek head ki width {d} / {h} = {k} hai.
            W_Q aur W_O saare {h} heads ke liye hain: 2 · {d}² = {2 * d**2:,}.
            W_K aur W_V sirf ek head likhte hain: 2 · {d} · {k} = {2 * d * k:,}.
            Kul milakar {2 * d**2:,} + {2 * d * k:,} = {answer:,} parameters.""",
        ),
    )


def _free_widths(rng: Random) -> tuple[int, int, int, int]:
    """d, h, k and v; neither all keys nor all values together are as wide as the model."""
    drawn = layer(rng, ())
    k = rng.choice([k for k in KEY_WIDTHS if drawn.h * k != drawn.d])
    v = rng.choice([v for v in VALUE_WIDTHS if drawn.h * v != drawn.d and v != k])
    return drawn.d, drawn.h, k, v
