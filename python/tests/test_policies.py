"""The policy in question: a column, an array, a function, a model. What it says wrong is an error that names the row."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from conftest import Array, Policy, known
from test_results import program

import starope as so


def follow(states: Array) -> Array:
    """Push to where the pole leans: what the target of the simulated logs is like."""
    right = 1.0 / (1.0 + np.exp(-5.0 * (states[:, 2] + states[:, 3])))
    return np.stack([1.0 - right, right], axis=1)


@pytest.fixture(scope="module")
def logs() -> so.Dataset:
    return so.simulate("cartpole", episodes=50, seed=5)


def test_a_function_an_array_and_a_column_agree(logs: so.Dataset) -> None:
    probabilities = follow(known(logs.states))
    taken = probabilities[np.arange(logs.steps), logs.actions]
    table = logs._table()
    for name in list(table):
        if name.startswith("target"):
            del table[name]
    estimators = ["wpdis", "star(clusters=4)", "auto(seeds=1)"]
    values = [[each.value for each in so.evaluate(given, estimators=estimators, target=target).estimates] for given, target in (
        (logs, follow), (logs, probabilities), (table, follow), (so.Dataset(table).with_target(follow), None), (table, probabilities))]
    assert all(each == values[0] for each in values), values
    # The probability of the logged action alone is enough for these two.
    given = so.evaluate(logs, estimators=estimators[:2], target=taken)
    named = so.evaluate(table | {"pe": taken}, estimators=estimators[:2], target="pe")
    assert [each.value for each in given.estimates] == [each.value for each in named.estimates] == values[0][:2]


def test_a_function_gives_what_q_functions_need(logs: so.Dataset) -> None:
    table = {name: values for name, values in logs._table().items() if not name.startswith("target")}
    e = so.evaluate(table, target=follow, estimators=["fqe(features=linear)", "dr(q=qreg)"])
    assert [each.error for each in e.estimates] == [None, None]


def test_it_is_asked_in_batches(monkeypatch: pytest.MonkeyPatch, logs: so.Dataset) -> None:
    import starope._policies as policies

    monkeypatch.setattr(policies, "BATCH", 100)
    sizes = []

    def counting(states: Array) -> Array:
        sizes.append(len(states))
        return follow(states)

    value = so.evaluate(logs, target=counting, estimators="wpdis").value
    assert sum(sizes) == logs.steps and max(sizes) == 100 and len(sizes) == -(-logs.steps // 100)
    monkeypatch.undo()
    assert value == so.evaluate(logs, target=follow, estimators="wpdis").value


def test_discrete_states_are_ids() -> None:
    ids = np.array([3, 9, 3, 9])
    seen = []

    def policy(states: Array) -> Array:
        seen.append(states)
        return np.where((states == 9)[:, None], [0.25, 0.75], [0.5, 0.5])

    e = so.evaluate(episode=[0, 0, 1, 1], state=ids, action=[1, 1, 0, 1], reward=[0.0, 1, 0, 1], behavior_prob=[0.5] * 4, target=policy,
                    estimators="is")
    assert np.array_equal(seen[0], ids)
    assert e.value == pytest.approx((1.5 + 1.5) / 2)


@pytest.mark.parametrize(("wrong", "words"), [
    (lambda p: p * 2, ["row 0", "sums to 2", "Normalize"]),
    (lambda p: np.where(np.arange(len(p))[:, None] == 7, [[-0.5, 1.5]], p), ["row 7", "-0.5, 1.5"]),
    (lambda p: np.where(np.arange(len(p))[:, None] == 9, np.nan, p), ["row 9", "nan"]),
    (lambda p: p[:, 0], ["shape", "number of actions"]),
    (lambda p: p[1:], ["shape"]),
    (lambda p: np.ones((len(p), 1)), ["1 actions", "action 1 was logged"]),
])
def test_impossible_probabilities(logs: so.Dataset, wrong: Policy, words: list[str]) -> None:
    table = {name: values for name, values in logs._table().items() if not name.startswith(("target", "behavior_probs"))}
    with pytest.raises(so.PolicyError) as raised:
        so.evaluate(table, target=lambda states: wrong(follow(states)))
    for word in words:
        assert word in str(raised.value)


def test_the_row_of_an_impossible_probability_is_an_attribute(logs: so.Dataset) -> None:
    def policy(states: Array) -> Array:
        p = follow(states)
        p[17] = [0.4, 0.4]
        return p

    with pytest.raises(so.PolicyError) as raised:
        logs.with_target(policy)
    assert raised.value.row == 17
    episode = int(np.searchsorted(logs.offsets, 17, side="right")) - 1
    assert f"episode {episode}, step {17 - logs.offsets[episode]}" in str(raised.value)


def test_what_a_policy_raises_is_what_the_caller_sees(logs: so.Dataset) -> None:
    def policy(states: Array) -> Array:
        raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match="mine"):
        so.evaluate(logs, target=policy)


def test_more_actions_than_were_logged(logs: so.Dataset) -> None:
    table = {name: values for name, values in logs._table().items() if not name.startswith(("target", "behavior_probs"))}
    three = so.Dataset(table, target=lambda s: np.hstack([0.9 * follow(s), np.full((len(s), 1), 0.1)]))
    assert three.action_count == 3 and known(three.target_probs).shape == (logs.steps, 3)


def test_the_behavior_policy_too(logs: so.Dataset) -> None:
    uniform = logs.with_behavior(lambda states: np.full((len(states), 2), 0.5))
    assert np.array_equal(known(uniform.behavior_prob), np.full(logs.steps, 0.5))
    assert known(uniform.behavior_probs).shape == (logs.steps, 2)


def test_scikit_learn(logs: so.Dataset) -> None:
    from sklearn.linear_model import LogisticRegression

    model = LogisticRegression().fit(logs.states, logs.actions)
    by_model = so.evaluate(logs, target=model, estimators="wpdis").value
    assert by_model == so.evaluate(logs, target=model.predict_proba(logs.states), estimators="wpdis").value


def test_adapters(logs: so.Dataset) -> None:
    greedy = so.epsilon_greedy(lambda states: (states[:, 2] > 0).astype(int), actions=2, epsilon=0.1)
    p = greedy(known(logs.states))
    assert np.allclose(p.sum(axis=1), 1) and set(np.round(np.unique(p), 12)) == {0.05, 0.95}
    with pytest.raises(so.InvalidArgument, match="epsilon"):
        so.epsilon_greedy(lambda s: s, 2, epsilon=2)
    with pytest.raises(so.MissingPackage, match="pip install torch"):
        so.from_torch(object())


def test_a_file_is_the_policy_that_the_program_takes_from_it(logs: so.Dataset, tmp_path: Path) -> None:
    layers = [{"weight": [[0.5, -1.0, 2.0, 0.25], [-0.5, 1.0, -2.0, 0.0]], "bias": [0.1, -0.1]}]
    (tmp_path / "policy.json").write_text(json.dumps({"schema": "starope.policy/1", "layers": layers}))
    logs.write(tmp_path / "logs.csv", final_states=False)
    e = so.evaluate(tmp_path / "logs.csv", target=tmp_path / "policy.json", estimators=["wpdis", "fqe(features=linear)", "naive"])
    printed = program("evaluate", tmp_path / "logs.csv", "--target", tmp_path / "policy.json", "--estimators", "wpdis,fqe(features=linear),naive", "--json")
    assert e.to_json() == printed

    def by_hand(states: Array) -> Array:
        scores = states @ np.array(layers[0]["weight"]).T + np.array(layers[0]["bias"])
        shares = np.exp(scores)
        return np.asarray(shares / shares.sum(axis=1, keepdims=True))

    expected = so.evaluate(logs, target=by_hand, estimators="wpdis").value
    assert e["wpdis"].value == pytest.approx(expected, rel=1e-4)  # files hold single precision
    table = {name: values for name, values in logs._table().items() if not name.startswith("target")}
    for given in (logs, table, pd.DataFrame(table)):
        assert so.evaluate(given, target=tmp_path / "policy.json", estimators="wpdis").value == e["wpdis"].value
    c = so.compare(logs, targets={"new": tmp_path / "policy.json", "old": None}, estimator="wpdis")
    assert c["new"].value == e["wpdis"].value
    assert so.inspect(tmp_path / "logs.csv", target=tmp_path / "policy.json").to_dict() == json.loads(
        program("inspect", tmp_path / "logs.csv", "--target", tmp_path / "policy.json", "--json"))
    with pytest.raises(so.FileError, match="nowhere.json"):
        so.evaluate(logs, target=Path("nowhere.json"))
    with pytest.raises(so.WrongType, match="pathlib.Path"):
        so.evaluate(logs, target="policy.json")
    with pytest.raises(so.WrongType, match="target policy"):
        so.Dataset(table, behavior_prob=tmp_path / "policy.json")  # type: ignore[arg-type]


class FakeTensor:
    """As much of a tensor as from_sb3 touches."""

    def __init__(self, values: Array) -> None:
        self.values = values

    def detach(self) -> "FakeTensor":
        return self

    cpu = double = detach

    def numpy(self) -> Array:
        return self.values


def test_a_model_of_stable_baselines(logs: so.Dataset) -> None:
    class Policy:
        def obs_to_tensor(self, states: Array) -> Any:
            return states, True

        def get_distribution(self, states: Array) -> Any:
            inner = type("Categorical", (), {"probs": FakeTensor(follow(states))})()
            return type("Distribution", (), {"distribution": inner})()

    model = type("PPO", (), {"policy": Policy()})()
    assert so.evaluate(logs, target=so.from_sb3(model), estimators="wis").value == so.evaluate(logs, target=follow, estimators="wis").value


class Classifier:
    """As those of scikit-learn: one column for each class that was seen, in the order of `classes_`."""

    def __init__(self, classes: Any, shares: list[float]) -> None:
        self.classes_, self.shares = np.asarray(classes), shares

    def predict_proba(self, states: Array) -> Array:
        return np.tile(self.shares, (len(states), 1))


def test_the_columns_of_a_classifier_are_its_classes() -> None:
    """One that never saw action 1 gives two columns for three actions."""
    rng = np.random.default_rng(0)
    logs = so.Dataset(state=rng.normal(size=(90, 2)), action=np.arange(90) % 3, reward=rng.normal(size=90), behavior_prob=np.full(90, 1 / 3),
                      offsets=np.arange(0, 91, 3))
    for classes, shares, expected in (([0, 2], [0.3, 0.7], [0.3, 0, 0.7]), ([2, 0, 1], [0.7, 0.2, 0.1], [0.2, 0.1, 0.7]), ([1], [1.0], [0, 1, 0]),
                                      (np.array([0.0, 2.0]), [0.3, 0.7], [0.3, 0, 0.7]), ([False, True], [0.4, 0.6], [0.4, 0.6, 0])):
        found = logs.with_target(Classifier(classes, shares))
        assert known(found.target_probs).tolist() == [expected] * 90 and known(found.target_prob).tolist() == expected * 30
    for strange in (["left", "right"], [-1, 1], [0.5, 1.0]):
        with pytest.raises(so.PolicyError, match="no numbers of actions"):
            logs.with_target(Classifier(strange, [0.5, 0.5]))


def test_a_policy_may_use_its_answer_again(monkeypatch: pytest.MonkeyPatch, logs: so.Dataset) -> None:
    import starope._policies as policies

    expected = follow(known(logs.states))
    answer = np.empty((logs.steps, 2))

    def thrifty(states: Array) -> Array:
        answer[:len(states)] = follow(states)
        return answer[:len(states)]

    found = logs.with_target(thrifty)
    answer[:] = 0.0
    assert np.array_equal(known(found.target_probs), expected)
    monkeypatch.setattr(policies, "BATCH", 7)
    assert np.array_equal(known(logs.with_target(thrifty).target_probs), expected)


def test_what_needs_an_adapter_says_so(logs: so.Dataset) -> None:
    class Module:  # of torch
        def __call__(self, states: Any) -> Any:
            raise AssertionError("asked with arrays")

        def state_dict(self) -> dict[str, Any]:
            return {}

        def parameters(self) -> list[Any]:
            return []

    class Model:  # of Stable-Baselines3
        policy = None

        def predict(self, states: Any) -> Any:
            raise AssertionError("asked")

    class Chooser:  # as LinearSVC of scikit-learn
        def predict(self, states: Any) -> Any:
            raise AssertionError("asked")

    strangers: list[tuple[Any, str]] = [(Module(), "from_torch"), (Model(), "from_sb3"), (Chooser(), "epsilon_greedy")]
    for given, words in strangers:
        for ask in (lambda: logs.with_target(given), lambda: so.evaluate(logs, target=given), lambda: so.evaluate(logs._table(), target=given),  # noqa: B023
                    lambda: so.evaluate(pd.DataFrame(logs._table()), target=given)):  # noqa: B023
            with pytest.raises(so.WrongType, match=words):
                ask()


def test_choices_that_are_no_actions() -> None:
    for chosen, words in (([0, 2], "2 was chosen"), ([0, -1], "-1 was chosen"), ([0.5, 1], "0.5 in row 0")):
        with pytest.raises(so.InvalidArgument, match=words):
            so.epsilon_greedy(lambda states: np.array(chosen), 2)(np.zeros((2, 1)))  # noqa: B023
