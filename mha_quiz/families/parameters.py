"""How many parameters an attention layer has."""

from random import Random

from mha_quiz.families.heads import free_widths, grouped_heads, one_head, one_key_head, output_matrix
from mha_quiz.families.presets import WITH_BIASES, WITHOUT_BIASES
from mha_quiz.families.ranges import FACTORS, MLP_WIDTHS, WIDEST_MLP, layer, split
from mha_quiz.families.runs import dry, mlp_parameters, norm_parameters, parameters
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
