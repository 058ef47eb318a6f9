"""The policy in question: a column, an array, a function, a model. What it says wrong is an error that names the row."""

from typing import Any

import numpy as np
import pytest

import starope as so


def follow(states: Any) -> Any:
    """Push to where the pole leans: what the target of the simulated logs is like."""
    right = 1.0 / (1.0 + np.exp(-5.0 * (states[:, 2] + states[:, 3])))
    return np.stack([1.0 - right, right], axis=1)


@pytest.fixture(scope="module")
def logs() -> Any:
    return so.simulate("cartpole", episodes=50, seed=5)


def test_a_function_an_array_and_a_column_agree(logs: Any) -> None:
    probabilities = follow(logs.states)
    taken = probabilities[np.arange(logs.steps), logs.actions]
    table = logs._table()
    for name in list(table):
        if name.startswith("target"):
            del table[name]
    estimators = ["wpdis", "star(clusters=4)", "auto(seeds=1)"]
    values = [[each.value for each in so.evaluate(given, estimators=estimators, **target).estimates] for given, target in (
        (logs, {"target": follow}), (logs, {"target": probabilities}), (table, {"target": follow}),
        (so.Dataset(table).with_target(follow), {}), (table, {"target": probabilities}))]
    assert all(each == values[0] for each in values), values
    # The probability of the logged action alone is enough for these two.
    for given, target in ((logs, {"target": taken}), (table | {"pe": taken}, {"target": "pe"})):
        assert [each.value for each in so.evaluate(given, estimators=estimators[:2], **target).estimates] == values[0][:2]


def test_a_function_gives_what_q_functions_need(logs: Any) -> None:
    table = {name: values for name, values in logs._table().items() if not name.startswith("target")}
    e = so.evaluate(table, target=follow, estimators=["fqe(features=linear)", "dr(q=qreg)"])
    assert [each.error for each in e.estimates] == [None, None]


def test_it_is_asked_in_batches(monkeypatch: Any, logs: Any) -> None:
    import starope._policies as policies

    monkeypatch.setattr(policies, "BATCH", 100)
    sizes = []

    def counting(states: Any) -> Any:
        sizes.append(len(states))
        return follow(states)

    value = so.evaluate(logs, target=counting, estimators="wpdis").value
    assert sum(sizes) == logs.steps and max(sizes) == 100 and len(sizes) == -(-logs.steps // 100)
    monkeypatch.undo()
    assert value == so.evaluate(logs, target=follow, estimators="wpdis").value


def test_discrete_states_are_ids() -> None:
    ids = np.array([3, 9, 3, 9])
    seen = []

    def policy(states: Any) -> Any:
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
def test_impossible_probabilities(logs: Any, wrong: Any, words: Any) -> None:
    table = {name: values for name, values in logs._table().items() if not name.startswith(("target", "behavior_probs"))}
    with pytest.raises(so.PolicyError) as raised:
        so.evaluate(table, target=lambda states: wrong(follow(states)))
    for word in words:
        assert word in str(raised.value)


def test_the_row_of_an_impossible_probability_is_an_attribute(logs: Any) -> None:
    def policy(states: Any) -> Any:
        p = follow(states)
        p[17] = [0.4, 0.4]
        return p

    with pytest.raises(so.PolicyError) as raised:
        logs.with_target(policy)
    assert raised.value.row == 17
    episode = int(np.searchsorted(logs.offsets, 17, side="right")) - 1
    assert f"episode {episode}, step {17 - logs.offsets[episode]}" in str(raised.value)


def test_what_a_policy_raises_is_what_the_caller_sees(logs: Any) -> None:
    def policy(states: Any) -> None:
        raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match="mine"):
        so.evaluate(logs, target=policy)


def test_more_actions_than_were_logged(logs: Any) -> None:
    table = {name: values for name, values in logs._table().items() if not name.startswith(("target", "behavior_probs"))}
    three = so.Dataset(table, target=lambda s: np.hstack([0.9 * follow(s), np.full((len(s), 1), 0.1)]))
    assert three.action_count == 3 and three.target_probs.shape == (logs.steps, 3)


def test_the_behavior_policy_too(logs: Any) -> None:
    uniform = logs.with_behavior(lambda states: np.full((len(states), 2), 0.5))
    assert np.array_equal(uniform.behavior_prob, np.full(logs.steps, 0.5))
    assert uniform.behavior_probs.shape == (logs.steps, 2)


def test_scikit_learn(logs: Any) -> None:
    from sklearn.linear_model import LogisticRegression

    model = LogisticRegression().fit(logs.states, logs.actions)
    by_model = so.evaluate(logs, target=model, estimators="wpdis").value
    assert by_model == so.evaluate(logs, target=model.predict_proba(logs.states), estimators="wpdis").value


def test_adapters(logs: Any) -> None:
    greedy = so.epsilon_greedy(lambda states: (states[:, 2] > 0).astype(int), actions=2, epsilon=0.1)
    p = greedy(logs.states)
    assert np.allclose(p.sum(axis=1), 1) and set(np.round(np.unique(p), 12)) == {0.05, 0.95}
    with pytest.raises(so.InvalidArgument, match="epsilon"):
        so.epsilon_greedy(lambda s: s, 2, epsilon=2)
    with pytest.raises(so.MissingPackage, match="pip install torch"):
        so.from_torch(object())


class FakeTensor:
    """As much of a tensor as from_sb3 touches."""

    def __init__(self, values: Any) -> None:
        self.values = values

    def detach(self) -> Any:
        return self

    cpu = double = detach

    def numpy(self) -> Any:
        return self.values


def test_a_model_of_stable_baselines(logs: Any) -> None:
    class Policy:
        def obs_to_tensor(self, states: Any) -> Any:
            return states, True

        def get_distribution(self, states: Any) -> Any:
            inner = type("Categorical", (), {"probs": FakeTensor(follow(states))})()
            return type("Distribution", (), {"distribution": inner})()

    model = type("PPO", (), {"policy": Policy()})()
    assert so.evaluate(logs, target=so.from_sb3(model), estimators="wis").value == so.evaluate(logs, target=follow, estimators="wis").value
