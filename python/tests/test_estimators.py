"""Estimators as objects: made of the registry, written as texts, with abstractions and Q-functions of one's own."""

import pickle

from collections.abc import Callable
from typing import Any
import numpy as np
import pytest
from conftest import Array, known

import starope as so
from starope import _core


def test_every_estimator_of_the_registry_has_a_class() -> None:
    for spec in _core.registry():
        text = spec["name"] + ("(phi=one)" if spec["name"] in ("star", "mis") else "")
        made = so.estimator(text)
        assert repr(made) == text and type(made).__name__ in so.__all__
        assert spec["summary"][1:] in known(type(made).__doc__)
        for option in spec["options"]:
            assert option["name"] in known(type(made).__doc__)


@pytest.mark.parametrize(("made", "text"), [
    (so.Star(clusters=32, clip=2), "star(clusters=32,clip=2)"),
    (so.Star(clip=None, clusters=8, seed=3), "star(clusters=8,clip=none,seed=3)"),
    (so.Star(phi="time"), "star(phi=time)"),
    (so.Auto(), "auto"),
    (so.Auto(ladder=[4, 8, 16]), "auto(ladder=4-8-16)"),
    (so.FQE(features="rbf"), "fqe(features=rbf)"),
    (so.FQE(ridge=0.001), "fqe(ridge=0.001)"),
    (so.DR(q="qreg"), "dr(q=qreg)"),
    (so.MIS(phi="identity", dr="mb"), "mis(phi=identity,dr=mb)"), (so.Dice(clusters=8, features="clusters"), "dice(features=clusters,clusters=8)"),
    (so.IS(), "is"), (so.WPDIS(), "wpdis"), (so.Magic(q="mb"), "magic(q=mb)"),
])
def test_texts_and_back(made: so.Estimator, text: str) -> None:
    order = lambda t: (t.partition("(")[0], sorted(t.partition("(")[2].rstrip(")").split(",")))  # noqa: E731
    assert order(repr(made)) == order(text)  # type: ignore[no-untyped-call]
    assert so.estimator(repr(made)) == made and hash(so.estimator(repr(made))) == hash(made)
    assert pickle.loads(pickle.dumps(made)) == made


def test_objects_and_texts_give_the_same(cartpole: so.Dataset) -> None:
    e = so.evaluate(cartpole, estimators=[so.Star(clusters=4, clip=2), so.WIS()])
    assert [each.estimator for each in e.estimates] == ["star(clusters=4,clip=2)", "wis"]
    assert e == so.evaluate(cartpole, estimators="star(clusters=4,clip=2),wis")


@pytest.mark.parametrize(("make", "error", "words"), [
    (lambda: so.Star(cluster=3), TypeError, "Did you mean 'clusters'"),  # type: ignore[call-arg]
    (lambda: so.Star(clusters=0), ValueError, "clusters"),
    (lambda: so.FQE(features="cubic"), ValueError, "cubic"),
    (lambda: so.estimator("start(clusters=3)"), ValueError, "star"),
    (lambda: so.Star(labels=lambda s: s, clusters=3), ValueError, "two abstractions"),
    (lambda: so.estimator(3), TypeError, "int"),  # type: ignore[arg-type]
])
def test_slips(make: Callable[[], object], error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words) as raised:
        make()
    assert isinstance(raised.value, so.Error)


def test_slips_in_lists(cartpole: so.Dataset) -> None:
    for wrong, error in (([], so.InvalidArgument), ([3], so.WrongType), (3, so.WrongType), ("wiss", so.InvalidArgument)):
        with pytest.raises(error):
            so.evaluate(cartpole, estimators=wrong)  # type: ignore[arg-type]


def test_all_and_none_are_lists_of_the_core(cartpole: so.Dataset) -> None:
    usual = [each.estimator for each in so.evaluate(cartpole).estimates]
    assert usual == ["auto", "naive", "wis", "wpdis"]
    without = so.Dataset(reward=cartpole.rewards, offsets=cartpole.offsets, behavior_prob=cartpole.behavior_prob, target=cartpole.target_prob)
    assert [each.estimator for each in so.evaluate(without).estimates] == ["naive", "is", "pdis", "wis", "wpdis"]


# ---- Plug-ins ------------------------------------------------------------------------------------------------------


def leaning(states: Array) -> Array:
    return (states[:, 2] > 0).astype(int) * 2 + (states[:, 3] > 0)


def test_an_abstraction_in_python_is_the_same_as_its_table(cartpole: so.Dataset) -> None:
    rows = known(cartpole._state_rows())
    coded = so.Dataset(state=leaning(known(cartpole.states)), action=known(cartpole.actions), reward=cartpole.rewards, offsets=cartpole.offsets,
                       behavior_prob=cartpole.behavior_prob, target=cartpole.target_prob, truncated=cartpole.truncated,
                       final_state=leaning(rows[cartpole.steps:]))
    for clip in (1, 2, None):
        plugged = so.evaluate(cartpole, estimators=[so.Star(labels=leaning, clip=clip)]).estimates[0]
        by_table = so.evaluate(coded, estimators=[so.Star(phi="identity", clip=clip)]).estimates[0]
        assert (plugged.value, plugged.std_error, plugged.interval) == (by_table.value, by_table.std_error, by_table.interval)
        assert plugged.estimator == f"star(labels=leaning,clip={clip or 'none'})"
    as_array = so.evaluate(cartpole, estimators=[so.Star(labels=leaning(rows), clip=1)]).estimates[0]
    assert as_array.value == so.evaluate(cartpole, estimators=[so.Star(labels=leaning, clip=1)]).estimates[0].value


def test_one_cell_is_identity_three(cartpole: so.Dataset) -> None:
    """|Z| = 1, no clip, gamma = 1: sum of rho_{0:t} r_t over the sum of rho_{0:T-1}."""
    ratios = known(cartpole.target_prob) / known(cartpole.behavior_prob)
    top = bottom = 0.0
    for a, b in zip(cartpole.offsets[:-1], cartpole.offsets[1:]):
        products = np.cumprod(ratios[a:b])
        top += (products * cartpole.rewards[a:b]).sum()
        bottom += products[-1]
    found = so.evaluate(cartpole, estimators=[so.Star(labels=lambda s: np.zeros(len(s), int), clip=None)]).estimates[0]
    assert found.value == pytest.approx(top / bottom, rel=1e-10)


def test_a_q_function_in_python(cartpole: so.Dataset) -> None:
    def q(states: Array) -> Array:
        return np.stack([1.0 + states[:, 2], 2.0 - states[:, 3]], axis=1)

    values, policy = q(known(cartpole.states)), known(cartpole.target_probs)
    ratios = known(cartpole.target_prob) / known(cartpole.behavior_prob)
    v = (policy * values).sum(axis=1)
    taken = values[np.arange(cartpole.steps), cartpole.actions]
    total = 0.0
    for a, b in zip(cartpole.offsets[:-1], cartpole.offsets[1:]):
        through = np.cumprod(ratios[a:b])
        before = np.concatenate([[1.0], through[:-1]])
        total += (through * (cartpole.rewards[a:b] - taken[a:b]) + before * v[a:b]).sum()
    found = so.evaluate(cartpole, estimators=["naive", so.DR(q=q), so.WDR(q=q)])
    assert [each.error for each in found.estimates] == [None, None, None]
    assert [each.estimator for each in found.estimates] == ["naive", "dr(q=q)", "wdr(q=q)"]
    assert found["dr(q=q)"].value == pytest.approx(total / cartpole.episodes, rel=1e-10)


def test_plug_ins_keep_their_places(cartpole: so.Dataset) -> None:
    e = so.evaluate(cartpole, estimators=[so.Star(labels=leaning), "naive", so.Star(labels=leaning, clip=2), "wis"])
    assert [each.estimator for each in e.estimates] == ["star(labels=leaning)", "naive", "star(labels=leaning,clip=2)", "wis"]
    assert e["naive"].value == so.evaluate(cartpole, estimators="naive").value


@pytest.mark.parametrize(("plug", "words"), [
    (lambda s: np.zeros(len(s) - 1, int), "one for each"),
    (lambda s: np.full(len(s), 0.5), "whole numbers"),
])
def test_wrong_labels(cartpole: so.Dataset, plug: Callable[[Array], Array], words: str) -> None:
    with pytest.raises(so.PolicyError, match=words):
        so.evaluate(cartpole, estimators=[so.Star(labels=plug)])


def test_wrong_q_values(cartpole: so.Dataset) -> None:
    with pytest.raises(so.PolicyError, match="shape"):
        so.evaluate(cartpole, estimators=[so.DR(q=lambda s: np.zeros((len(s), 3)))])
    with pytest.raises(so.PolicyError, match="row 4"):
        so.evaluate(cartpole, estimators=[so.DR(q=lambda s: np.where(np.arange(len(s))[:, None] == 4, np.inf, 0.0) * np.ones((1, 2)))])


def test_labels_and_values_in_lists(cartpole: so.Dataset) -> None:
    """A list is an array too; what is neither that nor a function was left out once, and star answered with cells of its own."""
    rows = known(cartpole._state_rows())
    labels = (rows[:, 2] > 0).astype(int)
    expected = so.evaluate(cartpole, estimators=so.Star(labels=labels, clip=2)).value
    ways: list[Any] = [labels.tolist(), tuple(labels.tolist()), labels.astype(float), labels.astype(bool)]
    for given in ways:
        assert so.evaluate(cartpole, estimators=so.Star(labels=given, clip=2)).value == expected
    assert expected != so.evaluate(cartpole, estimators=so.Star(clusters=2, clip=2)).value
    q = np.ones((len(rows), 2))
    assert so.evaluate(cartpole, estimators=so.DR(q=q.tolist())).value == so.evaluate(cartpole, estimators=so.DR(q=q)).value
    for wrong in ("cells", 3, None):
        with pytest.raises(so.WrongType, match="labels=.*a function of the states, or an array"):
            so.Star(labels=wrong)  # type: ignore[arg-type]
    assert so.Star(labels=labels) == pickle.loads(pickle.dumps(so.Star(labels=labels))) != so.Star(labels=1 - labels)


@pytest.mark.parametrize("wrong", [lambda states: 3, lambda states: np.zeros(len(states) - 1), lambda states: ["a"] * len(states),
                                   lambda states: np.full(len(states), 0.5), lambda states: np.full(len(states), np.nan), lambda states: None])
def test_labels_that_are_none(cartpole: so.Dataset, wrong: Callable[[Array], Array]) -> None:
    with pytest.raises(so.InvalidArgument, match="star"):
        so.evaluate(cartpole, estimators=so.Star(labels=wrong))
