"""A real cluster, a master and two workers on this machine: the answers of one machine, whatever the partitions."""

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import Array, BUILD, SOURCE, known, near

import starope as so

pyspark = pytest.importorskip("pyspark", reason="pip install pyspark")
import spark_cluster  # noqa: E402

if shutil.which("java") is None:
    pytest.skip("Spark needs Java: tools/install_dependencies.sh python", allow_module_level=True)

NAMES = ["naive", "is", "pdis", "wis", "wpdis", "star(clusters=8,clip=2)"]


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Any:
    with spark_cluster.started(tmp_path_factory.mktemp("spark"), BUILD / "python", java=spark_cluster.QUICK_JAVA) as made:
        yield made


@pytest.fixture(scope="module")
def spark(cluster: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    # A task that takes longer than the others, and longer than any test but one lets it, is started a second time.
    speculation = {"spark.speculation": "true", "spark.speculation.interval": "200ms", "spark.speculation.quantile": "0.5",
                   "spark.speculation.minTaskRuntime": "3s"}
    size = {"spark.executor.memory": "512m", "spark.cores.max": "2", "spark.sql.shuffle.partitions": "3"}
    address, environment = cluster
    with spark_cluster.session(address, environment, tmp_path_factory.mktemp("warehouse"), speculation | size | spark_cluster.QUICK) as made:
        yield made


@pytest.fixture(scope="module")
def table() -> Any:
    """Episodes of very different lengths."""
    import pandas as pd

    short, long = so.simulate("cartpole", episodes=150, seed=1), so.simulate("cartpole", behavior="follow", episodes=20, seed=2)
    first, second = pd.DataFrame(short._table()), pd.DataFrame(long._table())
    second["episode"] += 1000
    made = pd.concat([first, second], ignore_index=True)
    made["ward"] = np.where(made["episode"] % 3 == 0, "east", "west")
    return made


@pytest.fixture(scope="module")
def frame(spark: Any, table: Any) -> Any:
    return spark.createDataFrame(table.sample(frac=1.0, random_state=3)).cache()


@pytest.fixture(scope="module")
def alone(table: Any) -> Any:
    return so.evaluate(table, estimators=NAMES, seed=5, by="ward")


def same(a: Any, b: Any, names: Any) -> None:
    """What two evaluations say, to what the order of sums leaves."""
    for name in names:
        mine, other = a[name], b[name]
        assert mine.value == near(other.value), name
        assert mine.std_error == near(other.std_error), name
        assert mine.interval.method == other.interval.method
        assert (mine.interval.lower, mine.interval.upper) == near((other.interval.lower, other.interval.upper)), name
        assert mine.ess == near(other.ess), name
        assert sorted(each.code for each in mine.findings) == sorted(each.code for each in other.findings), name
    assert a.data["episodes"] == b.data["episodes"] and a.data["steps"] == b.data["steps"]
    assert [each["code"] for each in a.data["findings"]] == [each["code"] for each in b.data["findings"]]
    assert a.verdict.grade == b.verdict.grade
    assert (a.difference.value, a.difference.std_error) == near((b.difference.value, b.difference.std_error))


@pytest.mark.parametrize("partitions", [1, 3, 7, 64])
def test_any_number_of_partitions_gives_the_answers_of_one_machine(frame: Any, alone: Any, partitions: int) -> None:
    from starope import spark as sos

    e = sos.evaluate(frame, estimators=NAMES, seed=5, partitions=partitions, by="ward")
    same(e, alone, NAMES)
    mine, other = e.to_dict()["groups"], alone.to_dict()["groups"]
    assert [each["group"] for each in mine] == [each["group"] for each in other] and len(mine) == 2
    assert [each["value"] for each in mine] == near([each["value"] for each in other])
    if partitions == 3:
        assert sos.evaluate(frame, estimators=NAMES, seed=5, partitions=3, by="ward").to_json() == e.to_json(), "the same bits, twice"


def test_more_partitions_than_episodes(spark: Any, table: Any) -> None:
    from starope import spark as sos

    few = table[table["episode"] < 3]
    same(sos.evaluate(spark.createDataFrame(few), estimators=["wis"], partitions=7), so.evaluate(few, estimators=["wis"]), ["wis"])


@pytest.mark.parametrize("method", ["bootstrap-percentile", "bootstrap-bca"])
def test_replicates_of_a_bootstrap_are_those_of_one_machine(frame: Any, table: Any, method: str) -> None:
    """An episode counts in a replicate as often as its id says, wherever it lies."""
    from starope import spark as sos

    interval = f"{method}(replicates=100)"
    expected = so.evaluate(table, estimators=NAMES, seed=5, interval=interval)
    found = sos.evaluate(frame, estimators=NAMES, seed=5, interval=interval, partitions=5)
    same(found, expected, NAMES)
    assert known(found["wpdis"].interval).method == method
    other = so.evaluate(table, estimators=["wpdis"], seed=6, interval=interval)
    assert known(expected["wpdis"].interval).upper != known(other["wpdis"].interval).upper
    if method == "bootstrap-bca":
        return
    assert sos.evaluate(frame, estimators=NAMES, seed=5, interval=interval, partitions=5).to_json() == found.to_json(), "the same bits, twice"


def close(mine: Any, other: Any, place: str = "") -> None:
    """The same words and counts; numbers to what the order of sums leaves."""
    assert type(mine) is type(other) or {type(mine), type(other)} <= {int, float}, place
    if isinstance(other, dict):
        assert list(mine) == list(other), place
        for name in other:
            close(mine[name], other[name], f"{place}.{name}")
    elif isinstance(other, list):
        assert len(mine) == len(other), place
        for i, each in enumerate(other):
            close(mine[i], each, f"{place}[{i}]")
    elif isinstance(other, float):
        assert mine == near(other), place
    else:
        assert mine == other, place


def test_inspect(spark: Any, frame: Any, table: Any) -> None:
    from starope import spark as sos

    found, expected = sos.inspect(frame, gamma=0.9, partitions=4).to_dict(), so.inspect(table, gamma=0.9).to_dict()
    close(found | {"file": None}, expected | {"file": None})
    assert found["episodes"] == 170 and found["file"] == "Spark DataFrame"
    # Nothing to weigh where there is no target.
    bare = table[["episode", "t", "reward", "state_0"]]
    close(sos.inspect(spark.createDataFrame(bare), partitions=2).to_dict() | {"file": None}, so.inspect(bare).to_dict() | {"file": None})


def test_parts_that_are_alike_all_count(spark: Any) -> None:
    """One step each, and the same in all: their sums are the same to the bit."""
    import pandas as pd

    from starope import spark as sos

    alike = pd.DataFrame({"episode": np.arange(400), "t": 0, "reward": 1.0, "behavior_prob": 0.5, "target_prob": 0.5})
    assert sos.evaluate(spark.createDataFrame(alike), estimators=["naive"], partitions=16, interval="jackknife").data["episodes"] == 400


def follow(states: Array) -> Array:
    right = 1 / (1 + np.exp(-2.0 * (states[:, 2] + states[:, 3])))
    return np.stack([1 - right, right], axis=1)


def test_policies_travel(spark: Any, frame: Any, table: Any, tmp_path: Path) -> None:
    from starope import spark as sos

    asked = str(tmp_path / "asked")

    def traveling(states: Array) -> Array:  # of no module that executors would have to have
        with open(asked, "a") as file:
            file.write(f"{len(states)}\n")
        right = 1 / (1 + np.exp(-2.0 * (states[:, 2] + states[:, 3])))
        return np.stack([1 - right, right], axis=1)

    plain = table.drop(columns=[name for name in table.columns if name.startswith("target")])
    same(sos.evaluate(frame, target=traveling, estimators=["wpdis"]), so.evaluate(plain, target=follow, estimators=["wpdis"]), ["wpdis"])
    assert sum(map(int, Path(asked).read_text().split())) == len(table) + 1, "once about every row, and before that about one of them"
    with pytest.raises(so.PolicyError, match="partition .*shape"):
        sos.evaluate(frame, target=lambda states: np.full((len(states), 2), 0.5)[len(states) > 1:], estimators=["wpdis"])

    import pandas as pd

    ids = plain.drop(columns=[name for name in plain.columns if name.startswith(("state", "behavior_probs"))]).assign(state=plain["episode"] % 2)
    policy = pd.DataFrame({"state": [0, 1], "left": [0.9, 0.2], "right": [0.1, 0.8]})
    expected = so.evaluate(ids, target=lambda states: policy[["left", "right"]].to_numpy()[states], estimators=["wis"])
    same(sos.evaluate(spark.createDataFrame(ids), target=policy, estimators=["wis"]), expected, ["wis"])
    with pytest.raises(so.PolicyError, match="no row for the state state=1"):
        sos.evaluate(spark.createDataFrame(ids), target=policy[:1], estimators=["wis"])


def test_a_sample_is_that_of_one_machine(frame: Any, table: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the logs are more than abstractions are fitted to, the same episodes are chosen, in the same order."""
    from starope import _spark_logs

    monkeypatch.setattr(_spark_logs, "FIT_ON_AT_MOST", 1000)
    with _spark_logs.Logs(frame, {}, 3, False, None) as logs:
        options = {"gamma": 1.0, "horizon": None, "level": None, "seed": 0, "threads": None}
        whole = logs.survey(logs.recipe(options))
        sample = logs.sample(whole)
    data = so.Dataset(table)
    hashes, lengths = np.asarray(so._core.episode_hashes(data._logs)), np.diff(data.offsets)
    order = np.argsort(hashes)
    kept = order[:np.searchsorted(np.cumsum(lengths[order]), 1000, side="right")]
    assert sample.episode_ids.tolist() == data.episode_ids[kept].tolist() and sample.steps <= 1000
    assert whole.logged_steps == data.steps and whole.shard.episodes == data.episodes


def test_auto_is_that_of_one_machine_where_all_logs_are_its_sample(frame: Any, table: Any) -> None:
    from starope import spark as sos

    names = ["auto(seeds=1)", "wpdis"]
    expected = so.evaluate(table, estimators=names, horizon=50, by="ward")
    found = sos.evaluate(frame, estimators=names, horizon=50, by="ward")
    assert found.to_dict() | {"data": None} == expected.to_dict() | {"data": None}


def test_auto_is_that_of_one_machine_where_it_takes_a_sample(spark: Any, tmp_path: Path) -> None:
    """More steps than it is fitted to, some of them after the horizon: the same model, and scores of all episodes."""
    import pandas as pd

    from starope import _spark_logs
    from starope import spark as sos

    rng = np.random.default_rng(4)
    episodes, steps = 27_000, 11
    ability = np.repeat(rng.uniform(0, 1, episodes), steps)
    t = np.tile(np.arange(steps), episodes)
    action = rng.integers(0, 2, episodes * steps)
    big = pd.DataFrame({"episode": np.repeat(np.arange(episodes), steps), "t": t, "state_0": ability, "state_1": t / steps, "action": action,
                        "reward": ability * action + rng.normal(0, 0.1, len(t)), "behavior_prob": 0.5, "target_prob": np.where(action == 1, 0.8, 0.2)})
    expected = so.evaluate(big, estimators=["auto(seeds=1)", "wis"], horizon=10)
    big.to_parquet(tmp_path / "big.parquet")
    spark.conf.set("spark.sql.codegen.wholeStage", "true")  # rows that are worth it
    spark.conf.set("spark.sql.codegen.factoryMode", "FALLBACK")
    found = sos.evaluate(spark.read.parquet(str(tmp_path / "big.parquet")), estimators=["auto(seeds=1)", "wis"], horizon=10)
    for name in ("spark.sql.codegen.wholeStage", "spark.sql.codegen.factoryMode"):
        spark.conf.set(name, spark_cluster.QUICK[name])
    assert expected.data["steps"] == 270_000 > _spark_logs.ALL_OF_AUTO
    same(found, expected, ["auto(seeds=1)", "wis"])
    assert abs(known(found["auto(seeds=1)"].value) - 0.8 * 0.5 * 10) < 4 * known(found["auto(seeds=1)"].std_error)


def test_compare(frame: Any, table: Any) -> None:
    from starope import spark as sos

    targets = {"new": "target_prob", "even": "even"}
    with_even = table.assign(even=0.5)
    from pyspark.sql.functions import lit

    expected = so.compare(with_even, targets=targets, estimator="wpdis")
    found = sos.compare(frame.withColumn("even", lit(0.5)), targets=targets, estimator="wpdis")
    for mine, other in zip(found.to_dict()["policies"], expected.to_dict()["policies"]):
        assert mine["policy"] == other["policy"] and mine["value"] == near(other["value"])
    for mine, other in zip(found.to_dict()["differences"], expected.to_dict()["differences"]):
        assert mine["value"] == near(other["value"]) and mine["std_error"] == near(other["std_error"])


def plan(df: Any, **how: Any) -> Any:
    """Of the rows that every pass goes over."""
    from starope import _spark_logs

    with _spark_logs.Logs(df, {}, how.get("partitions"), how.get("arranged", False), None) as logs:
        return str((logs._rows if logs._kept is None else logs._kept)._jdf.queryExecution().optimizedPlan())


def test_the_plan_has_one_shuffle_or_none(spark: Any, table: Any, tmp_path: Path) -> None:
    spark.createDataFrame(table[["episode", "t", "reward"]]).repartition(2, "episode").sortWithinPartitions("episode", "t").write.parquet(
        str(tmp_path / "logs"))
    files = spark.read.parquet(str(tmp_path / "logs"))
    assert "Exchange hashpartitioning(episode" in plan(files) and "Sort [episode" in plan(files)
    assert not any(word in plan(files, arranged=True) for word in ("Repartition", "hashpartitioning", "Sort", "InMemoryRelation"))
    # What the DataFrame itself divided and sorted is left as it is, unless another number of partitions is asked for.
    divided = files.repartition(9, "episode").sortWithinPartitions("episode", "t")
    for shuffles, df, partitions in ((1, divided, None), (1, divided, 9), (2, divided, 4), (1, files.repartition(9, "episode"), None),
                                     (2, files.repartition(9, "t").sortWithinPartitions("episode", "t"), None)):
        found = plan(df, partitions=partitions)
        assert found.count("Exchange hashpartitioning(") == shuffles, found
    assert "hashpartitioning(episode#" in plan(divided) and ", 9)" in plan(divided)


def test_rows_that_are_arranged_already_are_not_shuffled_and_torn_episodes_are_named(spark: Any, frame: Any, table: Any, tmp_path: Path) -> None:
    from starope import spark as sos

    arranged = frame.repartition(4, "episode").sortWithinPartitions("episode", "t")
    for given in (True, False):
        same(sos.evaluate(arranged, estimators=["wpdis"], arranged=given), so.evaluate(table, estimators=["wpdis"]), ["wpdis"])
    with pytest.raises(so.DataError, match=r"episode \d+ is in \d+ partitions"):
        sos.evaluate(frame.repartition(4), estimators=["wpdis"], arranged=True)
    with pytest.raises(so.DataError, match=r"partition \d+.*: rows, row \d+.*episode"):
        sos.evaluate(frame.repartition(1), estimators=["wpdis"], arranged=True)  # of whole episodes, in no order
    broken = table.drop(columns=["behavior_probs_0", "behavior_probs_1"])
    broken.loc[17, "behavior_prob"] = 1.5
    broken.to_parquet(tmp_path / "broken.parquet")
    with pytest.raises(so.DataError, match=r"partition 0 \(file:.*broken.parquet\): rows, row 17, column 'behavior_prob'"):
        sos.evaluate(spark.read.parquet(str(tmp_path / "broken.parquet")).coalesce(1), estimators=["wis"], arranged=True)


def test_what_is_wrong_is_told_in_the_words_of_the_core(frame: Any, spark: Any, table: Any) -> None:
    from starope import spark as sos

    calls: list[tuple[dict[str, Any], str]] = [({"target": "nothing"}, "no such column"), ({"by": "nothing"}, "no such column"), ({"estimators": "fqe"}, "fqe"),
                                               ({"partitions": 0}, "partitions=0"), ({"partitions": "3"}, "partitions='3'")]
    for given, words in calls:
        with pytest.raises(so.InvalidArgument, match=words):
            sos.evaluate(frame, **given)
    with pytest.raises(so.InvalidArgument, match="estimator: 2 were given"):
        sos.compare(frame, targets=["target_prob"], estimator=["wis", "wpdis"])  # type: ignore[arg-type]
    with pytest.raises(so.WrongType, match="DataFrame of Spark"):
        sos.evaluate(table)
    for interval in ("bootstrap", "bootstrap-studentized", "bootstrap-bca(refit=yes)", "hoeffding"):
        with pytest.raises(so.InvalidArgument, match="inside Spark there are"):
            sos.evaluate(frame, estimators=["wis"], interval=interval)
    with pytest.raises(so.InvalidArgument, match="replicates"):
        sos.evaluate(frame, estimators=["wis"], interval="bootstrap-bca(replicates=1)")
    with pytest.raises(so.DataError, match="no rows"):
        sos.evaluate(frame.where("episode < 0"), estimators=["wis"])
    with pytest.raises(so.WrongType, match="starope.spark.evaluate takes it"):
        so.evaluate(frame)


def once(mark: str, work: Any, answer: Callable[[Array], Array]) -> Callable[[Array], Array]:
    """A policy that does something the first time that it is asked on an executor."""

    def policy(states: Array) -> Array:
        if len(states) > 1:  # not on the driver, which looks at one row
            try:
                os.close(os.open(mark, os.O_CREAT | os.O_EXCL))
            except FileExistsError:
                pass
            else:
                work()
        return answer(states)

    return policy


def kill_ancestors(count: int) -> Any:
    """The Java processes above a Python of an executor: the executor, and the worker that started it."""

    def kill() -> None:
        import signal

        found: list[int] = []
        pid = os.getpid()
        while len(found) < count:
            if "java" in open(f"/proc/{pid}/comm").read():
                found.append(pid)
            pid = int(open(f"/proc/{pid}/stat").read().rpartition(")")[2].split()[1])
        for each in reversed(found):  # the worker first: it must not start the executor again
            os.kill(each, signal.SIGKILL)
        time.sleep(60)

    return kill


def test_a_task_that_runs_twice_at_once_changes_no_bit(frame: Any, tmp_path: Path) -> None:
    """One task waits until Spark has started another one for the same partition."""
    from pyspark import TaskContext

    from starope import spark as sos

    def wait() -> None:
        task = TaskContext.get()
        assert task is not None
        (tmp_path / f"waits-{task.partitionId()}-{task.attemptNumber()}").touch()
        deadline = time.monotonic() + 300
        while not (tmp_path / f"again-{task.partitionId()}").exists() and time.monotonic() < deadline:
            time.sleep(0.1)

    def answer(states: Array) -> Array:
        task = TaskContext.get()
        if task is not None and task.attemptNumber() > 0:
            (tmp_path / f"again-{task.partitionId()}").touch()
        return asked(states)

    asked = right_of_copy()
    found = sos.evaluate(frame, target=once(str(tmp_path / "mark"), wait, answer), estimators=["wpdis", "wis"], partitions=3)
    waited = [each.name.split("-")[1] for each in tmp_path.glob("waits-*-0")]
    assert len(waited) == 1 and (tmp_path / f"again-{waited[0]}").exists(), "there was no second try"
    assert sos.evaluate(frame, target=asked, estimators=["wpdis", "wis"], partitions=3).to_json() == found.to_json()


def right_of_copy() -> Callable[[Array], Array]:
    """Of no module that executors would have to have."""

    def policy(states: Array) -> Array:
        right = 1 / (1 + np.exp(-2.0 * (states[:, 2] + states[:, 3])))
        return np.stack([1 - right, right], axis=1)

    return policy


def submit(cluster: Any, *arguments: Any, **options: str) -> Any:
    address, environment = cluster
    # Adaptive execution is on here, as it is for users.
    given = spark_cluster.QUICK | {"spark.sql.adaptive.enabled": "true", "spark.driver.host": "127.0.0.1", "spark.ui.enabled": "false",
                                   "spark.sql.shuffle.partitions": "2", "spark.cores.max": "1", "spark.executor.memory": "512m"}
    given |= {name.replace("_", "."): value for name, value in options.items()}
    program = Path(pyspark.__file__).parent / "bin" / "spark-submit"
    return subprocess.run([program, "--master", address, *(each for name, value in given.items() for each in ("--conf", f"{name}={value}")),
                           SOURCE / "examples/spark_evaluate.py", *arguments], capture_output=True, text=True, env=environment)


def test_the_example_for_spark_submit(cluster: Any, table: Any, alone: Any, tmp_path: Path) -> None:
    """Parquet in, JSON and a page out."""
    table.to_parquet(tmp_path / "logs.parquet")
    run = submit(cluster, tmp_path / "logs.parquet", tmp_path / "answer.json", "--estimators", "naive,wpdis")
    assert run.returncode == 0, run.stderr[-3000:]
    found = json.loads((tmp_path / "answer.json").read_text())
    assert found["schema"] == "starope.evaluate/1" and found["estimates"][1]["value"] == pytest.approx(alone["wpdis"].value, rel=1e-12)
    assert "wpdis" in run.stdout
    page = (tmp_path / "answer.html").read_text()
    assert page.startswith("<!doctype html>") and "wpdis" in page


def test_the_example_of_the_readme(spark: Any, table: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table.to_parquet(tmp_path / "logs.parquet")
    text = (SOURCE / "README.md").read_text(encoding="utf-8")
    code = text[text.index("```python\nimport starope.spark"):].removeprefix("```python\n").partition("```")[0]
    assert '"logs.parquet"' in code
    # Spark looks for files where its Java was started.
    names: dict[str, Any] = {"spark": spark}
    exec(code.replace('"logs.parquet"', repr(str(tmp_path / "logs.parquet"))), names)  # noqa: S102
    wanted = ["naive", "wpdis", "star(clusters=32,clip=2)"]
    same(names["e"], so.evaluate(table, estimators=wanted), wanted)
    printed = capsys.readouterr().out
    assert all(each in printed for each in wanted)


def test_an_executor_without_the_package_says_so(cluster: Any, table: Any, tmp_path: Path) -> None:
    table.to_parquet(tmp_path / "logs.parquet")
    run = submit(cluster, tmp_path / "logs.parquet", tmp_path / "answer.json", "--estimators", "naive", spark_executorEnv_PYTHONPATH="/nowhere")
    assert run.returncode != 0 and not (tmp_path / "answer.json").exists()
    # spark-submit puts what the Python of a driver says on its standard output.
    said = [line for line in (run.stderr + run.stdout).splitlines() if "MissingPackage" in line]
    assert said, run.stdout[-3000:] + run.stderr[-3000:]
    assert "cannot import starope" in said[-1] and sys.executable in said[-1] and "PYSPARK_PYTHON" in said[-1]


# The last ones: what they kill is missing afterwards.
@pytest.mark.parametrize("killed", ["executor", "worker"])
def test_what_dies_in_the_middle_changes_no_bit(frame: Any, tmp_path: Path, killed: str) -> None:
    """The policy kills its executor, or the worker with it, the first time that it is asked on one: the tasks are done again elsewhere."""
    from starope import spark as sos

    mark = str(tmp_path / "died")
    deadly = once(mark, kill_ancestors(1 if killed == "executor" else 2), right_of_copy())
    found = sos.evaluate(frame, target=deadly, estimators=["wpdis", "wis"], partitions=3)
    assert os.path.exists(mark), "nobody died"
    assert sos.evaluate(frame, target=deadly, estimators=["wpdis", "wis"], partitions=3).to_json() == found.to_json()
