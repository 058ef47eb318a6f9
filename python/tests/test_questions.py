"""Intervals, estimated behavior, risk and groups: what the program answers, to the bit, as values with names."""

import json
import pickle
from html import escape
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from conftest import Array, known
from test_results import Checker, program

import starope as so

NAMES = ["wpdis", "naive", "star(clusters=4,clip=2)"]


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Logs with a ward, a text, and an age, a number, that play no role."""
    logs = so.simulate("cartpole", episodes=60, seed=3)
    lengths = np.diff(logs.offsets)
    table = pd.DataFrame(logs._table())
    table["ward"] = np.repeat(np.where(np.arange(60) % 3 == 0, "icu", "other"), lengths)
    table["age"] = np.repeat(20 + np.arange(60) % 50, lengths)
    path = tmp_path_factory.mktemp("logs") / "wards.csv"
    table.to_csv(path, index=False)
    return path


def same(file: Path, flags: Any, **options: Any) -> tuple[so.Evaluation, dict[str, Any]]:
    """What both say, after it is known to be the same text."""
    e = so.evaluate(file, estimators=NAMES, seed=4, **options)
    printed = program("evaluate", file, "--json", "--seed", 4, "--estimators", ",".join(NAMES), *flags)
    assert e.to_json() == printed
    return e, json.loads(printed)


@pytest.mark.parametrize("interval", [
    "influence", "t", "bootstrap-percentile(replicates=50)", "bootstrap-bca(replicates=60,seed=9)", "bootstrap-studentized(replicates=50)",
    "bootstrap-percentile(replicates=20,refit=yes)", "hoeffding(lower=0,upper=200,weight=50)", "empirical-bernstein(lower=0,upper=200)",
    "anderson(lower=0,upper=200,weight=20)"])
def test_every_kind_of_interval_is_that_of_the_program(file: Path, interval: str) -> None:
    e, _ = same(file, ["--interval", interval], interval=interval)
    assert known(e["naive"].interval).method.startswith(interval.partition("(")[0])


def test_intervals_differ_and_none_is_none(file: Path) -> None:
    plain, boot = (so.evaluate(file, estimators=NAMES, interval=each)["wpdis"].interval for each in ("influence", "bootstrap-bca(replicates=100)"))
    assert plain != boot
    e, _ = same(file, ["--interval", "none"], interval="none")
    assert e.interval is None and so.evaluate(file, estimators=NAMES, interval=None, seed=4) == e


def test_the_behavior_policy_is_estimated_as_by_the_program(file: Path) -> None:
    e, printed = same(file, ["--behavior", "estimate(method=logistic,folds=3)"], behavior="estimate(method=logistic,folds=3)")
    assert known(e.behavior).method == "logistic" == known(e.behavior).methods[0].method
    assert known(e.behavior).methods[0].value == e[known(e.behavior).estimator].value and known(e.behavior).calibration
    assert known(e.behavior).methods[0].log_likelihood == printed["behavior"]["methods"][0]["log_likelihood"] < 0
    assert so.evaluate(file, estimators=NAMES).behavior is None


def test_an_estimated_behavior_needs_no_columns_of_it(file: Path) -> None:
    expected = so.evaluate(file, estimators=NAMES, behavior="estimate")
    table = pd.read_csv(file, float_precision="round_trip").drop(columns=["behavior_prob", "behavior_probs_0", "behavior_probs_1"])
    for given in (table, pl.from_pandas(table), {name: table[name].to_numpy() for name in table.columns}):
        found = so.evaluate(given, estimators=NAMES, behavior="estimate")
        assert [each.value for each in found.estimates] == [each.value for each in expected.estimates]
    data = so.simulate("cartpole", episodes=60, seed=3)
    # A Dataset knows its behavior policy, and it is not looked at.
    wrong = data.with_behavior(np.full((data.steps, 2), 0.5))
    assert so.evaluate(wrong, estimators=NAMES, behavior="estimate") == so.evaluate(data, estimators=NAMES, behavior="estimate")


@pytest.fixture(scope="module")
def with_gaps(file: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The logs without every fifth behavior probability."""
    table = pd.read_csv(file, float_precision="round_trip")
    table.loc[table.index % 5 == 2, "behavior_prob"] = np.nan
    path = tmp_path_factory.mktemp("logs") / "gaps.csv"
    table.to_csv(path, index=False)
    return path


@pytest.mark.parametrize("how", ["fill", "fill(method=logistic,folds=3,crossfit=no)"])
def test_missing_behavior_probabilities_are_filled_as_by_the_program(with_gaps: Path, how: str) -> None:
    e, printed = same(with_gaps, ["--behavior", how], behavior=how)
    missing = int(np.isnan(pd.read_csv(with_gaps)["behavior_prob"].to_numpy()).sum())
    assert known(e.behavior).filled == printed["behavior"]["filled"] == missing > 100
    assert "behavior_filled" in [each.code for each in e.findings]
    again = pickle.loads(pickle.dumps(e))
    assert again.behavior == e.behavior


def test_gaps_of_every_kind_of_table_are_filled_alike(with_gaps: Path) -> None:
    expected = [each.value for each in so.evaluate(with_gaps, estimators=NAMES, behavior="fill").estimates]
    table = pd.read_csv(with_gaps, float_precision="round_trip")
    nulls = pa.Table.from_pandas(table)
    assert nulls["behavior_prob"].null_count > 100
    arrays = {name: table[name].to_numpy() for name in table.columns}
    for given in (table, pl.from_pandas(table), nulls, duckdb.sql("select * from nulls"), arrays):
        found = so.evaluate(given, estimators=NAMES, behavior="fill")
        assert [each.value for each in found.estimates] == expected, type(given)
    logarithms = {("behavior_logp" if name == "behavior_prob" else name): np.log(values) if name == "behavior_prob" else values for name, values in arrays.items()}
    found = so.evaluate(logarithms, estimators=NAMES, behavior="fill")
    assert [known(each.value) for each in found.estimates] == pytest.approx(expected, rel=1e-12)
    apart = {name: values for name, values in table.items() if name != "behavior_prob"}
    found = so.evaluate(pd.DataFrame(apart), behavior_prob=arrays["behavior_prob"], estimators=NAMES, behavior="fill")
    assert [each.value for each in found.estimates] == expected


def test_what_was_logged_is_kept_and_logs_without_gaps_are_left_alone(file: Path, with_gaps: Path) -> None:
    plain, filled = (so.evaluate(file, estimators=NAMES, behavior=how) for how in ("logged", "fill"))
    assert plain.estimates[:2] == filled.estimates[:2] and filled.behavior is None
    # By hand: the shares of the actions in the gaps, and what was logged elsewhere.
    table = pd.read_csv(with_gaps, float_precision="round_trip")
    e = so.evaluate(with_gaps, estimators="wis", behavior="fill(method=global,crossfit=no)")
    shares = np.bincount(table["action"]) / len(table)
    by_hand = table["behavior_prob"].fillna(pd.Series(shares[table["action"]]))
    ratios = (table["target_prob"] / by_hand).groupby(table["episode"]).prod()
    returns = table["reward"].groupby(table["episode"]).sum()
    assert e.value == pytest.approx((ratios * returns).sum() / ratios.sum(), rel=1e-3)  # the core shrinks shares a little
    with pytest.raises(so.DataError, match="missing"):
        so.evaluate(with_gaps, estimators="wis")
    with pytest.raises(so.InvalidArgument, match="behavior_probs: is not used"):
        so.evaluate(with_gaps, estimators="wis", behavior="fill", behavior_probs="behavior_probs")
    with pytest.raises(so.InvalidArgument, match="behavior='fill.method=magic.'"):
        so.evaluate(with_gaps, estimators="wis", behavior="fill(method=magic)")


def test_filled_behavior_serves_comparisons_and_what_python_computes(with_gaps: Path) -> None:
    def side(states: Array) -> Array:
        return (states[:, 2] > 0).astype(int)

    names: list[str | so.Estimator] = [so.Star(labels=side), "wpdis"]
    e = so.evaluate(with_gaps, estimators=names, behavior="fill")
    assert all(each.error is None for each in e.estimates)
    c = so.compare(with_gaps, targets=["target_prob"], estimator="wpdis", behavior="fill")
    assert c["target_prob"].value == e["wpdis"].value


def test_an_estimated_behavior_serves_what_python_computes(file: Path) -> None:
    def side(states: Array) -> Array:
        return (states[:, 2] > 0).astype(int)

    e = so.evaluate(file, estimators=[so.Star(labels=side), "wpdis"], behavior="estimate(method=global)")
    data = so.Dataset(file)
    shares = np.bincount(known(data.actions)) / data.steps
    by_hand = so.evaluate(data.with_behavior(np.tile(shares, (data.steps, 1))), estimators=[so.Star(labels=side), "wpdis"])
    # The core shrinks shares a little.
    assert e["star(labels=side)"].value == pytest.approx(by_hand["star(labels=side)"].value, rel=1e-4)
    assert e["wpdis"].value == pytest.approx(by_hand["wpdis"].value, rel=1e-4)


def test_risk_is_that_of_the_program(file: Path) -> None:
    flags = ["--quantiles", "0.1,0.5", "--cvar", "0.2", "--below", "10,20"]
    e, printed = same(file, flags, quantiles=[0.1, 0.5], cvar=0.2, below=(10, 20))
    assert [each.method for each in e.distributions] == [each["method"] for each in printed["distributions"]]
    logged = next(each for each in e.distributions if each.method == "logged")
    data = so.Dataset(file)
    returns = np.add.reduceat(data.rewards, data.offsets[:-1])
    # By hand: the smallest return that a share of 0.5 does not exceed, and the share of returns below 10.
    assert logged.quantiles[1].at == 0.5 and logged.quantiles[1].value == np.sort(returns)[29]
    assert logged.below[0].value == pytest.approx((returns < 10).mean(), abs=1e-12)
    assert logged.cvar[0].value == pytest.approx(np.sort(returns)[:12].mean(), rel=1e-12)
    assert logged.mean == pytest.approx(returns.mean(), rel=1e-12)
    for each, told in zip(e.distributions, printed["distributions"], strict=True):
        assert each.believed == told["believed"] and [one.code for one in each.findings] == [one["code"] for one in told["findings"]]
        assert each.ess == told["ess"] and [one.ess for one in each.quantiles] == [one["ess"] for one in told["quantiles"]]
    warned = [each for each in e.distributions if each.findings]
    assert [each.method for each in e.distributions if each.believed] != [] and warned
    page = e._repr_html_()
    assert "(believe this)" in page and all(escape(one.message) in page for each in warned for one in each.findings)
    assert (np.diff(logged.cdf) >= 0).all() and logged.cdf[-1] == pytest.approx(1.0)
    assert so.evaluate(file, estimators=NAMES).distributions == []


def test_groups_are_those_of_the_program_by_file_and_by_table(file: Path) -> None:
    table = pd.read_csv(file, float_precision="round_trip")
    for by in ("ward", "ward=icu", "age<40", "age"):
        e, printed = same(file, ["--by", by], by=by)
        assert [each.group for each in e.groups] == [each["group"] for each in printed["groups"]]
        assert sum(each.episodes for each in e.groups) == 60
        plain = pa.Table.from_pandas(table)  # noqa: F841: DuckDB finds it by its name
        for given in (table, pl.from_pandas(table), plain, duckdb.sql("select * from plain"), {name: table[name].to_numpy() for name in table.columns}):
            assert so.evaluate(given, estimators=NAMES, seed=4, by=by).groups == e.groups, (by, type(given))


def test_groups_by_what_is_known_only_after_the_action_are_refused(file: Path) -> None:
    table = pd.read_csv(file)
    for given in (file, table):
        with pytest.raises(so.InvalidArgument, match="known only after the action"):
            so.evaluate(given, estimators=NAMES, by="reward")
    renamed = table.rename(columns={"reward": "pay"})
    with pytest.raises(so.InvalidArgument, match="known only after the action"):
        so.evaluate(renamed, estimators=NAMES, reward="pay", by="pay")


def test_recordings_that_were_cut_before_the_horizon_are_not_compared(cartpole: so.Dataset) -> None:
    halves = np.arange(cartpole.episodes) % 2
    assert so.evaluate(cartpole, estimators=NAMES, horizon=50).difference is not None
    e = so.evaluate(cartpole, estimators=NAMES, horizon=80, by=halves)
    assert e.difference is None and [each.difference for each in e.groups] == [None, None]
    assert "recordings were cut before 80 steps" in " ".join(str(e).split()) and "recordings_cut" in [each.code for each in e.findings]
    checker = Checker()
    checker.feed(e._repr_html_())
    assert checker.open == []


def test_a_notebook_shows_groups_and_the_estimated_behavior(file: Path) -> None:
    e = so.evaluate(file, estimators=NAMES, by="ward", behavior="estimate(method=logistic)")
    page = e._repr_html_()
    checker = Checker()
    checker.feed(page)
    assert checker.open == [] and "ward = icu" in page and "estimated by logistic" in page


def test_groups_of_rows_that_have_to_be_sorted(file: Path, tmp_path: Path) -> None:
    mixed = pd.read_csv(file, float_precision="round_trip").sample(frac=1.0, random_state=1).sort_values("t", kind="stable")
    path = tmp_path / "mixed.csv"
    mixed.to_csv(path, index=False)
    e, _ = same(path, ["--by", "ward", "--sort"], by="ward", sort=True)
    assert sorted((each.group, each.episodes) for each in e.groups) == [("ward = icu", 20), ("ward = other", 40)]


def test_groups_of_a_dataset_by_its_states(cartpole: so.Dataset) -> None:
    firsts = known(cartpole.states)[cartpole.offsets[:-1], 2]
    by_name = so.evaluate(cartpole, estimators=NAMES, by="theta<0").groups
    assert [each.episodes for each in by_name] == [(firsts < 0).sum(), (firsts >= 0).sum()]
    by_array = so.evaluate(cartpole, estimators=NAMES, by=np.where(firsts < 0, "left", "right")).groups
    assert [each.value for each in by_name] == [each.value for each in by_array]
    with pytest.raises(so.InvalidArgument, match="x, x_dot, theta, theta_dot"):
        so.evaluate(cartpole, by="ward")


def test_groups_of_a_list_of_episodes(cartpole: so.Dataset) -> None:
    o = cartpole.offsets
    episodes = [{"reward": cartpole.rewards[a:b], "behavior_prob": known(cartpole.behavior_prob)[a:b], "target_prob": known(cartpole.target_prob)[a:b],
                 "ward": np.full(b - a, i % 2)} for i, (a, b) in enumerate(zip(o[:-1], o[1:]))]
    e = so.evaluate(episodes, estimators=["wpdis", "naive"], by="ward")
    assert [(each.group, each.episodes) for each in e.groups] == [("ward = 0", 30), ("ward = 1", 30)]
    with pytest.raises(so.InvalidArgument, match="no such column"):
        so.evaluate(episodes, by="bed")


def test_what_is_missing_is_a_group_of_its_own(cartpole: so.Dataset) -> None:
    ward = ["icu", None, "other"] * 20
    groups = so.evaluate(cartpole, estimators=["wpdis", "naive"], by=pd.Series(ward).fillna(np.nan).to_numpy(dtype=object, na_value="")).groups
    assert {each.group for each in groups} == {"group = (empty)", "group = icu", "group = other"}


def test_all_of_it_pickles(file: Path) -> None:
    e = so.evaluate(file, estimators=NAMES, by="ward", quantiles=0.5, behavior="estimate", interval="t")
    again = pickle.loads(pickle.dumps(e))
    assert again == e and str(again) == str(e) and again.groups == e.groups and again.behavior == e.behavior
    assert again.distributions[0].quantiles == e.distributions[0].quantiles


@pytest.mark.parametrize(("options", "error", "words"), [
    ({"interval": "bootstrap"}, ValueError, "interval='bootstrap': unknown kind of interval"),
    ({"interval": "t(replicates=3)"}, ValueError, "replicates"), ({"interval": 0.9}, TypeError, "interval=0.9"),
    ({"interval": "hoeffding(lower=3,upper=1)"}, ValueError, "lower must be less"),
    ({"behavior": "fit"}, ValueError, "behavior='fit'"), ({"behavior": "estimate(method=magic)"}, ValueError, "magic"),
    ({"behavior": "estimate", "behavior_prob": "p"}, ValueError, "behavior_prob: is not used"),
    ({"quantiles": 1.5}, ValueError, "quantiles=1.5"), ({"quantiles": [0.5, "x"]}, TypeError, "quantiles='x'"),
    ({"cvar": 0}, ValueError, "cvar=0"), ({"below": float("nan")}, ValueError, "below=nan"),
    ({"by": "nothing"}, ValueError, "nothing"), ({"by": "ward<3"}, ValueError, "numbers"),
    ({"behavor": "estimate"}, TypeError, "Did you mean 'behavior"), ({"rewards": "r"}, TypeError, "Did you mean 'reward'"),
])
def test_slips(file: Path, options: dict[str, Any], error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words) as raised:
        so.evaluate(file, estimators="naive", **options)
    assert isinstance(raised.value, so.Error)


def test_slips_are_told_before_anything_is_read() -> None:
    with pytest.raises(so.InvalidArgument, match="unknown kind of interval"):
        so.evaluate("nowhere.csv", interval="bayes")


def test_the_signature_lists_the_columns() -> None:
    import inspect

    for function in (so.evaluate, so.inspect, so.compare, so.Dataset):
        names = list(inspect.signature(function).parameters)
        assert {"episode", "state", "behavior_prob", "sort", "sql"} <= set(names) and "columns" not in names
    assert list(inspect.signature(so.evaluate).parameters)[:3] == ["logs", "episode", "t"]
