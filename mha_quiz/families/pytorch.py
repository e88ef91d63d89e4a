"""What PyTorch's attention modules do with their inputs and masks."""

from random import Random

from mha_quiz.families.presets import ENCODER_DECODER, TRANSFORMER_BASE, TRANSFORMER_BIG, WITH_BIASES
from mha_quiz.families.pytorch_weights import default_batch_axis, extra_keys, no_batch_axis, returned_weights
from mha_quiz.families.ranges import BATCHES, KEYS, layer, other_than, tokens
from mha_quiz.families.runs import (
    keys_seen,
    keys_with_weight,
    one_axis_for_batch_and_heads,
    packed_rows,
    parameters,
    run,
)
from mha_quiz.question import Slip, Text, Theme, Variant, family


@family("A14", Theme.PYTORCH, Text("3-D attn_mask", "3-D attn_mask"), version=2)
def mask_of_three_axes(rng: Random) -> Variant:
    drawn = layer(rng, ENCODER_DECODER)
    d, h = drawn.d, drawn.h
    B, m = other_than(rng, BATCHES, h), rng.choice(KEYS)
    n = tokens(rng, drawn, (B, m))
    answer = (B * h, n, m)
    return Variant(
        {"B": B, "n": n, "m": m, "d": d, "h": h},
        drawn.before(
            Text(
                f"`nn.MultiheadAttention({d}, {h})` attends from {n} queries to {m} keys, batch {B}. Which shape must a 3-D "
                "attn_mask have, with one map for each batch entry and head?",
                f"`nn.MultiheadAttention({d}, {h})` {n} queries se {m} keys par attend karta hai, batch {B}. Har batch entry "
                "aur head ka apna map ho to 3-D attn_mask ka shape kya hona chahiye?",
            )
        ),
        answer,
        lambda: one_axis_for_batch_and_heads(run(d=d, h=h, B=B, n=n, m=m).weights),
        (
            Slip(
                "per-batch",
                (B, n, m),
                "(B, n, m)",
                "the first axis counts batch × heads",
                "pehli axis mein batch × heads hote hain",
            ),
            Slip(
                "four-axes",
                (B, h, n, m),
                "(B, h, n, m)",
                "right content, but the module wants batch and heads in one axis",
                "content sahi hai, par module ko batch aur heads ek hi axis mein chahiye",
            ),
            Slip("padding", (B, m), "(B, m)", "that is key_padding_mask", "yeh key_padding_mask hai"),
        ),
        Text(
            f"""Each map is ({n}, {m}): a row for each query, a column for each key.
            {B} batch entries and {h} heads need {B} · {h} = {B * h} maps, in one axis.
            So the mask has the shape ({B * h}, {n}, {m}).""",
            f"""Har map ({n}, {m}) hai: har query ki ek row, har key ka ek column.
            {B} batch entries aur {h} heads ke liye {B} · {h} = {B * h} maps chahiye, ek hi axis mein.
            Yaani mask ka shape ({B * h}, {n}, {m}) hai.""",
        ),
    )


@family("B7", Theme.PYTORCH, Text("kdim and vdim", "kdim aur vdim"), version=2, unit="parameters")
def key_and_value_inputs(rng: Random) -> Variant:
    drawn = layer(rng, (TRANSFORMER_BASE, TRANSFORMER_BIG))
    d, h = drawn.d, drawn.h
    e, f = rng.choice((96, 160, 200, 300)), rng.choice((72, 144, 400))
    answer = 2 * d**2 + d * e + d * f + 4 * d
    return Variant(
        {"d": d, "h": h, "e": e, "f": f},
        drawn.before(
            Text(
                f"How many parameters does `nn.MultiheadAttention({d}, {h}, kdim={e}, vdim={f})` have, biases included?",
                f"`nn.MultiheadAttention({d}, {h}, kdim={e}, vdim={f})` mein bias samet kul kitne parameters hain?",
            )
        ),
        answer,
        lambda: parameters(d, h, e=e, f=f, bias=True),
        (
            Slip(
                "square",
                4 * d**2 + 4 * d,
                f"4 · {d}² + 4 · {d}",
                f"W_K and W_V take {e} and {f} numbers in, not {d}",
                f"W_K aur W_V mein {e} aur {f} numbers jaate hain, {d} nahi",
            ),
            Slip(
                "input-squared",
                2 * d**2 + e**2 + f**2 + 4 * d,
                f"2 · {d}² + {e}² + {f}² + 4 · {d}",
                f"W_K maps {e} to {d}: {d} · {e} numbers",
                f"W_K {e} se {d} tak jaata hai: {d} · {e} numbers",
            ),
            Slip(
                "bias-by-input",
                2 * d**2 + d * e + d * f + 2 * d + e + f,
                f"2 · {d}² + {d} · {e} + {d} · {f} + 2 · {d} + {e} + {f}",
                f"a bias has the width of the output, {d}",
                f"bias ki width output jitni hoti hai, {d}",
            ),
        ),
        Text(
            f"""W_Q and W_O map {d} to {d}: 2 · {d}² = {2 * d**2:,}.
            W_K maps {e} to {d}, W_V {f} to {d}: {d} · {e} + {d} · {f} = {d * e + d * f:,}.
            Four biases, each as wide as its output: 4 · {d} = {4 * d:,}.
            Together {answer:,} parameters.""",
            f"""W_Q aur W_O {d} se {d} tak jaate hain: 2 · {d}² = {2 * d**2:,}.
            W_K {e} se {d} tak, W_V {f} se {d} tak: {d} · {e} + {d} · {f} = {d * e + d * f:,}.
            Chaar bias, har ek apne output jitna lamba: 4 · {d} = {4 * d:,}.
            Kul milakar {answer:,} parameters.""",
        ),
    )


@family("B10", Theme.PYTORCH, Text("rows of in_proj_weight", "in_proj_weight ki rows"), unit="rows")
def rows_of_in_proj(rng: Random) -> Variant:
    drawn = layer(rng, WITH_BIASES)
    d, h, k = drawn.d, drawn.h, drawn.k
    answer = 3 * d
    return Variant(
        {"d": d, "h": h},
        drawn.before(
            Text(
                f"How many rows does in_proj_weight of `nn.MultiheadAttention({d}, {h})` have?",
                f"`nn.MultiheadAttention({d}, {h})` ke in_proj_weight mein kitni rows hain?",
            )
        ),
        answer,
        lambda: packed_rows(d, h),
        (
            Slip(
                "one",
                d,
                "d_model",
                "q, k and v are packed on top of each other",
                "q, k aur v ek ke upar ek pack hote hain",
            ),
            Slip("one-head", 3 * k, f"3 · {k}", "all heads are in it", "isme saare heads hain"),
            Slip("with-out", 4 * d, f"4 · {d}", "out_proj is a separate tensor", "out_proj alag tensor hai"),
        ),
        Text(
            f"""W_Q, W_K and W_V each write {d} numbers, all {h} heads of width {k}: {h} · {k} = {d}.
            They are packed into one tensor, Q in the rows 0 to {d - 1}, then K, then V.
            It has 3 · {d} = {answer:,} rows.""",
            f"""W_Q, W_K aur W_V har ek {d} numbers likhta hai, {k} width wale saare {h} heads: {h} · {k} = {d}.
            Teenon ek hi tensor mein pack hain: Q rows 0 se {d - 1} tak, phir K, phir V.
            Usme 3 · {d} = {answer:,} rows hain.""",
        ),
    )


@family("E17", Theme.PYTORCH, Text("boolean masks", "boolean masks"), unit="keys", least=0)
def boolean_masks(rng: Random) -> Variant:
    m = rng.choice((7, 8, 10, 12, 16, 20, 77))
    t = rng.choice([t for t in (1, 2, 3, 5, 6) if 2 * t != m])
    sdpa = rng.choice((0, 1))
    answer = t if sdpa else m - t
    function = "scaled_dot_product_attention" if sdpa else "nn.MultiheadAttention"
    other = "nn.MultiheadAttention" if sdpa else "scaled_dot_product_attention"
    meaning, matlab = ("may attend", "dekh sakte hain") if sdpa else ("blocked", "blocked")
    row = [place < t for place in range(m)]
    return Variant(
        {"m": m, "t": t, "sdpa": sdpa},
        Text(
            f"A boolean mask row covers {m} keys and has True for {t} of them. How many keys get weight in `{function}`?",
            f"Boolean mask ki row mein {m} keys hain, {t} jagah True hai. `{function}` mein kitni keys ko weight milega?",
        ),
        answer,
        lambda: keys_with_weight(row if sdpa else [not blocked for blocked in row]),
        (
            Slip(
                "other-rule",
                m - t if sdpa else t,
                f"{m} − {t}" if sdpa else "",
                f"that is the rule of {other}: True means “may attend” in scaled_dot_product_attention and “blocked” in "
                "nn.MultiheadAttention",
                f"yeh {other} ka rule hai: scaled_dot_product_attention mein True ka matlab “dekh sakte hain” hai, "
                "nn.MultiheadAttention mein “blocked”",
            ),
            Slip("all", m, "", "masked keys get weight 0", "masked keys ko weight 0 milta hai"),
        ),
        Text(
            f"""The row has True for {t} and False for {m} − {t} = {m - t} of the {m} keys.
            In `{function}` True means “{meaning}”, so {answer} of them may be attended to: those with {sdpa == 1}.
            Weight goes to {answer} of the {m} keys.""",
            f"""Row mein {m} keys hain: {t} par True, {m} − {t} = {m - t} par False.
            `{function}` mein True ka matlab “{matlab}” hai, isliye {answer} par attend ho sakta hai: {sdpa == 1} wali par.
            {m} keys mein se {answer} ko weight milta hai.""",
        ),
    )


@family("E18", Theme.PYTORCH, Text("is_causal with n ≠ m", "is_causal jab n ≠ m"), unit="keys", least=0)
def causal_corner(rng: Random) -> Variant:
    n, m = rng.choice((2, 3, 4, 5, 6)), rng.choice((7, 8, 10, 12))
    i = rng.randint(1, n)
    answer = min(i, m)
    return Variant(
        {"n": n, "m": m, "i": i},
        Text(
            f"`scaled_dot_product_attention` is called with is_causal=True, {n} queries and {m} keys. "
            f"How many keys does query {i} see (counted from 1)?",
            f"`scaled_dot_product_attention` ko is_causal=True, {n} queries aur {m} keys ke saath chalaya. "
            f"Query {i} (ginti 1 se) kitni keys dekhti hai?",
        ),
        answer,
        lambda: keys_seen(n, m, i),
        (
            Slip(
                "bottom-right",
                max(m - n + i, 0),
                f"{m} − {n} + {i}",
                "the triangle starts at the top left corner, also when n ≠ m",
                "triangle upar baayein kone se shuru hota hai, n ≠ m ho tab bhi",
            ),
            Slip("all", m, "", "the mask is causal", "mask causal hai"),
            Slip(
                "strict",
                i - 1,
                f"{i} − 1",
                "a query also sees the key at its own place",
                "query apni jagah wali key bhi dekhti hai",
            ),
        ),
        Text(
            f"""is_causal builds a triangle of {n} rows and {m} columns.
            It starts at the top left corner: query 1 sees key 1 only, also when n ≠ m.
            Query {i} sees nothing beyond its own place: {answer} of {m} keys.""",
            f"""is_causal {n} rows aur {m} columns ka triangle banata hai.
            Woh upar baayein kone se shuru hota hai: query 1 sirf key 1 dekhti hai, n ≠ m ho tab bhi.
            Query {i} apni jagah tak hi dekhti hai: {m} keys mein se {answer}.""",
        ),
    )


PYTORCH = (
    returned_weights,
    default_batch_axis,
    no_batch_axis,
    mask_of_three_axes,
    extra_keys,
    key_and_value_inputs,
    rows_of_in_proj,
    boolean_masks,
    causal_corner,
)
