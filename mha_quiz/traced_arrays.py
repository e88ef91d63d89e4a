"""Arrays that write down what is done to them, with numbers (`TracedArray`) or without (`DryArray`).

The core computes with them as with any array. Names follow the data: x times w_q is q, q times k is scores, and what is
computed from scores alone is still called scores.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Never, Self

import numpy as np
import numpy.typing as npt

from mha_quiz.attention import Array, Shape

PRODUCTS = {"w_q": "q", "w_k": "k", "w_v": "v", "k": "scores", "v": "heads", "w_o": "output"}
"""What a matrix product is called, by its right factor."""


@dataclass(frozen=True, slots=True)
class Step:
    """One operation of a run, as it happened."""

    name: str
    """What the result is: q, k, v, scores, heads or output."""
    operation: str
    """As NumPy calls it: matmul, reshape, swapaxes, maximum.reduce, …"""
    inputs: tuple[Shape, ...]
    shape: Shape
    itemsize: int
    """Bytes of one number."""

    @property
    def multiply_adds(self) -> int:
        """Each number of a matrix product sums as many products as the inner axis is long; 0 for other operations."""
        return math.prod(self.shape) * self.inputs[0][-1] if self.operation == "matmul" else 0


@dataclass(slots=True)
class Tape:
    """What was written down so far. The arrays of one run share it."""

    steps: list[Step] = field(default_factory=list)
    finite_scores: int | None = None
    """Counted after masking; None if nothing was masked, or nothing could be counted (dry)."""


class TracedArray(np.ndarray[Any, np.dtype[Any]]):
    """An array with a name, which computes as any other and writes each step on a tape. Views inherit both."""

    name: str
    tape: Tape

    @classmethod
    def of(cls, array: Array, name: str, tape: Tape) -> Self:
        traced = array.view(cls)
        traced.name, traced.tape = name, tape
        return traced

    @classmethod
    def blank(cls, shape: Shape, dtype: npt.DTypeLike, name: str, tape: Tape) -> Self:
        """Zeros: what a run uses does not depend on the numbers."""
        return cls.of(np.zeros(shape, dtype), name, tape)

    def __array_finalize__(self, parent: Array | None) -> None:
        if isinstance(parent, TracedArray):
            self.name, self.tape = parent.name, parent.tape

    def reshape(self, *shape: Any, **options: Any) -> Any:
        return self._record(self.name, "reshape", (self,), super().reshape(*shape, **options))

    def swapaxes(self, axis1: Any, axis2: Any, /) -> Any:
        return self._record(self.name, "swapaxes", (self,), super().swapaxes(axis1, axis2))

    def __array_ufunc__(self, ufunc: np.ufunc, method: Any, *inputs: Any, **options: Any) -> Any:
        name = next((array.name for array in inputs if isinstance(array, TracedArray)), self.name)
        if ufunc is np.matmul:
            right = getattr(inputs[1], "name", "?")
            name = PRODUCTS.get(right, f"{name}·{right}")
        operation = ufunc.__name__ if method == "__call__" else f"{ufunc.__name__}.{method}"
        into = options.pop("out", None)
        if into is not None:
            options["out"] = tuple(map(_plain, into))
        result = self._compute(ufunc, method, tuple(map(_plain, inputs)), options)
        return self._record(name, operation, inputs, result if into is None else into[0])

    def __array_function__(self, function: Any, types: Any, args: Any, options: Any) -> Any:
        if function is np.where:
            allowed, scores, otherwise = args
            result = self._mask(_plain(allowed), _plain(scores), otherwise)
            return self._record(scores.name, "where", (allowed, scores), result)
        if function is np.tri:
            return self._record("triangle", "tri", (), self._triangle(args[0], options["M"]))
        if function is np.concatenate:
            (parts,) = args
            result = self._join([_plain(part) for part in parts], options["axis"])
            return self._record(self.name, "concatenate", parts, result)
        return super().__array_function__(function, types, args, options)

    def _record(self, name: str, operation: str, inputs: Iterable[Any], result: Any) -> Any:
        if not isinstance(result, np.ndarray):
            return result  # a single number is no array
        traced = result if isinstance(result, TracedArray) else self.of(result, name, self.tape)
        shapes = tuple(array.shape for array in inputs if isinstance(array, np.ndarray))
        self.tape.steps.append(Step(name, operation, shapes, traced.shape, traced.itemsize))
        return traced

    def _compute(self, ufunc: np.ufunc, method: str, inputs: tuple[Any, ...], options: dict[str, Any]) -> Any:
        return getattr(ufunc, method)(*inputs, **options)

    def _mask(self, allowed: Array, scores: Array, otherwise: float) -> Array:
        result = np.where(allowed, scores, otherwise)
        self.tape.finite_scores = int(np.count_nonzero(np.isfinite(result)))
        return result

    def _triangle(self, n: int, m: int) -> Array:
        return np.tri(n, m, dtype=np.bool_)

    def _join(self, parts: list[Array], axis: int) -> Array:
        return np.concatenate(parts, axis=axis)


class DryArray(TracedArray):
    """An array without numbers: one 0 seen from every index, since all strides are 0. It takes a few bytes at any shape.

    Shape, bytes and views are NumPy's own; of a computation only shape and type are worked out. A number or a truth
    value read from it would be made up, so asking for one is a TypeError.
    """

    @classmethod
    def blank(cls, shape: Shape, dtype: npt.DTypeLike, name: str, tape: Tape) -> Self:
        return cls.of(_without_numbers(shape, np.dtype(dtype)), name, tape)

    def item(self, *_: Any) -> Never:
        raise TypeError("a dry array has no numbers")

    __bool__ = __int__ = __float__ = item

    def __repr__(self) -> str:
        return f"DryArray(shape={self.shape}, dtype={self.dtype})"

    __str__ = __repr__

    def _compute(self, ufunc: np.ufunc, method: str, inputs: tuple[Any, ...], options: dict[str, Any]) -> Any:
        shapes = tuple(np.shape(array) for array in inputs)
        if ufunc is np.matmul:
            shape = _product_shape(*shapes)
        elif method == "__call__":
            shape = np.broadcast_shapes(*shapes)
        elif method == "reduce":
            shape = _reduced_shape(shapes[0], options.get("axis", 0), options.get("keepdims", False))
            inputs *= 2  # a reduction applies the ufunc to two numbers of the array
        else:
            raise TypeError(f"a dry array does not answer {ufunc.__name__}.{method}")
        if "out" in options and options["out"][0].shape != shape:
            raise ValueError(f"a result of shape {shape} does not fit into {options['out'][0].shape}")
        kinds = tuple(value.dtype if isinstance(value, np.ndarray | np.generic) else type(value) for value in inputs)
        dtypes = ufunc.resolve_dtypes((*kinds, None), reduction=method == "reduce")
        return _without_numbers(shape, dtypes[-1])

    def _mask(self, allowed: Array, scores: Array, otherwise: float) -> Array:
        return _without_numbers(np.broadcast_shapes(allowed.shape, scores.shape), scores.dtype)

    def _triangle(self, n: int, m: int) -> Array:
        return _without_numbers((n, m), np.dtype(np.bool_))

    def _join(self, parts: list[Array], axis: int) -> Array:
        if len({tuple(np.delete(part.shape, axis)) for part in parts}) > 1:
            raise ValueError(f"cannot join {[part.shape for part in parts]} along axis {axis}")
        shape = list(parts[0].shape)
        shape[axis] = sum(part.shape[axis] for part in parts)
        return _without_numbers(tuple(shape), np.result_type(*parts))


def _plain(value: Any) -> Any:
    return value.view(np.ndarray) if isinstance(value, TracedArray) else value


def _without_numbers(shape: Shape, dtype: np.dtype[Any]) -> Array:
    return np.broadcast_to(np.zeros((), dtype), shape)


def _product_shape(left: Shape, right: Shape) -> Shape:
    """Of a matrix product [..., n, a] times [..., a, m]. ValueError if the inner axes differ."""
    if min(len(left), len(right)) < 2 or left[-1] != right[-2]:
        raise ValueError(f"matmul: {left} times {right}, the inner axes do not match")
    return (*np.broadcast_shapes(left[:-2], right[:-2]), left[-2], right[-1])


def _reduced_shape(shape: Shape, axis: int | tuple[int, ...] | None, keepdims: bool) -> Shape:
    axes = range(len(shape)) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    gone = {i % len(shape) for i in axes}
    return tuple(1 if i in gone else size for i, size in enumerate(shape) if keepdims or i not in gone)
