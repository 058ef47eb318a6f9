"""What Python adds to the core: `naive` over many steps of numpy arrays, in processor seconds, and in memory.

    PYTHONPATH=build/python python benchmarks/python_border.py [STEPS]

The calls of the core are timed inside of the calls of the package; the rest is Python's. Ratios are of one run; the smallest of five is shown
beside the median, because a busy machine only adds.
"""

import gc
import os
import statistics
import sys
import time

import numpy as np

import starope as so
from starope import _core


def resident() -> int:
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


class Timed:
    """A function of the core that knows how long it took."""

    def __init__(self, function):
        self.function, self.seconds = function, 0.0

    def __call__(self, *args):
        start = time.process_time()
        try:
            return self.function(*args)
        finally:
            self.seconds += time.process_time() - start


def main() -> None:
    steps = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000_000
    rng = np.random.default_rng(0)
    given = {"state": rng.normal(size=(steps, 2)).astype(np.float32), "action": rng.integers(0, 2, steps).astype(np.int32), "reward": rng.normal(size=steps),
             "behavior_prob": np.full(steps, 0.5), "target": rng.uniform(0.4, 0.6, steps), "offsets": np.arange(0, steps + 1, 50)}
    columns = sum(each.nbytes for each in given.values())
    gc.collect()
    before = resident()
    data = so.Dataset(**given)
    print(f"{steps:,} steps, columns of {columns / 1e6:.0f} MB: a data set adds {(resident() - before) / 1e6:.1f} MB")
    del data
    shares = []
    for _ in range(5):
        made, evaluated = Timed(_core.logs_from_columns), Timed(_core.evaluate)
        so._load._core = type("Core", (), {**{name: getattr(_core, name) for name in dir(_core) if not name.startswith("__")}, "logs_from_columns": staticmethod(made)})
        so._evaluate._core = type("Core", (), {**{name: getattr(_core, name) for name in dir(_core) if not name.startswith("__")}, "evaluate": staticmethod(evaluated)})
        start = time.process_time()
        so.evaluate(estimators="naive", threads=1, **given)
        total = time.process_time() - start
        core = made.seconds + evaluated.seconds
        shares.append((total - core) / core)
        print(f"core {core:.3f} s, Python {1000 * (total - core):.1f} ms: {100 * shares[-1]:.2f} % more")
    print(f"smallest {100 * min(shares):.2f} %, median {100 * statistics.median(shares):.2f} %")


if __name__ == "__main__":
    main()
