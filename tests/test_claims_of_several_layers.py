"""Right statements about several layers, one after another in a note: none is told wrong with the sizes of another."""

from hypothesis import given, settings
from hypothesis import strategies as st

from cards.settings import Settings
from mha_quiz.claims import Verdict, check

LAYERS = ((512, 8), (768, 12), (1024, 16), (256, 4), (4096, 32), (128, 4), (1280, 20), (320, 5), (512, 4))
SIZES = (
    "d_model = {d}, h = {h}.",
    "We take $d_{{model}} = {d}$ and $h = {h}$.",
    "The model is {d} wide and has {h} heads.",
    "Hidden size {d} with {h} attention heads.",
    "Model ({d} dims, {h} heads).",
    "Config: d_model: {d}, heads: {h}.",
    "Maan lo d_model = {d} aur h = {h}.",
    "Yahan width {d} hai aur {h} heads hain.",
    "Setup (d_model = {d}, h = {h}).",
    "With {h} heads and d_model = {d}:",
)
FACTS = (
    "Har head ki width {d}/{h} = {k} hai.",
    "$d_k = d_{{model}}/h = {k}$.",
    "$h d_k = {d}$.",
    "The attention layer has {all:,} parameters.",
    "With biases the attention layer has {biased:,} parameters.",
    "Poori attention layer mein {all:,} parameters hain.",
    "One head has 3 × {d} × {k} = {head:,} parameters.",
    "Q, K and V have {three:,} parameters, W_O has {one:,} parameters.",
    "Each of the four matrices has {one:,} parameters.",
    "{layers} layers: {layers} × {all:,} = {deep:,} attention parameters.",
    "For n = {n}: $X \\in \\mathbb{{R}}^{{{n} \\times {d}}}$, $Q_i \\in \\mathbb{{R}}^{{{n} \\times {k}}}$.",
    "$W_i^Q \\in \\mathbb{{R}}^{{{d} \\times {k}}}$ and $W^O \\in \\mathbb{{R}}^{{{d} \\times {d}}}$.",
    "W_Q of one head is {d} × {k}.",
    "The output is {n} × {d} for {n} tokens.",
    "With n = {n} the scores cost {scores:,} multiply-adds.",
    "The KV cache with {layers} layers in fp16 takes 2 × {layers} × {d} × 2 = {cache:,} bytes per token.",
    "$\\text{{softmax}}(QK^T/\\sqrt{{{k}}})V$",
    "2 heads look at punctuation.",
    "The FFN has 2 × {d} × {wide} = {ffn:,} parameters.",
)
APART = (" ", "\n\n", "\n- ", "\n\n## Another\n\n")


def told(layer: tuple[int, int], n: int, layers: int, texts: list[str]) -> str:
    d, h = layer
    k, one = d // h, d * d
    return " ".join(texts).format(
        d=d,
        h=h,
        k=k,
        n=n,
        layers=layers,
        one=one,
        three=3 * one,
        all=4 * one,
        biased=4 * one + 4 * d,
        head=3 * d * k,
        deep=layers * 4 * one,
        scores=n * n * d,
        cache=4 * layers * d,
        wide=4 * d,
        ffn=8 * one,
    )


part = st.builds(
    lambda layer, n, layers, sizes, facts: told(layer, n, layers, [sizes, *facts]),
    st.sampled_from(LAYERS),
    st.sampled_from([6, 10, 50, 128]),
    st.sampled_from([6, 12, 24]),
    st.sampled_from(SIZES),
    st.lists(st.sampled_from(FACTS), min_size=1, max_size=3),
)


@given(st.lists(part, min_size=2, max_size=3), st.sampled_from(APART))
@settings(max_examples=80, deadline=None)
def test_no_right_statement_is_told_wrong(parts: list[str], apart: str) -> None:
    note = apart.join(["", *parts]).lstrip("\n")
    claims = check(note, "note.md", Settings(), page=False)
    assert [claim for claim in claims if claim.verdict is Verdict.FAILS] == []
