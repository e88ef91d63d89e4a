"""Attention in tiles against the plain text of it."""

import re
import tracemalloc

import numpy as np
import pytest

from mha_quiz.attention import MultiHeadAttention, scaled_dot_product_attention
from mha_quiz.blocked import KEYS, QUERIES, attention_in_tiles, layer_output

PRECISIONS = [(np.float64, 1e-12), (np.float32, 1e-5)]


@pytest.mark.parametrize(("dtype", "precision"), PRECISIONS)
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize(
    ("n", "m"),
    [
        (1, 1),
        (QUERIES, KEYS),
        (QUERIES + 1, KEYS + 1),
        (QUERIES - 1, 2 * KEYS - 1),
        (3 * QUERIES, 5),
        (2, 3 * KEYS),
        (6 * QUERIES, 6 * QUERIES),
    ],
)
def test_tiles_give_the_output_of_the_plain_text(n: int, m: int, causal: bool, dtype: type, precision: float) -> None:
    rng = np.random.default_rng(n + m)
    q, k, v = (rng.normal(size=shape).astype(dtype) for shape in ((n, 8), (m, 8), (m, 5)))
    output = attention_in_tiles(3 * q, k, v, causal=causal)
    assert output.dtype == dtype
    expected, _ = scaled_dot_product_attention(3 * q, k, v, causal=causal)
    np.testing.assert_allclose(output, expected, rtol=precision, atol=precision)


@pytest.mark.parametrize(("dtype", "precision"), [(np.float64, 1e-12), (np.float32, 1e-3)])
def test_scores_that_rise_or_fall_from_tile_to_tile(dtype: type, precision: float) -> None:
    """For one query the largest score comes last, for the other first; e^score itself is far beyond float64."""
    m = 3 * KEYS
    q, k = np.array([[1], [-1]], dtype), np.linspace(-4000, 4000, m, dtype=dtype)[:, None]
    v = np.arange(m, dtype=dtype)[:, None]
    expected, _ = scaled_dot_product_attention(q, k, v)
    np.testing.assert_allclose(attention_in_tiles(q, k, v), expected, rtol=precision)


@pytest.mark.parametrize("far", [-300, 300])
def test_all_other_scores_are_far_from_that_of_key_0(far: int) -> None:
    q, k = np.ones((2, 1), np.float32), np.full((2 * KEYS, 1), far, np.float32)
    k[0] = 0
    v = np.arange(2 * KEYS, dtype=np.float32)[:, None]
    expected = 0 if far < 0 else v[1:].mean()
    np.testing.assert_allclose(attention_in_tiles(q, k, v), [[expected], [expected]], rtol=1e-5)


@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")
def test_a_query_that_is_nan_spoils_no_other_row() -> None:
    q, k = np.array([[np.nan], [1]]), np.linspace(0, 4000, KEYS)[:, None]
    output = attention_in_tiles(q, k, k)
    np.testing.assert_array_equal(output[0], np.nan)
    np.testing.assert_allclose(output[1:], scaled_dot_product_attention(q[1:], k, k)[0], rtol=1e-12)


def test_half_precision_is_computed_in_single_precision() -> None:
    rng = np.random.default_rng(0)
    q, k, v = (rng.normal(size=(700, 8)).astype(np.float16) for _ in range(3))
    output = attention_in_tiles(9 * q, k, v)
    assert output.dtype == np.float16
    expected = attention_in_tiles(*(x.astype(np.float32) for x in (9 * q, k, v)))
    np.testing.assert_array_equal(output, expected.astype(np.float16))


@pytest.mark.parametrize(("dtype", "precision"), PRECISIONS)
@pytest.mark.parametrize("n", [10, 300])
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("causal", [False, True])
def test_a_layer_in_tiles_gives_the_output_of_the_layer(
    causal: bool, threads: int, n: int, dtype: type, precision: float
) -> None:
    if threads > 1:
        pytest.importorskip("threadpoolctl")
    rng = np.random.default_rng(n)
    layer = MultiHeadAttention.initialise(
        rng, 24, 6, n_kv_heads=2, d_k=4, d_v=5, k_width=7, v_width=9, bias=True, dtype=dtype
    )
    for bias in (layer.b_q, layer.b_k, layer.b_v, layer.b_o):
        assert bias is not None
        bias[:] = rng.normal(size=bias.shape)
    x, keys, values = (rng.normal(size=shape).astype(dtype) for shape in ((2, n, 24), (2, 310, 7), (2, 310, 9)))
    output = layer_output(layer, x, keys, values, causal=causal, threads=threads)
    assert output.dtype == dtype
    expected, _ = layer(x, keys, values, causal=causal)
    np.testing.assert_allclose(output, expected, rtol=precision, atol=precision)


def test_self_attention_without_a_batch_axis() -> None:
    rng = np.random.default_rng(0)
    layer = MultiHeadAttention.initialise(rng, 16, 2)
    x = rng.normal(size=(400, 16))
    np.testing.assert_allclose(layer_output(layer, x), layer(x)[0], rtol=1e-11, atol=1e-13)


@pytest.mark.parametrize("wide", range(3))
def test_mixed_precision_gives_the_wider_one(wide: int) -> None:
    rng = np.random.default_rng(wide)
    inputs = [rng.normal(size=(300, 8)).astype(np.float64 if i == wide else np.float32) for i in range(3)]
    output = attention_in_tiles(*inputs)
    assert output.dtype == np.float64
    np.testing.assert_allclose(output, attention_in_tiles(*(x.astype(np.float64) for x in inputs)), rtol=1e-12)


def test_memory_grows_with_the_tokens_and_not_with_their_pairs() -> None:
    layer = MultiHeadAttention.initialise(np.random.default_rng(0), 4, 1, dtype=np.float32)

    def peak(n: int) -> int:
        x = np.ones((n, 4), np.float32)
        tracemalloc.start()
        layer_output(layer, x)
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return most

    tile = QUERIES * KEYS * 4
    assert peak(3000) - tile < 2.5 * (peak(1500) - tile)
    assert peak(3000) < 3000 * 3000 * 4 / 10


def test_inputs_that_do_not_fit_together() -> None:
    layer = MultiHeadAttention.initialise(np.random.default_rng(0), 16, 2, v_width=5)

    def refused(message: str, *inputs: tuple[int, ...]) -> None:
        with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
            layer_output(layer, *map(np.zeros, inputs))

    start = "queries, keys and values do not fit together"
    refused(
        f"{start}: q (3, 2, 400, 8), k (2, 2, 400, 8), v (2, 2, 400, 8)",
        (3, 400, 16),
        (2, 400, 16),
        (2, 400, 5),
    )
    refused(
        f"{start}: q (2, 400, 8), k (2, 400, 8), v (2, 399, 8)",
        (400, 16),
        (400, 16),
        (399, 5),
    )
    refused("the input (16,) does not fit the matrix (16, 16): [..., n, d_in] times [d_in, d_out]", (16,), (16,), (5,))
