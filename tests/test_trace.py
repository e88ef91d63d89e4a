"""What a run used: against counting by hand in loops, known layers, and dry runs against real ones."""

import itertools
import math
import re
from collections.abc import Callable
from typing import Any, Unpack, get_args

import numpy as np
import pytest

from mha_quiz.attention import Array, MultiHeadAttention, project
from mha_quiz.trace import (
    LayerOptions,
    Stage,
    Trace,
    dry_layer,
    measure,
    measure_decoding,
    measure_sizes,
    measure_training,
    project_backward,
    real_if_small,
)
from mha_quiz.traced_arrays import DryArray, Step, Tape, TracedArray

STAGES: tuple[Stage, ...] = get_args(Stage)


def real_layer(
    d_model: int, n_heads: int, *, dtype: type = np.float32, **options: Unpack[LayerOptions]
) -> MultiHeadAttention:
    return MultiHeadAttention.initialise(np.random.default_rng(0), d_model, n_heads, dtype=dtype, **options)


# d_model, heads, key/value heads, d_k, d_v
LAYERS = [(8, 2, 2, None, None), (12, 4, 2, None, 5), (12, 6, 1, 3, 2), (10, 3, 3, 4, None)]
GRID = list(
    itertools.product(LAYERS, [1, 5], [None, 3], [None, 2], [False, True], [False, True], [np.float32, np.float64])
)
assert len(GRID) == 256


@pytest.mark.parametrize("layer_sizes", LAYERS)
def test_a_dry_run_records_what_a_real_run_records(layer_sizes: tuple[int, int, int, int | None, int | None]) -> None:
    d_model, heads, kv_heads, d_k, d_v = layer_sizes
    for _, n, m, batch, causal, bias, dtype in (row for row in GRID if row[0] == layer_sizes):
        sizes: LayerOptions = {"n_kv_heads": kv_heads, "d_k": d_k, "d_v": d_v, "bias": bias}
        real = measure(real_layer(d_model, heads, dtype=dtype, **sizes), n, m=m, batch=batch, causal=causal)
        dry = measure(dry_layer(d_model, heads, dtype=dtype, **sizes), n, m=m, batch=batch, causal=causal)
        assert (real.dry, dry.dry) == (False, True)
        assert dry.steps == real.steps
        assert dry.products == real.products
        assert {name: tensor.nbytes for name, tensor in dry.tensors.items()} == {
            name: tensor.nbytes for name, tensor in real.tensors.items()
        }
        for theirs, ours in (real.output, dry.output), (real.weights, dry.weights):
            assert (ours.shape, ours.dtype, ours.nbytes) == (theirs.shape, theirs.dtype, theirs.nbytes)
        assert (dry.finite_scores, dry.blocked_scores) == (real.finite_scores, real.blocked_scores)
        assert real.finite_scores == np.count_nonzero(real.weights)


@pytest.mark.parametrize("n", [1, 4])
@pytest.mark.parametrize("batch", [None, 2])
@pytest.mark.parametrize(("heads", "kv_heads"), [(4, 4), (4, 2), (4, 1)])
def test_a_dry_decoding_step_and_training_step_record_what_real_ones_record(
    heads: int, kv_heads: int, batch: int | None, n: int
) -> None:
    real, dry = real_layer(8, heads, n_kv_heads=kv_heads), dry_layer(8, heads, n_kv_heads=kv_heads)
    assert measure_decoding(dry, n, batch=batch).steps == measure_decoding(real, n, batch=batch).steps
    assert measure_training(dry, n) == measure_training(real, n)


def test_tracing_does_not_change_the_numbers() -> None:
    rng = np.random.default_rng(1)
    layer = real_layer(12, 4, n_kv_heads=2, bias=True)
    x = rng.normal(size=(2, 5, 12)).astype(np.float32)
    output, weights = layer(TracedArray.of(x, "x", Tape()), causal=True)
    expected_output, expected_weights = layer(x, causal=True)
    np.testing.assert_array_equal(np.asarray(output), expected_output)
    np.testing.assert_array_equal(np.asarray(weights), expected_weights)


def test_shapes_of_every_stage() -> None:
    trace = measure(dry_layer(512, 8), 10, batch=2)
    assert {stage: trace.shape(stage) for stage in STAGES} == {
        "q projected": (2, 10, 512),
        "q split": (2, 8, 10, 64),
        "k projected": (2, 10, 512),
        "k split": (2, 8, 10, 64),
        "k cache": (2, 8, 10, 64),
        "k transposed": (2, 8, 64, 10),
        "v projected": (2, 10, 512),
        "v split": (2, 8, 10, 64),
        "v cache": (2, 8, 10, 64),
        "scores": (2, 8, 10, 10),
        "row sums": (2, 8, 10, 1),
        "weights": (2, 8, 10, 10),
        "head output": (2, 8, 10, 64),
        "joined": (2, 10, 512),
        "output": (2, 10, 512),
    }
    assert trace.output.shape == (2, 10, 512)
    assert trace.weights.shape == (2, 8, 10, 10)


def test_shapes_of_every_stage_with_grouped_heads_cross_attention_and_free_widths() -> None:
    trace = measure(dry_layer(48, 6, n_kv_heads=2, d_k=4, d_v=5, k_width=7, v_width=9, bias=True), 10, m=3, batch=2)
    assert {stage: trace.shape(stage) for stage in STAGES} == {
        "q projected": (2, 10, 24),
        "q split": (2, 6, 10, 4),
        "k projected": (2, 3, 8),
        "k split": (2, 2, 3, 4),
        "k cache": (2, 2, 3, 4),
        "k transposed": (2, 2, 4, 3),
        "v projected": (2, 3, 10),
        "v split": (2, 2, 3, 5),
        "v cache": (2, 2, 3, 5),
        "scores": (2, 6, 10, 3),
        "row sums": (2, 6, 10, 1),
        "weights": (2, 6, 10, 3),
        "head output": (2, 6, 10, 5),
        "joined": (2, 10, 30),
        "output": (2, 10, 48),
    }


def test_the_steps_of_a_run_in_order() -> None:
    trace = measure(real_layer(6, 3, n_kv_heads=1, bias=True), 2, causal=True)
    assert trace.steps == (
        Step("x", "reshape", ((2, 6),), (2, 6), 4),
        Step("k", "matmul", ((2, 6), (6, 2)), (2, 2), 4),
        Step("k", "add", ((2, 2), (2,)), (2, 2), 4),
        Step("k", "reshape", ((2, 2),), (2, 2), 4),
        Step("k", "reshape", ((2, 2),), (2, 1, 2), 4),
        Step("k", "swapaxes", ((2, 1, 2),), (1, 2, 2), 4),
        Step("x", "reshape", ((2, 6),), (2, 6), 4),
        Step("v", "matmul", ((2, 6), (6, 2)), (2, 2), 4),
        Step("v", "add", ((2, 2), (2,)), (2, 2), 4),
        Step("v", "reshape", ((2, 2),), (2, 2), 4),
        Step("v", "reshape", ((2, 2),), (2, 1, 2), 4),
        Step("v", "swapaxes", ((2, 1, 2),), (1, 2, 2), 4),
        Step("x", "reshape", ((2, 6),), (2, 6), 4),
        Step("q", "matmul", ((2, 6), (6, 6)), (2, 6), 4),
        Step("q", "add", ((2, 6), (6,)), (2, 6), 4),
        Step("q", "reshape", ((2, 6),), (2, 6), 4),
        Step("q", "reshape", ((2, 6),), (2, 3, 2), 4),
        Step("q", "swapaxes", ((2, 3, 2),), (3, 2, 2), 4),
        Step("k", "swapaxes", ((1, 2, 2),), (1, 2, 2), 4),
        Step("q", "reshape", ((3, 2, 2),), (1, 6, 2), 4),
        Step("scores", "matmul", ((1, 6, 2), (1, 2, 2)), (1, 6, 2), 4),
        Step("scores", "reshape", ((1, 6, 2),), (3, 2, 2), 4),
        Step("scores", "multiply", ((3, 2, 2),), (3, 2, 2), 4),
        Step("triangle", "tri", (), (2, 2), 1),
        Step("scores", "where", ((2, 2), (3, 2, 2)), (3, 2, 2), 4),
        Step("scores", "maximum.reduce", ((3, 2, 2),), (3, 2, 1), 4),
        Step("scores", "subtract", ((3, 2, 2), (3, 2, 1)), (3, 2, 2), 4),
        Step("scores", "exp", ((3, 2, 2),), (3, 2, 2), 4),
        Step("scores", "add.reduce", ((3, 2, 2),), (3, 2, 1), 4),
        Step("scores", "divide", ((3, 2, 2), (3, 2, 1)), (3, 2, 2), 4),
        Step("scores", "reshape", ((3, 2, 2),), (1, 6, 2), 4),
        Step("heads", "matmul", ((1, 6, 2), (1, 2, 2)), (1, 6, 2), 4),
        Step("heads", "reshape", ((1, 6, 2),), (3, 2, 2), 4),
        Step("heads", "swapaxes", ((3, 2, 2),), (2, 3, 2), 4),
        Step("heads", "reshape", ((2, 3, 2),), (2, 6), 4),
        Step("heads", "reshape", ((2, 6),), (2, 6), 4),
        Step("output", "matmul", ((2, 6), (6, 6)), (2, 6), 4),
        Step("output", "add", ((2, 6), (6,)), (2, 6), 4),
        Step("output", "reshape", ((2, 6),), (2, 6), 4),
    )


class CountedNumber:
    """A number that counts the products it takes part in."""

    products = 0

    def __mul__(self, other: object) -> "CountedNumber":
        CountedNumber.products += 1
        return self

    def __add__(self, other: object) -> "CountedNumber":
        return self


@pytest.mark.parametrize("step", measure(dry_layer(6, 3, n_kv_heads=1, d_v=4), 3, m=4, batch=2).steps)
def test_multiply_adds_are_the_products_numpy_makes(step: Step) -> None:
    """Each product is made once more by NumPy, with numbers that count."""
    if step.operation != "matmul":
        assert step.multiply_adds == 0
        return
    CountedNumber.products = 0
    left, right = (np.full(shape, CountedNumber(), dtype=object) for shape in step.inputs)
    assert (left @ right).shape == step.shape
    assert step.multiply_adds == CountedNumber.products


def test_gpt2_small() -> None:
    trace = measure(dry_layer(768, 12, bias=True), 1024, batch=1, causal=True)
    assert trace.parameters == 2_362_368
    assert trace.products == {
        "q": 1024 * 768 * 768,
        "k": 1024 * 768 * 768,
        "v": 1024 * 768 * 768,
        "scores": 1024 * 1024 * 768,
        "heads": 1024 * 1024 * 768,
        "output": 1024 * 768 * 768,
    }
    assert trace.flops == 8_053_063_680 == 2 * trace.multiply_adds
    assert trace.nbytes("scores") == 12 * 1024 * 1024 * 4
    assert trace.finite_scores == 12 * 1024 * 1025 // 2
    assert trace.blocked_scores == 12 * 1024 * 1023 // 2


def test_llama_3_8b_and_70b() -> None:
    small = measure(dry_layer(4096, 32, n_kv_heads=8, dtype=np.float16), 8192, batch=1, causal=True)
    assert small.parameters == 41_943_040
    assert small.flops == 1_786_706_395_136
    assert small.shape("k cache") == (1, 8, 8192, 128)
    assert 32 * small.kv_cache_nbytes == 1_073_741_824
    large = measure(dry_layer(8192, 64, n_kv_heads=8, dtype=np.float16), 8192, batch=1, causal=True)
    assert large.parameters == 150_994_944
    assert 80 * large.kv_cache_nbytes == 8192 * 327_680
    assert large.finite_scores == 64 * 8192 * 8193 // 2
    assert large.blocked_scores == 64 * 8192 * 8191 // 2


def test_the_scores_of_a_million_tokens_are_counted_without_looking_at_each_pair() -> None:
    trace = measure(dry_layer(8, 2), 1_000_000, causal=True)
    assert trace.finite_scores == 2 * 1_000_000 * 1_000_001 // 2


def test_scores_that_a_triangle_of_other_sides_leaves() -> None:
    assert measure(real_layer(4, 2), 2, m=4, causal=True).finite_scores == 2 * (1 + 2)
    assert measure(dry_layer(4, 2), 2, m=4, causal=True).finite_scores == 2 * (1 + 2)
    assert measure(real_layer(4, 2), 4, m=2, causal=True).blocked_scores == 2
    assert measure(dry_layer(4, 2), 4, m=2, causal=True).blocked_scores == 2
    assert measure(dry_layer(4, 2), 4, m=2).finite_scores == 2 * 4 * 2


def test_one_decoding_step() -> None:
    trace = measure_decoding(dry_layer(768, 12), 1024)
    assert trace.flops == 7_864_320
    assert trace.shape("k split") == (12, 1, 64)
    assert trace.shape("k cache") == trace.shape("v cache") == (12, 1024, 64)
    assert trace.shape("scores") == (12, 1, 1024)
    assert trace.shape("output") == (1, 768)


def test_one_training_step() -> None:
    training = measure_training(dry_layer(768, 12, bias=True), 100)
    parameters = 4 * 768**2
    assert (training.forward, training.backward) == (parameters * 100, 2 * parameters * 100)


def test_gradients_of_a_projection_by_small_differences() -> None:
    rng = np.random.default_rng(2)
    x, w, dy = rng.normal(size=(3, 4)), rng.normal(size=(4, 2)), rng.normal(size=(3, 2))

    def by_differences(array: Array) -> Array:
        gradient = np.zeros(array.shape)
        for index in np.ndindex(array.shape):
            value = array[index]
            array[index] = value + 1e-6
            above = (project(x, w) * dy).sum()
            array[index] = value - 1e-6
            gradient[index] = (above - (project(x, w) * dy).sum()) / 2e-6
            array[index] = value
        return gradient

    dx, dw = project_backward(x, w, dy)
    np.testing.assert_allclose(dx, by_differences(x), atol=1e-8)
    np.testing.assert_allclose(dw, by_differences(w), atol=1e-8)


def test_other_widths_of_keys_and_values_mean_cross_attention() -> None:
    trace = measure(dry_layer(8, 2, k_width=3), 5)
    assert trace.shape("scores") == (2, 5, 5)
    assert trace.products["k"] == 5 * 3 * 8
    assert trace.products["v"] == 5 * 8 * 8


def test_small_runs_are_real_and_large_ones_dry() -> None:
    def sizes(d_model: int, n: int, **options: Any) -> Trace:
        return measure_sizes(d_model, 4, n, **options)

    assert not sizes(64, 10).dry
    assert not sizes(4096, 1).dry  # the largest array is W_Q, 2^24 numbers
    assert sizes(4100, 1).dry
    assert not sizes(512, 10, m=7, batch=3).dry
    assert sizes(1024, 48).dry  # 4·48·1024² multiply-adds are more than 2·10^8
    assert sizes(8, 2049).dry  # 4·2049² scores are more than 2^24
    assert measure_sizes(64, 4, 10, dtype=np.float16).dry
    assert not real_if_small(lambda layer: measure_decoding(layer, 1024), 768, 12).dry


def test_real_if_small_gives_the_layer_the_wanted_sizes() -> None:
    trace = measure_sizes(16, 4, 5, m=3, batch=2, causal=True, dtype=np.float64, n_kv_heads=2, d_k=3, d_v=6, bias=True)
    assert {name: tensor.shape for name, tensor in trace.tensors.items()} == {
        "w_q": (16, 12),
        "w_k": (16, 6),
        "w_v": (16, 12),
        "w_o": (24, 16),
        "b_q": (12,),
        "b_k": (6,),
        "b_v": (12,),
        "b_o": (16,),
    }
    assert trace.kv_cache_nbytes == 2 * 2 * 3 * (3 + 6) * 8
    assert trace.parameters == 16 * (12 + 6 + 12 + 24) + 12 + 6 + 12 + 16
    assert trace.weights.dtype == np.float64
    assert trace.weights.sum() == pytest.approx(2 * 4 * 5)
    assert trace.blocked_scores == 2 * 4 * 3


def dry(*shape: int) -> DryArray:
    return DryArray.blank(shape, np.float32, "x", Tape())


@pytest.mark.parametrize(
    ("message", "call"),
    [
        ("matmul: (2, 3) times (4, 5), the inner axes do not match", lambda: dry(2, 3) @ dry(4, 5)),
        ("matmul: (3,) times (3, 5), the inner axes do not match", lambda: dry(3) @ dry(3, 5)),
        (
            "a result of shape (2, 3) does not fit into (3,)",
            lambda: np.add(dry(3), dry(2, 3), out=dry(3)),
        ),
        (
            "cannot join [(2, 3), (2, 4)] along axis 0",
            lambda: np.concatenate((dry(2, 3), dry(2, 4)), axis=0),
        ),
    ],
)
def test_a_dry_run_refuses_shapes_that_do_not_fit(message: str, call: Callable[[], object]) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        call()


@pytest.mark.parametrize(
    "call",
    [
        lambda: bool(dry()),
        lambda: float(dry()),
        lambda: int(dry()),
        lambda: dry(1).item(),
        lambda: bool((dry(2) > 0).all()),
        lambda: float(dry(2, 3).sum()),
    ],
)
def test_a_dry_array_makes_no_number_up(call: Callable[[], object]) -> None:
    with pytest.raises(TypeError, match=r"^a dry array has no numbers$"):
        call()


def test_a_dry_array_says_which_computation_it_does_not_know() -> None:
    with pytest.raises(TypeError, match=r"^a dry array does not answer add\.accumulate$"):
        np.add.accumulate(dry(3))


def test_reductions_of_a_dry_array_have_the_shapes_numpy_gives_them() -> None:
    for axis, keepdims in itertools.product([None, 0, -1, 2, (0, 2), (-3, -1)], [False, True]):
        expected = np.zeros((2, 3, 4)).sum(axis=axis, keepdims=keepdims)
        assert dry(2, 3, 4).sum(axis=axis, keepdims=keepdims).shape == np.shape(expected)
    assert dry(2, 3, 4).mean(axis=-3).shape == (3, 4)
    assert str(dry(2, 3)) == "DryArray(shape=(2, 3), dtype=float32)"


def test_a_dry_array_of_any_shape_takes_no_memory() -> None:
    array = dry(10**6, 10**6)
    assert array.nbytes == 4 * 10**12
    assert array.strides == (0, 0)
    assert (array @ dry(10**6, 7)).shape == (10**6, 7)
    assert math.prod(array.reshape(1000, 1000, 10**6).swapaxes(0, 2).shape) == 10**12
