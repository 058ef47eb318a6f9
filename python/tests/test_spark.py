"""A real cluster, a master and two workers on this machine: the answers of one machine, whatever the partitions."""

import os
import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from conftest import BUILD

import starope as so

pyspark = pytest.importorskip("pyspark", reason="pip install pyspark")
if shutil.which("java") is None:
    pytest.skip("Spark needs Java: tools/install_dependencies.sh python", allow_module_level=True)

NAMES = ["naive", "is", "pdis", "wis", "wpdis", "star(clusters=8,clip=2)"]


def free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    """Started and stopped here; the executors find the package by PYTHONPATH."""
    folder = tmp_path_factory.mktemp("spark")
    run = Path(pyspark.__file__).parent / "bin" / "spark-class"
    port = free_port()
    environment = {**os.environ, "SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": sys.executable, "PYTHONPATH": str(BUILD / "python"),
                   "SPARK_HOME": str(run.parent.parent), "SPARK_WORKER_DIR": str(folder), "SPARK_LOCAL_DIRS": str(folder)}
    address = f"spark://127.0.0.1:{port}"
    started = []

    def start(name, *arguments):
        log = open(folder / f"{name}.log", "w")
        started.append(subprocess.Popen([run, *map(str, arguments)], env=environment, stdout=log, stderr=subprocess.STDOUT))

    start("master", "org.apache.spark.deploy.master.Master", "--host", "127.0.0.1", "--port", port, "--webui-port", free_port())
    for i in (1, 2):
        start(f"worker{i}", "org.apache.spark.deploy.worker.Worker", "--host", "127.0.0.1", "--webui-port", free_port(), "--cores", 2, "--memory", "2g", address)
    deadline = time.monotonic() + 300
    while (folder / "master.log").read_text().count("Registering worker") < 2:
        assert time.monotonic() < deadline and all(each.poll() is None for each in started), (folder / "master.log").read_text()[-2000:]
        time.sleep(0.3)
    yield address, environment
    for each in started:
        each.terminate()
    for each in started:
        each.wait(60)


@pytest.fixture(scope="module")
def spark(cluster, tmp_path_factory):
    address, environment = cluster
    with pytest.MonkeyPatch.context() as patch:
        for name in ("SPARK_LOCAL_IP", "PYSPARK_PYTHON", "PYTHONPATH"):
            patch.setenv(name, environment[name])
        patch.delenv("SPARK_HOME", raising=False)
        session = (pyspark.sql.SparkSession.builder.master(address).appName("starope").config("spark.ui.enabled", "false")
                   .config("spark.driver.host", "127.0.0.1").config("spark.executor.memory", "512m").config("spark.cores.max", "2").config("spark.executor.cores", "1").config("spark.sql.shuffle.partitions", "3")
                   .config("spark.sql.warehouse.dir", str(tmp_path_factory.mktemp("warehouse"))).getOrCreate())
        session.sparkContext.setLogLevel("ERROR")
        yield session
        session.stop()


@pytest.fixture(scope="module")
def table():
    """Episodes of very different lengths."""
    import pandas as pd

    short, long = so.simulate("cartpole", episodes=150, seed=1), so.simulate("cartpole", behavior="follow", episodes=20, seed=2)
    first, second = pd.DataFrame(short._table()), pd.DataFrame(long._table())
    second["episode"] += 1000
    return pd.concat([first, second], ignore_index=True)


@pytest.fixture(scope="module")
def frame(spark, table):
    return spark.createDataFrame(table.sample(frac=1.0, random_state=3))


@pytest.fixture(scope="module")
def alone(table):
    return so.evaluate(table, estimators=NAMES, seed=5)


@pytest.mark.parametrize("partitions", [1, 3, 7, 64])
def test_any_number_of_partitions_gives_the_answers_of_one_machine(frame, alone, partitions):
    from starope import spark as sos

    e = sos.evaluate(frame, estimators=NAMES, seed=5, partitions=partitions)
    assert e.data["episodes"] == 170
    for name in NAMES:
        assert e[name].value == pytest.approx(alone[name].value, rel=1e-12), name
    if partitions == 3:
        assert sos.evaluate(frame, estimators=NAMES, seed=5, partitions=3) == e, "the same bits, twice"


def test_a_policy_travels(frame, table):
    from starope import spark as sos

    def follow(states):  # of no module that executors would have to have: it travels by value
        right = 1 / (1 + np.exp(-2.0 * (states[:, 2] + states[:, 3])))
        return np.stack([1 - right, right], axis=1)

    plain = table.drop(columns=[name for name in table.columns if name.startswith("target")])
    expected = so.evaluate(plain, target=follow, estimators=["wpdis"])
    assert sos.evaluate(frame, target=follow, estimators=["wpdis"], partitions=3)["wpdis"].value == pytest.approx(expected.value, rel=1e-12)


def test_a_sample_is_that_of_one_machine(frame, table, monkeypatch):
    """Where the logs are more than abstractions are fitted to, the same episodes are chosen, in the same order."""
    from starope import spark as sos

    monkeypatch.setattr(sos, "FIT_ON_AT_MOST", 1000)
    logs = sos._Logs(frame, {}, 7, False)
    sample = logs.sample(["star(clusters=4)"])
    data = so.Dataset(table)
    hashes, lengths = np.asarray(so._core.episode_hashes(data._logs)), np.diff(data.offsets)
    order = np.argsort(hashes)
    kept = order[:np.searchsorted(np.cumsum(lengths[order]), 1000, side="right")]
    assert sample.episode_ids.tolist() == data.episode_ids[kept].tolist() and sample.steps <= 1000


def test_rows_that_are_arranged_already_are_not_shuffled_and_torn_episodes_are_named(frame, alone):
    from starope import spark as sos

    arranged = frame.repartition(4, "episode").sortWithinPartitions("episode", "t")
    assert sos.evaluate(arranged, estimators=["wpdis"], arranged=True)["wpdis"].value == pytest.approx(alone["wpdis"].value, rel=1e-12)
    with pytest.raises(so.DataError, match=r"episode \d+ is in \d+ partitions"):
        sos.evaluate(frame.repartition(4), estimators=["wpdis"], arranged=True)


def test_what_is_wrong_is_told_in_the_words_of_the_core(frame, spark, table):
    from starope import spark as sos

    broken = table.drop(columns=["behavior_probs_0", "behavior_probs_1"])
    broken.loc[17, "behavior_prob"] = 1.5
    with pytest.raises(so.DataError, match=r"partition \d+: rows, row \d+, column 'behavior_prob'"):
        sos.evaluate(spark.createDataFrame(broken), estimators=["wis"], partitions=2)
    with pytest.raises(so.InvalidArgument, match="no such column"):
        sos.evaluate(frame, target="nothing", estimators=["wis"])
    with pytest.raises(so.WrongType, match="DataFrame of Spark"):
        sos.evaluate(table)
    with pytest.raises(so.InvalidArgument, match="fqe"):
        sos.evaluate(frame, estimators=["fqe"])
