"""The adapters with the real packages, where these are: they are large, so the environment of the tests does not bring them."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import SOURCE, known
from test_docs import BLOCK

import starope as so

torch = pytest.importorskip("torch", reason="torch is not installed: test_policies.py has a stand-in")


@pytest.fixture(scope="module")
def logs() -> so.Dataset:
    return so.simulate("cartpole", episodes=60, seed=3)


def network() -> Any:
    torch.manual_seed(0)
    return torch.nn.Sequential(torch.nn.Linear(4, 16), torch.nn.Dropout(0.5), torch.nn.Tanh(), torch.nn.Linear(16, 2))


def test_a_module_of_torch(logs: so.Dataset) -> None:
    module = network()
    module.train()  # dropout would make it random
    e = so.evaluate(logs, target=so.from_torch(module), estimators=["wpdis", "fqe(features=linear)"])
    # By hand, with the weights of the module.
    first, last = module[0], module[3]
    w0, b0, w1, b1 = (each.detach().numpy().astype(np.float64) for each in (first.weight, first.bias, last.weight, last.bias))
    scores = np.tanh(logs.states @ w0.T + b0) @ w1.T + b1
    shares = np.exp(scores - scores.max(axis=1, keepdims=True))
    shares /= shares.sum(axis=1, keepdims=True)
    assert np.allclose(so.from_torch(module)(known(logs.states)), shares, atol=1e-6)
    expected = so.evaluate(logs, target=shares, estimators=["wpdis", "fqe(features=linear)"])
    for a, b in zip(e.estimates, expected.estimates):
        assert a.value == pytest.approx(b.value, rel=1e-3)


def test_a_module_that_gives_probabilities(logs: so.Dataset) -> None:
    module = torch.nn.Sequential(network(), torch.nn.Softmax(dim=-1))
    given = so.from_torch(module, logits=False)(known(logs.states))
    assert np.allclose(given, so.from_torch(module[0])(known(logs.states)), atol=1e-6)
    with pytest.raises(so.PolicyError, match="sum"):
        so.evaluate(logs, target=so.from_torch(network(), logits=False))


def test_tensors_are_columns(logs: so.Dataset) -> None:
    given = {"state": torch.as_tensor(np.array(logs.states)), "reward": torch.as_tensor(np.array(logs.rewards)), "offsets": logs.offsets,
             "behavior_prob": torch.as_tensor(np.array(logs.behavior_prob)), "target": torch.as_tensor(np.array(logs.target_prob))}
    assert so.evaluate(estimators="wis", **given).value == so.evaluate(logs, estimators="wis").value


@pytest.mark.parametrize("kind", ["PPO", "A2C", "DQN"])
def test_agents_of_stable_baselines(logs: so.Dataset, kind: str) -> None:
    sb3 = pytest.importorskip("stable_baselines3", reason="Stable-Baselines3 is not installed")
    agent = getattr(sb3, kind)("MlpPolicy", "CartPole-v1", seed=0, device="cpu")
    policy = so.from_sb3(agent)
    if kind == "DQN":  # it chooses, and has no probabilities
        with pytest.raises(so.PolicyError, match="epsilon_greedy"):
            policy(known(logs.states)[:3])
        greedy = so.epsilon_greedy(lambda states: agent.predict(np.asarray(states, dtype=np.float32), deterministic=True)[0], 2, 0.1)
        assert so.evaluate(logs, target=greedy, estimators="wpdis").value > 0
        return
    shares = policy(known(logs.states)[:50])
    assert shares.shape == (50, 2) and np.allclose(shares.sum(axis=1), 1.0, atol=1e-6)
    # What the agent itself says about single actions.
    for i in range(5):
        observation, _ = agent.policy.obs_to_tensor(np.asarray(known(logs.states)[i], dtype=np.float32))
        for action in (0, 1):
            _, logp, _ = agent.policy.evaluate_actions(observation, torch.tensor([action]))
            assert np.exp(logp.item()) == pytest.approx(shares[i, action], abs=1e-6)
    assert so.evaluate(logs, target=policy, estimators="wpdis")["wpdis"].error is None


def test_the_page_about_policies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its block for these packages, as it stands there."""
    sb3 = pytest.importorskip("stable_baselines3", reason="Stable-Baselines3 is not installed")
    monkeypatch.chdir(tmp_path)
    sb3.PPO("MlpPolicy", "CartPole-v1", seed=0, device="cpu").save("agent.zip")
    names: dict[str, Any] = {"torch": torch, "stable_baselines3": sb3, "__name__": "page"}
    values = []
    code = ""
    for match in BLOCK.finditer((SOURCE / "docs/python/policies.md").read_text(encoding="utf-8")):
        code = match["code"]
        exec(compile(code, "docs/python/policies.md", "exec"), names)  # noqa: S102
        values.append(names["e"].value if "e" in names else None)
    assert "from_sb3" in code and "from_torch" in code and values[-1] not in values[:-1]


def test_an_agent_is_recorded_and_evaluated_and_the_truth_is_inside() -> None:
    gymnasium = pytest.importorskip("gymnasium")
    sb3 = pytest.importorskip("stable_baselines3", reason="Stable-Baselines3 is not installed")
    env = gymnasium.make("CartPole-v1")
    agent = sb3.PPO("MlpPolicy", "CartPole-v1", seed=0, device="cpu", n_steps=512).learn(2048)
    new = so.from_sb3(agent)
    logs = so.record(env, lambda states: 0.5 * new(states) + 0.25, episodes=300, horizon=30, seed=1)
    e = so.evaluate(logs, target=new, horizon=30)
    truth = np.add.reduceat(*(lambda rolled: (rolled.rewards, rolled.offsets[:-1]))(so.record(env, new, episodes=300, horizon=30, seed=2)))
    error = truth.std() / np.sqrt(len(truth))
    assert known(e.interval).lower - 2 * error < truth.mean() < known(e.interval).upper + 2 * error
