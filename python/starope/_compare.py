"""The question: which of several policies?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from . import _core
from ._blocks import Blocks, memory_of
from ._columns import ColumnArguments, Logs, Target, checked, takes_columns
from ._data import Dataset
from ._errors import InvalidArgument, WrongType
from ._estimators import Estimator, split
from ._evaluate import Progress, divided, plugged, question
from ._load import dataset
from ._progress import shown_progress
from ._results import Comparison

if TYPE_CHECKING:
    from typing_extensions import Unpack


@takes_columns
def compare(
    logs: Logs = None,
    *,
    targets: Mapping[str, Target] | Sequence[str],
    estimator: str | Estimator | None = None,
    gamma: float = 1.0,
    horizon: int | None = None,
    seed: int = 0,
    level: float | None = 0.95,
    behavior: str = "logged",
    threads: int | None = None,
    memory: str | int | None = None,
    progress: Progress = None,
    **columns: Unpack[ColumnArguments],
) -> Comparison:
    """Several policies on the same logs: what each earns, how much more than the logged one and than each other, and which these
    logs do not tell apart.

    targets: the policies by their names, each as `target` of `evaluate`: {"new": policy, "bold": "p_bold"}; None is the target that
      the logs have. Or the names of their columns alone.
    estimator: the one that answers; by default auto, and wpdis where the logs have no states.
    level: of intervals that hold for all policies, and for all pairs, at once.
    Everything else is as for `evaluate`.
    """
    policies = policies_of(targets, columns)
    wanted = one_of(estimator)
    texts: list[str] = [str(each) for each in wanted if not plugged(each)]
    roles: dict[str, Any] = {**checked(columns), "threads": threads, "behavior": behavior, "memory": memory_of(memory),
                             "estimators": [*texts, "naive"] if wanted else None}
    options = question(gamma, horizon, seed, level, threads) | {"behavior": behavior}
    _core.check_question(options)
    read = _Reader(logs, roles)
    asked = [(name, read(name, target)) for name, target in policies.items()]
    made: list[tuple[str, _core.Logs | _core.Blocks, list[dict[str, Any]]]] = []
    for name, data in asked:
        _, plugs = divided(wanted, data)
        made.append((name, data._logs, plugs))
    with shown_progress(progress) as tell:
        return Comparison(_core.compare(made, texts, {**options, "file": asked[0][1]._file or "arrays"}, tell))


def one_of(estimator: Any) -> list[str | Estimator]:
    """The estimator that answers for all policies, or none; here and inside Spark."""
    wanted = split(estimator) or []
    if len(wanted) > 1:
        raise InvalidArgument(f"estimator: {len(wanted)} were given, and one answers for all policies. Give the one to believe")
    return wanted


def policies_of(targets: Mapping[str, Target] | Sequence[str], columns: ColumnArguments) -> dict[str, Target]:
    """The policies by their names; here and inside Spark."""
    if columns.get("target") is not None or columns.get("target_logp") is not None:
        raise InvalidArgument("target: give the policies to compare as targets={'name': policy, ...}")
    if isinstance(targets, str):
        targets = [targets]
    if not isinstance(targets, (Mapping, Sequence)):
        raise WrongType(f"targets: give the policies with their names, {{'name': policy, ...}}, or a list of columns, not {type(targets).__name__}")
    if not isinstance(targets, Mapping):
        if not all(isinstance(each, str) for each in targets):
            raise WrongType("targets: give the policies with their names: {'name': policy, ...}, or a list of columns")
        if len(set(targets)) != len(targets):
            raise InvalidArgument(f"targets={list(targets)!r}: a policy comes twice")
        targets = {each: each for each in targets}
    if not targets:
        raise InvalidArgument("targets: which policies? Give targets={'name': policy, ...}")
    for name in targets:
        if not isinstance(name, str) or not name or name == "logged":
            raise InvalidArgument(f"targets: {name!r} is no name for a policy ('logged' is the policy that acted)")
    return dict(targets)


class _Reader:
    """The logs, with one policy after the other. Those of tables and files are read once for each column, and once for all policies
    that are none."""

    def __init__(self, logs: Any, roles: dict[str, Any]) -> None:
        self._logs, self._roles = logs, roles
        self._plain: Dataset | Blocks | None = None
        if hasattr(logs, "__arrow_c_stream__") and hasattr(logs, "read_next_batch"):
            self._logs = logs.read_all()  # of pyarrow: a stream that can be read only once

    def __call__(self, name: str, target: Target) -> Dataset | Blocks:
        if target is None or isinstance(target, str):
            if isinstance(target, str) and isinstance(self._logs, Dataset):
                raise InvalidArgument(f"targets: {name!r} is the column {target!r}, and a Dataset has no further columns. Give the table itself, "
                                      "or the probabilities as an array")
            found = dataset(self._logs, {**self._roles, "target": target, "target_alone": target is not None})
            if found._columns().get("target_prob") is None and found._columns().get("target_logp") is None:
                raise InvalidArgument(f"targets: {name!r} is None, and the logs have no target policy")
            return found
        if self._plain is None:
            self._plain = dataset(self._logs, dict(self._roles))
        return self._plain.with_target(target)
