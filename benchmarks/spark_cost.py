#!/usr/bin/env python3
"""What an evaluation inside Spark costs, beside the command line on the same Parquet files.

    PYTHONPATH=build/python build/venv/bin/python benchmarks/spark_cost.py FOLDER [--million-steps 10] [--workers 1,2] [--what WHAT] [--skip-command-line]

Makes CartPole logs in FOLDER once (about 27 bytes a step; four files are simulated, the others are these again with new episodes),
evaluates them with build/bin/starope in a stream, on one thread, and on a cluster of Spark on this machine whose workers have one core
each. Processor seconds are those of all processes that take part, Java, Python and the driver; on a machine that does something else
they are what to compare. WHAT is a list of: parts (the shuffle, and an empty pass), influence, jackknife, arranged.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "python" / "tests"))
ESTIMATORS = "naive,wpdis,star(clusters=32,clip=2)"
EPISODES_OF_FILE = 46_000  # about a million steps
SIMULATED = 4  # files
HOW: dict[str, dict[str, Any]] = {"influence": {}, "jackknife": {"interval": "jackknife"}, "arranged": {"interval": "jackknife", "arranged": True}}
COLUMNS = ["episode", "t", "state_0", "state_1", "state_2", "state_3", "action", "reward", "behavior_prob", "target_prob", "terminated", "truncated"]


def make_logs(folder: Path, files: int) -> list[Path]:
    """Whole episodes in every file, in order: what a job that writes `repartition(episode).sortWithinPartitions(episode, t)` leaves."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    import starope as so

    folder.mkdir(parents=True, exist_ok=True)
    made = [folder / f"part-{i:03}.parquet" for i in range(files)]
    for i, path in enumerate(made):
        if path.exists():
            continue
        if i < SIMULATED:
            table = pa.table(so.simulate("cartpole", episodes=EPISODES_OF_FILE, seed=i)._table()).select(COLUMNS)
            ids = pa.compute.add(table["episode"], i * EPISODES_OF_FILE)
        else:
            table = pq.read_table(made[i % SIMULATED])
            ids = pa.compute.add(table["episode"], (i - i % SIMULATED) * EPISODES_OF_FILE)
        pq.write_table(table.set_column(0, "episode", ids), path)
    return made


def processor_seconds() -> dict[str, float]:
    """Of this process and all that descend from it, ended ones included where somebody waited for them; by what they are."""
    tick = os.sysconf("SC_CLK_TCK")
    parents, used, names = {}, {}, {}
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            name, _, rest = (entry / "stat").read_text().rpartition(")")
        except OSError:
            continue
        fields = rest.split()
        pid = int(entry.name)
        parents[pid] = int(fields[1])
        used[pid] = sum(map(int, fields[11:15])) / tick
        names[pid] = "Java" if "java" in name else "Python"
    total = {"Java": 0.0, "Python": 0.0}
    for pid in used:
        above = pid
        while above not in (0, 1, os.getpid()):
            above = parents.get(above, 0)
        if above == os.getpid():
            total[names[pid]] += used[pid]
    return total


class Timed:
    """Wall time and processor seconds of a block."""

    def __enter__(self) -> Timed:
        self._before, self._began = processor_seconds(), time.monotonic()
        return self

    def __exit__(self, *_: Any) -> None:
        after = processor_seconds()
        self.wall = time.monotonic() - self._began
        self.java, self.python = (after[name] - self._before[name] for name in ("Java", "Python"))

    def cells(self, steps: int) -> str:
        used = self.java + self.python
        return f"{self.wall:.1f} | {self.java:.1f} | {self.python:.1f} | {used:.1f} | {1e6 * used / steps:.2f}"


def command_line(files: list[Path]) -> None:
    program = HERE.parent / "build" / "bin" / "starope"
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    run = subprocess.run([program, "evaluate", str(files[0].parent / "part-*.parquet"), "--estimators", ESTIMATORS, "--memory", "500MB", "--threads", "1",
                          "--json"], capture_output=True, text=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    answer = json.loads(run.stdout)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    steps = answer["data"]["steps"]
    print(f"| command line, one thread, 500 MB | {time.monotonic() - began:.1f} | | | {used:.1f} | {1e6 * used / steps:.2f} |", flush=True)
    print(f"  {steps} steps, wpdis {answer['estimates'][1]['value']!r}", file=sys.stderr)


def shuffled_bytes(folder: Path) -> int:
    return sum(each.stat().st_size for each in folder.rglob("shuffle_*.data"))


def inside_spark(files: list[Path], workers: int, folder: Path, what: list[str]) -> None:
    import spark_cluster

    import starope.spark as sos
    from starope._spark_logs import Logs

    parts = max(16, len(files) // 2)
    options = {"spark.executor.memory": "3g", "spark.cores.max": str(workers), "spark.sql.shuffle.partitions": str(parts),
               "spark.driver.memory": "2g", "spark.driver.maxResultSize": "2g"}
    with spark_cluster.started(folder, HERE.parent / "build" / "python", workers, 1, "4g") as (address, environment), \
            spark_cluster.session(address, environment, folder, options) as spark:
        steps = spark.read.parquet(str(files[0].parent))
        rows = steps.count()  # warm
        sos.evaluate(steps.limit(50_000), estimators=ESTIMATORS, partitions=2)
        if "parts" in what:
            with Timed() as shuffle:
                logs = Logs(steps, {}, parts, False, None)
                assert logs._kept is not None
                logs._kept.count()
            with logs:
                moved = shuffled_bytes(folder) / rows
                print(f"| {workers}: shuffle, sort, pack and keep the rows ({moved:.0f} bytes shuffled a step) | {shuffle.cells(rows)} |", flush=True)
                with Timed() as passed, logs._handing():
                    assert sum(row[0] for row in logs._passed(_nothing, "rows long").collect()) == rows
                print(f"| {workers}: a pass that hands every row to Python and does nothing | {passed.cells(rows)} |", flush=True)
        for name in (each for each in HOW if each in what):
            with Timed() as timed:
                e = sos.evaluate(steps, estimators=ESTIMATORS, partitions=parts, **HOW[name])
            print(f"| {workers}: evaluate, {name} | {timed.cells(rows)} |", flush=True)
            print(f"  {e.data['steps']} steps, wpdis {e['wpdis'].value!r}", file=sys.stderr)


def _nothing(batches: Any) -> Any:
    import pyarrow as pa

    from starope._spark_worker import unpacked

    found = sum(each.num_rows for each in unpacked(batches))
    yield pa.RecordBatch.from_pydict({"rows": pa.array([found], pa.int64())})


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("--million-steps", type=int, default=10)
    arguments.add_argument("--workers", default="1,2")
    arguments.add_argument("--what", default="parts,influence,jackknife,arranged")
    arguments.add_argument("--skip-command-line", action="store_true")
    given = arguments.parse_args()
    logs = given.folder / f"logs-{given.million_steps}"
    files = make_logs(logs, given.million_steps)
    print(f"{sum(each.stat().st_size for each in files) / 1e6:.0f} MB of Parquet; load {os.getloadavg()[0]:.1f}\n")
    print("| workers: what | wall s | Java s | Python s | all processor s | us a step |\n|---|---|---|---|---|---|")
    if not given.skip_command_line:
        command_line(files)
    for workers in map(int, given.workers.split(",")):
        with tempfile.TemporaryDirectory(dir=given.folder) as folder:
            inside_spark(files, workers, Path(folder), given.what.split(","))


if __name__ == "__main__":
    main()
