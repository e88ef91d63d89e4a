"""Which shape the weights have that PyTorch's attention modules return."""

from random import Random

from mha_quiz.families.presets import ENCODER_DECODER
from mha_quiz.families.ranges import BATCHES, KEYS, layer, other_than, tokens
from mha_quiz.families.runs import averaged, run
from mha_quiz.question import Slip, Text, Theme, Variant, family


@family("A10", Theme.PYTORCH, Text("returned weights", "wapas aane wale weights"), version=2)
def returned_weights(rng: Random) -> Variant:
    drawn = layer(rng, ENCODER_DECODER)
    d, h = drawn.d, drawn.h
    B, m = other_than(rng, BATCHES, h), rng.choice(KEYS)
    n = tokens(rng, drawn, (B, m))
    answer = (B, n, m)
    return Variant(
        {"B": B, "n": n, "m": m, "d": d, "h": h},
        drawn.before(
            Text(
                f"`nn.MultiheadAttention({d}, {h}, batch_first=True)` is called with q of shape ({B}, {n}, {d}), k and v of "
                f"shape ({B}, {m}, {d}) and need_weights=True. What is the shape of the returned weights?",
                f"`nn.MultiheadAttention({d}, {h}, batch_first=True)` ko q ({B}, {n}, {d}), k aur v ({B}, {m}, {d}) diye, "
                "need_weights=True ke saath. Jo weights wapas aate hain unka shape kya hoga?",
            )
        ),
        answer,
        lambda: averaged(run(d=d, h=h, B=B, n=n, m=m).weights),
        (
            Slip(
                "per-head",
                (B, h, n, m),
                "(B, h, n, m)",
                "the module averages over the heads unless average_attn_weights=False",
                "average_attn_weights=False na ho to module heads ka average le leta hai",
            ),
            Slip(
                "output",
                (B, n, d),
                "(B, n, d)",
                "that is the first return value, not the second",
                "yeh pehli return value hai, doosri nahi",
            ),
        ),
        Text(
            f"""Each head has weights of shape ({n}, {m}): {n} queries, {m} keys.
            For the batch and all heads that is ({B}, {h}, {n}, {m}).
            The module returns their mean over the {h} heads: ({B}, {n}, {m}).""",
            f"""Har head ke weights ka shape ({n}, {m}) hai: {n} queries, {m} keys.
            Batch aur saare heads milakar ({B}, {h}, {n}, {m}).
            Module {h} heads ka average wapas deta hai: ({B}, {n}, {m}).""",
        ),
    )


@family("A12", Theme.PYTORCH, Text("batch axis by default", "default batch axis"), version=2)
def default_batch_axis(rng: Random) -> Variant:
    drawn = layer(rng)
    d, h = drawn.d, drawn.h
    B = rng.choice(BATCHES)
    n = tokens(rng, drawn, (B,))
    answer = (n, B, B)
    return Variant(
        {"B": B, "n": n, "d": d, "h": h},
        drawn.before(
            Text(
                f"The default module `nn.MultiheadAttention({d}, {h})` gets x of shape ({B}, {n}, {d}) as query, key and "
                "value. What is the shape of the returned weights?",
                f"Default `nn.MultiheadAttention({d}, {h})` ko query, key aur value teenon mein ({B}, {n}, {d}) ka input "
                "diya. Jo weights wapas aate hain unka shape kya hoga?",
            )
        ),
        answer,
        lambda: averaged(run(d=d, h=h, B=n, n=B).weights),
        (
            Slip(
                "batch-first",
                (B, n, n),
                "(B, n, n)",
                "batch_first=False is the default: axis 0 is the sequence, axis 1 the batch",
                "default batch_first=False hai: axis 0 sequence hai, axis 1 batch",
            ),
            Slip(
                "output",
                (B, n, d),
                "(B, n, d)",
                "that is the output; the call succeeds and attends over the batch",
                "yeh output hai; call chal jaata hai aur batch par attend karta hai",
            ),
        ),
        Text(
            f"""batch_first=False is the default, so axis 0 ({B}) is read as the length and axis 1 ({n}) as the batch.
            No error is raised: {n} sequences of {B} tokens each attend to themselves.
            Averaged over the {h} heads, the weights have the shape ({n}, {B}, {B}).""",
            f"""Default batch_first=False hai, isliye axis 0 ({B}) ko length aur axis 1 ({n}) ko batch maana jaata hai.
            Koi error nahi aata: {B} tokens wali {n} sequences apne aap par attend karti hain.
            {h} heads ka average lene par weights ka shape ({n}, {B}, {B}) hai.""",
        ),
    )


@family("A13", Theme.PYTORCH, Text("no batch axis", "bina batch axis"), version=2)
def no_batch_axis(rng: Random) -> Variant:
    drawn = layer(rng, ENCODER_DECODER)
    d, h = drawn.d, drawn.h
    m = other_than(rng, KEYS, h, d)
    n = tokens(rng, drawn, (m,))
    answer = (n, m)
    return Variant(
        {"n": n, "m": m, "d": d, "h": h},
        drawn.before(
            Text(
                f"`nn.MultiheadAttention({d}, {h})` gets q of shape ({n}, {d}), and k and v of shape ({m}, {d}), without a "
                "batch axis. What is the shape of the returned weights?",
                f"`nn.MultiheadAttention({d}, {h})` ko bina batch axis ke q ({n}, {d}), aur k, v ({m}, {d}) diye. "
                "Jo weights wapas aate hain unka shape kya hoga?",
            )
        ),
        answer,
        lambda: averaged(run(d=d, h=h, n=n, m=m).weights),
        (
            Slip(
                "batch-of-one",
                (1, n, m),
                "(1, n, m)",
                "unbatched input gives unbatched results",
                "bina batch ke input se bina batch ka hi result aata hai",
            ),
            Slip(
                "per-head",
                (h, n, m),
                "(h, n, m)",
                "averaged over the heads by default",
                "default mein heads ka average liya jaata hai",
            ),
            Slip("output", (n, d), "(n, d)", "that is the output", "yeh output hai"),
        ),
        Text(
            f"""Each head has weights of shape ({n}, {m}), and {h} heads ({h}, {n}, {m}).
            The module averages over the {h} heads.
            There was no batch axis, so none comes back: ({n}, {m}).""",
            f"""Har head ke weights ka shape ({n}, {m}) hai, {h} heads ka ({h}, {n}, {m}).
            Module {h} heads ka average le leta hai.
            Batch axis thi hi nahi, isliye wapas bhi nahi aati: ({n}, {m}).""",
        ),
    )


@family("A16", Theme.PYTORCH, Text("extra keys", "extra keys"), version=2)
def extra_keys(rng: Random) -> Variant:
    drawn = layer(rng, ENCODER_DECODER)
    d, h = drawn.d, drawn.h
    a, z = rng.choice(((1, 0), (0, 1), (1, 1)))
    B, m = other_than(rng, BATCHES, h), rng.choice(KEYS)
    n = tokens(rng, drawn, (B, m, m + a + z))
    answer = (B, n, m + a + z)
    on = " + ".join(["m", *["1"] * (a + z)])
    return Variant(
        {"B": B, "n": n, "m": m, "d": d, "h": h, "a": a, "z": z},
        drawn.before(
            Text(
                f"`nn.MultiheadAttention({d}, {h}, add_bias_kv={a == 1}, add_zero_attn={z == 1}, batch_first=True)` gets "
                f"{n} queries and {m} keys, batch {B}. What is the shape of the returned weights?",
                f"`nn.MultiheadAttention({d}, {h}, add_bias_kv={a == 1}, add_zero_attn={z == 1}, batch_first=True)` ko "
                f"{n} queries aur {m} keys diye, batch {B}. Jo weights wapas aate hain unka shape kya hoga?",
            )
        ),
        answer,
        lambda: averaged(run(d=d, h=h, B=B, n=n, m=m + a + z).weights),
        (
            Slip(
                "ignored",
                (B, n, m),
                "(B, n, m)",
                "each of the two options appends one key and one value",
                "dono options mein se har ek, ek key aur ek value jodta hai",
            ),
            Slip(
                "queries-too",
                (B, n + a + z, m + a + z),
                f"(B, {on.replace('m', 'n')}, {on})",
                "only keys and values grow, the queries do not",
                "sirf keys aur values badhte hain, queries nahi",
            ),
            Slip(
                "per-head",
                (B, h, n, m + a + z),
                f"(B, h, n, {on})",
                "averaged over the heads by default",
                "default mein heads ka average liya jaata hai",
            ),
        ),
        Text(
            f"""add_bias_kv={a == 1} appends {a}, add_zero_attn={z == 1} appends {z}: {m} + {a} + {z} = {m + a + z} keys.
            The {n} queries stay.
            Averaged over the {h} heads, the weights have the shape ({B}, {n}, {m + a + z}).""",
            f"""add_bias_kv={a == 1} se {a}, add_zero_attn={z == 1} se {z} judta hai: {m} + {a} + {z} = {m + a + z} keys.
            {n} queries utni hi rehti hain.
            {h} heads ka average lene par weights ka shape ({B}, {n}, {m + a + z}) hai.""",
        ),
    )
