"""Files that pandas, polars, pyarrow, duckdb and numpy really write, read by the program: the same logs, to the last digit.

    build/venv/bin/python tests/ecosystem/check_files.py build/bin/starope
"""

import decimal
import pathlib
import subprocess
import sys
import tempfile

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

from check_arrow import expected, logs


def flat(columns):
    """Without lists, for formats that have none."""
    plain = {name: values for name, values in columns.items() if name != "state"}
    for i in range(3):
        plain[f"state_{i}"] = [row[i] for row in columns["state"]]
    return plain


def files(folder, columns):
    """Name and path of every file."""
    plain, whole = flat(columns), pa.table(columns)
    flat_table = pa.table(plain)

    def path(name):
        return str(folder / name)

    pd.DataFrame(plain).to_csv(path("pandas.csv"), index=False)
    pd.DataFrame(plain).to_csv(path("pandas.csv.gz"), index=False)
    pd.DataFrame(plain).to_csv(path("pandas.tsv"), index=False, sep="\t")
    pd.DataFrame(columns).to_parquet(path("pandas.parquet"))
    pd.DataFrame(columns).to_json(path("pandas.jsonl"), orient="records", lines=True, double_precision=15)
    pl.DataFrame(plain).write_csv(path("polars.csv"))
    pl.DataFrame(columns).write_parquet(path("polars.parquet"))
    pl.DataFrame(columns).write_ndjson(path("polars.jsonl"))
    pa.csv.write_csv(flat_table, path("pyarrow.csv"))
    pa.parquet.write_table(whole, path("pyarrow.parquet"), row_group_size=37)
    pa.parquet.write_table(whole, path("pyarrow-brotli.parquet"), compression="brotli", use_dictionary=False)
    (folder / "hive").mkdir()
    pa.parquet.write_to_dataset(whole.append_column("day", pa.array([e % 3 for e in columns["episode"]])), path("hive"),
                                partition_cols=["day"])
    for name in "duckdb.csv", "duckdb.parquet":
        duckdb.sql(f"copy (select * from {'flat_table' if name.endswith('csv') else 'whole'}) to '{path(name)}'")
    duckdb.sql(f"copy (select * from whole) to '{path('duckdb.jsonl')}' (format json)")
    # The program's library may be older than the one that is here.
    duckdb.sql(f"attach '{path('logs.duckdb')}' as base (storage_version 'v1.0.0')")
    duckdb.sql("create table base.steps as select * from whole")
    duckdb.sql("detach base")
    arrays = {name: np.array(values) for name, values in columns.items()}
    np.savez(path("numpy.npz"), **arrays)
    np.savez_compressed(path("numpy-packed.npz"), **arrays)
    np.savez(path("numpy-single.npz"), **dict(arrays, state=arrays["state"].astype("f4")))
    return sorted(p for p in folder.iterdir())


def decimals_of_77_digits(program, folder, columns):
    """DuckDB makes other numbers of them without a word (1.5.6 does): refused by name, where they play a role."""
    table = pa.table(flat(columns))
    rewards = pa.array([decimal.Decimal(repr(round(float(x), 4))) for x in columns["reward"]], pa.decimal256(60, 4))
    place = table.schema.get_field_index("reward")
    path = folder / "decimal256.parquet"
    pa.parquet.write_table(table.set_column(place, "reward", rewards), path)
    done = subprocess.run([program, "convert", path, folder / "d.csv"], capture_output=True, text=True)
    refused = done.returncode == 1 and "column 'reward': holds decimals of more than 38 digits" in done.stderr
    pa.parquet.write_table(table.append_column("note", rewards), path)
    beside = subprocess.run([program, "convert", path, folder / "d.csv"], capture_output=True, text=True)
    return refused and beside.returncode == 0 and (folder / "d.csv").read_text() == expected(columns)


def main():
    program = pathlib.Path(sys.argv[1]).resolve()
    columns = logs()
    text = expected(columns)
    wrong = all_files = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for path in files(folder, columns):
            all_files += 1
            out = folder / "out" / "out.csv"
            out.parent.mkdir(exist_ok=True)
            done = subprocess.run([program, "convert", path, out], capture_output=True, text=True)
            if done.returncode != 0:
                print(f"{path.name}: {done.stderr}")
                wrong += 1
                continue
            got, wanted = out.read_text(), text
            if path.name == "hive":  # files of three days: episodes in another order
                got, wanted = (sorted(each.splitlines()) for each in (got, wanted))
            if got != wanted:
                wrong += 1
                print(f"{path.name}: {[pair for pair in zip(got.splitlines(), wanted.splitlines()) if pair[0] != pair[1]][:1]}")
        if not decimals_of_77_digits(program, folder / "out", columns):
            print("decimals of more than 38 digits are not refused")
            wrong += 1
        all_files += 1
    print(f"{all_files - wrong} of {all_files} files read as they are")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
