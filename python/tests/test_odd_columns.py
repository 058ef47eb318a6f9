"""Columns as people really have them: every type that can hold a number, an id or a time, and what has to be refused."""

import datetime
import decimal
import uuid
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from conftest import Array, known

import starope as so

NAMES = ["naive", "wis", "wpdis"]
TARGET = np.array([0.75, 0.25, 0.5, 0.25, 0.75, 0.75, 0.25, 0.5])


def plain() -> dict[str, Array]:
    """Three episodes of 3, 1 and 4 steps, with two features, of which one is whole."""
    return {"episode": np.array([7, 7, 7, 8, 9, 9, 9, 9]), "t": np.array([0, 1, 2, 0, 0, 1, 2, 3]), "hr": np.array([60.0, 64, 70, 90, 55, 80, 81, 77]),
            "bp": np.array([1.0, 0, 1, 1, 0, 0, 1, 0]), "action": np.array([0, 1, 2, 1, 0, 0, 1, 2]),
            "reward": np.array([1.0, 2, 0, 4, 1, 0, 3, 8]), "behavior_prob": np.full(8, 0.5), "target_prob": TARGET}


def answers(logs: Any, **how: Any) -> list[Any]:
    given: dict[str, Any] = {"state": ["hr", "bp"]} | how
    e = so.evaluate(logs, estimators=NAMES, **given)
    return [(each.value, each.std_error, each.ess) for each in e.estimates]


EXPECTED = answers(plain())


@pytest.mark.parametrize("dtype", ["int8", "int16", "uint8", "uint16", "uint32", "int32", "int64", "uint64"])
def test_whole_numbers_of_any_width(dtype: str) -> None:
    columns = plain() | {name: plain()[name].astype(dtype) for name in ("episode", "t", "action", "reward", "bp")}
    for table in (columns, pd.DataFrame(columns), pl.DataFrame(columns), pa.table(columns)):
        assert answers(table) == EXPECTED


def test_halves_truth_values_and_decimals() -> None:
    exact = {"hr": np.float16, "reward": np.float16, "behavior_prob": np.float32, "target_prob": np.float16}
    columns = plain() | {name: plain()[name].astype(kind) for name, kind in exact.items()} | {"bp": plain()["bp"].astype(bool)}
    for table in (columns, pd.DataFrame(columns), pa.table(columns)):
        assert answers(table) == EXPECTED
    decimals = plain() | {name: np.array([decimal.Decimal(str(each)) for each in plain()[name]], dtype=object) for name in ("reward", "target_prob", "hr")}
    for other in (decimals, pd.DataFrame(decimals), pl.DataFrame({name: values.tolist() for name, values in decimals.items()})):
        assert answers(other) == EXPECTED


def test_truth_values_are_two_actions() -> None:
    columns = plain() | {"action": plain()["action"] > 0}
    expected = answers(plain() | {"action": (plain()["action"] > 0).astype(int)})
    for action in (columns["action"], columns["action"].reshape(-1, 1), columns["action"].astype(object)):
        data = so.Dataset(columns | {"action": action}, state=["hr", "bp"])
        assert data.action_count == 2 and answers(columns | {"action": action}) == expected
    for table in (pd.DataFrame(columns), pd.DataFrame(columns).astype({"action": "boolean"}), pl.DataFrame(columns)):
        assert so.Dataset(table, state=["hr", "bp"]).action_count == 2 and answers(table) == expected


@pytest.mark.parametrize("backend", ["numpy_nullable", "pyarrow"])
def test_frames_of_pandas_that_know_what_is_missing(backend: Any) -> None:
    frame: Any = pd.DataFrame(plain()).convert_dtypes(dtype_backend=backend)
    assert answers(frame) == EXPECTED
    # Their columns, given one by one.
    roles: dict[str, Any] = {name: frame[name] for name in ("episode", "t", "action", "reward", "behavior_prob")} | {"target": frame["target_prob"]}
    data = so.Dataset(state=[frame["hr"], frame["bp"]], **roles)
    assert data.action_count == 3, "actions are numbers of actions, and not real numbers"
    assert [each.value for each in so.evaluate(data, estimators=NAMES).estimates] == [each[0] for each in EXPECTED]
    frame.loc[4, "action"] = pd.NA
    with pytest.raises(so.DataError, match="row 4, column 'action': is empty"):
        answers(frame)
    with pytest.raises((so.InvalidArgument, so.DataError), match="row 4"):
        so.Dataset(state=[frame["hr"], frame["bp"]], action_kind="discrete", **(roles | {"action": frame["action"]}))


def test_missing_cells_of_any_table_are_named() -> None:
    for name in ("reward", "behavior_prob", "target_prob"):
        for missing in (None, np.nan):
            cells: list[Any] = plain()[name].tolist()
            cells[4] = missing
            columns: dict[str, Any] = {each: values.tolist() for each, values in plain().items()} | {name: cells}
            for table in (pd.DataFrame(columns), pl.DataFrame(columns, strict=False), pa.table(columns), {each: np.array(values) for each, values in columns.items()}):
                with pytest.raises((so.DataError, so.InvalidArgument), match=name) as raised:
                    answers(table)
                assert "row 4" in str(raised.value) or "episode 9, step 0" in str(raised.value), str(raised.value)


def test_categories_are_what_they_stand_for() -> None:
    frame: Any = pd.DataFrame(plain())
    for name in ("action", "bp", "episode"):
        assert answers(frame.assign(**{name: frame[name].astype("category")})) == EXPECTED
    words = frame.assign(action=pd.Categorical.from_codes(frame["action"], ["none", "low", "high"]))
    with pytest.raises(so.DataError, match="'action'.*not a number; an action is an integer id.*Number the actions from 0"):
        answers(words)


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_times(unit: str) -> None:
    start = np.datetime64("2031-05-06T07:08:09").astype(f"datetime64[{unit}]")
    # Nanoseconds apart: as floats they would be the same.
    times = start + plain()["t"].astype(f"timedelta64[{unit}]")
    columns = plain() | {"t": times}
    assert answers(columns) == EXPECTED
    back = times[::-1].copy()
    with pytest.raises(so.InvalidArgument, match="t: .* in row 1 does not come after"):
        answers(columns | {"t": back})
    missing = times.copy()
    missing[5] = np.datetime64("NaT")
    with pytest.raises(so.InvalidArgument, match="t: is missing in row 5"):
        answers(columns | {"t": missing})
    assert answers(columns | {"t": plain()["t"].astype(f"timedelta64[{unit}]")}) == EXPECTED
    if unit != "ns":  # tables compare times as doubles
        polars = pl.DataFrame(columns | {"t": times.astype("datetime64[ms]")}) if unit == "s" else pl.DataFrame(columns)
        for table in (pd.DataFrame(columns), polars, pa.table(columns)):
            assert answers(table) == EXPECTED


def test_times_with_a_zone() -> None:
    frame: Any = pd.DataFrame(plain())
    frame["t"] = pd.Timestamp("2031-03-30T00:30", tz="Europe/Berlin") + pd.to_timedelta(frame["t"], unit="h")  # an hour is missing in that night
    assert answers(frame) == EXPECTED
    assert answers({name: frame[name] for name in frame.columns}) == EXPECTED
    assert answers(plain() | {"t": np.array([each.to_pydatetime() for each in frame["t"]], dtype=object)}) == EXPECTED
    assert isinstance(frame["t"][0].to_pydatetime(), datetime.datetime)


def test_ids_of_episodes() -> None:
    ids = plain()["episode"]
    names = {7: uuid.UUID(int=7), 8: uuid.UUID(int=8), 9: uuid.UUID(int=9)}
    numbers = {7: -(2**63), 8: 2**63 - 1, 9: 2**63 - 2}  # neighbors that are one float
    for table in (names, {each: str(name) for each, name in names.items()}, numbers, {7: "λ", 8: "ü ,\"", 9: ""}, {7: b"a", 8: b"b", 9: b"c"}):
        given = [table[each] for each in ids]
        data = so.Dataset(plain() | {"episode": np.array(given, dtype=object)}, state=["hr", "bp"])
        assert data.episodes == 3 and answers(plain() | {"episode": np.array(given, dtype=object)}) == EXPECTED
        if isinstance(given[0], (str, int)):
            listed = so.Dataset(pl.DataFrame(plain() | {"episode": given}), state=["hr", "bp"])
            assert listed.episode_ids.tolist() == [table[7], table[8], table[9]] and listed.episodes == 3
            assert data.episode_ids.tolist() == listed.episode_ids.tolist()
    for beyond in (2**70, -(2**70)):
        with pytest.raises(so.InvalidArgument, match="episode: -?11805916207174113034.. is beyond"):
            answers(plain() | {"episode": [beyond + int(each) for each in ids]})
    for wrong in (ids + 2.0**53, ids * 1e300):  # pandas has such ids where others are missing
        with pytest.raises(so.InvalidArgument, match="episode: .* in row 0; is a float beyond 2\\^53, where neighbors are the same number"):
            answers(plain() | {"episode": wrong})
    with pytest.raises(so.InvalidArgument, match=r"episode: 7.5 in row 0; ids are whole numbers or texts"):
        answers(plain() | {"episode": ids + 0.5})


def test_a_float_that_cannot_tell_episodes_apart_is_refused_in_tables_too() -> None:
    frame: Any = pd.DataFrame(plain())
    frame["episode"] = 2.0**60 + frame["episode"]
    for table in (frame, pl.DataFrame(frame), pa.Table.from_pandas(frame)):
        with pytest.raises(so.DataError, match="column 'episode': .*2\\^53"):
            answers(table)


def test_how_arrays_lie_in_memory() -> None:
    columns = plain()
    states = np.stack([columns["hr"], columns["bp"]], axis=1)
    ways: list[Any] = [np.asfortranarray(states), np.repeat(states, 2, axis=0)[::2], states[::-1][::-1], np.hstack([states, states])[:, :2],
                       states.astype(">f8"), np.ascontiguousarray(states.T).T]
    read_only = states.copy()
    read_only.flags.writeable = False
    shifted = np.frombuffer(b"x" + states.tobytes(), dtype=np.float64, offset=1).reshape(-1, 2)
    for each in (*ways, read_only, shifted, states.reshape(-1, 2, 1), pd.DataFrame(states), torch_like(states)):
        given = {name: columns[name] for name in columns if name not in ("hr", "bp")}
        assert answers(given, state=each) == EXPECTED
    strided = {name: np.repeat(values, 3)[::3] for name, values in columns.items()}
    assert answers(strided) == EXPECTED
    records = np.array(list(zip(*columns.values())), dtype=[(name, values.dtype) for name, values in columns.items()])
    assert answers(records) == EXPECTED, "a column of a record has gaps"


def torch_like(values: Array) -> Any:
    class Tensor:
        def detach(self) -> Any:
            return self

        def cpu(self) -> Any:
            return self

        def numpy(self) -> Array:
            return values

    return Tensor()


def test_no_rows_and_one_row() -> None:
    none = {name: values[:0] for name, values in plain().items()}
    for table in (none, pd.DataFrame(none), pl.DataFrame(none), pa.table(none), duckdb.from_arrow(pa.table(none))):
        with pytest.raises((so.InvalidArgument, so.DataError), match="no rows"):
            answers(table)
    with pytest.raises(so.InvalidArgument):
        answers([])
    one = {name: values[:1] for name, values in plain().items()}
    for single in (one, pd.DataFrame(one), pl.DataFrame(one), pa.table(one), duckdb.from_arrow(pa.table(one))):
        assert so.evaluate(single, state=["hr", "bp"], estimators="naive").value == 1.0
    scalars = {name: values[0] for name, values in plain().items()}
    with pytest.raises(so.InvalidArgument, match="reward: has no rows"):
        answers(scalars)


def test_names_of_columns() -> None:
    frame: Any = pd.DataFrame(plain()).rename(columns={"reward": "récompense €", "action": "действие", "hr": "a b", "bp": "bp ", "target_prob": "π(a|s)"})
    roles = {"reward": "récompense €", "action": "действие", "state": ["a b", "bp "], "target": "π(a|s)"}
    for table in (frame, pl.DataFrame(frame), pa.Table.from_pandas(frame), {name: frame[name].to_numpy() for name in frame.columns}):
        assert answers(table, **roles) == EXPECTED
    twice: Any = pd.DataFrame(plain())
    twice.columns = ["episode", "t", "hr", "bp", "action", "reward", "behavior_prob", "reward"]
    with pytest.raises(so.Error, match="(?i)reward"):
        answers(twice, target=TARGET)
    arrow = pa.table(list(plain().values()), names=["episode", "t", "hr", "bp", "action", "reward", "behavior_prob", "reward"])
    with pytest.raises(so.Error, match="reward"):
        answers(arrow, target=TARGET)
    numbered = pd.DataFrame(plain()).set_axis(range(8), axis=1)
    assert answers(numbered, episode="0", t="1", state=["2", "3"], action="4", reward="5", behavior_prob="6", target="7") == EXPECTED


def test_an_index_is_columns() -> None:
    frame: Any = pd.DataFrame(plain())
    assert answers(frame.set_index(["episode", "t"])) == EXPECTED
    assert answers(frame.set_index("episode")) == EXPECTED
    assert answers(frame.set_index(pd.Index(np.arange(8)[::-1], name="row"))) == EXPECTED
    levels: Any = frame.copy()
    levels.columns = pd.MultiIndex.from_tuples([("log", name) for name in frame.columns])
    with pytest.raises(so.Error, match="episode"):
        answers(levels)


def test_what_lies_in_objects() -> None:
    strange = np.array([object() for _ in range(8)], dtype=object)
    for name in ("reward", "behavior_prob", "action"):
        with pytest.raises(so.WrongType, match=f"{name}: objects that are no numbers"):
            answers(plain() | {name: strange})
        with pytest.raises(so.Error):
            answers(pd.DataFrame(plain()).assign(**{name: strange}))
    for dtype in (complex, "datetime64[s]"):
        with pytest.raises(so.WrongType, match="reward: values of the type"):
            answers(plain() | {"reward": plain()["reward"].astype("int64").astype(dtype)})
    mixed = plain() | {"reward": np.array([1, 2.0, np.float32(0), decimal.Decimal(4), True, False, "3", 8], dtype=object)}
    assert answers(mixed) == EXPECTED


def test_flags() -> None:
    columns = plain()
    last = np.array([0, 0, 1, 1, 0, 0, 0, 1])
    whole = answers(columns | {"terminated": last.astype(bool)})
    for dtype in (int, "uint8", float, object):
        assert answers(columns | {"terminated": last.astype(dtype)}) == whole
        assert answers(pd.DataFrame(columns).assign(terminated=last.astype(dtype))) == whole
    for wrong in (last * 2, last.astype(float) * np.nan, last - 1):
        for table in (columns | {"terminated": wrong}, pd.DataFrame(columns).assign(terminated=wrong)):
            with pytest.raises((so.InvalidArgument, so.DataError), match="terminated"):
                answers(table)
    with pytest.raises(so.WrongType, match="terminated: texts"):
        answers(columns | {"terminated": np.where(last, "True", "False")})
    assert answers(pd.DataFrame(columns).assign(terminated=np.where(last, "true", "false"))) == whole


def test_wholes_that_are_none() -> None:
    columns = plain()
    for wrong, words in ((columns["action"] + 0.5, "0.5 in row 0"), (np.where(columns["t"] == 2, np.inf, 1.0), "inf in row 2"),
                         (np.where(columns["t"] == 2, np.nan, 1.0), "is missing in row 2")):
        with pytest.raises(so.InvalidArgument, match=f"action: {words}; action_kind is 'discrete'"):
            answers(columns | {"action": wrong}, action_kind="discrete")
        with pytest.raises(so.InvalidArgument, match=f"state: {words}; state_kind is 'discrete'"):
            answers(columns, state=wrong, state_kind="discrete")
    with pytest.raises(so.InvalidArgument, match="offsets: 3.5 in row 1; offsets are whole numbers"):
        answers({name: values for name, values in columns.items() if name != "episode"}, offsets=[0, 3.5, 8])
    with pytest.raises(so.WrongType, match="offsets: .*whole numbers are needed"):
        answers({name: values for name, values in columns.items() if name != "episode"}, offsets=["0", "8"])
    with pytest.raises(so.InvalidArgument, match="action: action_kind is 'discrete', but the shape"):
        answers(columns | {"action": np.zeros((8, 2))}, action_kind="discrete")
    with pytest.raises(so.InvalidArgument, match="2 numbers in each row"):
        answers(columns, state=np.zeros((8, 2)), state_kind="discrete")


def test_offsets_and_ids_must_agree() -> None:
    columns = plain()
    offsets = [0, 3, 4, 8]
    assert answers(columns, offsets=offsets) == EXPECTED
    assert answers(columns | {"episode": [7, 8, 9]}, offsets=offsets) == EXPECTED
    assert answers({name: values for name, values in columns.items() if name != "episode"} | {"offsets": offsets}) == EXPECTED
    with pytest.raises(so.InvalidArgument, match="episode: 8 in row 3, inside an episode that the offsets say begins with 7"):
        answers(columns, offsets=[0, 4, 8])
    with pytest.raises(so.InvalidArgument, match="episode: 7 is the id of two episodes"):
        answers(columns, offsets=[0, 1, 3, 4, 8])
    with pytest.raises(so.InvalidArgument, match="episode: 2 ids; one for each of the 3 episodes"):
        answers(columns | {"episode": [7, 8]}, offsets=offsets)


def shuffled(seed: int) -> tuple[Array, dict[str, Array]]:
    order = np.random.default_rng(seed).permutation(8)
    return order, {name: values[order] for name, values in plain().items()}


def test_rows_in_any_order() -> None:
    """By episode and by time, whoever holds them; and what stands beside a table goes with its rows."""
    expected = dict(zip(NAMES, EXPECTED))
    wards = np.array(["home", "icu", "home"])
    by_ward: dict[str, Any] = {each.group.replace("group", "ward"): (each.episodes, pytest.approx(each.value, rel=1e-12))
               for each in so.evaluate(plain(), state=["hr", "bp"], estimators="wpdis", by=wards).groups}
    assert list(by_ward) == ["ward = home", "ward = icu"] and by_ward["ward = icu"][0] == 1
    for seed in range(6):
        order, mixed = shuffled(seed)
        bare = {name: values for name, values in mixed.items() if name != "target_prob"}
        for make in (dict, pd.DataFrame, pl.DataFrame, pa.table):
            ways: list[tuple[Any, dict[str, Any]]] = [(make(mixed), {}), (make(bare), {"target": mixed["target_prob"]}),
                                                      (make(bare), {"target": pd.Series(mixed["target_prob"])})]
            for logs, how in ways:
                e = so.evaluate(logs, state=["hr", "bp"], sort=True, estimators=NAMES, **how)
                for name in NAMES:
                    assert e[name].value == pytest.approx(expected[name][0], rel=1e-12), (make, how)
                with pytest.raises(so.Error):
                    so.evaluate(logs, state=["hr", "bp"], estimators=NAMES, **how)
        ward = np.where(plain()["episode"] == 8, "icu", "home")[order]
        for logs in (pd.DataFrame(mixed | {"ward": ward}), mixed | {"ward": ward}, pl.DataFrame(mixed | {"ward": ward})):
            groups = so.evaluate(logs, state=["hr", "bp"], sort=True, estimators="wpdis", by="ward").groups
            assert {each.group: (each.episodes, each.value) for each in groups} == by_ward, order


def test_groups_where_states_after_the_last_step_are_rows() -> None:
    frame: Any = pd.DataFrame(plain()).assign(truncated=0)
    frame.loc[7, "truncated"] = 1
    behind = pd.DataFrame({"episode": [9], "t": [4], "hr": [50.0], "bp": [1.0]})
    frame = pd.concat([frame, behind.assign(truncated=0)], ignore_index=True)
    frame["ward"] = np.where(frame["episode"] == 8, "icu", "home")
    data = so.Dataset(frame, state=["hr", "bp"])
    assert data.steps == 8 and data.episodes == 3
    groups = so.evaluate(frame, state=["hr", "bp"], estimators="wpdis", by="ward").groups
    assert {each.group: each.episodes for each in groups} == {"ward = home": 2, "ward = icu": 1}
    beside = np.append(TARGET, 0.0)
    same = so.evaluate(frame.drop(columns="target_prob"), state=["hr", "bp"], target=beside, estimators="wis")
    assert same.value == so.evaluate(frame, state=["hr", "bp"], estimators="wis").value


def test_episodes_of_a_list_may_name_their_columns_in_any_order() -> None:
    columns = plain()
    parts = [{name: values[first:last] for name, values in columns.items() if name != "episode"} for first, last in ((0, 3), (3, 4), (4, 8))]
    parts[1] = dict(reversed(parts[1].items()))
    assert answers(parts) == EXPECTED
    assert known(so.Dataset(parts, state=["hr", "bp"]).target_prob).tolist() == TARGET.tolist()
