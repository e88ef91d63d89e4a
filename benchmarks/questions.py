"""Drawing and verifying questions: all families together, and one question at a time.

python benchmarks/questions.py [VARIANTS]
"""

import os
import statistics
import sys
import time

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as the command line sets it

from mha_quiz.families import FAMILIES
from mha_quiz.question import draw
from mha_quiz.verification import verify_all

variants = int(sys.argv[1]) if len(sys.argv) > 1 else 200
draw(FAMILIES[0], 0)  # imports NumPy
cpu = time.process_time()
report = verify_all(FAMILIES, variants, time.perf_counter)
cpu = time.process_time() - cpu
print(
    f"{report.families} families, {report.variants} variants, {len(report.disagreements)} disagreements, "
    f"{report.collisions} collisions: {report.seconds:.1f} s on the clock, {cpu:.1f} s of processor time"
)

slowest = []
for family in FAMILIES:
    times = []
    for seed in range(20):
        start = time.process_time()
        draw(family, seed)
        times.append(time.process_time() - start)
    slowest.append((statistics.median(times), max(times), family.id))
for median, most, family_id in sorted(slowest, reverse=True)[:5]:
    print(f"{family_id}: {median * 1000:.1f} ms of processor time, at most {most * 1000:.1f} ms")
