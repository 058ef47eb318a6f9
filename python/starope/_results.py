"""Answers: what the core's JSON says, as objects that read well."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._errors import Error, InvalidArgument


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


def _interval(given: dict[str, Any] | None) -> Interval | None:
    return Interval(given["lower"], given["upper"], given["level"], given.get("method", "")) if given else None


def _findings(given: list[dict[str, Any]] | None) -> tuple[Finding, ...]:
    known = ("severity", "code", "message")
    return tuple(Finding(each["severity"], each["code"], each["message"],
                         dict(each.get("parameters") or {key: value for key, value in each.items() if key not in known}))
                 for each in given or [])


def _estimate(given: dict[str, Any]) -> Estimate:
    error = given.get("error")
    return Estimate(given["estimator"], given.get("value"), given.get("std_error"), _interval(given.get("interval")),
                    given.get("ess"), _findings(given.get("findings")), error["message"] if error else None,
                    error["code"] if error else None, given.get("details", {}), tuple(given.get("families", ())))


def _difference(given: dict[str, Any] | None) -> Difference | None:
    if not given:
        return None
    return Difference(given["value"], given["std_error"], _interval(given["interval"]), given["probability_better"],
                      given["logged"]["value"], given["logged"]["std_error"])


def _verdict(given: dict[str, Any] | None) -> Verdict | None:
    if not given:
        return None
    return Verdict(given["grade"], tuple(Reason(each["code"], each["reason"], each["advice"]) for each in given["reasons"]))


def _width() -> int:
    return shutil.get_terminal_size((80, 24)).columns


class Evaluation:
    """What the target policy would have earned: the answer, how sure it is, and what there is to know about it.

    print() shows the table of the command line; a notebook shows it with a picture of the intervals.
    """

    def __init__(self, core: _core.Evaluation) -> None:
        self._core = core
        self._dict: dict[str, Any] = json.loads(core.json())

    @property
    def estimates(self) -> list[Estimate]:
        """One per estimator, in the order asked for."""
        return [_estimate(each) for each in self._dict["estimates"]]

    def __getitem__(self, estimator: Any) -> Estimate:
        """The estimate of an estimator, by its text or object."""
        wanted = str(estimator)
        for each in self.estimates:
            if each.estimator == wanted:
                return each
        raise KeyError(f"{wanted!r}: not among {', '.join(each.estimator for each in self.estimates)}")

    @property
    def answer(self) -> Estimate:
        """The estimate that answers. Raises if no estimator could."""
        given = self._dict.get("answer")
        if given is not None:
            return next((each for each in self.estimates if each.estimator == given["estimator"]), _estimate(given))
        answered = [each for each in self.estimates if each.error is None]
        if not answered:
            why = "; ".join(f"{each.estimator}: {each.error}" for each in self.estimates)
            error = Error(f"no estimator could answer. {why}")
            error.code = "no_answer"
            raise error
        return next((each for each in answered if each.estimator != "naive"), answered[0])

    @property
    def value(self) -> float:
        answer = self.answer.value
        assert answer is not None
        return answer

    @property
    def std_error(self) -> float | None:
        return self.answer.std_error

    @property
    def interval(self) -> Interval | None:
        return self.answer.interval

    @property
    def difference(self) -> Difference | None:
        return _difference(self._dict.get("difference"))

    @property
    def verdict(self) -> Verdict | None:
        return _verdict(self._dict.get("verdict"))

    @property
    def groups(self) -> list[dict[str, Any]]:
        """For whom: the answer by groups of episodes, where evaluate(..., by=...) asked for them."""
        return [dict(each) for each in self._dict.get("groups") or []]

    @property
    def findings(self) -> tuple[Finding, ...]:
        """About the logs, and about the estimate that answers."""
        of_logs = _findings(self._dict["data"].get("findings"))
        try:
            return of_logs + self.answer.findings
        except Error:
            return of_logs

    @property
    def data(self) -> dict[str, Any]:
        """What was evaluated: episodes, steps, gamma, ess, ..."""
        return dict(self._dict["data"])

    def influence(self, estimator: Any = None) -> NDArray[np.float64] | None:
        """One value per episode: how much the estimate would change, times the number of episodes, if it counted a little
        more. Kept if evaluate(..., influence=True) was asked; not part of what is pickled."""
        wanted = self.answer.estimator if estimator is None else str(estimator)
        place = next((i for i, each in enumerate(self.estimates) if each.estimator == wanted), None)
        if place is None:
            raise InvalidArgument(f"{wanted!r} is not among the estimators")
        values: Any = self._core.influence(place)
        return None if values is None else np.asarray(values)

    def to_dict(self) -> dict[str, Any]:
        """The object that `starope evaluate --json` prints."""
        made: dict[str, Any] = json.loads(self._core.json())
        return made

    def to_json(self) -> str:
        return self._core.json()

    def to_frame(self) -> Any:
        """One row per estimator, as a DataFrame of pandas (or polars)."""
        from ._frames import frame

        rows = self.estimates

        def end(each: Estimate, name: str) -> float | None:
            return getattr(each.interval, name) if each.interval else None

        return frame({"estimator": [each.estimator for each in rows], "value": [each.value for each in rows],
                      "std_error": [each.std_error for each in rows], "lower": [end(each, "lower") for each in rows],
                      "upper": [end(each, "upper") for each in rows], "ess": [each.ess for each in rows],
                      "findings": [", ".join(finding.code for finding in each.findings) for each in rows],
                      "error": [each.error for each in rows]})

    def report(self, path: str | os.PathLike[str]) -> None:
        """Writes a page to look at: one HTML file. evaluate(..., details=True) adds weights by step and processes."""
        page = self._core.report()
        with open(path, "w", encoding="utf-8") as file:
            file.write(page)

    def explain(self) -> str:
        """How the estimators that keep a record came to their answers."""
        return self._core.explanation(_width())

    def __str__(self) -> str:
        return self._core.text(_width(), False)

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        from ._html import evaluation_html

        return evaluation_html(self)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        from ._html import evaluation_chart

        return {"text/plain": str(self), "text/html": self._repr_html_(), "application/vnd.vegalite.v5+json": evaluation_chart(self)}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Evaluation) and self._dict == other._dict

    def __reduce__(self) -> tuple[Any, ...]:
        return _evaluation, (self._core.json(),)


def _evaluation(text: str) -> Evaluation:
    return Evaluation(_core.evaluation_from_json(text))


class Inspection:
    """What is in the logs, before anything is estimated. print() shows all of it."""

    def __init__(self, core: _core.Inspection) -> None:
        self._core = core
        self._dict: dict[str, Any] = json.loads(core.json())

    @property
    def findings(self) -> tuple[Finding, ...]:
        return _findings(self._dict.get("findings"))

    def __getitem__(self, name: str) -> Any:
        return self._dict[name]

    def to_dict(self) -> dict[str, Any]:
        """The object that `starope inspect --json` prints."""
        made: dict[str, Any] = json.loads(self._core.json())
        return made

    def __str__(self) -> str:
        return self._core.text(_width(), False)

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        from html import escape

        return f"<pre>{escape(str(self))}</pre>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Inspection) and self._dict == other._dict

    def __reduce__(self) -> tuple[Any, ...]:
        return _inspection, (self._core.json(),)


def _inspection(text: str) -> Inspection:
    return Inspection(_core.inspection_from_json(text))
