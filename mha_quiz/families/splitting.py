"""Which shape queries and keys have on the way to the heads."""

from random import Random

from mha_quiz.families.ranges import BATCHES, layer, other_than, tokens
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
