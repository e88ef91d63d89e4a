"""Which shape the arrays of an attention layer have, from the scores on."""

from random import Random

from mha_quiz.families.presets import ENCODER_DECODER
from mha_quiz.families.ranges import (
    BATCHES,
    HEADS,
    KEY_WIDTHS,
    KEYS,
    TOKENS,
    VALUE_WIDTHS,
    grouped_layer,
    layer,
    other_than,
    tokens,
)
from mha_quiz.families.runs import run
from mha_quiz.families.splitting import head_numbers, head_width, projected, split, transposed_keys
from mha_quiz.question import Slip, Text, Theme, Variant, family


@family("A5", Theme.SHAPES, Text("score tensor", "scores ka tensor"))
def scores(rng: Random) -> Variant:
    drawn = layer(rng)
    d, h, k = drawn.d, drawn.h, drawn.k
    B = other_than(rng, BATCHES, h, k)
    n = tokens(rng, drawn, (B,))
    answer = (B, h, n, n)
    return Variant(
        {"B": B, "n": n, "d": d, "h": h},
        drawn.said
        + Text(
            f"A batch of {B} sequences of {n} tokens attends to itself. What is the shape of the scores q·kᵀ?",
            f"Batch {B}, har sequence mein {n} tokens: self-attention mein scores q·kᵀ ka shape kya hoga?",
        ),
        answer,
        lambda: run(d=d, h=h, B=B, n=n).shape("scores"),
        (
            Slip(
                "no-heads",
                (B, n, n),
                "(B, n, n)",
                f"every head has its own {n} × {n} map",
                f"har head ka apna {n} × {n} map hota hai",
            ),
            Slip(
                "ktq",
                (B, h, k, k),
                "(B, h, d/h, d/h)",
                "that is kᵀ·q: the token axis was summed away instead of the feature axis",
                "yeh kᵀ·q hai: feature axis ki jagah token axis par sum ho gaya",
            ),
            Slip(
                "head-output",
                (B, h, n, k),
                "(B, h, n, d/h)",
                "that is the shape after multiplying with v",
                "yeh v se multiply karne ke baad ka shape hai",
            ),
        ),
        Text(
            f"""Each head has q and k of shape ({n}, {k}), as {d} / {h} = {k}.
            q·kᵀ of one head: ({n}, {k}) times ({k}, {n}) gives ({n}, {n}).
            For {B} sequences and {h} heads: ({B}, {h}, {n}, {n}).""",
            f"""Har head ke q aur k ka shape ({n}, {k}) hai, kyunki {d} / {h} = {k}.
            Ek head ka q·kᵀ: ({n}, {k}) guna ({k}, {n}) se ({n}, {n}) banta hai.
            {B} sequences aur {h} heads ke liye: ({B}, {h}, {n}, {n}).""",
        ),
    )


@family("A6", Theme.SHAPES, Text("score tensor, cross-attention", "cross-attention ke scores"))
def cross_scores(rng: Random) -> Variant:
    drawn = layer(rng, ENCODER_DECODER)
    d, h = drawn.d, drawn.h
    B, m = other_than(rng, BATCHES, h), other_than(rng, KEYS, h)
    n = tokens(rng, drawn, (B, m))
    answer = (B, h, n, m)
    return Variant(
        {"B": B, "n": n, "m": m, "d": d, "h": h},
        drawn.said
        + Text(
            f"In cross-attention, {n} decoder tokens attend to {m} encoder tokens, batch {B}. "
            "What is the shape of the scores q·kᵀ?",
            f"Cross-attention mein {n} decoder tokens {m} encoder tokens par attend karte hain, batch {B}. "
            "Scores q·kᵀ ka shape kya hoga?",
        ),
        answer,
        lambda: run(d=d, h=h, B=B, n=n, m=m).shape("scores"),
        (
            Slip(
                "swapped",
                (B, h, m, n),
                "(B, h, m, n)",
                "rows are queries, columns are keys",
                "rows queries hain, columns keys",
            ),
            Slip(
                "self",
                (B, h, n, n),
                "(B, h, n, n)",
                f"the keys come from the other sequence, of length {m}",
                f"keys doosri sequence se aati hain, jiski length {m} hai",
            ),
            Slip("no-heads", (B, n, m), "(B, n, m)", "every head has its own map", "har head ka apna map hota hai"),
        ),
        Text(
            f"""Queries come from the decoder, {n} of them; keys from the encoder, {m} of them.
            One head compares each query with each key: ({n}, {m}).
            For {B} sequences and {h} heads: ({B}, {h}, {n}, {m}).""",
            f"""Queries decoder se aati hain, {n}; keys encoder se, {m}.
            Ek head har query ko har key se milata hai: ({n}, {m}).
            {B} sequences aur {h} heads ke liye: ({B}, {h}, {n}, {m}).""",
        ),
    )


@family("A7", Theme.SHAPES, Text("head output, d_v ≠ d_k", "head ka output, d_v ≠ d_k"))
def head_output(rng: Random) -> Variant:
    h, k = rng.choice(HEADS), rng.choice(KEY_WIDTHS)
    v, B = other_than(rng, VALUE_WIDTHS, k), other_than(rng, BATCHES, h)
    n = other_than(rng, TOKENS, B, h, k, v)
    answer = (B, h, n, v)
    return Variant(
        {"B": B, "n": n, "h": h, "k": k, "v": v},
        Text(
            f"Self-attention with {h} heads, d_k = {k} and d_v = {v}: a batch of {B} sequences of {n} tokens. "
            "What is the shape of weights·v, before the heads are joined?",
            f"Self-attention mein {h} heads hain, d_k = {k} aur d_v = {v}; batch {B}, har sequence mein {n} tokens. "
            "Heads jodne se pehle weights·v ka shape kya hoga?",
        ),
        answer,
        lambda: run(d=h * k, h=h, k=k, v=v, B=B, n=n).shape("head output"),
        (
            Slip(
                "uses-k",
                (B, h, n, k),
                "(B, h, n, d_k)",
                "the output has the width of v; k is summed away in the scores",
                "output ki width d_v hoti hai; d_k to scores mein sum ho jaata hai",
            ),
            Slip(
                "scores",
                (B, h, n, n),
                "(B, h, n, n)",
                "that is the shape of the weights, before v",
                "yeh weights ka shape hai, v se pehle",
            ),
        ),
        Text(
            f"""The weights have the shape ({B}, {h}, {n}, {n}); d_k = {k} is summed away in q·kᵀ.
            The values have the shape ({B}, {h}, {n}, {v}).
            In each head ({n}, {n}) times ({n}, {v}) gives ({n}, {v}), so all together ({B}, {h}, {n}, {v}).""",
            f"""Weights ka shape ({B}, {h}, {n}, {n}) hai; d_k = {k} q·kᵀ mein sum ho chuka hai.
            Values ka shape ({B}, {h}, {n}, {v}) hai.
            Har head mein ({n}, {n}) guna ({n}, {v}) se ({n}, {v}) banta hai, yaani kul ({B}, {h}, {n}, {v}).""",
        ),
    )


@family("A8", Theme.SHAPES, Text("concatenated heads", "jude hue heads (concat)"))
def joined(rng: Random) -> Variant:
    drawn = layer(rng, ())
    d, h, k = drawn.d, drawn.h, drawn.k
    v = rng.choice([v for v in VALUE_WIDTHS if v != k and h * v != d])
    B = other_than(rng, BATCHES, h)
    n = tokens(rng, drawn, (B, v))
    answer = (B, n, h * v)
    return Variant(
        {"B": B, "n": n, "d": d, "h": h, "v": v},
        drawn.said
        + Text(
            f"Its values are d_v = {v} wide in each head. "
            f"What is the shape of the joined heads, before W_O, for {B} sequences of {n} tokens?",
            f"Har head mein values ki width d_v = {v} hai. "
            f"Batch {B}, {n} tokens: W_O se pehle, heads jodne ke baad shape kya hoga?",
        ),
        answer,
        lambda: run(d=d, h=h, v=v, B=B, n=n).shape("joined"),
        (
            Slip(
                "averaged",
                (B, n, v),
                "(B, n, d_v)",
                "the heads are put side by side, not added or averaged",
                "heads ko saath-saath rakhte hain; unka sum ya average nahi lete",
            ),
            Slip(
                "assumes-d",
                (B, n, d),
                "(B, n, d_model)",
                f"h·d_v = {h * v} need not equal d_model; only W_O brings it back to {d}",
                f"h·d_v = {h * v} ka d_model ke barabar hona zaroori nahi; {d} par wapas W_O laata hai",
            ),
            Slip(
                "stacked",
                (B, h, n, v),
                "(B, h, n, d_v)",
                "this is before the heads are joined",
                "yeh heads jodne se pehle ka shape hai",
            ),
        ),
        Text(
            f"""Each head gives {n} rows of {v} numbers: ({B}, {h}, {n}, {v}).
            Side by side, the {h} heads fill {h} · {v} = {h * v} columns.
            So the joined heads have the shape ({B}, {n}, {h * v}).""",
            f"""Har head {v} numbers ki {n} rows deta hai: ({B}, {h}, {n}, {v}).
            Saath-saath rakhne par {h} heads {h} · {v} = {h * v} columns bharte hain.
            Yaani jude hue heads ka shape ({B}, {n}, {h * v}) hai.""",
        ),
    )


@family("A9", Theme.SHAPES, Text("layer output, cross-attention", "cross-attention layer ka output"))
def cross_output(rng: Random) -> Variant:
    drawn = layer(rng, ENCODER_DECODER)
    d, h, k = drawn.d, drawn.h, drawn.k
    B, m = rng.choice(BATCHES), rng.choice(KEYS)
    n = tokens(rng, drawn, (B, m))
    answer = (B, n, d)
    return Variant(
        {"B": B, "n": n, "m": m, "d": d, "h": h},
        drawn.said
        + Text(
            f"In cross-attention, {n} decoder tokens attend to {m} encoder tokens, batch {B}. "
            "What is the shape of the layer's output, after W_O?",
            f"Cross-attention mein {n} decoder tokens {m} encoder tokens par attend karte hain, batch {B}. "
            "W_O ke baad layer ke output ka shape kya hoga?",
        ),
        answer,
        lambda: run(d=d, h=h, B=B, n=n, m=m).shape("output"),
        (
            Slip(
                "key-length",
                (B, m, d),
                "(B, m, d)",
                "one output row for each query; the keys are summed away",
                "har query ke liye output ki ek row; keys to sum ho jaati hain",
            ),
            Slip(
                "one-head",
                (B, n, k),
                "(B, n, d/h)",
                f"W_O maps the joined heads back to {d}",
                f"W_O jude hue heads ko wapas {d} par laata hai",
            ),
            Slip("scores", (B, h, n, m), "(B, h, n, m)", "these are the scores", "yeh scores hain"),
        ),
        Text(
            f"""Each of the {n} queries gets one weighted sum over {m} values in each head: ({B}, {h}, {n}, {k}).
            Joined, the {h} heads are {h} · {k} = {d} wide: ({B}, {n}, {d}).
            W_O keeps this width, so the output has the shape ({B}, {n}, {d}).""",
            f"""{n} queries mein se har ek ko har head mein {m} values ka ek weighted sum milta hai: \
({B}, {h}, {n}, {k}).
            Judne par {h} heads ki width {h} · {k} = {d} hoti hai: ({B}, {n}, {d}).
            W_O yahi width rakhta hai, isliye output ka shape ({B}, {n}, {d}) hai.""",
        ),
    )


@family("A11", Theme.SHAPES, Text("key cache with grouped heads", "grouped heads ka key cache"))
def key_cache(rng: Random) -> Variant:
    drawn = grouped_layer(rng)
    d, h, g, k = drawn.d, drawn.h, drawn.g, drawn.k
    B = rng.choice(BATCHES)
    n = tokens(rng, drawn, (B, g))
    answer = (B, g, n, k)
    return Variant(
        {"B": B, "n": n, "d": d, "h": h, "g": g},
        drawn.said
        + Text(
            f"What is the shape of the keys cached in one layer, for a batch of {B} sequences of {n} tokens?",
            f"Batch {B}, har sequence mein {n} tokens: ek layer ke cache mein rakhi keys ka shape kya hoga?",
        ),
        answer,
        lambda: run(d=d, h=h, g=g, B=B, n=n).shape("k cache"),
        (
            Slip(
                "all-heads",
                (B, h, n, k),
                "(B, h, n, d/h)",
                f"only the {g} key/value heads are stored; they are repeated when used",
                f"sirf {g} key/value heads store hote hain; use karte waqt unhe repeat karte hain",
            ),
            Slip(
                "wider",
                (B, g, n, d // g),
                "(B, g, n, d/g)",
                f"fewer heads, but each keeps the width d/h = {k}",
                f"heads kam hain, par har ek ki width d/h = {k} hi rehti hai",
            ),
        ),
        Text(
            f"""A head is {d} / {h} = {k} wide, key heads too.
            {h} / {g} = {h // g} query heads share a key head, so {g} key heads are stored.
            For {B} sequences of {n} tokens: ({B}, {g}, {n}, {k}).""",
            f"""Ek head ki width {d} / {h} = {k} hai, key heads ki bhi.
            {h} / {g} = {h // g} query heads ek key head baant lete hain, isliye {g} key heads store hote hain.
            {n} tokens ki {B} sequences ke liye: ({B}, {g}, {n}, {k}).""",
        ),
    )


SHAPES = (
    head_width,
    projected,
    split,
    transposed_keys,
    scores,
    cross_scores,
    head_output,
    joined,
    cross_output,
    key_cache,
    head_numbers,
)
