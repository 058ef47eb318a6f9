"""Sums over parts of logs: they merge to those of the whole, travel as bytes, and refuse strangers."""

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from test_results import program
from conftest import known

import starope as so
from starope import statistics as st

STAR = "star(clusters=6,clip=2)"


@pytest.fixture(scope="module")
def logs() -> so.Dataset:
    return so.simulate("cartpole", episodes=200, seed=9)


def test_parts_give_the_whole(logs: so.Dataset) -> None:
    parts = [logs.take(np.arange(i, 200, 3)) for i in range(3)]
    phi = st.fit_phi(STAR, logs)
    whole = st.survey(parts[0]) + st.survey(parts[1]) + st.survey(parts[2])
    assert whole == st.survey(logs) and whole.episodes == 200 and whole.steps == logs.steps
    count = st.Count(STAR, phi, whole)
    total = st.fold(count, parts[0]) + st.fold(count, parts[1]) + st.fold(count, parts[2])
    found = st.finish(count, total)
    assert found["value"] == pytest.approx(so.evaluate(logs, estimators=STAR).value, rel=1e-12)
    assert len(found["values"]) == phi.cells == 6


def test_all_of_it_travels(logs: so.Dataset) -> None:
    phi = st.fit_phi(STAR, logs)
    count = st.Count(STAR, phi, st.survey(logs))
    part = st.fold(count, logs)
    assert pickle.loads(pickle.dumps(phi)) == phi and st.Phi.from_bytes(phi.to_bytes()) == phi
    assert pickle.loads(pickle.dumps(part)) == part and st.Statistic.from_bytes(part.to_bytes()) == part
    there = pickle.loads(pickle.dumps(count))
    assert st.fold(there, pickle.loads(pickle.dumps(logs))) == part
    assert st.finish(there, part) == st.finish(count, part)
    assert pickle.loads(pickle.dumps(st.survey(logs))) == st.survey(logs)


def test_strangers_are_refused(logs: so.Dataset) -> None:
    survey = st.survey(logs)
    a, b = (st.fold(st.Count(star, st.fit_phi(star, logs), survey), logs) for star in (STAR, "star(clusters=5,clip=2)"))
    with pytest.raises(so.InvalidArgument):
        print(a + b)
    with pytest.raises(so.DataError):
        st.Statistic.from_bytes(b"not a statistic")
    with pytest.raises(so.InvalidArgument, match="wis"):
        st.fit_phi("wis", logs)


def test_labels_are_those_of_the_estimator(logs: so.Dataset) -> None:
    phi = st.fit_phi(STAR, logs)
    labels = phi.label(logs)
    assert len(labels) == len(known(logs._state_rows())) and set(labels) == set(range(6))
    by_labels = so.evaluate(logs, estimators=[so.Star(labels=labels.astype(int), clip=2)]).value
    assert by_labels == pytest.approx(so.evaluate(logs, estimators=STAR).value, rel=1e-12)


def test_auto_scores_any_logs_with_a_fit_to_some(logs: so.Dataset) -> None:
    model = st.fit_auto(logs, "auto(seeds=2)", horizon=50)
    there = pickle.loads(pickle.dumps(model))
    assert there == model
    parts = [logs.take(np.arange(0, 90)), logs.take(np.arange(90, 200))]
    sums = there.sums(parts[0]) + pickle.loads(pickle.dumps(there.sums(parts[1])))
    scores = np.concatenate([there.scores(part, sums) for part in parts])
    assert len(scores) == 200
    # Fitted to the same episodes that it scores: the mean is what auto answers.
    answer = so.evaluate(logs, estimators="auto(seeds=2)", horizon=50)
    assert abs(scores.mean() - answer.value) < answer.std_error
    whole = model.scores(logs, model.sums(logs))
    assert scores == pytest.approx(whole, rel=1e-9)
    with pytest.raises(so.InvalidArgument, match="wis"):
        st.fit_auto(logs, "wis")


NAMES = ["naive", "is", "pdis", "wis", "wpdis", STAR]


def test_parts_of_several_estimators_give_the_whole(logs: so.Dataset) -> None:
    whole = so.evaluate(logs, estimators=NAMES, seed=3)
    like = st.count_part(logs, NAMES, seed=3)
    parts = [st.count_like(logs.take(np.arange(i, 200, 7)), like) for i in range(7)]
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    assert total.episodes == 200 and total.steps == logs.steps and total.estimators == NAMES
    e = total.evaluation()
    for name in NAMES:
        assert e[name].value == pytest.approx(whole[name].value, rel=1e-12), name
    assert known(e["naive"].std_error) == pytest.approx(known(whole["naive"].std_error), rel=0.3) and known(e["wis"].interval).level == 0.95
    assert total.evaluation(level=None)["wis"].interval is None


def test_parts_travel_and_refuse_strangers_and_themselves(logs: so.Dataset) -> None:
    a, b = (st.count_part(logs.take(np.arange(first, 200, 2)), "wis") for first in (0, 1))
    assert pickle.loads(pickle.dumps(a)) == a and hash(a) == hash(st.Part.from_bytes(a.to_bytes())) and a != b
    with pytest.raises(so.InvalidArgument):
        print(a + a)
    with pytest.raises(so.InvalidArgument):
        print(a + st.count_part(logs, "wpdis"))
    with pytest.raises(so.InvalidArgument, match="fqe"):
        st.count_part(logs, ["fqe"])
    with pytest.raises(so.DataError):
        st.Part.from_bytes(b"nothing")


def test_files_of_the_program_are_parts(logs: so.Dataset, tmp_path: Path) -> None:
    logs.write(tmp_path / "logs.csv", final_states=False)
    program("evaluate", tmp_path / "logs.csv", "--estimators", "wis,wpdis", "--emit", tmp_path / "part.star")
    part = st.Part.from_bytes((tmp_path / "part.star").read_bytes())
    assert part.estimators == ["wis", "wpdis"] and part.episodes == 200
    assert part.evaluation()["wis"].value == pytest.approx(so.evaluate(logs, estimators="wis").value, rel=1e-12)


def test_what_does_not_belong_here_says_so(cartpole: so.Dataset) -> None:
    table: Any = cartpole._table()
    phi = st.fit_phi("star(clusters=2)", cartpole)
    count = st.Count("star(clusters=2)", phi, st.survey(cartpole))
    model = st.fit_auto(cartpole, "auto(seeds=1)")
    strangers: list[Any] = [lambda: st.survey(table), lambda: st.fit_phi("star", table), lambda: st.fold(count, table), lambda: st.fit_auto(table),
                            lambda: phi.label(table), lambda: model.sums(table), lambda: st.count_part(table, "wis")]
    for ask in strangers:
        with pytest.raises(so.WrongType, match="logs: a starope.Dataset is needed, not dict"):
            ask()
    wrong: list[Any] = [lambda: st.survey(cartpole, gamma="x"), lambda: st.fit_phi("star(clusters=2)", cartpole, horizon=2.5),  # type: ignore[arg-type]
                        lambda: st.Count("star(clusters=2)", phi, st.survey(cartpole), seed=-1)]
    for ask in wrong:
        with pytest.raises(so.InvalidArgument, match="gamma|horizon|seed"):
            ask()
    sums: list[Any] = [st.survey(cartpole), st.fold(count, cartpole), model.sums(cartpole), st.count_part(cartpole, "wis")]
    for each in sums:
        with pytest.raises(TypeError, match="unsupported operand"):
            _ = each + 1
