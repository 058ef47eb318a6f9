"""A DataFrame of Spark as logs: partitions of whole episodes, and the passes over them."""

from __future__ import annotations

import contextlib
import functools
import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from . import _core, _errors, statistics
from ._data import Dataset
from ._errors import DataError, InvalidArgument, PolicyError, WrongType
from ._evaluate import _count
from ._load import read_options
from ._policies import _function_of

if TYPE_CHECKING:
    from ._spark_worker import Reading

FIT_ON_AT_MOST = 1_000_000  # steps that abstractions are fitted to: the rule of the core
ALL_OF_AUTO = 262_144  # steps up to which auto is fitted to all logs, and to a sample of so many beyond: the rule of the core
RUN = 16  # replicates that are added up and solved together: so many times what one of them takes is a row of Spark
RESULT = "run int, partition int, bytes binary, error string"
PACKED = "rows binary, error string"
PIECES = 16  # batches of rows that a pass is handed at a time: each is a value of some megabytes


@dataclass
class Whole:
    """What a pass over all rows found."""

    contents: list[bytes]  # of the partitions, in their order
    logged_steps: int  # whatever the horizon
    listed: list[tuple[int, int, Any]]  # hash, length and id of episodes that could be in a sample

    @functools.cached_property
    def shard(self) -> _core.Shard:
        return _added(self.contents)

    @property
    def steps(self) -> int:
        return self.shard.steps


class Logs:
    """The rows of the logs, in partitions of whole episodes; packed and kept on the executors from pass to pass, unless they are arranged."""

    def __init__(self, df: Any, roles: dict[str, Any], partitions: int | None, arranged: bool, by: str | None) -> None:
        _errors.optional("pyspark", "starope.spark", "pyspark")
        partitions = _count("partitions", partitions)
        if not hasattr(df, "mapInArrow"):
            raise WrongType(f"a DataFrame of Spark is needed, not {type(df).__name__}. starope.evaluate takes other tables")
        from ._spark_worker import TARGET, Reading

        states = _state_columns(df.columns, roles.get("state"))
        roles, policy = _asked_policy(df, roles, states, TARGET)
        named = [*df.columns, *([f"{TARGET}_0"] if policy is not None else [])]
        options, _ = read_options(_Names(named), {**roles, "sort": False})
        episode, time = str(roles.get("episode") or "episode"), str(roles.get("t") or "t")
        self._by, group = by, None if by is None else _core.group_column(by)
        for role, name in (("episode", episode), ("by", group)):
            if name is not None and name not in df.columns:
                raise InvalidArgument(f"{role}={name!r}: there is no such column. There are: {', '.join(df.columns)}")
        self._reading: Reading = Reading(options, episode, states, policy, group)
        self._order = [episode, *([time] if time in df.columns else [])]
        self._df, self._arranged = df, arranged
        self.has_states = bool(states)
        if arranged:
            _check_arranged(df, episode)
            self._rows, self._kept = df, None
            return
        if len(self._order) == 1:
            raise InvalidArgument("t: rows of a cluster have no order of their own. Name the column of time, or pass arranged=True")
        self._rows = df
        if not _is_planned(df, self._order, partitions):
            # A number of our own: one that Spark may change between passes would change the last bits.
            count = partitions or int(df.sparkSession.conf.get("spark.sql.shuffle.partitions"))
            self._rows = df.repartition(count, episode).sortWithinPartitions(*self._order)
        self._kept = self._rows.mapInArrow(_packing(self._reading, None), PACKED).persist()
        _settle(self._kept)
        self._reading.packed = True

    def __enter__(self) -> Logs:
        return self

    def __exit__(self, *_: object) -> None:
        if self._kept is not None:
            self._kept.unpersist()

    def first_row(self) -> Dataset:
        """Any row tells which columns there are."""
        return self._read(self._policy_said(self._df.limit(1).toArrow()))

    def recipe(self, options: dict[str, Any]) -> _core.Shard:
        """What is counted first, before anything is fitted."""
        return _core.count_logs(self.first_row()._logs, ["naive"], options, "")

    def survey(self, like: _core.Shard) -> Whole:
        return self._listed(_traveling("survey", self._reading, like.to_bytes(), FIT_ON_AT_MOST))

    def look(self, gamma: float, ends_logged: bool) -> Whole:
        """What there is in every partition, before anything is estimated."""
        return self._listed(_traveling("look", self._reading, gamma, ends_logged, FIT_ON_AT_MOST))

    def weigh(self, total: bytes) -> list[bytes]:
        return self._collected(_traveling("weigh", self._reading, total))

    def _listed(self, work: Callable[[Iterator[Any]], Iterator[Any]]) -> Whole:
        from ._spark_worker import parted

        listed: list[tuple[int, int, Any]] = []
        contents, steps = [], 0
        for content in self._collected(work):
            head, tail = parted(content)
            part, ids, hashes, lengths = statistics._unpacked(head)
            steps += part
            listed += zip(hashes, lengths, ids)
            contents.append(tail)
        return Whole(contents, steps, listed)

    def sample(self, whole: Whole) -> Dataset:
        """What abstractions and models are fitted to: all logs if they are few, else the episodes whose ids have the smallest hashes."""
        if whole.logged_steps <= FIT_ON_AT_MOST:
            return self.read_all()
        data = self._read(self._table([each[2] for each in _chosen(whole.listed, FIT_ON_AT_MOST)]))
        return data.take(np.argsort(np.asarray(_core.episode_hashes(data._logs)), kind="stable"))

    def read_all(self) -> Dataset:
        """On the driver, sorted by episode and time."""
        return self._read(self._table(None))

    def groups_of_all(self) -> dict[str, Any]:
        if self._by is None:
            return {}
        from ._spark_worker import first_values

        reading = self._reading
        table = self._sorted(self._table(None).select([*self._order, str(reading.by)]))
        return {"by": self._by, "first_values": first_values(iter(table.to_batches()), reading.episode, str(reading.by))}

    def count(self, like: _core.Shard) -> _core.Shard:
        """Every partition by itself, then added in their order."""
        return _added(self._collected(_traveling("fold", self._reading, like.to_bytes())))

    def influence(self, total: _core.Shard) -> tuple[list[NDArray[np.float64]], dict[str, Any]]:
        """How much every episode moves the answers: of the logged policy first, then of each estimator; and their groups."""
        from ._spark_worker import parted

        arrays: list[list[NDArray[np.float64]]] = []
        firsts: list[str] = []
        for content in self._collected(_traveling("influence", self._reading, total.to_bytes())):
            head, tail = parted(content)
            values, sizes = json.loads(head)
            firsts += values
            every = np.frombuffer(tail, dtype=np.float64)
            arrays.append(np.split(every, np.cumsum(sizes)[:-1]))
        joined = [np.concatenate(each) for each in zip(*arrays)]
        return joined, ({} if self._by is None else {"by": self._by, "first_values": firsts})

    def replicates(self, total: _core.Shard, interval: str, seed: int) -> list[tuple[Any, int]]:
        """What every estimator says in the replicates of a bootstrap. Runs of them are added up and solved on the executors, because
        the sums of all replicates and partitions are more than a driver may want."""
        from ._spark_worker import answers_of_runs

        pieces = self._passed(_traveling("replicate", self._reading, total.to_bytes(), interval, seed, RUN), RESULT)
        count = int(self._df.sparkSession.conf.get("spark.sql.shuffle.partitions"))
        runs = pieces.repartition(count, "run").sortWithinPartitions("run", "partition")
        return answers_of_runs(self._told(runs.mapInArrow(_adding(total.to_bytes()), RESULT), "run"))

    def _table(self, wanted: list[Any] | None) -> Any:
        """On the driver: the rows of these episodes, or of all, with what the policy says."""
        import pyarrow as pa

        from ._spark_worker import unpacked

        packed = self._kept
        if packed is None or wanted is not None:
            packed = self._passed(_packing(self._reading, wanted), PACKED)
        with self._handing():
            pieces = packed.toArrow().to_batches()
        batches = list(unpacked(iter(pieces)))
        if not batches:
            raise DataError("the DataFrame has no rows")
        return pa.Table.from_batches(batches)

    def _policy_said(self, table: Any) -> Any:
        import pyarrow as pa

        from ._spark_worker import with_policy

        if self._reading.policy is None or table.num_rows == 0:
            return table
        return pa.Table.from_batches([with_policy(each, self._reading.states, self._reading.policy) for each in table.to_batches()])

    def _sorted(self, table: Any) -> Any:
        """Where there is no time, the rows of an episode stay in the order they have: the sort is a stable one."""
        return table.sort_by([(name, "ascending") for name in self._order])

    def _read(self, table: Any) -> Dataset:
        if table.num_rows == 0:
            raise DataError("the DataFrame has no rows")
        rows = self._sorted(table)
        return Dataset._of(_core.read_stream(rows.__arrow_c_stream__(), "Spark DataFrame", self._reading.options), "Spark DataFrame")

    def _passed(self, work: Callable[[Iterator[Any]], Iterator[Any]], result: str) -> Any:
        """A pass over all rows."""
        return (self._rows if self._kept is None else self._kept).mapInArrow(work, result)

    @contextlib.contextmanager
    def _handing(self) -> Iterator[None]:
        """While a pass runs: so many values are handed to Python at a time. Those that are packed are large."""
        if self._kept is None:
            yield
            return
        conf, name = self._df.sparkSession.conf, "spark.sql.execution.arrow.maxRecordsPerBatch"
        before = conf.get(name)
        conf.set(name, str(PIECES))
        try:
            yield
        finally:
            conf.set(name, before)

    def _collected(self, work: Callable[[Iterator[Any]], Iterator[Any]]) -> list[bytes]:
        return self._told(self._passed(work, RESULT), "partition")

    def _told(self, results: Any, order: str) -> list[bytes]:
        """What was found, in this order; what is wrong with a partition is raised here, in the words of the core."""
        with self._handing():
            found = sorted(results.collect(), key=lambda row: int(row[order]))
        if not found:
            raise DataError("the DataFrame has no rows")
        for row in found:
            if row["error"]:
                kind, _, words = row["error"].partition("\n")
                if kind == "MissingPackage":
                    raise _errors.MissingPackage(words)
                raise getattr(_errors, kind, DataError)(f"partition {row['partition']}{self._file_of(int(row['partition']))}: {words}")
        return [bytes(row["bytes"]) for row in found]

    def _file_of(self, partition: int) -> str:
        """Rows that were not shuffled still know where they come from."""
        if not self._arranged:
            return ""
        from pyspark.sql.functions import input_file_name, spark_partition_id

        files = self._df.select(spark_partition_id().alias("at"), input_file_name().alias("file")).where(f"at = {partition}")
        found = files.select("file").distinct().limit(1).collect()
        return f" ({found[0][0]})" if found and found[0][0] else ""


class _Names:
    """A table of which only the names of the columns are known."""

    def __init__(self, columns: list[str]) -> None:
        self.columns = columns


class TablePolicy:
    """Probabilities by state, from a table with the columns of the state and one for each action."""

    def __init__(self, states: list[str], columns: Mapping[str, Any]) -> None:
        for name in states:
            if name not in columns:
                raise InvalidArgument(f"target: the table has no column '{name}' of the state. It has: {', '.join(map(str, columns))}")
        actions = [name for name in columns if name not in states]
        if not actions:
            raise InvalidArgument("target: the table has no columns besides the state: one for each action is needed, in their order")
        self._names = states
        self._probabilities = np.stack([np.asarray(columns[name], dtype=np.float64) for name in actions], axis=1)
        rows = zip(*(np.asarray(columns[name]).tolist() for name in states))
        self._place: dict[Any, int] = {}
        for i, row in enumerate(rows):
            if self._place.setdefault(tuple(map(float, row)), i) != i:
                raise InvalidArgument(f"target: the table has two rows for the state {self._text(row)}")

    def __call__(self, states: NDArray[Any]) -> NDArray[np.float64]:
        keys = map(tuple, np.asarray(states, dtype=np.float64).reshape(len(states), -1).tolist())
        try:
            return self._probabilities[[self._place[key] for key in keys]]
        except KeyError as missing:
            raise PolicyError(f"target: the table of the policy has no row for the state {self._text(missing.args[0])}") from None

    def _text(self, row: Any) -> str:
        return ", ".join(f"{name}={value:g}" for name, value in zip(self._names, row))


def _asked_policy(df: Any, roles: dict[str, Any], states: list[str], name: str) -> tuple[dict[str, Any], Any]:
    """Columns by their names, and a policy that has to be asked, or none."""
    for role, value in roles.items():
        named = isinstance(value, str) or (isinstance(value, (list, tuple)) and all(isinstance(each, str) for each in value))
        if value is not None and value is not False and not named and role not in ("target", "target_alone"):
            raise WrongType(f"{role}: the name of a column is needed, not {type(value).__name__}")
    target = roles.get("target")
    if target is None:
        return roles, None
    if isinstance(target, str):
        if target not in df.columns and f"{target}_0" not in df.columns:
            raise InvalidArgument(f"target={target!r}: there is no such column. There are: {', '.join(df.columns)}")
        return roles, None
    if not states:
        raise InvalidArgument("target: a policy needs the states of the logs. Give state=")
    if hasattr(target, "mapInArrow"):
        target = target.toPandas()
    if hasattr(target, "columns") or isinstance(target, Mapping):
        target = TablePolicy(states, {str(each): target[each] for each in (target if isinstance(target, Mapping) else target.columns)})
    if _function_of(target) is None:
        raise WrongType(f"target: the name of a column, a function (states) -> (n, actions), an object with predict_proba or a table is needed, not "
                        f"{type(target).__name__}")
    return {**roles, "target": name}, target


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


def _chosen(listed: list[tuple[int, int, Any]], most: int) -> list[tuple[int, int, Any]]:
    """Those with the smallest hashes, while they fit; at least one."""
    chosen: list[tuple[int, int, Any]] = []
    steps = 0
    for each in sorted(listed, key=lambda each: each[0]):
        if chosen and steps + each[1] > most:
            break
        steps += each[1]
        chosen.append(each)
    return chosen


def _added(shards: list[bytes]) -> _core.Shard:
    total = _core.Shard.from_bytes(shards[0])
    for each in shards[1:]:
        total = total + _core.Shard.from_bytes(each)
    return total


def _is_planned(df: Any, order: list[str], partitions: int | None) -> bool:
    """Whether the DataFrame is divided by episodes and sorted by its own plan, by a shuffle into a number of partitions that was given:
    another one would move every row a second time. What buckets of a table promise does not count: Spark may read them otherwise."""
    try:
        plan = df._jdf.queryExecution().sparkPlan()
    except AttributeError:  # Spark Connect shows no plans
        return False
    divided = re.fullmatch(rf"hashpartitioning\({re.escape(order[0])}#\d+L?, (\d+)\)", str(plan.outputPartitioning()))
    if divided is None or f"Exchange {divided[0]}, REPARTITION_BY_NUM" not in str(plan):
        return False
    ordering = plan.outputOrdering()
    ordered = [re.match(r"(.*)#\d+L? ASC", str(ordering.apply(i))) for i in range(min(ordering.size(), len(order)))]
    return [each and each[1] for each in ordered] == order and partitions in (None, int(divided[1]))


def _check_arranged(df: Any, episode: str) -> None:
    from pyspark.sql.functions import spark_partition_id

    pairs = df.select(episode, spark_partition_id().alias("starope_partition")).distinct()
    torn = pairs.groupBy(episode).count().where("count > 1").limit(1).collect()
    if torn:
        raise DataError(f"arranged: episode {torn[0][0]} is in {torn[0]['count']} partitions, and must be in one. Leave arranged=True out, or "
                        f"repartition by '{episode}' first")


def _settle(kept: Any) -> None:
    """From here on it is fixed how many rows are packed together: what passes are handed at a time is another number, of the same setting."""
    try:
        kept._jdf.queryExecution().toRdd()
    except AttributeError:  # Spark Connect: what is made already is not made again
        kept.count()


# Functions that travel are made here, and not at the top of the module: so they travel by value, and an executor without the package
# can say so.
def _traveling(what: str, reading: Reading, *more: Any) -> Callable[[Iterator[Any]], Iterator[Any]]:
    given = _given(reading)
    return _by_value(lambda worker, batches: getattr(worker, what)(batches, worker.Reading(*given), *more), RESULT)


def _given(reading: Reading) -> tuple[Any, ...]:
    """The policy stays here once it was asked."""
    return reading.options, reading.episode, reading.states, None if reading.packed else reading.policy, reading.by, reading.packed


def _packing(reading: Reading, wanted: list[Any] | None) -> Callable[[Iterator[Any]], Iterator[Any]]:
    given = _given(reading)
    return _by_value(lambda worker, batches: worker.pack(batches, worker.Reading(*given), wanted), PACKED)


def _adding(total: bytes) -> Callable[[Iterator[Any]], Iterator[Any]]:
    return _by_value(lambda worker, batches: worker.add_runs(batches, total), RESULT)


def _by_value(call: Callable[[Any, Iterator[Any]], Iterator[Any]], result: str) -> Callable[[Iterator[Any]], Iterator[Any]]:
    def work(batches: Iterator[Any]) -> Iterator[Any]:
        try:
            from starope import _spark_worker
        except ImportError as error:
            import socket
            import sys

            import pyarrow as pa

            words = (f"the executor on {socket.gethostname()} cannot import starope ({error}). Install it where {sys.executable} finds it, on all "
                     "machines, or send an environment along; PYSPARK_PYTHON names the Python of the executors")
            empty = {"int": pa.array([0], pa.int32()), "binary": pa.array([b""], pa.binary()), "string": pa.array([f"MissingPackage\n{words}"], pa.string())}
            yield pa.RecordBatch.from_pydict({name: empty[kind] for name, _, kind in (each.partition(" ") for each in result.split(", "))})
            return
        yield from call(_spark_worker, batches)

    return work
