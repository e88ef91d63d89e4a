"""How many parameters an attention layer has."""

from random import Random

from mha_quiz.families.presets import WITH_BIASES, WITHOUT_BIASES
from mha_quiz.families.ranges import (
    FACTORS,
    KEY_WIDTHS,
    MLP_WIDTHS,
    VALUE_WIDTHS,
    WIDEST_MLP,
    grouped_layer,
    layer,
    split,
)
from mha_quiz.families.runs import dry, mlp_parameters, norm_parameters, one_head_parameters, parameters
from mha_quiz.question import Slip, Text, Theme, Variant, family


@family("B1", Theme.PARAMETERS, Text("all weights, no bias", "saare weights, bina bias"), unit="parameters")
def all_weights(rng: Random) -> Variant:
    drawn = layer(rng, WITHOUT_BIASES)
    d, h, k = drawn.d, drawn.h, drawn.k
    answer = 4 * d**2
    return Variant(
        {"d": d, "h": h},
        drawn.said
        + Text(
            "How many parameters do W_Q, W_K, W_V and W_O have together, without biases?",
            "Bina bias ke W_Q, W_K, W_V aur W_O milakar kul kitne parameters hain?",
        ),
        answer,
        lambda: parameters(d, h),
        (
            Slip("no-out", 3 * d**2, f"3 · {d}²", "W_O was left out", "W_O chhoot gaya"),
            Slip(
                "full-per-head",
                3 * h * d**2 + d**2,
                f"3 · {h} · {d}² + {d}²",
                f"each head projects to d/h = {k}, not to {d}",
                f"har head d/h = {k} tak project karta hai, {d} tak nahi",
            ),
            Slip(
                "times-h",
                4 * d**2 * h,
                f"4 · {d}² · {h}",
                "the heads share the width; more heads do not mean more parameters",
                "heads width aapas mein baant lete hain; zyada heads ka matlab zyada parameters nahi",
            ),
            Slip("one-matrix", d**2, f"{d}²", "there are four matrices", "matrices chaar hain, ek nahi"),
            Slip(
                "with-bias",
                4 * d**2 + 4 * d,
                f"4 · {d}² + 4 · {d}",
                "the biases were not asked for",
                "is sawaal mein bias nahi ginne the",
            ),
        ),
        Text(
            f"""{h} heads of width {k} fill {h} · {k} = {d} columns, so each matrix is {d} × {d}: {d}² = {d**2:,}.
            W_Q, W_K and W_V: 3 · {d}² = {3 * d**2:,}.
            W_O brings the joined heads back to d_model: {d}² = {d**2:,}.
            Together 4 · {d}² = {answer:,} parameters.""",
            f"""{k} width wale {h} heads milkar {h} · {k} = {d} columns bharte hain, yaani har matrix {d} × {d} hai: \
{d}² = {d**2:,}.
            W_Q, W_K aur W_V: 3 · {d}² = {3 * d**2:,}.
            W_O jude hue heads ko wapas d_model par laata hai: {d}² = {d**2:,}.
            Kul milakar 4 · {d}² = {answer:,} parameters.""",
        ),
    )


@family("B2", Theme.PARAMETERS, Text("all weights, with bias", "saare weights, bias ke saath"), unit="parameters")
def all_weights_with_bias(rng: Random) -> Variant:
    drawn = layer(rng, WITH_BIASES)
    d, h = drawn.d, drawn.h
    answer = 4 * d**2 + 4 * d
    return Variant(
        {"d": d, "h": h},
        drawn.said
        + Text(
            "How many parameters do the projections W_Q, W_K, W_V and W_O have, each with its bias vector?",
            "W_Q, W_K, W_V aur W_O, har ek apne bias vector ke saath: kul kitne parameters hain?",
        ),
        answer,
        lambda: parameters(d, h, bias=True),
        (
            Slip("no-bias", 4 * d**2, f"4 · {d}²", "the four biases were left out", "chaaron bias chhoot gaye"),
            Slip(
                "one-bias",
                4 * d**2 + d,
                f"4 · {d}² + {d}",
                f"each of the four projections has a bias of length {d}",
                f"chaaron projections mein se har ek ka apna {d} lamba bias hai",
            ),
            Slip(
                "three-biases",
                4 * d**2 + 3 * d,
                f"4 · {d}² + 3 · {d}",
                "the output projection has a bias too",
                "output projection ka bhi bias hota hai",
            ),
            Slip("no-out", 3 * d**2 + 3 * d, f"3 · {d}² + 3 · {d}", "W_O was left out", "W_O chhoot gaya"),
        ),
        Text(
            f"""Each of the four matrices is {d} × {d}: 4 · {d}² = {4 * d**2:,}.
            Each projection adds one number to each of its {d} outputs: 4 · {d} = {4 * d:,}.
            Together {4 * d**2:,} + {4 * d:,} = {answer:,} parameters.""",
            f"""Chaaron matrices {d} × {d} ki hain: 4 · {d}² = {4 * d**2:,}.
            Har projection apne {d} outputs mein ek-ek number jodta hai: 4 · {d} = {4 * d:,}.
            Kul milakar {4 * d**2:,} + {4 * d:,} = {answer:,} parameters.""",
        ),
    )


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


@family("B8", Theme.PARAMETERS, Text("more heads", "zyada heads"), precision=2, version=2, weight=0.25)
def more_heads(rng: Random) -> Variant:
    drawn, c = split(rng)
    d, h = drawn.d, drawn.h
    return Variant(
        {"d": d, "h": h, "c": c},
        drawn.before(
            Text(
                f"d_model stays {d}, and the number of heads grows {c}-fold, from {h} to {c * h}. "
                "By which factor does the number of parameters of the layer change?",
                f"d_model {d} hi rakho aur heads {c} guna kar do, {h} se {c * h}. "
                "Layer ke parameters kitne guna ho jaate hain?",
            )
        ),
        1,
        lambda: parameters(d, c * h) / parameters(d, h),
        (
            Slip(
                "grows",
                c,
                f"{c * h} / {h}",
                "the heads get narrower in the same measure",
                "heads utne hi patle bhi ho jaate hain",
            ),
            Slip(
                "shrinks",
                1 / c,
                f"{h} / {c * h}",
                "the heads get narrower, but there are more of them",
                "heads patle zaroor hote hain, par unki ginti badh jaati hai",
            ),
        ),
        Text(
            f"""A head was {d} / {h} = {d // h} wide and is now {d} / {c * h} = {d // (c * h)}.
            All heads together fill {c * h} · {d // (c * h)} = {d} columns, as {h} · {d // h} = {d} before.
            The matrices stay {d} × {d}, so the factor is 1.""",
            f"""Ek head ki width pehle {d} / {h} = {d // h} thi, ab {d} / {c * h} = {d // (c * h)} hai.
            Saare heads milkar {c * h} · {d // (c * h)} = {d} columns bharte hain, pehle bhi {h} · {d // h} = {d} the.
            Matrices {d} × {d} hi rehti hain, yaani parameters 1 guna, utne hi.""",
        ),
    )


@family("B9", Theme.PARAMETERS, Text("wider model", "chauda model"), version=2)
def wider_model(rng: Random) -> Variant:
    drawn, c = layer(rng), rng.choice(FACTORS)
    d, h = drawn.d, drawn.h
    answer = c**2
    return Variant(
        {"d": d, "h": h, "c": c},
        drawn.said
        + Text(
            f"d_model grows {c}-fold, to {c * d}; the number of heads stays. "
            "By which factor does the number of parameters grow (no biases)?",
            f"d_model ko {c} guna karke {c * d} kar do, heads utne hi rakho. "
            "Parameters kitne guna ho jaate hain (bina bias)?",
        ),
        answer,
        lambda: parameters(c * d, h) / parameters(d, h),
        (
            Slip(
                "linear", c, f"{c * d} / {d}", "both sides of each matrix grow", "har matrix ki dono sides badhti hain"
            ),
            Slip(
                "cubed", c**3, f"{c}³", "a matrix has two sides, not three", "matrix ki do sides hoti hain, teen nahi"
            ),
        ),
        Text(
            f"""Each matrix is d_model × d_model: it was {d}² = {d**2:,}.
            Now it is {c * d}² = {(c * d) ** 2:,}.
            The factor is {(c * d) ** 2:,} / {d**2:,} = {c}² = {answer}.""",
            f"""Har matrix d_model × d_model hai: pehle {d}² = {d**2:,} parameters.
            Ab {c * d}² = {(c * d) ** 2:,} parameters.
            Yaani {(c * d) ** 2:,} / {d**2:,} = {c}² = {answer} guna.""",
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


@family("B12", Theme.PARAMETERS, Text("share of attention", "attention ka hissa"), precision=3, version=2)
def share_of_attention(rng: Random) -> Variant:
    drawn = layer(rng)
    d, h = drawn.d, drawn.h
    f = drawn.model.f if drawn.model else rng.choice([f for f in MLP_WIDTHS if d < f <= WIDEST_MLP * d] or [4 * d])
    w = (3 if drawn.model.gated else 2) if drawn.model else rng.choice((2, 3))
    answer = 4 * d / (4 * d + w * f)
    return Variant(
        {"d": d, "h": h, "f": f, "w": w},
        drawn.said
        + Text(
            f"Its MLP has {w} matrices of {d} × {f}. "
            "What share of the weights of both together is in the attention (no biases)?",
            f"MLP mein {d} × {f} ki {w} matrices hain. "
            "Dono ke kul weights mein attention ka hissa kitna hai (bina bias)?",
        ),
        answer,
        lambda: (attention := parameters(d, h)) / (attention + mlp_parameters(d, f, w)),
        (
            Slip(
                "no-out",
                3 * d / (3 * d + w * f),
                f"3 · {d} / (3 · {d} + {w} · {f})",
                "W_O was left out",
                "W_O chhoot gaya",
            ),
            Slip(
                "one-mlp",
                4 * d / (4 * d + f),
                f"4 · {d} / (4 · {d} + {f})",
                f"the MLP has {w} matrices",
                f"MLP mein {w} matrices hain",
            ),
            Slip(
                "half",
                0.5,
                "1 / 2",
                "the MLP is usually the larger part; with d_ff = 4·d_model and two matrices attention is one third",
                "MLP aksar bada hissa hota hai; d_ff = 4·d_model aur do matrices ho to attention ek tihai hai",
            ),
        ),
        Text(
            f"""Attention: 4 · {d}² = {4 * d**2:,} weights.
            MLP: {w} · {d} · {f} = {w * d * f:,} weights.
            Share of attention: {4 * d**2:,} / {4 * d**2 + w * d * f:,} = {answer:.3f} (3 decimals).""",
            f"""Attention: 4 · {d}² = {4 * d**2:,} weights.
            MLP: {w} · {d} · {f} = {w * d * f:,} weights.
            Attention ka hissa: {4 * d**2:,} / {4 * d**2 + w * d * f:,} = {answer:.3f} (teen decimals).""",
        ),
    )


@family("B13", Theme.PARAMETERS, Text("sub-layer with norm", "norm ke saath sub-layer"), unit="parameters")
def with_norm(rng: Random) -> Variant:
    drawn = layer(rng, WITH_BIASES)
    d, h = drawn.d, drawn.h
    answer = 4 * d**2 + 6 * d
    return Variant(
        {"d": d, "h": h},
        drawn.said
        + Text(
            "How many parameters do its four projections with biases and one LayerNorm (scale and shift) have together?",
            "Bias samet chaaron projections aur ek LayerNorm (scale aur shift), in sab mein kul kitne parameters hain?",
        ),
        answer,
        lambda: parameters(d, h, bias=True) + norm_parameters(dry(d, h).w_o.shape),
        (
            Slip(
                "no-norm",
                4 * d**2 + 4 * d,
                f"4 · {d}² + 4 · {d}",
                f"LayerNorm adds a scale and a shift of length {d} each",
                f"LayerNorm mein {d} lamba scale aur utna hi lamba shift bhi hai",
            ),
            Slip(
                "scale-only",
                4 * d**2 + 5 * d,
                f"4 · {d}² + 5 · {d}",
                "LayerNorm has a shift as well",
                "LayerNorm mein shift bhi hota hai",
            ),
            Slip(
                "no-bias",
                4 * d**2 + 2 * d,
                f"4 · {d}² + 2 · {d}",
                "the four biases were left out",
                "chaaron bias chhoot gaye",
            ),
        ),
        Text(
            f"""Four matrices of {d} × {d}: 4 · {d}² = {4 * d**2:,}.
            Four biases of length {d}: 4 · {d} = {4 * d:,}.
            LayerNorm has a scale and a shift of length {d}: 2 · {d} = {2 * d:,}.
            Together {4 * d**2:,} + {4 * d:,} + {2 * d:,} = {answer:,} parameters.""",
            f"""{d} × {d} ki chaar matrices: 4 · {d}² = {4 * d**2:,}.
            {d} lambe chaar bias: 4 · {d} = {4 * d:,}.
            LayerNorm mein {d} lamba scale aur shift: 2 · {d} = {2 * d:,}.
            Kul milakar {4 * d**2:,} + {4 * d:,} + {2 * d:,} = {answer:,} parameters.""",
        ),
    )


def _free_widths(rng: Random) -> tuple[int, int, int, int]:
    """d, h, k and v; neither all keys nor all values together are as wide as the model."""
    drawn = layer(rng, ())
    k = rng.choice([k for k in KEY_WIDTHS if drawn.h * k != drawn.d])
    v = rng.choice([v for v in VALUE_WIDTHS if drawn.h * v != drawn.d and v != k])
    return drawn.d, drawn.h, k, v


PARAMETERS = (
    all_weights,
    all_weights_with_bias,
    one_head,
    output_matrix,
    free_widths,
    grouped_heads,
    more_heads,
    wider_model,
    one_key_head,
    share_of_attention,
    with_norm,
)
