"""The same estimators inside Apache Spark, for logs on more machines than one.

    import starope.spark
    e = starope.spark.evaluate(df, episode="stay_id", t="hour", state=["hr", "bp"], reward="r", behavior_prob="pb", target="pe",
                               estimators=["wpdis", "star(clusters=32,clip=2)"])

A thin caller of the core: every partition is counted by it, sums travel as bytes, and the driver adds them in the order of the
partitions. docs/python/spark.md says what runs where and what it costs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core, statistics
from ._columns import ColumnArguments, checked, takes_columns
from ._data import Dataset
from ._errors import DataError, Error, InvalidArgument, WrongType, optional
from ._estimators import Estimator, split
from ._evaluate import question
from ._load import read_options
from ._results import Evaluation

if TYPE_CHECKING:
    from typing_extensions import Unpack

FIT_ON_AT_MOST = 1_000_000  # steps that abstractions are fitted to: the rule of the core
TARGET = "starope_target"  # columns that hold what a policy says
_ROLES = ("episode", "t", "state", "action", "reward", "behavior_prob", "behavior_logp", "behavior_probs", "target_logp", "terminated", "truncated")


@takes_columns
def evaluate(
    df: Any,
    *,
    estimators: str | Estimator | Sequence[str | Estimator] = ("naive", "wis", "wpdis"),
    gamma: float = 1.0,
    horizon: int | None = None,
    seed: int = 0,
    level: float | None = 0.95,
    partitions: int | None = None,
    arranged: bool = False,
    **columns: Unpack[ColumnArguments],
) -> Evaluation:
    """What would the target policy have earned? From a Spark DataFrame with one row per step.

    estimators: those that are sums: naive, is, pdis, wis, wpdis, star.
    target: the name of a column, or a function (states) -> (n, actions), which travels to the executors.
    partitions: how many; by default Spark's. The same number gives the same bits, any other the same to 1e-12.
    arranged: the rows of an episode are in one partition, together and in order of time: nothing is shuffled and sorted, and it is
      checked that they are.
    Everything else is as for starope.evaluate.
    """
    optional("pyarrow", "starope.spark", "pyarrow")
    if not hasattr(df, "mapInArrow"):
        raise WrongType(f"a DataFrame of Spark is needed, not {type(df).__name__}. starope.evaluate takes other tables")
    wanted = split(estimators) or []
    texts = [str(each) for each in wanted]
    if any(isinstance(each, Estimator) and each._plug is not None for each in wanted):
        raise InvalidArgument("estimators: an abstraction written in Python stays on one machine. Give its labels as the column state=")
    options = question(gamma, horizon, seed, level, None)
    _core.check_question(options)
    logs = _Logs(df, checked(columns), partitions, arranged)
    like = statistics.count_part(logs.sample(texts), texts, gamma=gamma, horizon=horizon, seed=seed)
    total = logs.count(like)
    return Evaluation(_core.finish_shard(total._core, options["level"], "Spark DataFrame"))


class _Logs:
    """The rows of the logs, in partitions of whole episodes."""

    def __init__(self, df: Any, roles: dict[str, Any], partitions: int | None, arranged: bool) -> None:
        for name, value in roles.items():
            named = isinstance(value, str) or (isinstance(value, (list, tuple)) and all(isinstance(each, str) for each in value))
            if value is not None and value is not False and not named and name != "target":
                raise WrongType(f"{name}: the name of a column is needed, not {type(value).__name__}")
        target = roles.get("target")
        self._policy: Callable[[Any], Any] | None = None
        if target is not None and not isinstance(target, str):
            if not callable(target):
                raise WrongType(f"target: the name of a column or a function (states) -> (n, actions) is needed, not {type(target).__name__}")
            self._policy = target
            roles = {**roles, "target": TARGET}
        elif target is not None and target not in df.columns and f"{target}_0" not in df.columns:
            raise InvalidArgument(f"target={target!r}: there is no such column. There are: {', '.join(df.columns)}")
        self._episode = str(roles.get("episode") or "episode")
        self._states = _state_columns(df.columns, roles.get("state"))
        if self._policy is not None and not self._states:
            raise InvalidArgument("target: a policy needs the states of the logs. Give state=")
        named_columns = list(df.columns) + ([f"{TARGET}_0"] if self._policy is not None else [])
        self._options, _ = read_options(_Names(named_columns), {**roles, "sort": False})
        time = str(roles.get("t") or "t")
        order = [self._episode] + ([time] if time in df.columns else [])
        if self._episode not in df.columns:
            raise InvalidArgument(f"episode={self._episode!r}: there is no such column. There are: {', '.join(df.columns)}")
        if arranged:
            _check_arranged(df, self._episode)
            self._rows = df
        else:
            if len(order) == 1:
                raise InvalidArgument("t: rows of a cluster have no order of their own. Name the column of time, or pass arranged=True")
            shuffled = df.repartition(partitions, self._episode) if partitions else df.repartition(self._episode)
            self._rows = shuffled.sortWithinPartitions(*order)
        self._order = order

    def count(self, like: statistics.Part) -> statistics.Part:
        """Every partition by itself, then added in their order."""
        fold = _folding(self._options, like.to_bytes(), self._states, self._policy)
        found = _collected(self._rows.mapInArrow(fold, "partition int, bytes binary, error string"))
        parts = [statistics.Part.from_bytes(bytes(row["bytes"])) for row in found]
        if not parts:
            raise DataError("the DataFrame has no rows")
        total = parts[0]
        for part in parts[1:]:
            total = total + part
        return total

    def sample(self, texts: list[str]) -> Dataset:
        """What abstractions are fitted to: all logs if they are few, else the episodes whose ids have the smallest hashes."""
        if not any(text.replace(" ", "").startswith("star") for text in texts):
            first = self._rows.select(self._episode).limit(1).collect()
            if not first:
                raise DataError("the DataFrame has no rows")
            return self._read(self._rows.where(self._rows[self._episode] == first[0][0]))
        found = _collected(self._rows.select(self._episode).mapInArrow(_surveying(self._episode), "partition int, bytes binary, error string"))
        if not found:
            raise DataError("the DataFrame has no rows")
        listed: list[tuple[int, int, Any]] = []
        steps = 0
        for row in found:
            part, ids, hashes, lengths = statistics._unpacked(bytes(row["bytes"]))
            steps += part
            listed += zip(hashes, lengths, ids)
        if steps <= FIT_ON_AT_MOST:
            return self._read(self._rows)
        chosen = _chosen(listed)
        session = self._rows.sparkSession
        from pyspark.sql.functions import broadcast  # type: ignore[import-not-found, unused-ignore]

        wanted = session.createDataFrame([(each[2],) for each in chosen], self._rows.select(self._episode).schema)
        rows = self._rows.join(broadcast(wanted), self._episode, "left_semi")
        data = self._read(rows)
        return data.take(np.argsort(np.asarray(_core.episode_hashes(data._logs)), kind="stable"))

    def _read(self, rows: Any) -> Dataset:
        """On the driver, sorted by episode and time."""
        table = rows.orderBy(*self._order).toArrow()
        from ._spark_worker import with_policy

        if self._policy is not None:
            import pyarrow as pa

            table = pa.Table.from_batches([with_policy(each, self._states, self._policy) for each in table.to_batches()])
        return Dataset._of(_core.read_stream(table.__arrow_c_stream__(), "Spark DataFrame", self._options), "Spark DataFrame")


class _Names:
    """A table of which only the names of the columns are known."""

    def __init__(self, columns: list[str]) -> None:
        self.columns = columns


def _state_columns(columns: list[str], state: Any) -> list[str]:
    if isinstance(state, (list, tuple)):
        return [str(each) for each in state]
    name = str(state or "state")
    if name in columns:
        return [name]
    found: list[str] = []
    while f"{name}_{len(found)}" in columns:
        found.append(f"{name}_{len(found)}")
    return found


def _chosen(listed: list[tuple[int, int, Any]]) -> list[tuple[int, int, Any]]:
    """Those with the smallest hashes, while they fit; at least one."""
    chosen: list[tuple[int, int, Any]] = []
    steps = 0
    for each in sorted(listed, key=lambda each: each[0]):
        if chosen and steps + each[1] > FIT_ON_AT_MOST:
            break
        steps += each[1]
        chosen.append(each)
    return chosen


def _check_arranged(df: Any, episode: str) -> None:
    from pyspark.sql.functions import spark_partition_id  # type: ignore[import-not-found, unused-ignore]

    pairs = df.select(episode, spark_partition_id().alias("starope_partition")).distinct()
    torn = pairs.groupBy(episode).count().where("count > 1").limit(1).collect()
    if torn:
        raise DataError(f"arranged: episode {torn[0][0]} is in {torn[0]['count']} partitions, and must be in one. Leave arranged=True out, or "
                        f"repartition by '{episode}' first")


def _collected(rows: Any) -> list[Any]:
    """What the partitions found, in their order; what is wrong with one is raised here, in the words of the core."""
    found = sorted(rows.collect(), key=lambda row: int(row["partition"]))
    for row in found:
        if row["error"]:
            raise DataError(f"partition {row['partition']}: {row['error']}")
    return found


# Functions that travel are made here, and not at the top of the module: so they travel by value, and an executor without the package
# can say so.
def _folding(options: dict[str, Any], like: bytes, states: list[str], policy: Callable[[Any], Any] | None) -> Callable[[Iterator[Any]], Iterator[Any]]:
    missing = _missing_of()

    def fold(batches: Iterator[Any]) -> Iterator[Any]:
        try:
            from starope import _spark_worker
        except ImportError as error:
            raise missing(error) from error
        yield from _spark_worker.fold(batches, options, like, states, policy)

    return fold


def _surveying(episode: str) -> Callable[[Iterator[Any]], Iterator[Any]]:
    missing = _missing_of()
    most = FIT_ON_AT_MOST

    def survey(batches: Iterator[Any]) -> Iterator[Any]:
        try:
            from starope import _spark_worker
        except ImportError as error:
            raise missing(error) from error
        yield from _spark_worker.survey(batches, episode, most)

    return survey


def _missing_of() -> Callable[[ImportError], RuntimeError]:
    def missing(error: ImportError) -> RuntimeError:
        import socket
        import sys

        return RuntimeError(f"the executor on {socket.gethostname()} cannot import starope ({error}). Install it where {sys.executable} finds "
                            "it, on all machines, or send an environment along; PYSPARK_PYTHON names the Python of the executors")

    return missing


__all__ = ["Error", "evaluate"]
