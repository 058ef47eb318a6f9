"""Ray Data, where it installs: the recipe of the documentation, as it stands there."""

import contextlib
import functools
import io
import operator
from pathlib import Path
from typing import Any

import pytest
from conftest import SOURCE

import starope as so
from starope import statistics as st

ray = pytest.importorskip("ray", reason="pip install ray")


def recipe() -> str:
    page = (SOURCE / "docs/python/statistics.md").read_text(encoding="utf-8")
    return page.partition("## Ray Data")[2].partition("```python\n")[2].partition("```")[0]


def test_the_recipe_gives_the_answers_of_one_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import pandas as pd

    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RAY_AUTH_MODE", "disabled")  # it would leave a token in the home of whoever runs the tests
    table = pd.DataFrame(so.simulate("cartpole", episodes=300, seed=4)._table())
    (tmp_path / "steps").mkdir()
    shuffled = table.sample(frac=1.0, random_state=1)
    for i in range(2):
        shuffled[i::2].to_parquet(tmp_path / "steps" / f"{i}.parquet")
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    ray.data.DataContext.get_current().default_hash_shuffle_parallelism = 4  # by default 200 pieces, for two small files
    try:
        printed = io.StringIO()
        names: dict[str, Any] = {"__name__": "page"}
        with contextlib.redirect_stdout(printed):
            exec(compile(recipe(), "docs/python/statistics.md", "exec"), names)  # noqa: S102
    finally:
        ray.shutdown()
    parts = names["parts"]
    total = functools.reduce(operator.add, (st.Part.from_bytes(each["part"]) for each in parts))
    assert len(parts) == 8 and total.episodes == 300 and "wpdis" in printed.getvalue()
    expected = so.evaluate(table, estimators=["wpdis"])
    assert total.evaluation()["wpdis"].value == pytest.approx(expected["wpdis"].value, rel=1e-12)
