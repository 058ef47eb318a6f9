"""Seconds of processor to read the same logs, ours beside those of others, each in a process of its own and on one thread.

    build/venv/bin/python tests/ecosystem/reading_speed.py build LOGS.csv LOGS.parquet [LIBDUCKDB]
    build/venv/bin/python tests/ecosystem/reading_speed.py --pairs ROUNDS build LOGS.parquet LIBDUCKDB

Every library reads the columns that the logs need, into its own table. --pairs: what DuckDB's own scan costs where its rows are
thrown away or kept, and what ours costs in memory and in blocks; with the library that reads our Parquet files, in turn, medians.
"""

import ctypes
import os
import pathlib
import resource
import statistics
import subprocess
import sys

COLUMNS = ["episode", "t", "state_0", "state_1", "state_2", "state_3", "action", "reward", "behavior_prob", "target_prob",
           "behavior_probs_0", "behavior_probs_1", "target_probs_0", "target_probs_1", "terminated", "truncated"]
BLOCKS = 250_000_000  # bytes of memory for the logs that come in blocks


def door(build):
    library = ctypes.CDLL(str(next(pathlib.Path(build).rglob("libstarope_arrow_door.so"))))
    library.starope_read.restype = library.starope_open.restype = ctypes.c_long
    return library


def read_starope(path, build, library):
    return door(build).starope_read(path.encode(), library.encode())


def read_starope_blocks(path, build, library):
    """Logs that memory does not hold: read once, checked, and left in a temporary file for the passes of estimators."""
    return door(build).starope_open(path.encode(), library.encode(), ctypes.c_long(BLOCKS))


def read_polars(path, build, library):
    import polars as pl
    scan = pl.scan_parquet if path.endswith(".parquet") else pl.scan_csv
    return scan(path).select(COLUMNS).collect().height


def read_pandas(path, build, library):
    import pandas as pd
    return len(pd.read_parquet(path, columns=COLUMNS) if path.endswith(".parquet") else pd.read_csv(path, usecols=COLUMNS))


def read_pyarrow(path, build, library):
    import pyarrow as pa
    import pyarrow.csv
    import pyarrow.parquet
    pa.set_cpu_count(1)
    if path.endswith(".parquet"):
        return pa.parquet.read_table(path, columns=COLUMNS, use_threads=False).num_rows
    return pa.csv.read_csv(path, read_options=pa.csv.ReadOptions(use_threads=False),
                           convert_options=pa.csv.ConvertOptions(include_columns=COLUMNS)).num_rows


def read_duckdb(path, build, library):
    """Its own scan, chunk by chunk, into Arrow batches that are thrown away."""
    import duckdb
    base = duckdb.connect(config={"threads": 1})
    rows = 0
    for batch in base.sql(f"select {', '.join(COLUMNS)} from '{path}'").to_arrow_reader(100_000):
        rows += batch.num_rows
    return rows


def read_duckdb_numpy(path, build, library):
    """Its own scan into NumPy arrays."""
    import duckdb
    return len(duckdb.connect(config={"threads": 1}).sql(f"select {', '.join(COLUMNS)} from '{path}'").fetchnumpy()["t"])


class Result(ctypes.Structure):
    _fields_ = [("columns", ctypes.c_uint64), ("rows", ctypes.c_uint64), ("changed", ctypes.c_uint64), ("data", ctypes.c_void_p),
                ("error", ctypes.c_char_p), ("inner", ctypes.c_void_p)]


def rows_of_query(library, sql, settings=()):
    """How many rows a query has: chunk by chunk, as the library hands them out, which are thrown away."""
    duck = ctypes.CDLL(library)
    duck.duckdb_fetch_chunk.argtypes, duck.duckdb_fetch_chunk.restype = [Result], ctypes.c_void_p
    duck.duckdb_data_chunk_get_size.argtypes, duck.duckdb_data_chunk_get_size.restype = [ctypes.c_void_p], ctypes.c_uint64
    base, link = ctypes.c_void_p(), ctypes.c_void_p()
    assert duck.duckdb_open(None, ctypes.byref(base)) == 0 and duck.duckdb_connect(base, ctypes.byref(link)) == 0
    for setting in ("threads = 1", *settings):
        assert duck.duckdb_query(link, f"SET {setting}".encode(), None) == 0, setting
    statement, pending, result, rows = ctypes.c_void_p(), ctypes.c_void_p(), Result(), 0
    assert duck.duckdb_prepare(link, sql.encode(), ctypes.byref(statement)) == 0, sql
    assert duck.duckdb_pending_prepared_streaming(statement, ctypes.byref(pending)) == 0
    assert duck.duckdb_execute_pending(pending, ctypes.byref(result)) == 0
    while chunk := duck.duckdb_fetch_chunk(result):
        rows += duck.duckdb_data_chunk_get_size(chunk)
        duck.duckdb_destroy_data_chunk(ctypes.byref(ctypes.c_void_p(chunk)))
    return rows


def read_scan(path, build, library):
    return rows_of_query(library, f"SELECT {', '.join(COLUMNS)} FROM '{path}'")


def read_scan_kept(path, build, library):
    """Into a table of its own, in memory."""
    rows_of_query(library, f"CREATE TEMP TABLE kept AS SELECT {', '.join(COLUMNS)} FROM '{path}'")
    return 0


def read_scan_kept_on_disk(path, build, library):
    """Into a table of its own, of which memory may hold as much as of our blocks."""
    folder = os.environ.get("TMPDIR", "/tmp") + "/starope-reading-speed"
    rows_of_query(library, f"CREATE TEMP TABLE kept AS SELECT {', '.join(COLUMNS)} FROM '{path}'",
                  (f"memory_limit = '{BLOCKS // 10**6}MB'", f"temp_directory = '{folder}'"))
    return 0


PAIRS = "scan", "starope", "starope_blocks", "scan_kept", "scan_kept_on_disk", "duckdb_numpy"


def measured(which, path, build, library):
    """Seconds of user and of system, megabytes at most, rows, and what was wrong."""
    environment = dict(os.environ, POLARS_MAX_THREADS="1", OMP_NUM_THREADS="1")
    done = subprocess.run([sys.executable, __file__, "--one", which, path, build, library], env=environment,
                          capture_output=True, text=True, check=False)
    return [*(done.stdout.split() + ["nan"] * 4)[:4], done.stderr[-200:]]


def one(which, path, build, library):
    read = globals()[f"read_{which}"]
    start = resource.getrusage(resource.RUSAGE_SELF)
    rows = read(path, build, library)
    end = resource.getrusage(resource.RUSAGE_SELF)
    print(f"{end.ru_utime - start.ru_utime:.2f} {end.ru_stime - start.ru_stime:.2f} {end.ru_maxrss // 1024} {rows}")


def pairs(rounds, build, path, library):
    runs = {which: [] for which in PAIRS}
    for _ in range(rounds):
        for which in PAIRS:
            runs[which].append([float(x) for x in measured(which, path, build, library)[:3]])
    scan = statistics.median(user + system for user, system, _ in runs["scan"])
    for which, times in runs.items():
        user, system, memory = (statistics.median(each) for each in zip(*times, strict=True))
        both = statistics.median(u + s for u, s, _ in times)
        print(f"{which:18} {both:6.2f} s = {user:.2f} user + {system:.2f} system {memory:6.0f} MB  {both / scan:5.2f} of the scan", flush=True)


def main():
    if sys.argv[1] == "--one":
        return one(*sys.argv[2:6])
    if sys.argv[1] == "--pairs":
        return pairs(int(sys.argv[2]), *sys.argv[3:6])
    build, *paths = sys.argv[1:4]
    library = sys.argv[4] if len(sys.argv) > 4 else ""
    for path in paths:
        for which in "starope", "polars", "pyarrow", "pandas", "duckdb":
            user, system, memory, rows, wrong = measured(which, path, build, library)
            print(f"{pathlib.Path(path).name:14} {which:8} {user:>7} s user {system:>6} s system {memory:>6} MB {rows:>10} rows {wrong}",
                  flush=True)


if __name__ == "__main__":
    main()
