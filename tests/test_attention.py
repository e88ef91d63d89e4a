"""The core against plain loops, an example worked by hand, and what attention must do whatever the numbers."""

import itertools
import math
import re
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from mha_quiz.attention import (
    Array,
    MultiHeadAttention,
    join_heads,
    parameter_shapes,
    project,
    scaled_dot_product_attention,
    softmax,
    split_heads,
)

SEEDS = range(20)


def refused(message: str, call: Callable[[], object]) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        call()


def loops(layer: MultiHeadAttention, x: Array, keys: Array, values: Array, allowed: Array) -> tuple[Array, Array]:
    """One sequence through the layer, number by number: x [n, d_model], allowed [h, n, m]."""

    def projected(tokens: Array, w: Array, b: Array | None, t: int, column: int) -> float:
        bias = 0.0 if b is None else float(b[column])
        return bias + sum(float(tokens[t, i]) * float(w[i, column]) for i in range(w.shape[0]))

    h, n, m, d_k, d_v = layer.n_heads, len(x), len(keys), layer.d_k, layer.d_v
    weights = np.zeros((h, n, m))
    heads = np.zeros((n, h * d_v))
    for head, i in itertools.product(range(h), range(n)):
        shared = head // (h // layer.n_kv_heads)  # the key/value head this head reads
        exponentials = []
        for j in range(m):
            score = sum(
                projected(x, layer.w_q, layer.b_q, i, head * d_k + c)
                * projected(keys, layer.w_k, layer.b_k, j, shared * d_k + c)
                for c in range(d_k)
            )
            exponentials.append(math.exp(score / math.sqrt(d_k)) if allowed[head, i, j] else 0.0)
        for j in range(m):
            weights[head, i, j] = exponentials[j] / sum(exponentials)
            for c in range(d_v):
                value = projected(values, layer.w_v, layer.b_v, j, shared * d_v + c)
                heads[i, head * d_v + c] += weights[head, i, j] * value
    output = np.zeros((n, layer.w_o.shape[1]))
    for i, column in itertools.product(range(n), range(layer.w_o.shape[1])):
        output[i, column] = projected(heads, layer.w_o, layer.b_o, i, column)
    return output, weights


def random_biases(rng: np.random.Generator, layer: MultiHeadAttention) -> MultiHeadAttention:
    """Biases start at 0, where a forgotten one would not show."""
    tensors = {
        name: rng.normal(size=tensor.shape) if name.startswith("b") else tensor
        for name, tensor in layer.parameters.items()
    }
    return MultiHeadAttention(**tensors, n_heads=layer.n_heads, n_kv_heads=layer.n_kv_heads)


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize(
    ("heads", "kv_heads", "d_k", "d_v", "n", "m"),
    [(1, 1, 4, 4, 3, 3), (2, 2, 3, 5, 4, 2), (4, 2, 2, 3, 3, 5), (6, 3, 2, 1, 2, 4), (3, 1, 2, 2, 5, 3)],
)
def test_the_layer_computes_what_plain_loops_compute(
    heads: int, kv_heads: int, d_k: int, d_v: int, n: int, m: int, bias: bool, masked: bool, causal: bool
) -> None:
    rng = np.random.default_rng(heads * n + m)
    layer = MultiHeadAttention.initialise(
        rng, 6, heads, n_kv_heads=kv_heads, d_k=d_k, d_v=d_v, k_width=5, v_width=7, bias=bias
    )
    layer = random_biases(rng, layer)
    x, keys, values = rng.normal(size=(2, n, 6)), rng.normal(size=(2, m, 5)), rng.normal(size=(2, m, 7))
    mask = rng.random((2, heads, n, m)) < 0.5 if masked else np.ones((2, heads, n, m), dtype=bool)
    mask[..., 0] = True
    output, weights = layer(x, keys, values, mask=mask if masked else None, causal=causal)

    for b in range(2):
        allowed = mask[b] & np.array([[j <= i or not causal for j in range(m)] for i in range(n)])
        expected_output, expected_weights = loops(layer, x[b], keys[b], values[b], allowed)
        np.testing.assert_allclose(weights[b], expected_weights, rtol=1e-12, atol=1e-15)
        np.testing.assert_allclose(output[b], expected_output, rtol=1e-12, atol=1e-12)


def test_two_keys_worked_by_hand() -> None:
    """Scores 0 and 2·ln 3; halved by √4 they are 0 and ln 3, so the weights are 1/4 and 3/4."""
    q = [[2 * math.log(3), 0, 0, 0]]
    k = [[0, 7, 7, 7], [1, 0, 0, 0]]
    v = [[4, 0], [0, 8]]
    output, weights = scaled_dot_product_attention(q, k, v)
    np.testing.assert_allclose(weights, [[1 / 4, 3 / 4]], rtol=1e-15)
    np.testing.assert_allclose(output, [[1, 6]], rtol=1e-15)


def test_two_heads_worked_by_hand() -> None:
    """Head 0 asks with the first two columns and finds no difference; head 1 sees only the second token."""
    layer = MultiHeadAttention(
        w_q=np.array([[0, 0, 400, 0], [0, 0, 400, 0]]),
        w_k=np.array([[0, 0, 0, 0], [0, 0, 4, 0]]),
        w_v=np.array([[2, 0, 10, 0], [0, 6, 0, 20]]),
        w_o=np.array([[1, 0], [0, 1], [1, 0], [0, 1]]),
        b_o=np.array([0.5, 0.25]),
        n_heads=2,
        n_kv_heads=2,
    )
    output, weights = layer([[1, 0], [0, 1]])
    np.testing.assert_array_equal(weights, [[[0.5, 0.5], [0.5, 0.5]], [[0, 1], [0, 1]]])
    # Head 0 gives the mean (1, 3), head 1 the second token (0, 20); W_O adds them and the bias.
    np.testing.assert_array_equal(output, [[1.5, 23.25], [1.5, 23.25]])


def test_softmax_of_three_scores() -> None:
    """e^4, e^2, e^5 over their sum 210.400."""
    np.testing.assert_allclose(softmax([4, 2, 5]), [0.259496, 0.035119, 0.705385], atol=5e-7)


def test_softmax_along_another_axis() -> None:
    columns = softmax([[0.0, 5.0], [math.log(3), 5.0]], axis=0)
    np.testing.assert_allclose(columns, [[0.25, 0.5], [0.75, 0.5]], rtol=1e-15)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_softmax_does_not_overflow_and_keeps_the_precision(dtype: type) -> None:
    scores: Array = np.array([30000, 30000, -30000], dtype=dtype)
    weights = softmax(scores)
    assert weights.dtype == dtype
    np.testing.assert_array_equal(weights, [0.5, 0.5, 0])
    np.testing.assert_array_equal(scores, np.array([30000, 30000, -30000], dtype=dtype))


def test_softmax_gives_a_score_of_minus_infinity_no_weight() -> None:
    np.testing.assert_array_equal(softmax([1.0, -np.inf, 1.0]), [0.5, 0, 0.5])


@pytest.mark.parametrize("scores", [[-np.inf, -np.inf], [np.inf, 0.0]])
def test_infinite_scores_without_a_softmax_give_nan_with_a_warning(scores: list[float]) -> None:
    with pytest.warns(RuntimeWarning, match="invalid value encountered in subtract"):
        weights = softmax([scores, [0.0, 0.0]])
    assert np.isnan(weights[0]).any()
    np.testing.assert_array_equal(weights[1], [0.5, 0.5])


def test_nan_stays_in_its_row() -> None:
    q = np.array([[np.nan], [1.0]])
    output, weights = scaled_dot_product_attention(q, [[1.0], [1.0]], [[2.0], [4.0]])
    np.testing.assert_array_equal(weights, [[np.nan, np.nan], [0.5, 0.5]])
    np.testing.assert_array_equal(output, [[np.nan], [3.0]])


def test_a_blocked_score_may_be_nan() -> None:
    k = np.array([[1.0], [np.nan]])
    _, weights = scaled_dot_product_attention([[1.0]], k, [[2.0], [4.0]], mask=[[True, False]])
    np.testing.assert_array_equal(weights, [[1.0, 0.0]])


@pytest.mark.parametrize("seed", SEEDS)
def test_rows_sum_to_one_and_masked_keys_have_no_influence(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, m, hidden = 4, 6, int(rng.integers(6))
    q, k, v = rng.normal(size=(2, 3, n, 5)), rng.normal(size=(2, 3, m, 5)), rng.normal(size=(2, 3, m, 2))
    mask = np.arange(m) != hidden
    output, weights = scaled_dot_product_attention(q, k, v, mask=mask)
    np.testing.assert_allclose(weights.sum(axis=-1), np.ones((2, 3, n)), rtol=1e-14)
    assert (weights[..., hidden] == 0).all()
    assert (np.delete(weights, hidden, axis=-1) > 0).all()

    k[..., hidden, :] += 100
    v[..., hidden, :] -= 100
    np.testing.assert_array_equal(scaled_dot_product_attention(q, k, v, mask=mask)[0], output)
    without, _ = scaled_dot_product_attention(q, np.delete(k, hidden, axis=-2), np.delete(v, hidden, axis=-2))
    np.testing.assert_allclose(output, without, rtol=1e-12)


@pytest.mark.parametrize("seed", SEEDS)
def test_outputs_move_with_the_tokens(seed: int) -> None:
    rng = np.random.default_rng(seed)
    layer = MultiHeadAttention.initialise(rng, 12, 4, n_kv_heads=2, bias=True)
    x, order = rng.normal(size=(7, 12)), rng.permutation(7)
    output, weights = layer(x)
    moved_output, moved_weights = layer(x[order])
    np.testing.assert_allclose(moved_output, output[order], rtol=1e-12)
    np.testing.assert_allclose(moved_weights, weights[:, order][:, :, order], rtol=1e-12)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_order_of_the_keys_does_not_matter(seed: int) -> None:
    rng = np.random.default_rng(seed)
    q, k, v, order = rng.normal(size=(3, 4)), rng.normal(size=(6, 4)), rng.normal(size=(6, 2)), rng.permutation(6)
    output, _ = scaled_dot_product_attention(q, k, v)
    np.testing.assert_allclose(scaled_dot_product_attention(q, k[order], v[order])[0], output, rtol=1e-12)


@pytest.mark.parametrize(("n", "m", "seen"), [(3, 3, [1, 2, 3]), (2, 4, [1, 2]), (4, 2, [1, 2, 2, 2])])
def test_the_causal_triangle_begins_top_left(n: int, m: int, seen: list[int]) -> None:
    _, weights = scaled_dot_product_attention(np.zeros((n, 2)), np.zeros((m, 2)), np.zeros((m, 2)), causal=True)
    expected = [[1 / keys if j < keys else 0 for j in range(m)] for keys in seen]
    np.testing.assert_allclose(weights, expected, rtol=1e-15)


def test_a_pair_must_be_allowed_by_mask_and_triangle() -> None:
    mask = np.array([[True, True, True], [False, True, True], [True, False, True]])
    _, weights = scaled_dot_product_attention(np.zeros((3, 1)), np.zeros((3, 1)), np.eye(3), mask=mask, causal=True)
    np.testing.assert_array_equal(weights, [[1, 0, 0], [0, 1, 0], [0.5, 0, 0.5]])


def test_a_token_does_not_see_the_future() -> None:
    rng = np.random.default_rng(0)
    layer = MultiHeadAttention.initialise(rng, 8, 2)
    x = rng.normal(size=(5, 8))
    output, _ = layer(x, causal=True)
    x[3:] = 0
    np.testing.assert_array_equal(layer(x, causal=True)[0][:3], output[:3])


@pytest.mark.parametrize("seed", SEEDS)
def test_grouped_heads_are_repeated_key_and_value_heads(seed: int) -> None:
    rng = np.random.default_rng(seed)
    g, r = int(rng.integers(1, 4)), int(rng.integers(1, 4))
    q, k, v = rng.normal(size=(2, g * r, 3, 4)), rng.normal(size=(2, g, 5, 4)), rng.normal(size=(2, g, 5, 6))
    mask = rng.random((2, g * r, 3, 5)) < 0.6
    mask[..., 0] = True
    grouped = scaled_dot_product_attention(q, k, v, mask=mask, grouped=True)
    repeated = scaled_dot_product_attention(q, np.repeat(k, r, axis=1), np.repeat(v, r, axis=1), mask=mask)
    np.testing.assert_allclose(grouped[0], repeated[0], rtol=1e-12)
    np.testing.assert_allclose(grouped[1], repeated[1], rtol=1e-12)


@pytest.mark.parametrize("kv_heads", [4, 2, 1])
def test_decoding_with_a_cache_gives_the_rows_of_the_causal_layer(kv_heads: int) -> None:
    rng = np.random.default_rng(kv_heads)
    layer = random_biases(rng, MultiHeadAttention.initialise(rng, 16, 4, n_kv_heads=kv_heads, d_v=3, bias=True))
    x = rng.normal(size=(2, 6, 16))
    expected, _ = layer(x, causal=True)
    k, v = layer.keys_and_values(x[:, :1])
    assert k.shape == (2, kv_heads, 1, 4)
    assert v.shape == (2, kv_heads, 1, 3)
    for t in range(6):
        if t:
            new_k, new_v = layer.keys_and_values(x[:, t : t + 1])
            k, v = np.concatenate((k, new_k), axis=-2), np.concatenate((v, new_v), axis=-2)
        output, weights = layer.attend(x[:, t : t + 1], k, v)
        np.testing.assert_allclose(output, expected[:, t : t + 1], rtol=1e-11, atol=1e-13)
        assert weights.shape == (2, 4, 1, t + 1)


def test_a_key_bias_moves_the_keys_and_no_weight() -> None:
    """It adds one and the same number, q·b_k, to all scores of a query; softmax cancels that."""
    rng = np.random.default_rng(7)
    layer = random_biases(rng, MultiHeadAttention.initialise(rng, 8, 2, bias=True))
    assert layer.b_k is not None
    x = rng.normal(size=(3, 8))
    k, _ = layer.keys_and_values(x)
    np.testing.assert_allclose(join_heads(k), x @ layer.w_k + layer.b_k, rtol=1e-12)
    without = replace(layer, b_k=None)
    np.testing.assert_allclose(without(x)[1], layer(x)[1], rtol=1e-12)


def test_a_head_is_a_block_of_neighbouring_columns() -> None:
    x = np.arange(12).reshape(1, 3, 4)
    heads = split_heads(x, 2)
    np.testing.assert_array_equal(heads[0], [[[0, 1], [4, 5], [8, 9]], [[2, 3], [6, 7], [10, 11]]])
    np.testing.assert_array_equal(join_heads(heads), x)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_the_precision_of_the_input_is_kept(dtype: type) -> None:
    rng = np.random.default_rng(1)
    layer = MultiHeadAttention.initialise(rng, 8, 4, n_kv_heads=2, bias=True, dtype=dtype)
    assert {tensor.dtype for tensor in layer.parameters.values()} == {np.dtype(dtype)}
    output, weights = layer(rng.normal(size=(3, 8)).astype(dtype), causal=True, mask=np.ones((3, 3), dtype=bool))
    assert output.dtype == dtype
    assert weights.dtype == dtype


def test_mixed_precision_gives_the_wider_one() -> None:
    rng = np.random.default_rng(1)
    layer = MultiHeadAttention.initialise(rng, 8, 4, dtype=np.float32)
    assert layer(rng.normal(size=(3, 8)))[0].dtype == np.float64


def test_a_bias_of_wider_precision_is_not_cut_short() -> None:
    y = project(np.ones((1, 1), np.float32), np.ones((1, 1), np.float32), [1e-12])
    assert y.dtype == np.float64
    assert y == 1 + 1e-12


def test_whole_numbers_are_computed_in_float64() -> None:
    q = np.array([[100, 100]], dtype=np.int8)  # 100·100 does not fit into int8
    k = np.array([[100, 100], [100, 0]], dtype=np.int8)
    output, weights = scaled_dot_product_attention(q, k, [[1], [2]])
    assert output.dtype == weights.dtype == np.float64
    np.testing.assert_array_equal(weights, [[1, 0]])
    assert project(np.array([[100]], dtype=np.int8), np.array([[100]], dtype=np.int8)) == 10000


def test_inputs_are_left_as_they_are() -> None:
    rng = np.random.default_rng(2)
    layer = MultiHeadAttention.initialise(rng, 8, 4, n_kv_heads=2, bias=True)
    x, mask = rng.normal(size=(3, 8)), np.tri(3, dtype=bool)
    before = x.copy(), mask.copy(), {name: tensor.copy() for name, tensor in layer.parameters.items()}
    layer(x, mask=mask, causal=True)
    np.testing.assert_array_equal(x, before[0])
    np.testing.assert_array_equal(mask, before[1])
    for name, tensor in layer.parameters.items():
        np.testing.assert_array_equal(tensor, before[2][name])


@pytest.mark.parametrize(("in_front", "n"), [((0,), 3), ((2,), 0), ((), 0), ((0, 2), 1)])
def test_an_empty_batch_and_no_queries_give_empty_results(in_front: tuple[int, ...], n: int) -> None:
    layer = MultiHeadAttention.initialise(np.random.default_rng(3), 8, 4, n_kv_heads=2)
    output, weights = layer(np.zeros((*in_front, n, 8)), np.zeros((*in_front, 5, 8)), mask=np.ones((n, 5), dtype=bool))
    assert output.shape == (*in_front, n, 8)
    assert weights.shape == (*in_front, 4, n, 5)


def test_several_axes_in_front() -> None:
    rng = np.random.default_rng(4)
    layer = MultiHeadAttention.initialise(rng, 8, 4, n_kv_heads=2)
    x = rng.normal(size=(2, 3, 5, 8))
    output, weights = layer(x)
    assert weights.shape == (2, 3, 4, 5, 5)
    for a, b in itertools.product(range(2), range(3)):
        np.testing.assert_allclose(output[a, b], layer(x[a, b])[0], rtol=1e-12, atol=1e-14)


def test_initial_values_fill_the_glorot_interval_and_biases_are_zero() -> None:
    layer = MultiHeadAttention.initialise(np.random.default_rng(5), 64, 4, d_k=8, v_width=32, bias=True)
    for name, (rows, columns) in {"w_q": (64, 32), "w_k": (64, 32), "w_v": (32, 32), "w_o": (32, 64)}.items():
        tensor, bound = layer.parameters[name], math.sqrt(6 / (rows + columns))
        assert tensor.shape == (rows, columns)
        assert 0.99 * bound < np.abs(tensor).max() <= bound
        assert abs(tensor.mean()) < 0.1 * bound
    for name in ("b_q", "b_k", "b_v", "b_o"):
        assert not layer.parameters[name].any()


def test_the_same_generator_gives_the_same_layer() -> None:
    first, second = (MultiHeadAttention.initialise(np.random.default_rng(6), 8, 2) for _ in range(2))
    assert all((first.parameters[name] == second.parameters[name]).all() for name in first.parameters)


def test_shapes_of_the_tensors() -> None:
    assert parameter_shapes(8, 4, n_kv_heads=2, d_v=3, k_width=5, v_width=6, bias=True) == {
        "w_q": (8, 8),
        "w_k": (5, 4),
        "w_v": (6, 6),
        "w_o": (12, 8),
        "b_q": (8,),
        "b_k": (4,),
        "b_v": (6,),
        "b_o": (8,),
    }


def zeros(*shape: int) -> Array:
    return np.zeros(shape)


@pytest.mark.parametrize(
    ("message", "q", "k", "v"),
    [
        ("queries and keys must have one width d_k: q (2, 3), k (5, 4)", (2, 3), (5, 4), (5, 4)),
        ("there must be one value for each key: k (5, 3), v (4, 3)", (2, 3), (5, 3), (4, 3)),
        ("q, k and v need at least 2 axes, got q (3,), k (5, 3), v (5, 3)", (3,), (5, 3), (5, 3)),
        (
            "the axes in front do not fit together: q (2, 4, 3), k (3, 5, 3), v (3, 5, 3)",
            (2, 4, 3),
            (3, 5, 3),
            (3, 5, 3),
        ),
        (
            "there must be a key to attend to, and d_k at least 1: q (2, 3), k (0, 3), v (0, 3)",
            (2, 3),
            (0, 3),
            (0, 3),
        ),
        (
            "there must be a key to attend to, and d_k at least 1: q (2, 0), k (5, 0), v (5, 3)",
            (2, 0),
            (5, 0),
            (5, 3),
        ),
    ],
)
def test_queries_keys_and_values_that_do_not_fit(message: str, q: tuple[int], k: tuple[int], v: tuple[int]) -> None:
    refused(message, lambda: scaled_dot_product_attention(zeros(*q), zeros(*k), zeros(*v)))


def test_grouped_heads_that_do_not_fit() -> None:
    def call(q: Array, k: Array, v: Array) -> Callable[[], object]:
        return lambda: scaled_dot_product_attention(q, k, v, grouped=True)

    ending = "grouped heads need equal axes in front, and g must divide h"
    refused(f"{ending}: q (5, 2, 3), k (2, 4, 3), v (2, 4, 3)", call(zeros(5, 2, 3), zeros(2, 4, 3), zeros(2, 4, 3)))
    refused(f"{ending}: q (4, 2, 3), k (2, 4, 3), v (4, 4, 3)", call(zeros(4, 2, 3), zeros(2, 4, 3), zeros(4, 4, 3)))
    refused(f"{ending}: q (4, 2, 3), k (0, 4, 3), v (0, 4, 3)", call(zeros(4, 2, 3), zeros(0, 4, 3), zeros(0, 4, 3)))
    refused(
        f"{ending}: q (2, 4, 2, 3), k (1, 2, 4, 3), v (1, 2, 4, 3)",
        call(zeros(2, 4, 2, 3), zeros(1, 2, 4, 3), zeros(1, 2, 4, 3)),
    )
    refused(
        "q, k and v need at least 3 axes, got q (2, 3), k (2, 4, 3), v (2, 4, 3)",
        call(zeros(2, 3), zeros(2, 4, 3), zeros(2, 4, 3)),
    )


def test_a_query_that_may_attend_to_nothing_is_named() -> None:
    q, k = zeros(2, 3, 4), zeros(2, 5, 4)
    mask = np.ones((2, 3, 5), dtype=bool)
    mask[1, 2] = False
    refused(
        "query (1, 2) of the scores (2, 3, 5) may attend to no key",
        lambda: scaled_dot_product_attention(q, k, k, mask=mask),
    )
    refused(
        "query (0, 0) of the scores (2, 3, 5) may attend to no key",
        lambda: scaled_dot_product_attention(q, k, k, mask=np.zeros(5, dtype=bool)),
    )
    refused(
        "query (0, 0) of the scores (2, 3, 5) may attend to no key",
        lambda: scaled_dot_product_attention(q, k, k, mask=False),
    )
    refused(
        "query (0, 1) of the scores (2, 3, 5) may attend to no key",
        lambda: scaled_dot_product_attention(q, k, k, mask=np.array([[True], [False], [True]])),
    )
    refused(  # neither the mask nor the triangle alone leaves row 0 empty
        "query (0, 0) of the scores (2, 3, 5) may attend to no key",
        lambda: scaled_dot_product_attention(q, k, k, mask=np.arange(5) > 0, causal=True),
    )


def test_masks_that_do_not_fit() -> None:
    q, k = zeros(2, 3, 4), zeros(2, 5, 4)
    refused(
        "the mask (3, 3) cannot be broadcast to the scores (2, 3, 5)",
        lambda: scaled_dot_product_attention(q, k, k, mask=np.ones((3, 3), dtype=bool)),
    )
    refused(
        "the mask (7, 2, 3, 5) cannot be broadcast to the scores (2, 3, 5)",
        lambda: scaled_dot_product_attention(q, k, k, mask=np.ones((7, 2, 3, 5), dtype=bool)),
    )
    refused(
        "a mask is boolean, True = may attend; got float64",
        lambda: scaled_dot_product_attention(q, k, k, mask=np.zeros((3, 5))),
    )
    layer = MultiHeadAttention.initialise(np.random.default_rng(0), 4, 2)
    refused(  # it would be read as one map for each of the two heads
        "a mask is [n, m] or [..., h, n, m], here with 4 axes; got (2, 3, 3)",
        lambda: layer(zeros(2, 3, 4), mask=np.ones((2, 3, 3), dtype=bool)),
    )


def test_complex_numbers_are_refused() -> None:
    message = "attention computes with real numbers, got an array of complex128"
    refused(message, lambda: softmax([1j]))
    refused(message, lambda: project([[1]], [[1]], [1j]))


def test_heads_that_cannot_be_split_or_joined() -> None:
    refused("cannot split (3, 8) into 3 heads of equal width", lambda: split_heads(zeros(3, 8), 3))
    refused("cannot split (3, 8) into 0 heads of equal width", lambda: split_heads(zeros(3, 8), 0))
    refused("cannot split (8,) into 2 heads of equal width", lambda: split_heads(zeros(8), 2))
    refused("heads are [..., h, n, d_v], got (3, 8)", lambda: join_heads(zeros(3, 8)))


def test_inputs_that_do_not_fit_the_matrices() -> None:
    layer = MultiHeadAttention.initialise(np.random.default_rng(0), 8, 2, k_width=5)
    ending = "[..., n, d_in] times [d_in, d_out]"
    refused(
        f"the input (3, 8) does not fit the matrix (5, 8): {ending}",
        lambda: layer(zeros(3, 8)),
    )
    refused(
        f"the input (3, 7) does not fit the matrix (8, 8): {ending}",
        lambda: layer(zeros(3, 7), zeros(3, 5), zeros(3, 8)),
    )
    refused(f"the input (8,) does not fit the matrix (8, 8): {ending}", lambda: project(zeros(8), zeros(8, 8)))
    refused("the bias (1,) does not fit the matrix (8, 4)", lambda: project(zeros(2, 8), zeros(8, 4), zeros(1)))
    refused(
        "the axes in front do not fit together: q (2, 2, 3, 4), k (4, 2, 3, 4), v (4, 2, 3, 4)",
        lambda: layer(zeros(2, 3, 8), zeros(4, 3, 5), zeros(4, 3, 8)),
    )


SQUARE = {"w_q": (8, 8), "w_k": (8, 8), "w_v": (8, 8), "w_o": (8, 8)}


@pytest.mark.parametrize(
    ("message", "shapes", "heads", "kv_heads"),
    [
        ("the number of key/value heads must divide the number of heads, got 3 and 4", {}, 4, 3),
        ("the number of key/value heads must divide the number of heads, got 0 and 4", {}, 4, 0),
        ("w_k must have two axes, got (8,)", {"w_k": (8,)}, 2, 2),
        ("the columns of w_q (8, 9) cannot be shared out among 2 heads", {"w_q": (8, 9)}, 2, 2),
        ("the columns of w_v (8, 0) cannot be shared out among 2 heads", {"w_v": (8, 0)}, 2, 2),
        (
            "queries and keys must have one width d_k: w_q (8, 8) with 4 heads, w_k (8, 8) with 2",
            {},
            4,
            2,
        ),
        ("w_o (8, 8) must have 2·3 rows for w_v (8, 6)", {"w_v": (8, 6)}, 2, 2),
        ("b_k (1,) does not fit w_k (8, 8)", {"b_k": (1,)}, 2, 2),
        ("b_o (6,) does not fit w_o (8, 8)", {"b_o": (6,)}, 2, 2),
    ],
)
def test_tensors_that_do_not_fit_together(
    message: str, shapes: dict[str, tuple[int, ...]], heads: int, kv_heads: int
) -> None:
    tensors = {name: zeros(*shape) for name, shape in (SQUARE | shapes).items()}
    refused(message, lambda: MultiHeadAttention(**tensors, n_heads=heads, n_kv_heads=kv_heads))


def test_sizes_that_do_not_divide() -> None:
    refused("7 heads cannot share out d_model = 512", lambda: parameter_shapes(512, 7))
    refused("0 heads cannot share out d_model = 512", lambda: parameter_shapes(512, 0))
