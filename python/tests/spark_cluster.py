"""A cluster of Spark on this machine, a master and workers, for tests and measurements."""

import contextlib
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pyspark
from pyspark.sql import SparkSession

OPTIONS = {"spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false", "spark.driver.host": "127.0.0.1", "spark.executor.cores": "1",
           "spark.sql.execution.arrow.pyspark.enabled": "true"}

# For logs that are small and processes that live for seconds: Java compiles little, plans are neither changed while they run nor made
# into classes, tasks go where there is room, and who died is not asked again every five seconds.
QUICK_JAVA = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:-UsePerfData -Xshare:auto"
QUICK = {"spark.sql.adaptive.enabled": "false", "spark.sql.codegen.wholeStage": "false", "spark.sql.codegen.factoryMode": "NO_CODEGEN",
         "spark.locality.wait": "0", "spark.shuffle.io.maxRetries": "1", "spark.shuffle.io.retryWait": "500ms"}


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


@contextlib.contextmanager
def started(folder: Path, package: Path, workers: int = 2, cores: int = 2, memory: str = "2g", java: str = "") -> Iterator[tuple[str, dict[str, str]]]:
    """Its address, and the environment that its users need. The executors find the package by PYTHONPATH. `java`: options of all its
    processes, executors and drivers included."""
    run = Path(pyspark.__file__).parent / "bin" / "spark-class"
    port = free_port()
    environment = {**os.environ, "SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": sys.executable, "PYTHONPATH": str(package),
                   "SPARK_HOME": str(run.parent.parent), "SPARK_WORKER_DIR": str(folder), "SPARK_LOCAL_DIRS": str(folder)}
    if java:
        environment["JAVA_TOOL_OPTIONS"] = java
    address = f"spark://127.0.0.1:{port}"
    processes = []

    def start(name: str, host: str, *arguments: Any) -> None:
        with open(folder / f"{name}.log", "w") as log:
            processes.append(subprocess.Popen([run, *map(str, arguments), "--host", host, "--webui-port", str(free_port())],
                                              env=environment | {"SPARK_LOCAL_IP": host}, stdout=log, stderr=subprocess.STDOUT))

    start("master", "127.0.0.1", "org.apache.spark.deploy.master.Master", "--port", port)
    for i in range(workers):
        # Each on an address of its own: Spark starts no second copy of a task on the machine of the first.
        start(f"worker{i}", f"127.0.0.{i + 1}", "org.apache.spark.deploy.worker.Worker", "--cores", cores, "--memory", memory, address)
    try:
        deadline = time.monotonic() + 300
        # What the workers say counts: on a busy machine the master may have written of one that it has not answered, and both executors
        # would go to the other.
        while not all("Successfully registered" in (folder / f"worker{i}.log").read_text() for i in range(workers)):
            alive = all(each.poll() is None for each in processes)
            assert time.monotonic() < deadline and alive, (folder / "master.log").read_text()[-2000:]
            time.sleep(0.1)
        yield address, environment
    finally:
        for each in processes:
            each.terminate()
        for each in processes:
            each.wait(60)


@contextlib.contextmanager
def session(address: str, environment: dict[str, str], folder: Path, options: Mapping[str, str]) -> Iterator[Any]:
    """A driver in this process."""
    names = ("SPARK_LOCAL_IP", "PYSPARK_PYTHON", "PYTHONPATH", "JAVA_TOOL_OPTIONS")
    kept = {name: os.environ.get(name) for name in (*names, "SPARK_HOME")}
    os.environ.update({name: environment[name] for name in names if name in environment})
    os.environ.pop("SPARK_HOME", None)
    builder: Any = SparkSession.builder.master(address).appName("starope").config("spark.sql.warehouse.dir", str(folder))
    for name, value in (OPTIONS | dict(options)).items():
        builder = builder.config(name, value)
    made = builder.getOrCreate()
    made.sparkContext.setLogLevel("ERROR")
    try:
        yield made
    finally:
        made.stop()
        for name, before in kept.items():
            if before is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = before
