"""Logs from tables, arrays and files: the same answers, to the bit, and errors that say what to do."""

import pickle
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from conftest import Columns, known

import starope as so

ESTIMATORS = ["naive", "wis", "wpdis", "star(clusters=4,clip=2)", "fqe(features=linear)", "dr(q=qreg)"]


def answers(*args: Any, **options: Any) -> dict[str, Any]:
    """Everything but the name of the logs, which differs."""
    found = so.evaluate(*args, estimators=options.pop("estimators", ESTIMATORS), **options).to_dict()
    found["data"].pop("file", None)
    return found


def tables(columns: Columns) -> Iterator[tuple[str, Any]]:
    frame = pd.DataFrame(columns)
    plain = pa.Table.from_pandas(frame)  # noqa: F841: DuckDB finds it by its name
    yield "pandas", frame
    yield "polars", pl.DataFrame(frame.to_dict("list"))
    yield "pyarrow", plain
    yield "pyarrow batches", pa.RecordBatchReader.from_batches(plain.schema, plain.to_batches(max_chunksize=50))
    yield "duckdb", duckdb.sql("select * from plain")
    yield "mapping", dict(columns)
    yield "structured array", frame.to_records(index=False)


def test_every_kind_of_table_gives_the_same_bits(cartpole: so.Dataset, columns: Columns, tmp_path: Path) -> None:
    expected = answers(cartpole)
    assert all("value" in each for each in expected["estimates"]), "every estimator answers on these logs"
    path = tmp_path / "logs.csv"
    cartpole.write(path, final_states=False)
    # The table has no final states; neither shall the data set that it is compared with.
    expected = answers(so.Dataset(dict(columns)))
    for name, table in tables(columns):
        assert answers(table) == expected, name
    assert answers(path) == expected
    assert answers(str(path)) == expected


def test_columns_by_other_names(columns: Columns) -> None:
    expected = answers(dict(columns))
    names = {"episode": "stay", "t": "hour", "action": "a", "reward": "r", "behavior_prob": "pb", "target_prob": "pe",
             "state_0": "hr", "state_1": "bp", "state_2": "x", "state_3": "y", "behavior_probs_0": "b_0", "behavior_probs_1": "b_1",
             "target_probs_0": "e_0", "target_probs_1": "e_1", "terminated": "done", "truncated": "cut"}
    renamed = {names[name]: values for name, values in columns.items()}
    roles = {"episode": "stay", "t": "hour", "action": "a", "reward": "r", "behavior_prob": "pb", "behavior_probs": "b",
             "state": ["hr", "bp", "x", "y"], "terminated": "done", "truncated": "cut"}
    for name, table in tables(renamed):
        if name != "pyarrow batches":  # can be read once only
            assert answers(table, target="e", **roles, estimators=ESTIMATORS[4:])["estimates"] == expected["estimates"][4:], name
        assert answers(table, target="pe", **roles, estimators=ESTIMATORS[:4])["estimates"] == expected["estimates"][:4], name
    assert answers(renamed, target="pe", **roles, estimators=ESTIMATORS[:4])["estimates"] == expected["estimates"][:4]


def test_arrays_as_they_are(cartpole: so.Dataset) -> None:
    expected = answers(cartpole)
    given = {"state": cartpole.states, "action": cartpole.actions, "reward": cartpole.rewards, "offsets": cartpole.offsets,
             "behavior_probs": cartpole.behavior_probs, "truncated": cartpole.truncated}
    final = known(cartpole._state_rows())[cartpole.steps:]
    assert answers(None, target=cartpole.target_probs, final_state=final, **given) == expected
    assert answers(target=cartpole.target_probs, final_state=final, **given) == expected


def test_a_list_of_episodes(cartpole: so.Dataset) -> None:
    o = cartpole.offsets
    parts = [{"state": known(cartpole.states)[a:b], "action": known(cartpole.actions)[a:b], "reward": cartpole.rewards[a:b],
              "behavior_prob": known(cartpole.behavior_prob)[a:b], "target_prob": known(cartpole.target_prob)[a:b]} for a, b in zip(o[:-1], o[1:])]
    whole = so.Dataset(state=cartpole.states, action=cartpole.actions, reward=cartpole.rewards, offsets=o,
                       behavior_prob=cartpole.behavior_prob, target=cartpole.target_prob)
    names = ["wpdis", "star(clusters=4,clip=2)"]
    assert answers(parts, estimators=names) == answers(whole, estimators=names)


def test_numbers_computed_by_hand(small: Columns) -> None:
    e = so.evaluate(small, estimators=["naive", "is", "wis", "pdis", "wpdis"], gamma=0.5)
    ratio = [1.5, 0.5, 0.5, 1.5, 1.5, 0.5]
    returns = [1 + 1.0, 4.0, 0.5 + 0.125 + 2.0]
    weights = [ratio[0] * ratio[1], ratio[2], ratio[3] * ratio[4] * ratio[5]]
    assert e["naive"].value == pytest.approx(sum(returns) / 3, abs=1e-15)
    assert e["is"].value == pytest.approx(sum(w * g for w, g in zip(weights, returns)) / 3, abs=1e-15)
    assert e["wis"].value == pytest.approx(sum(w * g for w, g in zip(weights, returns)) / sum(weights), abs=1e-15)
    decided = (1.5 * 1 + 0.5 * 0.75 * 2) + 0.5 * 4 + (1.5 * 0.5 + 0.5 * 2.25 * 0.25 + 0.25 * 1.125 * 8)
    assert e["pdis"].value == pytest.approx(decided / 3, abs=1e-15)


def test_float32_states_are_the_same_numbers(cartpole: so.Dataset) -> None:
    single = known(cartpole.states).astype(np.float32)
    common: dict[str, Any] = {"action": cartpole.actions, "reward": cartpole.rewards, "offsets": cartpole.offsets,
              "behavior_prob": cartpole.behavior_prob, "target": cartpole.target_prob}
    assert answers(state=single, **common, estimators=["star(clusters=4)"]) == answers(
        state=single.astype(np.float64), **common, estimators=["star(clusters=4)"])
    assert known(so.Dataset(state=single, **common).states).dtype == np.float32


def test_truth_values_are_bits_as_in_archives(tmp_path: Path) -> None:
    asterix = so.simulate("asterix", episodes=4, horizon=12, seed=1)
    assert known(asterix.states).dtype == bool
    again = so.Dataset(state=asterix.states, action=asterix.actions, reward=asterix.rewards, offsets=asterix.offsets,
                       behavior_prob=asterix.behavior_prob, target=asterix.target_prob)
    assert np.array_equal(known(again.states), known(asterix.states))
    names = ["star(clusters=3)"]
    asterix.write(tmp_path / "a.npz", final_states=False)
    from_file = so.evaluate(tmp_path / "a.npz", estimators=names).estimates[0].value
    assert so.evaluate(again, estimators=names, ).estimates[0].value == pytest.approx(from_file, abs=0)


def test_sorting_and_scattered_rows(small: Columns) -> None:
    order = np.array([2, 0, 3, 1, 4, 5])
    scattered = {name: values[order] for name, values in small.items()}
    with pytest.raises(so.InvalidArgument, match="episode 7 are not together.*sort=True"):
        so.evaluate(scattered)
    assert so.evaluate(scattered, sort=True, estimators="wpdis").value == so.evaluate(small, estimators="wpdis").value
    # And by the core's own reader.
    frame = pd.DataFrame(scattered | {"t": [0, 0, 0, 1, 1, 2]})
    assert so.evaluate(frame, sort=True, estimators="wpdis").value == so.evaluate(small, estimators="wpdis").value


def test_text_ids(small: Columns) -> None:
    named = small | {"episode": np.array(["a", "a", "b", "c", "c", "c"])}
    data = so.Dataset(named)
    assert list(data.episode_ids) == ["a", "b", "c"]
    assert so.evaluate(data, estimators="wis").value == so.evaluate(small, estimators="wis").value


@pytest.mark.parametrize(("change", "error", "words"), [
    ({"reward": np.array([1, 2, np.nan, 0, 0, 0])}, so.DataError, ["reward", "8", "finite"]),
    ({"behavior_prob": np.array([0.5, 0.5, 0.0, 0.5, 0.5, 0.5])}, so.DataError, ["behavior_prob", "8"]),
    ({"target_prob": np.array([0.5, 1.5, 0.5, 0.5, 0.5, 0.5])}, so.DataError, ["target_prob", "1.5"]),
    ({"action": np.array([0, 1, -1, 0, 0, 1])}, so.InvalidArgument, ["action", "-1"]),
    ({"reward": np.ones(5)}, so.InvalidArgument, ["episode", "6 ids for 5 steps"]),
    ({"reward": np.array(["1"] * 6, dtype=object) * 1}, so.WrongType, ["reward"]),
    ({"state": np.array(["x"] * 6)}, so.WrongType, ["state", "numpy.unique"]),
    ({"t": np.array([0, 0, 0, 0, 1, 2])}, so.InvalidArgument, ["t: 0 in row 1", "increase"]),
    ({"terminated": np.array([1, 1, 1, 0, 0, 1])}, so.InvalidArgument, ["terminated", "row 0"]),
    ({"reward": np.array([1 + 1j] * 6)}, so.WrongType, ["reward", "complex128"]),
    ({"episode": np.array([2**63] * 6, dtype=np.uint64)}, so.InvalidArgument, ["episode", str(2**63)]),
])
def test_what_is_wrong_is_named(small: Columns, change: Columns, error: type[Exception], words: list[str]) -> None:
    with pytest.raises(error) as raised:
        so.evaluate(small | change, estimators="wis")
    for word in words:
        assert word in str(raised.value), str(raised.value)
    assert isinstance(raised.value, (ValueError, TypeError))


def test_places_of_wrong_data_are_attributes(small: Columns, tmp_path: Path) -> None:
    path = tmp_path / "bad.csv"
    path.write_text("episode,reward,behavior_prob,target_prob\n1,2,0.5,0.5\n1,x,0.5,0.5\n")
    with pytest.raises(so.DataError) as raised:
        so.evaluate(path)
    error = raised.value
    assert (error.row, error.column, error.value) == (3, "reward", "x")
    assert error.file == str(path) and error.rule and error.remedy and error.code == "bad_number"


@pytest.mark.parametrize(("logs", "words"), [
    (pl.DataFrame({"a": [1]}).lazy(), "collect"),
    (42, "int"),
    ({}, "reward"),
    ([], "list"),
])
def test_what_is_no_logs(logs: Any, words: str) -> None:
    with pytest.raises((so.WrongType, so.InvalidArgument), match=words):
        so.evaluate(logs)


def test_a_missing_file_and_a_missing_column(small: Columns) -> None:
    with pytest.raises(so.FileError) as raised:
        so.evaluate("nowhere.csv")
    assert isinstance(raised.value, OSError) and isinstance(raised.value, ValueError)
    with pytest.raises(so.InvalidArgument, match="'gain'.*There are: episode, state"):
        so.evaluate(small, reward="gain")
    with pytest.raises(so.DataError, match="gain"):
        so.evaluate(pd.DataFrame(small), reward="gain")


def test_offsets_are_checked(small: Columns) -> None:
    table = {name: values for name, values in small.items() if name != "episode"}
    assert so.Dataset(table, offsets=[0, 2, 3, 6]).episodes == 3
    for wrong, words in (([0, 2, 2, 6], "episode 1 has no steps"), ([0, 2, 5], "from 0 to 6"), ([1, 6], "from 0 to 6")):
        with pytest.raises(so.InvalidArgument, match=words):
            so.Dataset(table, offsets=wrong)


def test_a_dataset_is_read_once_and_asked_often(cartpole: so.Dataset) -> None:
    assert len(cartpole) == cartpole.episodes == 60
    part = cartpole.take([3, 5, 5])
    assert part.episodes == 3
    lengths = np.diff(cartpole.offsets)
    assert part.steps == lengths[3] + 2 * lengths[5]
    with pytest.raises(so.InvalidArgument, match="0..59"):
        cartpole.take([60])
    with pytest.raises(so.InvalidArgument, match="reward.*Dataset"):
        so.evaluate(cartpole, reward="r")
    again = pickle.loads(pickle.dumps(cartpole))
    assert answers(again) == answers(cartpole)
    assert repr(again) == "<starope.Dataset: 60 episodes, %s steps of cartpole>" % f"{cartpole.steps:,}"


def test_a_frame_and_back(cartpole: so.Dataset) -> None:
    frame = cartpole.to_frame()
    assert list(frame.columns)[:3] == ["episode", "t", "state_0"]
    assert so.evaluate(frame, estimators="wpdis").value == so.evaluate(cartpole, estimators="wpdis").value


def test_views_cannot_be_changed_and_outlive_their_data() -> None:
    data = so.simulate("chain", episodes=3) if any(each["name"] == "chain" for each in so.domains()) else so.simulate("cartpole", episodes=3)
    rewards = data.rewards
    before = rewards.copy()
    del data
    assert np.array_equal(rewards, before)
    with pytest.raises(ValueError, match="read-only"):
        rewards[0] = 1.0


def test_final_states_reach_the_core(cartpole: so.Dataset) -> None:
    cut = so.simulate("cartpole", episodes=30, horizon=8, seed=1)
    rows = known(cut._state_rows())
    assert len(rows) == cut.steps + cut.truncated.sum()
    with pytest.raises(so.InvalidArgument, match="final_state: 2 rows"):
        so.Dataset(state=cut.states, reward=cut.rewards, offsets=cut.offsets, truncated=cut.truncated, behavior_prob=cut.behavior_prob,
                   target=known(cut.target_prob), final_state=rows[:2])


def test_episodes_are_taken_by_number_or_by_truth(cartpole: so.Dataset) -> None:
    """Truth values were numbers once: the episodes 0 and 1, many times over."""
    chosen = np.arange(cartpole.episodes) % 3 == 0
    assert cartpole.take(chosen).episode_ids.tolist() == cartpole.take(np.flatnonzero(chosen)).episode_ids.tolist() == cartpole.episode_ids[chosen].tolist()
    with pytest.raises(so.InvalidArgument, match="3 truth values; one for each of the 60 episodes"):
        cartpole.take([True, False, True])
    with pytest.raises(so.InvalidArgument, match="1.5 in row 0"):
        cartpole.take([1.5])
    with pytest.raises(so.WrongType, match="whole numbers are needed"):
        cartpole.take(["a"])


def test_a_pickled_data_set_keeps_what_its_reader_said(columns: Columns) -> None:
    open_end = columns["terminated"].copy()
    open_end[-1] = False
    data = so.Dataset(pd.DataFrame(columns | {"terminated": open_end, "unused": 1}))
    again = pickle.loads(pickle.dumps(data))
    for logs in (data, again):
        e = so.evaluate(logs, estimators="wis")
        assert "unmarked_end" in [each.code for each in e.findings]
    assert so.evaluate(again, estimators="wis").to_json() == so.evaluate(data, estimators="wis").to_json()
    assert so.inspect(again).to_json() == so.inspect(data).to_json()
