"""A real environment, recorded and evaluated; the truth by rollouts lies in the interval."""

from typing import Any

import gymnasium
import numpy as np
import pytest
from conftest import Array, Policy, known

import starope as so


def follow(sharp: float) -> Policy:
    def policy(states: Array) -> Array:
        right = 1 / (1 + np.exp(-sharp * (states[:, 2] + states[:, 3])))
        return np.stack([1 - right, right], axis=1)

    return policy


def returns(logs: so.Dataset) -> Array:
    return np.add.reduceat(logs.rewards, logs.offsets[:-1])


def test_cartpole_is_recorded_and_evaluated_and_the_truth_is_inside() -> None:
    env = gymnasium.make("CartPole-v1")
    logs = so.record(env, follow(0.5), episodes=600, horizon=50, seed=1)
    e = so.evaluate(logs, target=follow(2.0), horizon=50)
    truth = returns(so.record(env, follow(2.0), episodes=400, horizon=50, seed=2))
    error = truth.std() / np.sqrt(len(truth))
    assert e.answer.estimator == "auto"
    assert known(e.interval).lower - 2 * error < truth.mean() < known(e.interval).upper + 2 * error
    assert abs(e["naive"].value - truth.mean()) > 4 * (error + e["naive"].std_error), "the policies differ"
    assert known(e.interval).upper - known(e.interval).lower < 15


def test_what_is_logged_is_what_happened() -> None:
    env = gymnasium.make("CartPole-v1")
    logs = so.record(env, follow(1.0), episodes=5, horizon=12, seed=7)
    assert known(logs.states).dtype == np.float32 and known(logs.states).shape == (logs.steps, 4)
    assert np.array_equal(known(logs.behavior_probs), follow(1.0)(known(logs.states)))
    assert np.array_equal(known(logs.behavior_prob), known(logs.behavior_probs)[np.arange(logs.steps), known(logs.actions)])
    lengths = np.diff(logs.offsets)
    assert (lengths <= 12).all() and (logs.truncated == (lengths == 12)).all()
    # Played again: the same states follow from the same actions, the final ones included.
    finals = known(logs._state_rows())[logs.steps:]
    place = 0
    for i in range(5):
        sequence = np.random.SeedSequence([7, i])
        observation, _ = env.reset(seed=int(sequence.generate_state(1)[0] >> 1))
        for t in range(lengths[i]):
            row = logs.offsets[i] + t
            assert np.array_equal(known(logs.states)[row], observation)
            observation, reward, *_ = env.step(int(known(logs.actions)[row]))
            assert reward == logs.rewards[row]
        if logs.truncated[i]:
            assert np.array_equal(finals[place], observation)
            place += 1


def test_the_same_seed_gives_the_same_logs_and_more_episodes_keep_the_first() -> None:
    env = gymnasium.make("CartPole-v1")
    a, b = (so.record(env, follow(1.0), episodes=n, seed=3) for n in (4, 6))
    assert np.array_equal(known(a.states), known(b.states)[:a.steps]) and np.array_equal(known(a.actions), known(b.actions)[:a.steps])
    assert not np.array_equal(known(a.actions)[:30], known(so.record(env, follow(1.0), episodes=4, seed=4).actions)[:30])


@pytest.mark.parametrize("mode", ["NEXT_STEP", "SAME_STEP", "DISABLED"])
def test_vectorized_environments(mode: str) -> None:
    envs = gymnasium.make_vec("CartPole-v1", num_envs=3, vectorization_mode="sync",
                              vector_kwargs={"autoreset_mode": gymnasium.vector.AutoresetMode[mode]})
    logs = so.record(envs, follow(0.0), episodes=61, seed=5)
    assert logs.episodes == 61
    # CartPole rewards every step, also the last; a step that only resets would have none.
    assert (logs.rewards == 1.0).all()
    # Episodes start near the middle, and within one the state follows from the state before.
    firsts = known(logs.states)[logs.offsets[:-1]]
    assert (np.abs(firsts) <= 0.05).all()
    inside = np.setdiff1d(np.arange(1, logs.steps), logs.offsets[1:-1])
    moved = known(logs.states)[inside, 0] - known(logs.states)[inside - 1, 0]
    assert np.allclose(moved, 0.02 * known(logs.states)[inside - 1, 1], atol=1e-6)
    # Uniform play lasts 22 steps on average; whoever counts short episodes more often is below.
    assert 16 < np.diff(logs.offsets).mean() < 30


def test_a_horizon_in_vectorized_environments() -> None:
    envs = gymnasium.make_vec("CartPole-v1", num_envs=2, vectorization_mode="sync")
    logs = so.record(envs, follow(0.0), episodes=20, horizon=9, seed=5)
    lengths = np.diff(logs.offsets)
    assert lengths.max() == 9 and (logs.truncated == (lengths == 9)).sum() >= 18


class Rooms(gymnasium.Env[dict[str, Any], np.int64]):
    """A dictionary of a number, a place and a tuple; actions start at 5."""

    observation_space = gymnasium.spaces.Dict({
        "room": gymnasium.spaces.Discrete(3), "at": gymnasium.spaces.Box(-1, 1, (2,)),
        "both": gymnasium.spaces.Tuple([gymnasium.spaces.Discrete(2), gymnasium.spaces.Box(0, 1, (1,))])})
    action_space = gymnasium.spaces.Discrete(2, start=5)

    def _seen(self) -> dict[str, Any]:
        return {"room": self.t % 3, "at": np.array([self.t, -self.t], dtype=np.float32), "both": (self.t % 2, np.array([0.5], dtype=np.float32))}

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[dict[str, Any], dict[str, Any]]:
        self.t = 0
        return self._seen(), {}

    def step(self, action: np.int64) -> tuple[dict[str, Any], float, bool, bool, dict[str, Any]]:
        assert action in (5, 6)
        self.t += 1
        return self._seen(), float(action), self.t == 4, False, {}


def test_nested_observations_have_names() -> None:
    logs = so.record(Rooms(), lambda states: np.full((len(states), 2), 0.5), episodes=3, seed=0)
    assert logs.state_names == ["room", "at_0", "at_1", "both/0", "both/1"]
    assert known(logs.states)[:4].tolist() == [[t % 3, t, -t, t % 2, 0.5] for t in range(4)]
    assert set(known(logs.actions)) <= {0, 1} and set(logs.rewards) <= {5.0, 6.0}
    assert np.array_equal(logs.rewards, known(logs.actions) + 5.0)


def test_ids_stay_ids() -> None:
    logs = so.record(gymnasium.make("FrozenLake-v1", is_slippery=True), lambda states: np.full((len(states), 4), 0.25), episodes=20, seed=1)
    assert known(logs.states).ndim == 1 and known(logs.states).dtype == np.int64 and set(known(logs.states)) <= set(range(16))
    e = so.evaluate(logs, target=lambda ids: np.tile([0.1, 0.4, 0.4, 0.1], (len(ids), 1)), estimators=["star(phi=identity)", "mb"])
    assert [each.error for each in e.estimates] == [None, None]


def test_slips() -> None:
    env = gymnasium.make("CartPole-v1")
    with pytest.raises(so.PolicyError, match="sum to 1"):
        so.record(env, lambda states: np.ones((len(states), 2)), episodes=1)
    with pytest.raises(so.PolicyError, match="shape"):
        so.record(env, lambda states: np.ones((len(states), 3)) / 3, episodes=1)
    with pytest.raises(so.InvalidArgument, match="policy"):
        so.record(env, 3, episodes=1)  # type: ignore[arg-type]
    with pytest.raises(so.InvalidArgument, match="discrete"):
        so.record(gymnasium.make("Pendulum-v1"), follow(1.0), episodes=1)


class Reusing(gymnasium.Env[Array, int]):
    """Writes every observation into the same array, as fast environments do."""

    observation_space = gymnasium.spaces.Box(0, 100, (1,), np.float64)
    action_space: Any = gymnasium.spaces.Discrete(2)

    def __init__(self) -> None:
        self.seen = np.zeros(1)

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Array, dict[str, Any]]:
        self.seen[:] = 0
        return self.seen, {}

    def step(self, action: int) -> tuple[Array, float, bool, bool, dict[str, Any]]:
        self.seen += 1
        return self.seen, float(self.seen[0]), False, bool(self.seen[0] == 4), {}


def test_an_environment_may_use_its_array_again() -> None:
    answer = np.empty((2, 2))

    def thrifty(states: Array) -> Array:
        answer[:len(states), 0] = 1 / (2 + states[:, 0])
        answer[:len(states), 1] = 1 - answer[:len(states), 0]
        return answer[:len(states)]

    several = gymnasium.vector.SyncVectorEnv([Reusing, Reusing], copy=False)
    for env in (Reusing(), several):
        logs = so.record(env, thrifty, episodes=2)
        assert known(logs.states)[:, 0].tolist() == [0, 1, 2, 3] * 2
        assert known(logs._state_rows())[logs.steps:, 0].tolist() == [4, 4] and logs.rewards.tolist() == [1, 2, 3, 4] * 2
        assert known(logs.behavior_probs)[:, 0].tolist() == [1 / (2 + state) for state in (0, 1, 2, 3)] * 2


def test_what_is_no_environment() -> None:
    for env in ("CartPole-v1", 3):
        with pytest.raises(so.WrongType, match="env: an environment of Gymnasium is needed, not .*gymnasium.make"):
            so.record(env, follow(1.0), episodes=1)
    with pytest.raises(so.WrongType, match="episodes=None"):
        so.record(gymnasium.make("CartPole-v1"), follow(1.0), episodes=None)  # type: ignore[arg-type]
