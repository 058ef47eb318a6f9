"""Seconds of processor to read the same logs, ours beside those of others, each in a process of its own and on one thread.

    build/venv/bin/python tests/ecosystem/reading_speed.py build LOGS.csv LOGS.parquet [LIBDUCKDB]

Every library reads the columns that the logs need, into its own table.
"""

import ctypes
import os
import pathlib
import resource
import subprocess
import sys

COLUMNS = ["episode", "t", "state_0", "state_1", "state_2", "state_3", "action", "reward", "behavior_prob", "target_prob",
           "behavior_probs_0", "behavior_probs_1", "target_probs_0", "target_probs_1", "terminated", "truncated"]


def ours(path, build, library):
    door = ctypes.CDLL(str(next(pathlib.Path(build).rglob("libstarope_arrow_door.so"))))
    door.starope_read.restype = ctypes.c_long
    return door.starope_read(path.encode(), library.encode())


def read_polars(path):
    import polars as pl
    scan = pl.scan_parquet if path.endswith(".parquet") else pl.scan_csv
    return scan(path).select(COLUMNS).collect().height


def read_pandas(path):
    import pandas as pd
    return len(pd.read_parquet(path, columns=COLUMNS) if path.endswith(".parquet") else pd.read_csv(path, usecols=COLUMNS))


def read_pyarrow(path):
    import pyarrow as pa
    import pyarrow.csv
    import pyarrow.parquet
    pa.set_cpu_count(1)
    if path.endswith(".parquet"):
        return pa.parquet.read_table(path, columns=COLUMNS, use_threads=False).num_rows
    return pa.csv.read_csv(path, read_options=pa.csv.ReadOptions(use_threads=False),
                           convert_options=pa.csv.ConvertOptions(include_columns=COLUMNS)).num_rows


def read_duckdb(path):
    """Its own scan, chunk by chunk, into Arrow batches that are thrown away."""
    import duckdb
    base = duckdb.connect(config={"threads": 1})
    rows = 0
    for batch in base.sql(f"select {', '.join(COLUMNS)} from '{path}'").to_arrow_reader(100_000):
        rows += batch.num_rows
    return rows


def main():
    if sys.argv[1] == "--one":
        which, path, build, library = sys.argv[2:6]
        start = resource.getrusage(resource.RUSAGE_SELF)
        rows = ours(path, build, library) if which == "starope" else globals()[f"read_{which}"](path)
        end = resource.getrusage(resource.RUSAGE_SELF)
        print(f"{end.ru_utime - start.ru_utime:.2f} {end.ru_stime - start.ru_stime:.2f} {end.ru_maxrss // 1024} {rows}")
        return
    build, *paths = sys.argv[1:4]
    library = sys.argv[4] if len(sys.argv) > 4 else ""
    environment = dict(os.environ, POLARS_MAX_THREADS="1", OMP_NUM_THREADS="1")
    for path in paths:
        for which in "starope", "polars", "pyarrow", "pandas", "duckdb":
            done = subprocess.run([sys.executable, __file__, "--one", which, path, build, library], env=environment,
                                  capture_output=True, text=True)
            user, system, memory, rows = (done.stdout.split() + ["?"] * 4)[:4]
            print(f"{pathlib.Path(path).name:14} {which:8} {user:>7} s user {system:>6} s system {memory:>6} MB {rows:>10} rows {done.stderr[-200:]}",
                  flush=True)


if __name__ == "__main__":
    main()
