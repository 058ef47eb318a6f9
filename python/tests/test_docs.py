"""Every Python block of the documentation runs, page by page, and prints what the page says it prints."""

import contextlib
import io
import os
import re
from pathlib import Path

import pytest
from conftest import SOURCE

PAGES = [SOURCE / "README.md", *sorted((SOURCE / "docs" / "python").glob("*.md")), *sorted((SOURCE / "docs" / "gallery").glob("*.md"))]
BLOCK = re.compile(r"^(?P<before>[^\n]*)\n```python\n(?P<code>.*?)^```$(?:\n+```text\n(?P<output>.*?)^```$)?", re.MULTILINE | re.DOTALL)


def blocks(page: Path) -> list[tuple[str, str | None, int]]:
    text = page.read_text(encoding="utf-8")
    return [(match["code"], match["output"], text[:match.start("code")].count("\n") + 1) for match in BLOCK.finditer(text)
            if not match["before"].startswith("<!-- not run:")]


def fits(said: str, printed: str) -> bool:
    """'...' stands for anything."""
    pattern = ".*?".join(re.escape(part) for part in said.strip().split("..."))
    return re.fullmatch(pattern, printed.strip(), re.DOTALL) is not None


def test_there_are_pages_with_code() -> None:
    assert len(PAGES) >= 8 and sum(len(blocks(page)) for page in PAGES) >= 20


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(SOURCE)))
def test_page(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    names = {"__name__": "page"}
    for code, output, line in blocks(page):
        printed = io.StringIO()
        # Line numbers of errors are those of the page.
        compiled = compile("\n" * line + code, os.fspath(page), "exec")
        with contextlib.redirect_stdout(printed):
            exec(compiled, names)  # noqa: S102
        assert output is None or fits(output, printed.getvalue()), f"{page}:{line}: printed\n{printed.getvalue()}"
