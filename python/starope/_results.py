"""Answers: what the core's JSON says, as objects that read well."""

from __future__ import annotations

import json
import os
import shutil
from html import escape
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._answers import (
    BehaviorFit,
    Difference,
    Estimate,
    Finding,
    Group,
    Interval,
    PolicyAnswer,
    PolicyDifference,
    ReturnDistribution,
    Verdict,
    behavior_from,
    difference_from,
    distribution_from,
    estimate_from,
    findings_from,
    group_from,
    pair_from,
    policy_from,
    verdict_from,
)
from ._errors import Error, FileError, InvalidArgument

if TYPE_CHECKING:
    from ._html import Chart


def _width() -> int:
    return shutil.get_terminal_size((80, 24)).columns


class _Core(Protocol):
    def json(self) -> str: ...
    def text(self, width: int, color: bool) -> str: ...


class _Paged(_Core, Protocol):
    def report(self) -> str: ...


C = TypeVar("C", bound=_Core)
P = TypeVar("P", bound=_Paged)


class Answer(Generic[C]):
    """What all answers are: the text that the program prints, and its JSON, which is also how they are pickled and compared."""

    def __init__(self, core: C) -> None:
        self._core = core
        self._dict: dict[str, Any] = json.loads(core.json())

    @staticmethod
    def _from_json(text: str) -> Any:
        raise NotImplementedError

    def to_dict(self) -> dict[str, Any]:
        """The object that the program prints with --json."""
        made: dict[str, Any] = json.loads(self._core.json())
        return made

    def to_json(self) -> str:
        """The text that the program prints with --json."""
        return self._core.json()

    def __str__(self) -> str:
        return self._core.text(_width(), False)

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return f"<pre>{escape(str(self))}</pre>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, type(self)) and self._dict == other._dict

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (type(self), self._core.json())


def _restored(kind: type[Answer[Any]], text: str) -> Answer[Any]:
    return kind(kind._from_json(text))


def write_page(path: str | os.PathLike[str], page: str) -> None:
    try:
        with open(path, "w", encoding="utf-8") as file:
            file.write(page)
    except OSError as error:
        raise FileError(f"{os.fspath(path)}: cannot be written ({error.strerror})") from error


class Page(Answer[P]):
    """An answer that can also be a page to look at."""

    @property
    def data(self) -> dict[str, Any]:
        """What was evaluated: episodes, steps, gamma, ess, ..."""
        return dict(self._dict["data"])

    def report(self, path: str | os.PathLike[str]) -> None:
        """Writes a page to look at: one HTML file."""
        write_page(path, self._core.report())


class Evaluation(Page[_core.Evaluation]):
    """What the target policy would have earned: the answer, how sure it is, and what there is to know about it.

    print() shows the table of the command line; a notebook shows it with a picture of the intervals.
    """

    @staticmethod
    def _from_json(text: str) -> _core.Evaluation:
        return _core.evaluation_from_json(text)

    @property
    def estimates(self) -> list[Estimate]:
        """One per estimator, in the order asked for."""
        return [estimate_from(each) for each in self._dict["estimates"]]

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
            return next((each for each in self.estimates if each.estimator == given["estimator"]), estimate_from(given))
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
        return difference_from(self._dict.get("difference"))

    @property
    def verdict(self) -> Verdict | None:
        return verdict_from(self._dict.get("verdict"))

    @property
    def groups(self) -> list[Group]:
        """For whom: the answer by groups of episodes, where evaluate(..., by=...) asked for them."""
        return [group_from(each) for each in self._dict.get("groups") or []]

    @property
    def behavior(self) -> BehaviorFit | None:
        """How the behavior policy was estimated, where evaluate(..., behavior="estimate") asked for it."""
        return behavior_from(self._dict.get("behavior"))

    @property
    def distributions(self) -> list[ReturnDistribution]:
        """What single episodes return, by several methods, where quantiles=, cvar= or below= asked for it."""
        return [distribution_from(each) for each in self._dict.get("distributions") or []]

    @property
    def findings(self) -> tuple[Finding, ...]:
        """About the logs, and about the estimate that answers."""
        of_logs = findings_from(self._dict["data"].get("findings"))
        try:
            return of_logs + self.answer.findings
        except Error:
            return of_logs

    def influence(self, estimator: Any = None) -> NDArray[np.float64] | None:
        """One value per episode: how much the estimate would change, times the number of episodes, if it counted a little
        more. Kept if evaluate(..., influence=True) was asked; not part of what is pickled."""
        wanted = self.answer.estimator if estimator is None else str(estimator)
        place = next((i for i, each in enumerate(self.estimates) if each.estimator == wanted), None)
        if place is None:
            raise InvalidArgument(f"{wanted!r} is not among the estimators")
        values: Any = self._core.influence(place)
        return None if values is None else np.asarray(values)

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
        super().report(path)

    def explain(self) -> str:
        """How the estimators that keep a record came to their answers."""
        return self._core.explanation(_width())

    def chart(self) -> Chart:
        """The values and their intervals as a chart of Vega-Lite 5, for notebooks and for altair."""
        from ._html import evaluation_chart

        return evaluation_chart(self)

    def _repr_html_(self) -> str:
        from ._html import evaluation_html

        return evaluation_html(self)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        return {"text/plain": str(self), "text/html": self._repr_html_(), "application/vnd.vegalite.v5+json": dict(self.chart())}


class Inspection(Answer[_core.Inspection]):
    """What is in the logs, before anything is estimated. print() shows all of it."""

    @staticmethod
    def _from_json(text: str) -> _core.Inspection:
        return _core.inspection_from_json(text)

    @property
    def findings(self) -> tuple[Finding, ...]:
        return findings_from(self._dict.get("findings"))

    def __getitem__(self, name: str) -> Any:
        return self._dict[name]


class Comparison(Page[_core.Comparison]):
    """Several policies on the same logs: values, differences, ranking. print() shows the tables of the command line."""

    @staticmethod
    def _from_json(text: str) -> _core.Comparison:
        return _core.comparison_from_json(text)

    @property
    def policies(self) -> list[PolicyAnswer]:
        """The logged policy first, then in the order given."""
        return [policy_from(each) for each in self._dict["policies"]]

    def __getitem__(self, policy: str) -> PolicyAnswer:
        for each in self.policies:
            if each.policy == policy:
                return each
        raise KeyError(f"{policy!r}: not among {', '.join(each.policy for each in self.policies)}")

    @property
    def differences(self) -> list[PolicyDifference]:
        """Of every policy and the logged one, then of all pairs."""
        return [pair_from(each) for each in self._dict["differences"]]

    def difference(self, first: str, second: str = "logged") -> PolicyDifference:
        """How much more the first policy earns than the second."""
        for each in self._dict["differences"]:
            if (each["first"], each["second"]) == (first, second):
                return pair_from(each)
        pairs = ", ".join(f"({each['first']}, {each['second']})" for each in self._dict["differences"])
        raise KeyError(f"({first}, {second}): not among {pairs}")

    @property
    def ranking(self) -> list[str]:
        """The best first; without those that have no answer."""
        return list(self._dict["ranking"])

    @property
    def not_told_apart(self) -> list[list[str]]:
        """Neighbors in the ranking of which these logs cannot say which is better."""
        return [list(each) for each in self._dict["not_told_apart"]]

    def to_frame(self) -> Any:
        """One row per policy, as a DataFrame of pandas (or polars)."""
        from ._frames import frame

        rows = self.policies
        return frame({"policy": [each.policy for each in rows], "estimator": [each.estimate.estimator for each in rows],
                      "value": [each.value for each in rows], "std_error": [each.estimate.std_error for each in rows],
                      "lower": [each.interval.lower if each.interval else None for each in rows],
                      "upper": [each.interval.upper if each.interval else None for each in rows],
                      "rank": [each.rank for each in rows], "probability_best": [each.probability_best for each in rows],
                      "verdict": [each.verdict.grade if each.verdict else None for each in rows],
                      "error": [each.estimate.error for each in rows]})

    def chart(self) -> Chart:
        """The values of the policies and their intervals as a chart of Vega-Lite 5."""
        from ._html import comparison_chart

        return comparison_chart(self)

    def _repr_html_(self) -> str:
        from ._html import comparison_html

        return comparison_html(self)
