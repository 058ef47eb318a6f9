"""Reads what pyarrow, polars, pandas and duckdb really hand out, and compares with the same logs as text.

    build/venv/bin/python tests/ecosystem/check_arrow.py build
"""

import ctypes
import pathlib
import sys

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa

EPISODES = [0, 0, 0, 1, 1, 2, 2, 2, 2, 3] * 20
ROWS = len(EPISODES)


def logs():
    """Plain Python columns: 80 episodes of 1 to 4 steps."""
    episode, t = [], []
    for i, each in enumerate(EPISODES):
        episode.append(4 * (i // 10) + each)
        t.append(t[-1] + 1 if i and episode[-2] == episode[-1] else 0)
    return {
        "episode": episode,
        "t": t,
        "state": [[(7 * i) % 11 / 8, (3 * i) % 5 / 4, -i / 16] for i in range(ROWS)],
        "action": [i % 2 for i in range(ROWS)],
        "reward": [(5 * i) % 13 / 4 for i in range(ROWS)],
        "behavior_prob": [0.5] * ROWS,
        "target_prob": [0.25 if i % 3 else 0.75 for i in range(ROWS)],
        "terminated": [i + 1 == ROWS or episode[i] != episode[i + 1] for i in range(ROWS)],
    }


def expected(columns):
    lines = ["episode,t,state_0,state_1,state_2,action,reward,behavior_prob,target_prob,terminated,truncated"]
    number = lambda x: repr(x).removesuffix(".0")
    for i in range(ROWS):
        state = ",".join(number(x) for x in columns["state"][i])
        lines.append(f"{columns['episode'][i]},{columns['t'][i]},{state},{columns['action'][i]},"
                     f"{number(columns['reward'][i])},{columns['behavior_prob'][i]},{columns['target_prob'][i]},"
                     f"{int(columns['terminated'][i])},0")
    return "\n".join(lines) + "\n"


class Door:
    def __init__(self, build):
        path = next(pathlib.Path(build).rglob("libstarope_arrow_door.so"))
        self.csv = ctypes.CDLL(str(path)).starope_arrow_csv
        self.csv.restype = ctypes.c_long
        self.csv.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_long]
        self.pointer = ctypes.pythonapi.PyCapsule_GetPointer
        self.pointer.restype = ctypes.c_void_p
        self.pointer.argtypes = [ctypes.py_object, ctypes.c_char_p]

    def read(self, table, blocks=False, state=""):
        capsule = table.__arrow_c_stream__()
        room = ctypes.create_string_buffer(1 << 20)
        stream = self.pointer(capsule, b"arrow_array_stream")
        self.csv(stream, int(blocks), state.encode(), room, len(room))
        return room.value.decode()


def tables(columns):
    """Name and table of every way we know to hand these logs over."""
    plain = pa.table(columns)
    yield "pyarrow table", plain
    yield "pyarrow batches", pa.Table.from_batches(plain.to_batches(max_chunksize=7))
    yield "pyarrow slices", pa.concat_tables([plain.slice(0, 33), plain.slice(33, 0), plain.slice(33)])
    yield "pyarrow reader", pa.RecordBatchReader.from_batches(plain.schema, plain.to_batches(max_chunksize=50))
    state = pa.FixedSizeListArray.from_arrays(pa.array([x for row in columns["state"] for x in row]), 3)
    yield "pyarrow fixed lists", plain.set_column(2, "state", state)
    yield "pyarrow fixed lists, sliced", pa.concat_tables(
        [plain.set_column(2, "state", state).slice(0, 41), plain.set_column(2, "state", state).slice(41)])
    yield "pyarrow large lists", plain.set_column(2, "state", plain["state"].cast(pa.large_list(pa.float64())))
    for kind in pa.int8(), pa.uint8(), pa.int16(), pa.uint16(), pa.int32(), pa.uint32(), pa.int64(), pa.uint64():
        yield f"pyarrow actions {kind}", plain.set_column(3, "action", plain["action"].cast(kind))
    for kind in pa.float32(), pa.float16(), pa.decimal128(9, 2), pa.decimal256(40, 2), pa.string(), pa.large_string():
        yield f"pyarrow rewards {kind}", plain.set_column(4, "reward", plain["reward"].cast(kind))
    yield "pyarrow timestamps as t", plain.set_column(1, "t", plain["t"].cast(pa.int64()).cast(pa.timestamp("us")))
    yield "pyarrow names in dictionaries", plain.set_column(
        0, "episode", plain["episode"].cast(pa.string()).dictionary_encode())
    yield "pyarrow string views", plain.set_column(0, "episode", plain["episode"].cast(pa.string_view()))
    frame = pl.DataFrame(columns)
    yield "polars", frame
    yield "polars, several chunks", pl.concat([frame[:50], frame[50:]], rechunk=False)
    yield "polars arrays", frame.with_columns(pl.col("state").list.to_array(3))
    yield "polars strings", frame.with_columns(pl.col("episode").cast(pl.String))
    yield "polars categories", frame.with_columns(pl.col("episode").cast(pl.String).cast(pl.Categorical))
    yield "polars decimals", frame.with_columns(pl.col("reward").cast(pl.Decimal(10, 2)))
    table = pd.DataFrame(columns)
    yield "pandas", table
    yield "pandas strings", table.assign(episode=table["episode"].astype("str"))
    yield "pandas categories", table.assign(episode=table["episode"].astype("str").astype("category"))
    yield "pandas nullable", table.convert_dtypes()
    yield "pandas slices", table.iloc[0:ROWS]
    yield "duckdb", duckdb.sql("select * from plain")
    yield "duckdb arrays", duckdb.sql("select * replace (state::double[3] as state) from plain")
    yield "duckdb strings", duckdb.sql("select * replace (episode::varchar as episode) from plain")
    yield "duckdb hugeints", duckdb.sql("select * replace (action::hugeint as action, t::hugeint as t) from plain")
    yield "duckdb decimals", duckdb.sql("select * replace (reward::decimal(9, 2) as reward) from plain")
    yield "duckdb enums", duckdb.sql("select * replace ((case action when 0 then '0' else '1' end)::enum ('0', '1') as action) from plain")


def final_states(door):
    """An episode that was cut, and the state after it: nulls here, NaN there, and integers that became floats."""
    columns = {
        "episode": ["a", "a", "a"], "state": [1.5, 2.5, 3.5], "action": [1, 0, None], "reward": [1.0, 2.0, None],
        "behavior_prob": [0.5, 0.5, None], "target_prob": [0.5, 0.25, None], "truncated": [False, True, False]}
    text = ("episode,t,state_0,action,reward,behavior_prob,target_prob,terminated,truncated\n"
            "a,0,1.5,1,1,0.5,0.5,0,0\na,1,2.5,0,2,0.5,0.25,0,1\na,2,3.5,,,,,0,0\n")
    for name, table in (("pyarrow", pa.table(columns)), ("polars", pl.DataFrame(columns)), ("pandas", pd.DataFrame(columns)),
                        ("pandas, types of its own", pd.DataFrame(columns).convert_dtypes())):
        yield f"final state, {name}", door.read(table), text


def main():
    door = Door(sys.argv[1])
    columns = logs()
    text = expected(columns)
    wrong = 0
    checks = [(name, door.read(table), text) for name, table in tables(columns)]
    checks += [(f"{name}, in blocks", door.read(table, blocks=True), text) for name, table in tables(columns)]
    checks += final_states(door)
    for name, got, wanted in checks:
        if got == wanted:
            continue
        wrong += 1
        difference = next((pair for pair in zip(got.splitlines(), wanted.splitlines()) if pair[0] != pair[1]), (got[:300], ""))
        print(f"{name}: {difference[0]!r} instead of {difference[1]!r}")
    print(f"{len(checks) - wrong} of {len(checks)} streams read as they are")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
