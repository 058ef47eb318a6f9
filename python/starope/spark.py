"""The same estimators inside Apache Spark, for logs on more machines than one.

    import starope.spark
    e = starope.spark.evaluate(df, episode="stay_id", t="hour", state=["hr", "bp"], reward="r", behavior_prob="pb", target="pe",
                               estimators=["wpdis", "star(clusters=32,clip=2)"])

A thin caller of the core: every partition is counted by it, sums travel as bytes, and the driver adds them in the order of the
partitions. docs/python/spark.md says what runs where and what it costs.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from . import _core
from ._columns import ColumnArguments, Target, checked, takes_columns
from ._compare import one_of, policies_of
from ._errors import Error, InvalidArgument, WrongType, optional
from ._estimators import Estimator, split
from ._evaluate import question
from ._results import Comparison, Evaluation, Inspection
from . import _spark_logs
from ._spark_logs import Logs

if TYPE_CHECKING:
    from typing_extensions import Unpack

BOOTSTRAPS = ("bootstrap-percentile", "bootstrap-bca")
INTERVALS = ("influence", "t", "jackknife", *BOOTSTRAPS)


@takes_columns
def evaluate(
    df: Any,
    *,
    estimators: str | Estimator | Sequence[str | Estimator] = ("naive", "wis", "wpdis"),
    gamma: float = 1.0,
    horizon: int | None = None,
    seed: int = 0,
    level: float | None = 0.95,
    interval: str | None = "influence",
    by: str | None = None,
    partitions: int | None = None,
    arranged: bool = False,
    **columns: Unpack[ColumnArguments],
) -> Evaluation:
    """What would the target policy have earned? From a Spark DataFrame with one row per step.

    estimators: those whose statistics are sums: naive, is, pdis, wis, wpdis, star, auto.
    target: the name of a column; a function (states) -> (n, actions) or an object with predict_proba, which travels to the executors; or
      a table (pandas, Spark) with the columns of the state and one column for each action.
    interval: "influence" or "t", from the influence of every episode, which is one more pass; "jackknife", from groups of episodes,
      without it; "bootstrap-percentile" or "bootstrap-bca", with "(replicates=N,seed=N)", which is a third one and far more work: every
      replicate is a fold of its own; None for none.
    by: a column ("ward", or a comparison such as "age<65"): the answer is also given by groups.
    partitions: how many; by default Spark's. The same number gives the same bits, any other the same to 1e-12.
    arranged: the rows of an episode are in one partition, together and in order of time: nothing is shuffled and sorted, and it is
      checked that they are.
    Everything else is as for starope.evaluate.
    """
    texts = _texts(estimators)
    options = question(gamma, horizon, seed, level, None) | _interval(interval)
    if by is not None and options.get("interval") is None:
        raise InvalidArgument("by: groups are answered by the influence of their episodes. Leave interval= out")
    _core.check_question(options)
    with Logs(df, checked(columns), partitions, arranged, by) as logs:
        return Evaluation(_answered(logs, texts, options)[0])


@takes_columns
def compare(
    df: Any,
    *,
    targets: Mapping[str, Target] | Sequence[str],
    estimator: str | Estimator | None = None,
    gamma: float = 1.0,
    horizon: int | None = None,
    seed: int = 0,
    level: float | None = 0.95,
    partitions: int | None = None,
    arranged: bool = False,
    **columns: Unpack[ColumnArguments],
) -> Comparison:
    """Several policies on the same logs, as starope.compare; from a Spark DataFrame, as `evaluate` takes it."""
    policies, given = policies_of(targets, columns), one_of(estimator)
    options = question(gamma, horizon, seed, level, None) | {"interval": "influence", "influence": True}
    _core.check_question(options)
    roles = checked(columns)
    made: list[tuple[str, _core.Evaluation]] = []
    first: Any = None
    for name, target in policies.items():
        with Logs(df, {**roles, "target": target, "target_alone": target is not None}, partitions, arranged, None) as logs:
            wanted = given or ["auto" if logs.has_states else "wpdis"]
            evaluation, logged = _answered(logs, [*_texts(wanted), "naive"], options)
        if first is not None and logged is not None and not (len(first) == len(logged) and (first == logged).all()):
            raise Error("the rows changed from one pass to the next: policies are compared episode by episode. Write the DataFrame to files, and read these")
        first = logged
        made.append((name, evaluation))
    return Comparison(_core.compare_evaluations(made, options))


@takes_columns
def inspect(
    df: Any,
    *,
    gamma: float = 1.0,
    partitions: int | None = None,
    arranged: bool = False,
    **columns: Unpack[ColumnArguments],
) -> Inspection:
    """What is in the logs, before anything is estimated; as starope.inspect, from a Spark DataFrame as `evaluate` takes it."""
    optional("pyarrow", "starope.spark", "pyarrow")
    discount = question(gamma, None, 0, None, None)["gamma"]
    with Logs(df, checked(columns), partitions, arranged, None) as logs:
        whole = logs.look(discount, _core.ends_are_logged(logs.first_row()._logs))
        total = _core.sum_of_looks(whole.contents)
        return Inspection(_core.finish_inspection(total, logs.weigh(total), logs.sample(whole)._logs, "Spark DataFrame"))


def _answered(logs: Logs, texts: list[str], options: dict[str, Any]) -> tuple[_core.Evaluation, Any]:
    """The answer; and the influence on what the logged policy earned, where it was counted."""
    asked = {**options, "file": "Spark DataFrame"}
    fitted = {name for text in texts for name in re.findall(r"(?:^|,)\s*(star|auto)\b", text)}
    whole = logs.survey(logs.recipe(options))
    # Logs that auto is fitted to as a whole are on the driver then.
    if "auto" in fitted and whole.steps <= _spark_logs.ALL_OF_AUTO:
        return _core.evaluate(logs.read_all()._logs, texts, [], asked | logs.groups_of_all(), None), None
    recipe = _core.count_logs(logs.sample(whole)._logs, texts, options, "", whole.shard, whole.logged_steps)
    total = logs.count(recipe).with_checks_of(recipe)
    if options.get("interval") is None and not options.get("influence"):
        return _core.finish_shard(total, options["level"], asked["file"]), None
    influence, groups = logs.influence(total)
    interval = str(options.get("interval"))
    replicates = logs.replicates(total, interval, options["seed"]) if interval.startswith(BOOTSTRAPS) else None
    return _core.finish_with_influence(total, influence, asked | groups, replicates), influence[0]


def _texts(estimators: Any) -> list[str]:
    optional("pyarrow", "starope.spark", "pyarrow")
    wanted = split(estimators) or []
    if any(isinstance(each, Estimator) and each._plug is not None for each in wanted):
        raise InvalidArgument("estimators: an abstraction written in Python stays on one machine. Give its labels as the column state=")
    return [str(each) for each in wanted]


def _interval(interval: str | None) -> dict[str, Any]:
    if interval is not None and not isinstance(interval, str):
        raise WrongType(f"interval={interval!r}: a text is needed")
    if interval is None or interval == "none":
        return {"level": None}
    name = interval.partition("(")[0].strip()
    if name not in INTERVALS or re.search(r"refit\s*=\s*yes", interval):
        raise InvalidArgument(f"interval={interval!r}: inside Spark there are {', '.join(map(repr, INTERVALS))} (without refit), and None. For "
                              "others, evaluate a sample of the episodes with starope.evaluate")
    return {} if interval == "jackknife" else {"interval": interval}


__all__ = ["Error", "compare", "evaluate", "inspect"]
