"""The notebook runs from top to bottom, draws its figure, and shows an evaluation as a table with a picture."""

from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient
from conftest import SOURCE

NOTEBOOK = SOURCE / "docs" / "python" / "figure.ipynb"


def read() -> nbformat.NotebookNode:
    found: nbformat.NotebookNode = nbformat.read(NOTEBOOK, as_version=4)  # type: ignore[no-untyped-call]
    return found


def executed(notebook: nbformat.NotebookNode, folder: Path) -> list[nbformat.NotebookNode]:
    NotebookClient(notebook, timeout=600, kernel_name="python3", resources={"metadata": {"path": str(folder)}}).execute()
    return [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]


@pytest.mark.filterwarnings("ignore")
def test_the_figure(tmp_path: Path) -> None:
    kept = [output.data["text/plain"] for cell in read().cells for output in cell.get("outputs", []) if "text/html" in output.get("data", {})]
    outputs = executed(read(), tmp_path)
    assert any("image/png" in output.get("data", {}) for output in outputs)
    shown = [output.data["text/plain"] for output in outputs if "text/html" in output.get("data", {})]
    assert shown == kept and len(kept) == 1, "its numbers have changed: run it again, look at the figure, and keep both"


@pytest.mark.filterwarnings("ignore")
def test_an_evaluation_in_a_notebook(tmp_path: Path) -> None:
    code = "import starope as so\nso.evaluate(so.simulate('cartpole', episodes=30), estimators=['naive', 'wpdis'])"
    made = nbformat.from_dict({"nbformat": 4, "nbformat_minor": 4, "metadata": {}, "cells": [
        {"cell_type": "code", "metadata": {}, "execution_count": None, "source": code, "outputs": []}]})  # type: ignore[no-untyped-call]
    (shown,) = executed(made, tmp_path)
    assert set(shown.data) == {"text/plain", "text/html", "application/vnd.vegalite.v5+json"}
    assert "<svg" in shown.data["text/html"]


def test_the_figure_that_is_kept_is_of_this_notebook() -> None:
    cells = [cell for cell in read().cells if cell.cell_type == "code"]
    assert any("image/png" in output.get("data", {}) for cell in cells for output in cell.outputs), "run it once and keep what it shows"
