"""How users with type checkers call it. Checked by mypy --strict and pyright, and run."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

import starope as so


def policy(states: NDArray[np.float64]) -> NDArray[np.float64]:
    right = 1 / (1 + np.exp(-(states[:, 2] + states[:, 3])))
    return np.stack([1 - right, right], axis=1)


def side(states: NDArray[np.float64]) -> NDArray[np.int64]:
    return (states[:, 2] > 0).astype(np.int64)


def main() -> float:
    logs: so.Dataset = so.simulate("cartpole", episodes=30, seed=1)
    evaluation: so.Evaluation = so.evaluate(logs, target=policy, estimators=[so.Star(clusters=4, clip=None), so.Star(labels=side), "naive"],
                                            gamma=0.99, horizon=50)
    answer: so.Estimate = evaluation.answer
    interval: so.Interval | None = answer.interval
    assert interval is not None and answer.value is not None
    messages: list[str] = [finding.message for finding in evaluation.findings]
    print(len(messages), evaluation.to_dict()["schema"], so.inspect(logs)["episodes"])
    risky = so.evaluate(logs, estimators="wpdis", interval="t", behavior="estimate(method=global)", quantiles=[0.5], cvar=0.1, by="theta<0")
    fit: so.BehaviorFit | None = risky.behavior
    number: so.RiskNumber = risky.distributions[0].quantiles[0]
    group: so.Group = risky.groups[0]
    compared: so.Comparison = so.compare(logs, targets={"new": policy, "own": None}, estimator=so.WPDIS(), horizon=50)
    pair: so.PolicyDifference = compared.difference("new", "own")
    best: so.PolicyAnswer = compared[compared.ranking[0]]
    assert fit is not None
    print(fit.method, number.value, group.episodes, pair.told_apart, best.policy)
    try:
        so.evaluate(logs, gamma=2.0)
    except so.InvalidArgument as error:
        print(error.code)
    return answer.value + interval.lower


if __name__ == "__main__":
    main()
