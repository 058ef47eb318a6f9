"""Simulated worlds whose truth is known, and studies that compare estimators on them."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping, Sequence
from typing import Any

from . import _core
from ._data import Dataset
from ._errors import InvalidArgument, WrongType
from ._estimators import Estimator, split
from ._evaluate import Progress, _count, _seed, _text
from ._progress import shown_progress
from ._results import write_page


def domains() -> list[dict[str, Any]]:
    """The simulated worlds: names, what is seen of them, actions, policies, horizons."""
    made: list[dict[str, Any]] = _core.domains()
    return made


def simulate(domain: str, *, behavior: str | None = None, target: str | None = None, episodes: int = 1000,
             horizon: int | None = None, seed: int = 0, dynamics: str | os.PathLike[str] | None = None) -> Dataset:
    """Logs of a simulated world, with the probabilities of both policies: what `starope simulate` writes."""
    count = _count("episodes", episodes)
    if count is None:
        raise WrongType("episodes=None: a whole number is needed")
    for name, policy in (("behavior", behavior), ("target", target)):
        if policy is not None:
            _text(name, policy)
    logs = _core.simulate(_text("domain", domain), os.fspath(dynamics or ""), behavior, target, count, _count("horizon", horizon), _seed(seed))
    return Dataset._of(logs, domain)


def true_value(domain: str, policy: str | None = None, *, horizon: int | None = None,
               dynamics: str | os.PathLike[str] | None = None) -> tuple[float, float]:
    """What a policy (default: the target) really earns in a simulated world, and its standard error (0: exact)."""
    policy = None if policy is None else _text("policy", policy)
    value, error = _core.true_value(_text("domain", domain), os.fspath(dynamics or ""), policy, _count("horizon", horizon))
    return float(value), float(error)


class Study:
    """What a study found. print() shows who wins; the results are in `folder`."""

    def __init__(self, folder: str, summary: _core.StudySummary) -> None:
        self.folder = folder
        self._summary = summary
        self._dict: dict[str, Any] = json.loads(summary.json())

    def to_dict(self) -> dict[str, Any]:
        return json.loads(self._summary.json())  # type: ignore[no-any-return]

    @property
    def cases(self) -> list[dict[str, Any]]:
        return list(self._dict["cases"])

    def to_frame(self) -> Any:
        """One row per case and estimator."""
        from ._frames import frame

        rows = [{"domain": case["domain"], "size": case["size"], **each} for case in self.cases for each in case["estimators"]]
        names = list(dict.fromkeys(name for row in rows for name, value in row.items() if not isinstance(value, (dict, list))))
        return frame({name: [row.get(name) for row in rows] for name in names})

    def report(self, path: str | os.PathLike[str]) -> None:
        """Writes a page to look at: one HTML file."""
        write_page(path, self._summary.report())

    def __str__(self) -> str:
        return self._summary.text(80)

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        from html import escape

        return f"<pre>{escape(str(self))}</pre>"

    def __reduce__(self) -> tuple[Any, ...]:
        return read_study, (self.folder,)


def read_study(folder: str | os.PathLike[str]) -> Study:
    """The study in a folder, as far as it was run."""
    return Study(os.fspath(folder), _core.study_summary(os.fspath(folder)))


def merge_studies(parts: Sequence[str | os.PathLike[str]], folder: str | os.PathLike[str]) -> Study:
    """Joins the parts of a study, each in a folder, in a new one."""
    _core.merge_studies([os.fspath(each) for each in parts], os.fspath(folder))
    return read_study(folder)


def study(
    what: str | os.PathLike[str] | Mapping[str, Dataset],
    *,
    folder: str | os.PathLike[str] | None = None,
    truth: Mapping[str, float] | None = None,
    estimators: str | Estimator | Sequence[str | Estimator] | None = None,
    sizes: Sequence[int] | None = None,
    trials: int | None = None,
    seed: int | None = None,
    gamma: float = 1.0,
    horizon: int | None = None,
    resume: bool = False,
    shard: str | None = None,
    neural: bool = False,
    threads: int | None = None,
    dynamics: str | os.PathLike[str] | None = None,
    progress: Progress = None,
) -> Study:
    """Compares estimators where the truth is known: domains x sizes x trials x estimators.

    what: the name of a built-in study ("smoke", "paper-cartpole", ...), a TOML file, or logs of environments of your own by
      name, such as {"lander": so.record(env, policy, ...)}; every trial then draws episodes from these, and `truth` has the
      values of their target policies.
    folder: where results go, one line each; what is finished is kept if the study stops, and resume=True continues.
    shard: "1/4" is the first of four parts, each with a folder of its own; merge_studies joins them.
    neural: built-in studies of the paper also with estimators that train networks.
    """
    listed = split(estimators)
    if any(isinstance(each, Estimator) and each._plug for each in listed or []):
        raise InvalidArgument("estimators: a study runs in the core, and cannot ask Python for labels or Q-values")
    if not isinstance(what, Mapping):
        for name, given in (("sizes", sizes is not None), ("truth", truth is not None), ("gamma", gamma != 1.0), ("horizon", horizon is not None)):
            if given:
                raise InvalidArgument(f"{name}: belongs to logs of your own; a study that has a name has its own")
    place = os.fspath(folder) if folder is not None else tempfile.mkdtemp(prefix="starope-study-")
    text = _own_study(what, place, truth, sizes, listed, gamma, horizon) if isinstance(what, Mapping) else os.fspath(what)
    options = {"dynamics": os.fspath(dynamics or ""), "seed": None if seed is None else _seed(seed),
               "estimators": [str(each) for each in listed or []], "trials": _count("trials", trials), "folder": place,
               "resume": bool(resume), "shard": None if shard is None else _text("shard", shard), "neural": bool(neural), "threads": _count("threads", threads)}
    with shown_progress(progress) as tell:
        _core.run_study(text, options, tell)
    return read_study(place)


def _own_study(what: Mapping[str, Dataset], place: str, truth: Mapping[str, float] | None, sizes: Sequence[int] | None,
               estimators: list[str | Estimator] | None, gamma: float, horizon: int | None) -> str:
    """The study as a TOML text, with the logs as files beside the results."""
    if not what:
        raise InvalidArgument("study: no logs. Give a mapping such as {'mine': logs}")
    for name, data in what.items():
        if not isinstance(data, Dataset):
            raise WrongType(f"study: {name!r} is {type(data).__name__}; a Dataset is needed")
    for name in truth or {}:
        if name not in what:
            raise InvalidArgument(f"truth: {name!r} is none of the logs {', '.join(map(repr, what))}")
    logs = os.path.join(os.path.abspath(place), "logs")
    os.makedirs(logs, exist_ok=True)
    usual = [_count("sizes", size) for size in sizes or ()] or sorted({max(2, data.episodes // k) for data in what.values() for k in (10, 2)})
    names = [str(each) for each in estimators or ["auto", "naive", "wis", "wpdis"]]
    lines = ['name = "own"', f"sizes = {usual}", "trials = 20", f"estimators = {json.dumps(names)}"]
    for name, data in what.items():
        path = os.path.join(logs, f"{len(lines)}.npz")
        data.write(path)
        lines += ["", "[[data]]", f"name = {json.dumps(str(name))}", f"file = {json.dumps(path)}", f"gamma = {float(gamma)!r}"]
        if horizon is not None:
            lines.append(f"horizon = {_count('horizon', horizon)}")
        if truth and name in truth:
            lines.append(f"truth = {float(truth[name])!r}")
    return "\n".join(lines) + "\n"
