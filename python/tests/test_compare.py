"""Several policies on the same logs: the program's answer, to the bit; policies may be functions too."""

import json
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from conftest import Array, Policy, known
from test_results import Checker, program

import starope as so

STAR = "star(clusters=8,clip=2,truncation=censor)"


def follow(sharp: float) -> Policy:
    def policy(states: Array) -> Array:
        right = 1 / (1 + np.exp(-sharp * (states[:, 2] + states[:, 3])))
        return np.stack([1 - right, right], axis=1)

    return policy


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    logs = so.simulate("cartpole", episodes=120, seed=5)
    made = pd.DataFrame(logs._table())
    for name, sharp in (("bold", 3.0), ("shy", 1.0)):
        every = follow(sharp)(known(logs.states))
        made[f"p_{name}"] = every[np.arange(logs.steps), logs.actions]
        made[f"{name}_0"], made[f"{name}_1"] = every.T
    return made


@pytest.fixture(scope="module")
def file(table: pd.DataFrame, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("logs") / "policies.csv"
    table.to_csv(path, index=False)
    return path


@pytest.fixture(scope="module")
def comparison(file: Path) -> so.Comparison:
    return so.compare(file, targets=["p_bold", "p_shy", "target_prob"], estimator=STAR, horizon=50, seed=2)


def test_the_same_bits_as_the_program(file: Path, comparison: so.Comparison, monkeypatch: pytest.MonkeyPatch) -> None:
    flags: list[str | float] = ["--target-prob", "p_bold", "--target-prob", "p_shy", "--target-prob", "target_prob", "--estimator", STAR, "--horizon", 50, "--seed", 2]
    printed = program("compare", file, "--json", *flags)
    assert comparison.to_json() == printed and comparison.to_dict() == json.loads(printed)
    monkeypatch.setenv("COLUMNS", "80")
    assert str(comparison) == program("compare", file, *flags)


def test_distributions_are_those_of_the_program_and_auto_answers(file: Path) -> None:
    flags: list[str | float] = ["--target-probs", "bold", "--target-probs", "shy", "--horizon", 30]
    assert so.compare(file, targets=["bold", "shy"], horizon=30).to_json() == program("compare", file, "--json", *flags)


def test_every_kind_of_table_and_policy_says_the_same(table: pd.DataFrame, file: Path) -> None:
    by_column = so.compare(file, targets={"bold": "bold", "shy": "shy"}, estimator=STAR, horizon=50)
    arrow = pa.Table.from_pandas(table)
    for given in (table, pl.from_pandas(table), arrow, pa.RecordBatchReader.from_batches(arrow.schema, arrow.to_batches(max_chunksize=100)),
                  {name: table[name].to_numpy() for name in table.columns}):
        found = so.compare(given, targets={"bold": "bold", "shy": "shy"}, estimator=STAR, horizon=50)
        assert found.policies == by_column.policies and found.differences == by_column.differences, type(given)
    for given in (table, so.Dataset(table)):
        found = so.compare(given, targets={"bold": follow(3.0), "shy": follow(1.0)}, estimator=STAR, horizon=50)
        assert [each.value for each in found.policies] == pytest.approx([each.value for each in by_column.policies], rel=1e-12)


def test_values_are_those_of_evaluate_and_differences_are_theirs(table: pd.DataFrame, comparison: so.Comparison) -> None:
    for name in ("p_bold", "p_shy"):
        alone = so.evaluate(table, target=name, estimators=[STAR], horizon=50, seed=2)
        assert comparison[name].value == alone.value and comparison[name].estimate.std_error == alone.std_error
        assert known(comparison[name].interval).upper - known(comparison[name].interval).lower > known(alone.interval).upper - known(alone.interval).lower, "all at once"
    pair = comparison.difference("p_bold", "p_shy")
    assert known(pair.value) == pytest.approx(known(comparison["p_bold"].value) - known(comparison["p_shy"].value), rel=1e-9)
    # By hand: paired, from the influence values.
    bold, shy = (known(so.evaluate(table, target=name, estimators=[STAR], horizon=50, seed=2, influence=True).influence()) for name in ("p_bold", "p_shy"))
    apart = bold - shy
    assert pair.std_error == pytest.approx(np.sqrt((apart ** 2).mean() / len(apart)), rel=0.02)
    assert comparison["logged"].value == pytest.approx(table.reward.sum() / 120, rel=1e-12) and comparison["logged"].verdict is None


def test_ranking(comparison: so.Comparison) -> None:
    values = {each.policy: known(each.value) for each in comparison.policies}
    assert comparison.ranking == sorted(values, key=values.__getitem__, reverse=True)
    assert [comparison[name].rank for name in comparison.ranking] == [1, 2, 3, 4]
    assert sum(known(each.probability_best) for each in comparison.policies) == pytest.approx(1.0)
    for pair in comparison.differences:
        assert pair.told_apart == (0.0 not in known(pair.interval))
    with pytest.raises(KeyError, match="nobody"):
        comparison["nobody"]
    with pytest.raises(KeyError, match="p_bold, logged"):
        comparison.difference("logged", "p_bold")


def test_pickles_and_shows(comparison: so.Comparison, tmp_path: Path) -> None:
    again = pickle.loads(pickle.dumps(comparison))
    assert again == comparison and str(again) == str(comparison) and again.to_json() == comparison.to_json()
    page = comparison._repr_html_()
    checker = Checker()
    checker.feed(page)
    assert checker.open == [] and "p_bold minus p_shy" in page
    frame = comparison.to_frame()
    assert list(frame["policy"]) == ["logged", "p_bold", "p_shy", "target_prob"] and list(frame["rank"]) == [each.rank for each in comparison.policies]
    try:
        comparison.report(tmp_path / "report.html")
    except so.FileError as error:
        assert "chart" in str(error)  # built without the chart runtime
        return
    assert "p_bold" in (tmp_path / "report.html").read_text()


def test_an_estimator_that_python_computes(table: pd.DataFrame) -> None:
    def side(states: Array) -> Array:
        return np.asarray((states[:, 2] > 0) + 2 * (states[:, 3] > 0))

    told = []
    star = so.Star(labels=side, clip=2)
    c = so.compare(so.Dataset(table), targets={"bold": follow(3.0), "logs'": None}, estimator=star, horizon=50, progress=lambda *at: told.append(at))
    assert c["bold"].value == so.evaluate(table, target=follow(3.0), estimators=[star], horizon=50).value
    assert c["logs'"].value == so.evaluate(table, estimators=[star], horizon=50).value
    assert told and all(total == 4 for _, total, _ in told) and told[-1][2].startswith("logs'")


def test_estimated_behavior(table: pd.DataFrame) -> None:
    c = so.compare(table, targets={"bold": "bold"}, estimator=STAR, behavior="estimate(method=logistic)", horizon=50)
    assert c["bold"].value == so.evaluate(table, target="bold", estimators=[STAR], behavior="estimate(method=logistic)", horizon=50).value


def test_without_states_the_usual_estimator_is_another(table: pd.DataFrame) -> None:
    bare = table[["episode", "reward", "behavior_prob", "p_bold"]]
    assert so.compare(bare, targets=["p_bold"])["p_bold"].estimate.estimator == "wpdis"


@pytest.mark.parametrize(("options", "error", "words"), [
    ({"targets": {}}, ValueError, "which policies"), ({"targets": {"logged": "p_bold"}}, ValueError, "'logged'"),
    ({"targets": ["p_bold", "p_bold"]}, ValueError, "twice"), ({"targets": [follow(1.0)]}, TypeError, "with their names"),
    ({"targets": ["nothing"]}, ValueError, "nothing"), ({"targets": ["p_bold"], "target": "p_shy"}, ValueError, "targets="),
    ({"targets": ["p_bold"], "estimator": "stars"}, ValueError, "star"), ({"targets": ["p_bold"], "gamma": 2}, ValueError, "2"),
    ({"targets": ["p_bold"], "behavior": "guess"}, ValueError, "behavior='guess'"),
])
def test_slips(table: pd.DataFrame, file: Path, options: dict[str, Any], error: type[Exception], words: str) -> None:
    for given in (table, file):
        with pytest.raises(error, match=words) as raised:
            so.compare(given, **options)
        assert isinstance(raised.value, so.Error)
    with pytest.raises(so.InvalidArgument, match="no further columns"):
        so.compare(so.Dataset(table), targets=["p_bold"])
