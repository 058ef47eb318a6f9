"""Off-policy evaluation of a table of logged steps inside Spark.

    spark-submit examples/spark_evaluate.py LOGS.parquet ANSWER.json [--estimators LIST] [--gamma G] [--horizon H]

The table has the usual columns (episode, t, state_0.., action, reward, behavior_prob, target_prob); docs/python/spark.md has the rest.
Beside ANSWER.json a page to look at is written, ANSWER.html.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from pyspark.sql import SparkSession

import starope as so
import starope.spark


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("logs")
    arguments.add_argument("answer", type=Path)
    arguments.add_argument("--estimators", default="naive,wis,wpdis,star(clusters=32,clip=2)")
    arguments.add_argument("--gamma", type=float, default=1.0)
    arguments.add_argument("--horizon", type=int)
    given = arguments.parse_args()
    spark = SparkSession.builder.appName("starope").getOrCreate()
    e = starope.spark.evaluate(spark.read.parquet(given.logs), estimators=given.estimators, gamma=given.gamma, horizon=given.horizon)
    given.answer.write_text(e.to_json())
    try:
        e.report(given.answer.with_suffix(".html"))
    except so.FileError as error:
        print(error)  # a package that was built without the chart runtime
    print(e)
    spark.stop()


if __name__ == "__main__":
    main()
