"""The core against torch.nn.MultiheadAttention, side by side in one run; needs torch and threadpoolctl.

    python benchmarks/attention.py [--long] [--cpu]

Prints the time of PyTorch's module and, as multiples of it, PyTorch's own fused attention inside the same layer, our
plain text and our tiles. A ratio is the median over runs made in turn. `--cpu` counts processor time instead of time
on the clock, which tells more on a busy machine (with one thread).
"""

import os
import statistics
import sys
import time
import tracemalloc
from collections.abc import Callable

# A kernel forced by the environment would be compared, not the one NumPy would choose.
for name in ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE"):
    os.environ.pop(name, None)

import numpy as np
import torch
from threadpoolctl import threadpool_info, threadpool_limits

from mha_quiz.attention import Array, MultiHeadAttention
from mha_quiz.blocked import layer_output

D_MODEL, HEADS = 512, 8
ROWS = [(1, 1, 10), (1, 1, 128), (1, 1, 2048), (2, 1, 10), (2, 1, 128), (2, 1, 2048), (2, 8, 512), (2, 8, 2048)]
LONG_ROWS = [(1, 1, 8192), (2, 1, 8192), (2, 1, 16384)]
PLAIN_TEXT_UP_TO = 2**28
"""Scores; the plain text would need several gigabytes for more."""


def module_of(layer: MultiHeadAttention) -> torch.nn.MultiheadAttention:
    module = torch.nn.MultiheadAttention(D_MODEL, HEADS, bias=False, batch_first=True).eval()
    packed = np.concatenate([layer.w_q.T, layer.w_k.T, layer.w_v.T])
    module.load_state_dict(
        {"in_proj_weight": torch.from_numpy(packed), "out_proj.weight": torch.from_numpy(layer.w_o.T.copy())}
    )
    return module


def fused(module: torch.nn.MultiheadAttention, x: torch.Tensor) -> torch.Tensor:
    heads = torch.nn.functional.linear(x, module.in_proj_weight).unflatten(-1, (3, HEADS, -1)).permute(2, 0, 3, 1, 4)
    output = torch.nn.functional.scaled_dot_product_attention(heads[0], heads[1], heads[2])
    return module.out_proj(output.transpose(1, 2).flatten(-2))


def times_in_turn(candidates: dict[str, Callable[[], object]], clock: Callable[[], float]) -> dict[str, list[float]]:
    """Rounds over all candidates until about four seconds are spent, but 3 to 50 rounds."""
    times: dict[str, list[float]] = {name: [] for name in candidates}
    began = time.perf_counter()
    for rounds in range(50):
        if rounds >= 3 and time.perf_counter() - began > 4:
            break
        for name, run in candidates.items():
            start = clock()
            run()
            times[name].append(clock() - start)
    return times


def peak_bytes(run: Callable[[], object]) -> int:
    tracemalloc.start()
    run()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return peak


def compare(layer: MultiHeadAttention, threads: int, batch: int, n: int, clock: Callable[[], float]) -> str:
    module = module_of(layer)
    x = np.random.default_rng(n).normal(size=(batch, n, D_MODEL)).astype(np.float32)
    tensor = torch.from_numpy(x)
    candidates: dict[str, Callable[[], object]] = {
        "module": lambda: module(tensor, tensor, tensor, need_weights=False)[0],
        "fused": lambda: fused(module, tensor),
        "plain": lambda: layer(x)[0],
        "tiles": lambda: layer_output(layer, x, threads=threads),
    }
    if batch * HEADS * n * n > PLAIN_TEXT_UP_TO:
        del candidates["plain"]
    results = {name: np.asarray(run()) for name, run in candidates.items()}
    for name, result in results.items():
        assert_close(name, result, results["module"])
    times = times_in_turn(candidates, clock)
    ratios = {
        name: statistics.median(ours / theirs for ours, theirs in zip(times[name], times["module"], strict=True))
        for name in times
    }
    plain = f"{ratios['plain']:.2f}" if "plain" in ratios else "–"
    megabytes = peak_bytes(candidates["tiles"]) / 1e6
    return (
        f"{threads:7} {batch:5} {n:6} {1000 * statistics.median(times['module']):10.2f} {ratios['fused']:6.2f}"
        f" {plain:>6} {ratios['tiles']:6.2f} {megabytes:8.0f}"
    )


def assert_close(name: str, result: Array, expected: Array) -> None:
    off = np.abs(result - expected).max()
    if not off <= 1e-4:
        sys.exit(f"{name} is off by {off}: nothing to compare")


def main() -> None:
    clock = time.process_time if "--cpu" in sys.argv else time.perf_counter
    rows = ROWS + (LONG_ROWS if "--long" in sys.argv else [])
    kernels = {library["architecture"] for library in threadpool_info() if library["internal_api"] == "openblas"}
    print(f"numpy {np.__version__}, OpenBLAS kernel {', '.join(sorted(kernels))}; torch {torch.__version__}")
    print(f"d_model {D_MODEL}, {HEADS} heads, float32, no weights returned; ratios to nn.MultiheadAttention")
    print("threads batch      n  module/ms  fused  plain  tiles tiles/MB")
    layer = MultiHeadAttention.initialise(np.random.default_rng(0), D_MODEL, HEADS, dtype=np.float32)
    for threads, batch, n in rows:
        torch.set_num_threads(threads)
        with threadpool_limits(threads, user_api="blas"), torch.no_grad():
            print(compare(layer, threads, batch, n, clock), flush=True)


if __name__ == "__main__":
    main()
