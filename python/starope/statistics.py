"""The sums that an abstract reward process is made of, for engines that count logs in parts: Spark, Dask, a queue of files.

    phi = fit_phi("star(clusters=16,clip=2)", sample)                     # on some logs, once
    whole = survey(part_1) + survey(part_2)                               # of all parts
    count = Count("star(clusters=16,clip=2)", phi, whole)
    total = fold(count, part_1) + fold(count, part_2)                     # anywhere, in any order
    finish(count, total)["value"]

Everything pickles, and to_bytes() is the same on every machine.
"""

from __future__ import annotations

import json
from typing import Any, ClassVar, Generic, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._data import Dataset
from ._errors import WrongType
from ._estimators import Estimator, split
from ._evaluate import question
from ._results import Evaluation


class _Core(Protocol):
    def to_bytes(self) -> bytes: ...


C = TypeVar("C", bound=_Core)
Self = TypeVar("Self", bound="Traveling[Any]")


class Traveling(Generic[C]):
    """What goes from machine to machine: its bytes are the same on each, and two with the same bytes are the same."""

    _kind: ClassVar[Any]  # of the core

    def __init__(self, core: C) -> None:
        self._core = core

    def to_bytes(self) -> bytes:
        return self._core.to_bytes()

    @classmethod
    def from_bytes(cls: type[Self], data: bytes) -> Self:
        return cls(cls._kind.from_bytes(data))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, type(self)) and self.to_bytes() == other.to_bytes()

    def __hash__(self) -> int:
        return hash(self.to_bytes())

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self).from_bytes, (self.to_bytes(),)


A = TypeVar("A", bound="Adding[Any]")


class Adding(Traveling[C]):
    """What was counted in one part of the logs, and adds to what was counted in another."""

    def __add__(self: A, other: A) -> A:
        if not isinstance(other, type(self)):
            return NotImplemented
        return type(self)(self._core + other._core)


class Phi(Traveling[_core.Phi]):
    """A fitted abstraction: labels the states of any logs."""

    _kind = _core.Phi

    @property
    def cells(self) -> int:
        return self._core.cells

    @property
    def fingerprint(self) -> str:
        return self._core.fingerprint

    def label(self, logs: Dataset) -> NDArray[np.uint32]:
        """The cell of every state: of the steps, then of the final states."""
        return np.asarray(self._core.label(_logs(logs)))


class Survey:
    """The lengths and ratios of some logs, as far as the counting of any part must know them. Surveys add."""

    def __init__(self, core: _core.Survey) -> None:
        self._core = core

    def __add__(self, other: Survey) -> Survey:
        return Survey(self._core + other._core) if isinstance(other, Survey) else NotImplemented

    @property
    def episodes(self) -> int:
        return self._core.episodes

    @property
    def steps(self) -> int:
        return self._core.steps

    @property
    def longest(self) -> int:
        return self._core.longest

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Survey) and self._core.to_tuple() == other._core.to_tuple()

    def __reduce__(self) -> tuple[Any, ...]:
        return _survey, tuple(self._core.to_tuple())


def _survey(*values: Any) -> Survey:
    return Survey(_core.Survey.from_tuple(*values))


class Count:
    """What to count: the abstraction, how, and for which question. All parts are counted with the same."""

    def __init__(self, star: str | Estimator, phi: Phi, whole: Survey, *, gamma: float = 1.0, horizon: int | None = None,
                 seed: int = 0) -> None:
        asked = question(gamma, horizon, seed, None, None)
        self._given = (str(star), phi, whole, gamma, horizon, seed)
        self._core = _core.count(str(star), asked["seed"], phi._core, whole._core, asked["gamma"], asked["horizon"])

    def __reduce__(self) -> tuple[Any, ...]:
        return _count, self._given


def _count(star: str, phi: Phi, whole: Survey, gamma: float, horizon: int | None, seed: int) -> Count:
    return Count(star, phi, whole, gamma=gamma, horizon=horizon, seed=seed)


class Statistic(Adding[_core.Statistic]):
    """The sums over some episodes. They add; those that were counted with something else are refused."""

    _kind = _core.Statistic

    @property
    def episodes(self) -> float:
        return self._core.episodes


class AutoSums(Adding[_core.AutoSums]):
    """What a first pass over the logs finds for `auto`. They add."""

    _kind = _core.AutoSums


class AutoModel(Traveling[_core.AutoModel]):
    """`auto`, fitted to some logs: scores the episodes of any others. The mean score of all episodes is the answer.

        model = fit_auto(sample)
        sums = model.sums(part_1) + model.sums(part_2)                    # a first pass
        scores = [model.scores(part, sums) for part in (part_1, part_2)]  # a second one
    """

    _kind = _core.AutoModel

    @property
    def fingerprint(self) -> str:
        return self._core.fingerprint

    def sums(self, logs: Dataset) -> AutoSums:
        return AutoSums(self._core.sums(_logs(logs)))

    def scores(self, logs: Dataset, sums: AutoSums) -> NDArray[np.float64]:
        """One per episode."""
        return np.asarray(self._core.scores(_logs(logs), sums._core))


def _logs(logs: Dataset) -> _core.Logs:
    if not isinstance(logs, Dataset):
        raise WrongType(f"logs: a starope.Dataset is needed, not {type(logs).__name__}. Make one: starope.Dataset(table, ...)")
    return logs._logs


def fit_auto(logs: Dataset, auto: str | Estimator = "auto", *, gamma: float = 1.0, horizon: int | None = None, seed: int = 0) -> AutoModel:
    """`auto` fitted to all of these logs: a sample, where there are more."""
    asked = question(gamma, horizon, seed, None, None)
    return AutoModel(_core.fit_auto(str(auto), asked["seed"], _logs(logs), asked["gamma"], asked["horizon"]))


def survey(logs: Dataset, *, gamma: float = 1.0, horizon: int | None = None) -> Survey:
    asked = question(gamma, horizon, 0, None, None)
    return Survey(_core.survey(_logs(logs), asked["gamma"], asked["horizon"]))


def fit_phi(star: str | Estimator, logs: Dataset, *, gamma: float = 1.0, horizon: int | None = None, seed: int = 0) -> Phi:
    """The abstraction of a star(...), fitted to these logs (or to a sample of them where they are very many)."""
    asked = question(gamma, horizon, seed, None, None)
    return Phi(_core.fit_phi(str(star), asked["seed"], _logs(logs), asked["gamma"], asked["horizon"]))


def fold(count: Count, logs: Dataset) -> Statistic:
    """Counts the episodes of a part: one pass, the same bits for any number of threads."""
    return Statistic(_core.fold(count._core, _logs(logs)))


def finish(count: Count, total: Statistic) -> dict[str, Any]:
    """The process of all parts, solved: value, values and visits of the cells."""
    made: dict[str, Any] = _core.finish(count._core, total._core)
    return made


class Part(Adding[_core.Shard]):
    """The sums of several estimators over some episodes, with all that it takes to finish them. Parts add; their bytes are those of
    the program's statistics files (`evaluate --emit`, `merge`)."""

    _kind = _core.Shard

    @property
    def episodes(self) -> int:
        return self._core.episodes

    @property
    def steps(self) -> int:
        return self._core.steps

    @property
    def estimators(self) -> list[str]:
        return self._core.estimators

    def evaluation(self, level: float | None = 0.95) -> Evaluation:
        """What all parts say together."""
        return Evaluation(_core.finish_shard(self._core, level, ""))


def count_part(logs: Dataset, estimators: Any, *, gamma: float = 1.0, horizon: int | None = None, seed: int = 0, target: str = "") -> Part:
    """Counts some logs for estimators that are sums (naive, is, pdis, wis, wpdis, star). Cells are fitted to these logs: other parts
    are counted like them. `target` says what the target policy is, where the logs do not: parts of another are strangers."""
    texts = [str(each) for each in split(estimators) or []]
    return Part(_core.count_logs(_logs(logs), texts, question(gamma, horizon, seed, None, None), target))


def count_like(logs: Dataset, like: Part, *, target: str = "") -> Part:
    """Counts other logs with the recipe of a part: its estimators, its question, its cells."""
    return Part(_core.count_like(_logs(logs), like._core, target, None))


def _packed(steps: int, ids: list[Any], hashes: NDArray[Any], lengths: NDArray[Any]) -> bytes:
    """What a survey of episodes found, for the way from an executor to the driver."""
    return json.dumps([int(steps), list(ids), [int(each) for each in hashes], [int(each) for each in lengths]]).encode()


def _unpacked(content: bytes) -> tuple[int, list[Any], list[int], list[int]]:
    steps, ids, hashes, lengths = json.loads(content)
    return steps, ids, hashes, lengths


__all__ = ["AutoModel", "AutoSums", "Count", "Part", "Phi", "Statistic", "Survey", "count_like", "count_part", "finish", "fit_auto",
           "fit_phi", "fold", "survey"]
