"""Logs as other projects keep them, made by these projects where they can be installed."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, SupportsFloat

import gymnasium
import h5py
import minari
import numpy as np
import polars as pl
import pytest
from conftest import Array, Columns, Policy, known

import starope as so


def follow(sharp: float) -> Policy:
    def policy(states: Array) -> Array:
        right = 1 / (1 + np.exp(-sharp * (states[:, 2] + states[:, 3])))
        return np.stack([1 - right, right], axis=1)

    return policy


MinariSet = tuple[minari.MinariDataset, Columns, Path]


class Logged(gymnasium.Wrapper[Array, int, Array, int]):
    """Acts by a policy and says in the infos how likely that was."""

    def __init__(self, env: gymnasium.Env[Array, int]) -> None:
        super().__init__(env)
        self.random = np.random.default_rng(0)
        self.probability = 1.0

    def choose(self, observation: Array) -> int:
        p = follow(0.5)(observation[None])[0]
        action = int(self.random.random() < p[1])
        self.probability = p[action]
        return action

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Array, dict[str, Any]]:
        observation, info = super().reset(seed=seed, options=options)
        return observation, {**info, "behavior_prob": 1.0}

    def step(self, action: int) -> tuple[Array, SupportsFloat, bool, bool, dict[str, Any]]:
        observation, reward, terminated, truncated, info = super().step(action)
        return observation, reward, terminated, truncated, {**info, "behavior_prob": self.probability}


@pytest.fixture(scope="module", params=["hdf5", "arrow", "parquet"])
def minari_set(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[MinariSet]:
    """A data set that minari itself made, with what really happened beside it."""
    root = tmp_path_factory.mktemp(request.param)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MINARI_DATASETS_PATH", str(root))
        logged = Logged(gymnasium.make("CartPole-v1", max_episode_steps=25))
        env = minari.DataCollector(logged, record_infos=True, data_format=request.param)
        seen: dict[str, list[Any]] = {"episode": [], "state": [], "action": [], "reward": [], "behavior_prob": [], "terminated": []}
        for episode in range(13):  # more than ten: groups in the order of their names are not in the order of their numbers
            observation, _ = env.reset(seed=episode)
            over = False
            while not over:
                action = logged.choose(observation)
                following, reward, terminated, truncated, _ = env.step(action)
                for name, value in zip(seen, (episode, observation, action, reward, logged.probability, terminated)):
                    seen[name].append(value)
                observation, over = following, terminated or truncated
        env.create_dataset(dataset_id="test/cartpole-v0", algorithm_name="follow")
        env.close()
        yield minari.load_dataset("test/cartpole-v0"), {name: np.asarray(values) for name, values in seen.items()}, root / "test/cartpole-v0"


def test_minari_gives_what_happened(minari_set: MinariSet) -> None:
    dataset, seen, folder = minari_set
    logs = so.from_minari(dataset)
    assert logs.episodes == 13 and np.array_equal(known(logs.states), seen["state"]) and np.array_equal(known(logs.actions), seen["action"])
    assert np.array_equal(logs.rewards, seen["reward"]) and np.allclose(known(logs.behavior_prob), seen["behavior_prob"], rtol=0, atol=1e-15)
    last = logs.offsets[1:] - 1
    assert np.array_equal(logs.truncated, ~seen["terminated"][last])
    assert logs.truncated.any() and len(known(logs._state_rows())) == logs.steps + logs.truncated.sum()
    by_folder = so.from_minari(folder, behavior="infos/behavior_prob", target=follow(2.0))
    by_arrays = so.evaluate(seen, target=follow(2.0), estimators=["naive", "wpdis"])
    assert [each.value for each in so.evaluate(by_folder, estimators=["naive", "wpdis"]).estimates] == pytest.approx(
        [each.value for each in by_arrays.estimates], rel=1e-12)
    with pytest.raises(so.InvalidArgument, match="behavior_prob"):
        so.from_minari(dataset, behavior="infos/nothing")
    by_policy = so.from_minari(dataset, behavior=follow(0.5))
    assert np.allclose(known(by_policy.behavior_prob), seen["behavior_prob"], atol=1e-6)


def d4rl_file(path: Path, **more: Array | None) -> Columns:
    rng = np.random.default_rng(1)
    n = 40
    terminals, timeouts = np.zeros(n, bool), np.zeros(n, bool)
    terminals[[9, 29]] = True
    timeouts[19] = True
    arrays: dict[str, Array | None] = {"observations": rng.normal(size=(n, 3)).astype(np.float32), "actions": rng.normal(size=(n, 2)).astype(np.float32),
              "rewards": rng.normal(size=n).astype(np.float32), "terminals": terminals, "timeouts": timeouts,
              "infos/action_log_probs": rng.normal(-2, 0.1, n).astype(np.float32), **more}
    with h5py.File(path, "w") as file:
        for name, values in arrays.items():
            if values is not None:
                file.create_dataset(name, data=values, compression="gzip")
        file.create_dataset("metadata/algorithm", data=np.bytes_("SAC"))
    return {name: values for name, values in arrays.items() if values is not None}


def test_d4rl(tmp_path: Path) -> None:
    arrays = d4rl_file(tmp_path / "a.hdf5")
    logs = so.from_d4rl(tmp_path / "a.hdf5", target=np.full(40, 0.1))
    assert list(logs.offsets) == [0, 10, 20, 30, 40] and list(logs.truncated) == [False, True, False, True]
    assert np.array_equal(logs.rewards, arrays["rewards"].astype(float)) and known(logs.actions).shape == (40, 2)
    assert np.allclose(np.log(known(logs.behavior_prob)), arrays["infos/action_log_probs"])
    assert so.evaluate(logs, estimators="naive").value == pytest.approx(arrays["rewards"].sum(dtype=float) / 4, rel=1e-6)
    nexts = np.arange(120, dtype=np.float32).reshape(40, 3)
    d4rl_file(tmp_path / "b.hdf5", next_observations=nexts)
    assert np.array_equal(known(so.from_d4rl(tmp_path / "b.hdf5")._state_rows())[40:], nexts[[19, 39]])
    d4rl_file(tmp_path / "c.hdf5", timeouts=None)
    with pytest.raises(so.InvalidArgument, match="max_episode_steps"):
        so.from_d4rl(tmp_path / "c.hdf5")
    assert list(np.diff(so.from_d4rl(tmp_path / "c.hdf5", max_episode_steps=8).offsets)) == [8, 2, 8, 8, 4, 8, 2]
    with pytest.raises(so.FileError):
        so.from_d4rl(tmp_path / "nothing.hdf5")


def test_rllib(tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    steps = {"eps_id": [5, 5, 5, 9, 9], "t": [0, 1, 2, 0, 1], "obs": rng.normal(size=(5, 2)).tolist(), "actions": [0, 1, 0, 1, 1],
             "rewards": [1.0, 2.0, 3.0, 4.0, 5.0], "terminateds": [False, False, True, False, False],
             "truncateds": [False, False, False, False, True], "action_logp": np.log([0.5, 0.25, 0.5, 0.75, 0.5]).tolist()}
    # Fragments of episodes on lines of their own, in another order.
    first = {"type": "SampleBatch", **{name: values[3:] + values[:1] for name, values in steps.items()}}
    second = {"type": "MultiAgentBatch", "count": 2, "policy_batches": {"default_policy": {name: values[1:3] for name, values in steps.items()}}}
    path = tmp_path / "output-2026_worker-0_0.json"
    path.write_text(json.dumps(first) + "\n" + json.dumps(second) + "\n")
    logs = so.from_rllib(path)
    assert logs.rewards.tolist() == steps["rewards"] and list(logs.offsets) == [0, 3, 5] and list(logs.truncated) == [False, True]
    assert np.allclose(known(logs.behavior_prob), [0.5, 0.25, 0.5, 0.75, 0.5]) and np.array_equal(known(logs.states), steps["obs"])
    columnar = pl.DataFrame({**steps, "eps_id": ["a", "a", "a", "b", "b"]}).drop("t")
    columnar.write_parquet(tmp_path / "part.parquet")
    for given in (columnar, tmp_path / "part.parquet", [tmp_path / "part.parquet"]):
        table = so.from_rllib(given)
        assert np.array_equal(known(table.states), known(logs.states)) and np.allclose(known(table.behavior_prob), known(logs.behavior_prob))
    path.write_text(json.dumps({"type": "SampleBatch", "obs": "BCJNGGhAs", "rewards": [1.0]}))
    with pytest.raises(so.WrongType, match="compressed.*pickle"):
        so.from_rllib(path)
    with pytest.raises(so.WrongType, match="msgpack"):
        so.from_rllib(pl.DataFrame({"item": [b"x"]}))


def test_lerobot(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    table = pl.DataFrame({"observation.state": rng.normal(size=(6, 2)).tolist(), "action": rng.normal(size=(6, 3)).tolist(),
                          "episode_index": [0, 0, 0, 1, 1, 1], "frame_index": [0, 1, 2] * 2, "timestamp": [0.0, 0.1, 0.2] * 2,
                          "next.reward": [0.0, 0, 1, 0, 0, 0], "next.done": [False, False, True, False, False, False],
                          "logp": rng.normal(size=6), "logp_new": rng.normal(size=6)})
    (tmp_path / "data/chunk-000").mkdir(parents=True)
    table[:3].write_parquet(tmp_path / "data/chunk-000/episode_000000.parquet")
    table[3:].write_parquet(tmp_path / "data/chunk-000/episode_000001.parquet")
    logs = so.from_lerobot(tmp_path, behavior_logp="logp", target=np.exp(table["logp_new"].to_numpy()))
    assert logs.episodes == 2 and known(logs.actions).shape == (6, 3) and list(logs.truncated) == [False, True]
    ratios = np.exp(table["logp_new"].to_numpy() - table["logp"].to_numpy())
    assert so.evaluate(logs, estimators="is").value == pytest.approx(ratios[:3].prod() / 2, rel=1e-9)


def test_scope_rl() -> None:
    done = np.array([[0, 1, 1], [0, 0, 1]], dtype=bool)  # the first ends after two steps, and goes on as it does there
    logged = {"size": 6, "n_trajectories": 2, "step_per_trajectory": 3, "action_type": "discrete", "n_actions": 2,
              "state": np.arange(12.0).reshape(6, 2), "action": np.array([0, 1, 0, 1, 1, 0]), "reward": np.array([1.0, 2, 99, 3, 4, 5]),
              "done": done.reshape(-1), "terminal": np.array([0, 0, 1, 0, 0, 1], dtype=bool), "pscore": np.full(6, 0.5)}
    dist = np.tile([0.25, 0.75], (6, 1))
    logs = so.from_scope_rl(logged, target=dist)
    assert logs.rewards.tolist() == [1, 2, 3, 4, 5] and list(logs.offsets) == [0, 2, 5] and list(logs.truncated) == [False, True]
    assert so.evaluate(logs, estimators="naive").value == 7.5
    assert so.from_scope_rl(logged, target=dist, cut_at_done=False).steps == 6
    function = so.from_scope_rl(logged, target=lambda states: np.tile([0.25, 0.75], (len(states), 1)))
    assert so.evaluate(function, estimators="is").value == so.evaluate(logs, estimators="is").value


def test_obp() -> None:
    rng = np.random.default_rng(4)
    n = 200
    pi_b = rng.dirichlet(np.ones(3), n)
    action = np.array([rng.choice(3, p=p) for p in pi_b])
    feedback = {"n_rounds": n, "n_actions": 3, "context": rng.normal(size=(n, 4)), "action": action, "reward": rng.normal(size=n),
                "position": None, "pscore": pi_b[np.arange(n), action], "pi_b": pi_b[:, :, None]}
    dist = rng.dirichlet(np.ones(3), n)[:, :, None]
    e = so.evaluate(so.from_obp(feedback, action_dist=dist), estimators=["is", "wis", "dr(q=qreg)"])
    weights = dist[np.arange(n), action, 0] / feedback["pscore"]
    assert e["is"].value == pytest.approx((weights * feedback["reward"]).mean(), rel=1e-12)
    assert e["wis"].value == pytest.approx((weights * feedback["reward"]).sum() / weights.sum(), rel=1e-12)
    two = {**feedback, "position": rng.integers(0, 2, n)}
    both = np.concatenate([dist, dist[:, ::-1]], axis=2)
    logs = so.from_obp(two | {"pi_b": None}, action_dist=both)
    assert np.array_equal(known(logs.target_probs), np.where(two["position"][:, None] == 0, both[:, :, 0], both[:, :, 1]))


def test_what_stands_beside_the_lines_of_rllib_goes_with_them(tmp_path: Path) -> None:
    """Episodes come back in another order than they were written."""
    steps = {"obs": [[1.0], [2.0], [3.0]], "actions": [0, 1, 0], "rewards": [1.0, 2.0, 4.0], "t": [0, 1, 0], "eps_id": [5, 5, 3]}
    (tmp_path / "a.json").write_text(json.dumps({"type": "SampleBatch"} | steps) + "\n")
    beside = np.array([0.1, 0.2, 0.4])
    logs = so.from_rllib(tmp_path / "a.json", behavior_prob=beside, target=beside * 2)
    assert logs.rewards.tolist() == [4, 1, 2]
    assert known(logs.behavior_prob).tolist() == [0.4, 0.1, 0.2] and known(logs.target_prob).tolist() == [0.8, 0.2, 0.4]
    (tmp_path / "b.json").write_text("{nonsense\n")
    with pytest.raises(so.FileError, match="b.json, line 1: no JSON"):
        so.from_rllib(tmp_path / "b.json")
    (tmp_path / "c.json").write_text(json.dumps({"type": "SampleBatch", "rewards": [1.0]}) + "\n")
    with pytest.raises(so.InvalidArgument, match="no 'obs' in .*c.json"):
        so.from_rllib(tmp_path / "c.json")


def test_what_does_not_fit_together_is_named(tmp_path: Path) -> None:
    arrays = {"observations": np.zeros((4, 2)), "actions": np.zeros((4, 1)), "rewards": np.zeros(4), "terminals": np.zeros(4), "timeouts": np.zeros(4)}
    bandit = {"n_rounds": 2, "n_actions": 2, "context": np.zeros((2, 1)), "action": np.array([0, 1]), "reward": np.zeros(2), "pscore": np.full(2, 0.5)}
    scope = {"n_trajectories": 2, "step_per_trajectory": 2, "state": np.zeros((4, 1)), "action": np.zeros((4, 1)), "reward": np.zeros(4), "done": np.zeros(4),
             "pscore": np.full(4, 0.5)}
    calls: list[tuple[Any, str]] = [(lambda: so.from_d4rl(arrays | {"timeouts": np.zeros(3)}), "from_d4rl: 3 rows of timeouts for 4 steps"),
                                    (lambda: so.from_d4rl(arrays | {"actions": np.zeros(3)}), "3 rows of actions for 4 steps"),
                                    (lambda: so.from_d4rl({name: values[:0] for name, values in arrays.items()}), "from_d4rl: there are no steps"),
                                    (lambda: so.from_d4rl({name: arrays[name] for name in arrays if name != "timeouts"}, max_episode_steps=0), "max_episode_steps=0: must be at least 1"),
                                    (lambda: so.from_d4rl(3), "from_d4rl: a mapping"), (lambda: so.from_obp({}), "from_obp: 'n_rounds' is missing"),  # type: ignore[arg-type]
                                    (lambda: so.from_obp(bandit, action_dist=np.full((1, 2), 0.5)), "1 rows of action_dist for 2 steps"),
                                    (lambda: so.from_scope_rl(scope | {"reward": np.zeros(3)}), "from_scope_rl: 3 rows of reward for 4 steps"),
                                    (lambda: so.from_scope_rl(scope, target=np.ones(5)), "5 rows of target for 4 steps"), (lambda: so.from_scope_rl({}), "'n_trajectories' is missing"),
                                    (lambda: so.from_rllib([]), "no files were given"), (lambda: so.from_rllib(tmp_path, oobs="x"), "from_rllib has no argument 'oobs'"),
                                    (lambda: so.from_minari(3), "from_minari: the id of a data set"), (lambda: so.from_minari(tmp_path), "from_minari: No data")]
    for ask, words in calls:
        with pytest.raises(so.Error, match=words):
            ask()
