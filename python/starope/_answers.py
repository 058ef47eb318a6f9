"""The parts of answers: what the core's JSON says, as values with names."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Interval:
    lower: float
    upper: float
    level: float
    method: str = ""

    def __iter__(self) -> Iterator[float]:
        return iter((self.lower, self.upper))

    def __contains__(self, value: float) -> bool:
        return self.lower <= value <= self.upper


@dataclass(frozen=True)
class Finding:
    """Something to know about the logs or an estimate. `parameters` are the numbers of the message."""

    severity: str
    code: str
    message: str
    parameters: dict[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return f"{self.severity}: {self.message}"


@dataclass(frozen=True)
class Estimate:
    """What an estimator answers; `error` says why where it does not, and the numbers are None."""

    estimator: str
    value: float | None = None
    std_error: float | None = None
    interval: Interval | None = None
    ess: float | None = None
    findings: tuple[Finding, ...] = ()
    error: str | None = None
    error_code: str | None = None
    details: dict[str, Any] = field(default_factory=dict)
    families: tuple[dict[str, Any], ...] = ()


@dataclass(frozen=True)
class Difference:
    """How much more the target policy earns than the logged one, from the same episodes."""

    value: float
    std_error: float | None
    interval: Interval | None
    probability_better: float | None
    logged: float
    logged_std_error: float | None


@dataclass(frozen=True)
class Reason:
    code: str
    reason: str
    advice: str


@dataclass(frozen=True)
class Verdict:
    """May the answer be trusted? 'supported', 'doubtful' or 'not_answerable', with the reasons that decided."""

    grade: str
    reasons: tuple[Reason, ...] = ()

    def __str__(self) -> str:
        return self.grade

    @property
    def supported(self) -> bool:
        return self.grade == "supported"


@dataclass(frozen=True)
class Group:
    """The answer for a group of episodes. `too_few`: too few episodes for an interval that holds."""

    group: str
    episodes: int
    too_few: bool
    value: float | None
    std_error: float | None
    interval: Interval | None
    difference: Difference | None


@dataclass(frozen=True)
class RiskNumber:
    """A quantile, a mean of the worst, or a probability; `at` is what was asked about."""

    at: float
    value: float | None
    interval: Interval | None


@dataclass(frozen=True, eq=False)
class ReturnDistribution:
    """What single episodes return, by one method: 'logged', 'wis', 'dr' or 'arp'. `cdf[i]` is the probability of a return of at
    most `points[i]`."""

    method: str
    mean: float | None
    quantiles: tuple[RiskNumber, ...]
    cvar: tuple[RiskNumber, ...]
    below: tuple[RiskNumber, ...]
    points: NDArray[np.float64]
    cdf: NDArray[np.float64]


@dataclass(frozen=True)
class BehaviorMethod:
    """A way to estimate the behavior policy: how likely it makes the actions of episodes it did not see, and the value with it."""

    method: str
    setting: str
    log_likelihood: float | None
    value: float | None


@dataclass(frozen=True)
class CalibrationBin:
    """Probabilities from `lower` to `upper` that held-out fits gave: their mean, and how often these actions were taken."""

    lower: float
    upper: float
    predicted: float
    observed: float
    count: int


@dataclass(frozen=True)
class BehaviorFit:
    """The behavior policy, estimated: the method that was used, and all that were tried, the best first. `filled`: how many
    probabilities were missing, where only these were estimated."""

    method: str
    setting: str
    estimator: str | None
    methods: tuple[BehaviorMethod, ...]
    calibration: tuple[CalibrationBin, ...]
    filled: int = 0


@dataclass(frozen=True)
class PolicyAnswer:
    """A policy of a comparison. The interval of its estimate holds for all policies at once; 'logged' has no verdict."""

    policy: str
    estimate: Estimate
    verdict: Verdict | None
    rank: int | None
    probability_best: float | None

    @property
    def value(self) -> float | None:
        return self.estimate.value

    @property
    def interval(self) -> Interval | None:
        return self.estimate.interval


@dataclass(frozen=True)
class PolicyDifference:
    """How much more the first policy earns than the second, from the same episodes; the interval holds for all pairs at once."""

    first: str
    second: str
    value: float | None
    std_error: float | None
    interval: Interval | None
    probability_better: float | None
    told_apart: bool


def interval_from(given: dict[str, Any] | None) -> Interval | None:
    return Interval(given["lower"], given["upper"], given["level"], given.get("method", "")) if given else None


def findings_from(given: list[dict[str, Any]] | None) -> tuple[Finding, ...]:
    known = ("severity", "code", "message")
    return tuple(Finding(each["severity"], each["code"], each["message"],
                         dict(each.get("parameters") or {key: value for key, value in each.items() if key not in known}))
                 for each in given or [])


def estimate_from(given: dict[str, Any]) -> Estimate:
    error = given.get("error")
    return Estimate(given["estimator"], given.get("value"), given.get("std_error"), interval_from(given.get("interval")),
                    given.get("ess"), findings_from(given.get("findings")), error["message"] if error else None,
                    error["code"] if error else None, given.get("details", {}), tuple(given.get("families", ())))


def difference_from(given: dict[str, Any] | None) -> Difference | None:
    if not given:
        return None
    return Difference(given["value"], given["std_error"], interval_from(given["interval"]), given["probability_better"],
                      given["logged"]["value"], given["logged"]["std_error"])


def verdict_from(given: dict[str, Any] | None) -> Verdict | None:
    if not given:
        return None
    return Verdict(given["grade"], tuple(Reason(each["code"], each["reason"], each["advice"]) for each in given["reasons"]))


def group_from(given: dict[str, Any]) -> Group:
    return Group(given["group"], given["episodes"], given["too_few"], given["value"], given["std_error"], interval_from(given["interval"]),
                 difference_from(given["difference"]))


def distribution_from(given: dict[str, Any]) -> ReturnDistribution:
    def numbers(name: str) -> tuple[RiskNumber, ...]:
        return tuple(RiskNumber(each["at"], each["value"], interval_from(each["interval"])) for each in given[name])

    return ReturnDistribution(given["method"], given["mean"], numbers("quantiles"), numbers("cvar"), numbers("below"),
                              np.array(given["points"], dtype=np.float64), np.array(given["cdf"], dtype=np.float64))


def behavior_from(given: dict[str, Any] | None) -> BehaviorFit | None:
    if not given:
        return None
    return BehaviorFit(given["method"], given["setting"], given.get("estimator"),
                       tuple(BehaviorMethod(each["method"], each["setting"], each["log_likelihood"], each["value"]) for each in given["methods"]),
                       tuple(CalibrationBin(each["lower"], each["upper"], each["predicted"], each["observed"], each["count"])
                             for each in given["calibration"]), given.get("filled", 0))


def policy_from(given: dict[str, Any]) -> PolicyAnswer:
    return PolicyAnswer(given["policy"], estimate_from(given), verdict_from(given["verdict"]), given["rank"], given["probability_best"])


def pair_from(given: dict[str, Any]) -> PolicyDifference:
    return PolicyDifference(given["first"], given["second"], given["value"], given["std_error"], interval_from(given["interval"]),
                            given["probability_better"], given["told_apart"])
