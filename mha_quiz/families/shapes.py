"""Which shape the arrays of an attention layer have."""

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
from mha_quiz.families.runs import run, split_element
from mha_quiz.question import Slip, Text, Theme, Variant, family


@family("A1", Theme.SHAPES, Text("width of one head", "ek head ki width"))
def head_width(rng: Random) -> Variant:
    drawn = layer(rng)
    d, h = drawn.d, drawn.h
    answer = d // h
    return Variant(
        {"d": d, "h": h},
        drawn.said + Text("How wide is each head, d_k?", "Har head ki width d_k kitni hogi?"),
        answer,
        lambda: run(d=d, h=h, n=1).shape("q split")[-1],
        (
            Slip(
                "full-width",
                d,
                "d_model",
                f"the projection is shared out among the heads; each gets {d}/{h} of it, not all of {d}",
                f"projection saare heads mein bant jaata hai; har ek ko {d}/{h} milta hai, poora {d} nahi",
            ),
            Slip("head-count", h, "h", "that is the number of heads", "yeh heads ki ginti hai"),
            Slip(
                "multiplied",
                d * h,
                f"{d} · {h}",
                "the heads divide the width, they do not multiply it",
                "heads width ko baantte hain, multiply nahi karte",
            ),
        ),
        Text(
            f"""The {h} heads share the d_model = {d} numbers of a token equally.
            Each gets d_model / h = {d} / {h} = {answer} of them.
            So d_k = {answer}.""",
            f"""{h} heads ek token ke d_model = {d} numbers barabar baant lete hain.
            Har ek ko d_model / h = {d} / {h} = {answer} numbers milte hain.
            Yaani d_k = {answer}.""",
        ),
    )


@family("A2", Theme.SHAPES, Text("q after its projection", "projection ke baad q"))
def projected(rng: Random) -> Variant:
    drawn = layer(rng)
    d, h, k = drawn.d, drawn.h, drawn.k
    B = rng.choice(BATCHES)
    n = tokens(rng, drawn, (B,))
    answer = (B, n, d)
    return Variant(
        {"B": B, "n": n, "d": d, "h": h},
        drawn.said
        + Text(
            f"A batch of {B} sequences of {n} tokens is multiplied by W_Q. "
            "What is the shape of q, before it is split into heads?",
            f"Batch {B}, har sequence mein {n} tokens: W_Q se multiply karne ke baad, "
            "heads mein split karne se pehle, q ka shape kya hoga?",
        ),
        answer,
        lambda: run(d=d, h=h, B=B, n=n).shape("q projected"),
        (
            Slip(
                "split-early",
                (B, n, k),
                "(B, n, d/h)",
                "one matrix projects all heads at once; the split comes after it",
                "ek hi matrix saare heads ko ek saath project karti hai; split uske baad hota hai",
            ),
            Slip(
                "no-batch",
                (n, d),
                "(n, d)",
                "the batch axis stays in front",
                "batch axis aage bani rehti hai",
            ),
        ),
        Text(
            f"""The input has the shape ({B}, {n}, {d}).
            W_Q is {d} × {d}, for all {h} heads of width {k} at once: {h} · {k} = {d}.
            It works on the last axis alone, so q has the shape ({B}, {n}, {d}).""",
            f"""Input ka shape ({B}, {n}, {d}) hai.
            W_Q {d} × {d} hai, {k} width wale saare {h} heads ke liye ek saath: {h} · {k} = {d}.
            Woh sirf aakhri axis par kaam karta hai, isliye q ka shape ({B}, {n}, {d}) hai.""",
        ),
    )


@family("A3", Theme.SHAPES, Text("q after the split", "split ke baad q"))
def split(rng: Random) -> Variant:
    drawn = layer(rng)
    d, h, k = drawn.d, drawn.h, drawn.k
    B = rng.choice(BATCHES)
    n = tokens(rng, drawn, (B,))
    answer = (B, h, n, k)
    return Variant(
        {"B": B, "n": n, "d": d, "h": h},
        drawn.said
        + Text(
            f"For a batch of {B} sequences of {n} tokens, what is the shape of q once its heads are apart, "
            "ready for q·kᵀ?",
            f"Batch {B}, har sequence mein {n} tokens: heads alag karne ke baad, q·kᵀ ke liye taiyaar q ka shape "
            "kya hoga?",
        ),
        answer,
        lambda: run(d=d, h=h, B=B, n=n).shape("q split"),
        (
            Slip(
                "no-transpose",
                (B, n, h, k),
                "(B, n, h, d/h)",
                "after the reshape the head axis must move in front of the tokens",
                "reshape ke baad head axis ko tokens ke aage lana padta hai",
            ),
            Slip(
                "full-width",
                (B, h, n, d),
                "(B, h, n, d)",
                f"each head holds d/h = {k} numbers a token",
                f"har head ke paas har token ke d/h = {k} numbers hote hain",
            ),
            Slip("not-split", (B, n, d), "(B, n, d)", "this is q before the split", "yeh split se pehle wala q hai"),
        ),
        Text(
            f"""A head is {d} / {h} = {k} wide.
            The reshape cuts the last axis: ({B}, {n}, {d}) becomes ({B}, {n}, {h}, {k}).
            The transpose brings the head axis to the front: ({B}, {h}, {n}, {k}).""",
            f"""Ek head ki width {d} / {h} = {k} hai.
            Reshape aakhri axis ko kaatta hai: ({B}, {n}, {d}) se ({B}, {n}, {h}, {k}) banta hai.
            Transpose head axis ko aage laata hai: ({B}, {h}, {n}, {k}).""",
        ),
    )


@family("A4", Theme.SHAPES, Text("k transposed", "k ka transpose"))
def transposed_keys(rng: Random) -> Variant:
    drawn = layer(rng)
    d, h, k = drawn.d, drawn.h, drawn.k
    B = other_than(rng, BATCHES, h)
    n = tokens(rng, drawn, (B,))
    answer = (B, h, k, n)
    return Variant(
        {"B": B, "n": n, "d": d, "h": h},
        drawn.said
        + Text(
            f"For a batch of {B} sequences of {n} tokens, what is the shape of kᵀ as it is used in q·kᵀ?",
            f"Batch {B}, har sequence mein {n} tokens: q·kᵀ mein jo kᵀ lagta hai uska shape kya hoga?",
        ),
        answer,
        lambda: run(d=d, h=h, B=B, n=n).shape("k transposed"),
        (
            Slip(
                "as-it-is",
                (B, h, n, k),
                "(B, h, n, d/h)",
                "this is k itself; q·kᵀ needs the last two axes swapped",
                "yeh khud k hai; q·kᵀ ke liye aakhri do axes ki adla-badli chahiye",
            ),
            Slip(
                "all-axes",
                (k, n, h, B),
                "(d/h, n, h, B)",
                "only the last two axes are swapped, not all four",
                "sirf aakhri do axes ki jagah badalti hai, chaaron ki nahi",
            ),
        ),
        Text(
            f"""A head is {d} / {h} = {k} wide, so k has the shape ({B}, {h}, {n}, {k}).
            q·kᵀ sums over the {k} features: they must stand in the last axis of q and in the last but one of kᵀ.
            Swapping the last two axes gives ({B}, {h}, {k}, {n}).""",
            f"""Ek head ki width {d} / {h} = {k} hai, to k ka shape ({B}, {h}, {n}, {k}) hai.
            q·kᵀ {k} features par sum karta hai: woh q ki aakhri axis aur kᵀ ki aakhri se pehli axis mein hone chahiye.
            Aakhri do axes ki jagah badalne se ({B}, {h}, {k}, {n}) milta hai.""",
        ),
    )


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


@family("A15", Theme.SHAPES, Text("which numbers a head gets", "kis head ko kaun se numbers"))
def head_numbers(rng: Random) -> Variant:
    d, h = rng.choice([(d, h) for d in (8, 12, 16, 24, 32) for h in (2, 3, 4) if d % h == 0])
    j = rng.choice([j for j in (1, 2, 3) if j < h])
    t, n = rng.choice([t for t in (1, 2, 3) if t != j]), rng.choice((5, 6, 7, 10))
    k = d // h
    answer = t * d + j * k
    return Variant(
        {"n": n, "d": d, "h": h, "t": t, "j": j},
        Text(
            f"x holds the numbers 0, 1, 2, … in the shape (1, {n}, {d}) and is split into {h} heads. "
            f"Which number comes first in head {j}, token {t} (both counted from 0)?",
            f"x mein numbers 0, 1, 2, … shape (1, {n}, {d}) mein rakhe hain, aur ise {h} heads mein split kiya. "
            f"Head {j}, token {t} (dono ki ginti 0 se) mein pehla number kaun sa hai?",
        ),
        answer,
        lambda: split_element(n, d, h, head=j, token=t),
        (
            Slip(
                "no-transpose",
                j * n * k + t * k,
                f"{j} · {n} · {k} + {t} · {k}",
                f"a reshape straight to (1, {h}, {n}, {k}) cuts across the tokens; "
                f"reshape to (1, {n}, {h}, {k}), then transpose",
                f"seedha (1, {h}, {n}, {k}) mein reshape karne se tokens beech se kat jaate hain; "
                f"pehle (1, {n}, {h}, {k}) mein reshape karo, phir transpose",
            ),
            Slip(
                "head-rows",
                j * d + t * k,
                f"{j} · {d} + {t} · {k}",
                "token and head are exchanged",
                "token aur head ki adla-badli ho gayi",
            ),
        ),
        Text(
            f"""Token {t} begins at {t} · {d} = {t * d}.
            A head is {d} / {h} = {k} wide; head {j} begins {j} · {k} = {j * k} further on.
            So the first number is {t * d} + {j * k} = {answer}.""",
            f"""Token {t} {t} · {d} = {t * d} se shuru hota hai.
            Ek head ki width {d} / {h} = {k} hai; head {j} usse {j} · {k} = {j * k} aage shuru hota hai.
            Yaani pehla number {t * d} + {j * k} = {answer} hai.""",
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
