#!/usr/bin/env python3
"""Lays out the pages of the repository as the sources of the documentation site.

  python3 tools/docs_site.py check [ROOT]      is every page in the table of contents? Needs no sphinx
  python3 tools/docs_site.py stage OUT [ROOT]  writes the sources of sphinx to OUT

The pages stay where they are and read well on a Git host; nothing in them is there for the site alone. The table of contents is
docs/README.md: its headings of the second level are the parts of the site, and the links that begin the items of its lists are
the pages. A README.md in it is the front page of its folder: pages of that folder that it links to stand below it.

docs/ becomes the root of the site, and links are written anew for that. Linked files that are no pages can be downloaded. In
docs/reference, items that begin with the name of a header or of something in Python get its documentation from the sources.
docs/browser.md shows the page that it is about, where `make web` has made it: docs/conf.py puts that file beside it.
"""

import os
import posixpath
import re
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import repository  # noqa: E402

HOME = "docs/README.md"
PAGE = "build/starope.html"  # what docs/browser.md is about
FENCE = re.compile(r"^ *(`{3,}|~{3,})")
LINK = re.compile(r"(?P<mark>!?)\[(?P<text>(?:[^\[\]]|\[[^\]]*\])*)\]\((?P<to>[^)\s]+)\)")
ENTRY = re.compile(r"^- \[(?P<title>[^\]]+)\]\((?P<to>[^)\s]+\.md)\)")
HEADER = re.compile(r"^- `<starope/(?P<name>\w+)\.hpp>`: (?P<what>.*)$")
NAME = re.compile(r"^- `(?P<name>starope(?:\.\w+)+)`")


class SiteError(Exception):
    """A mistake in the pages; the message says where."""


@dataclass(frozen=True)
class Part:
    title: str
    pages: tuple[str, ...]  # paths in the repository


def outside_code(text: str, change) -> str:
    """`change` done to every line that is not inside a fenced block."""
    lines, fence = [], None
    for line in text.splitlines():
        mark = FENCE.match(line)
        if fence is None and mark:
            fence = mark[1]
        elif fence is not None:
            if mark and mark[1].startswith(fence) and not line.strip(" `~"):
                fence = None
        else:
            line = change(line)
        lines.append(line)
    return "\n".join(lines) + "\n"


def target_of(page: str, link: str) -> str | None:
    """What a link of a page leads to, as a path in the repository; None for addresses and for places in the same page."""
    path = link.partition("#")[0]
    if not path or "://" in link or link.startswith("mailto:"):
        return None
    return posixpath.normpath(posixpath.join(posixpath.dirname(page), path))


def contents(home: str) -> list[Part]:
    """The parts of the site, from the text of its home page."""
    parts: list[tuple[str, list[str]]] = []

    def look(line: str) -> str:
        if line.startswith("## "):
            parts.append((line[3:].strip(), []))
        elif entry := ENTRY.match(line):
            if not parts:
                raise SiteError(f"{HOME}: '{entry['title']}' stands before the first heading")
            parts[-1][1].append(target_of(HOME, entry["to"]) or "")
        return line

    outside_code(home, look)
    return [Part(title, tuple(pages)) for title, pages in parts if pages]


def linked_pages(page: str, text: str) -> list[str]:
    """The pages of its own folder that a page links to, in order."""
    found: list[str] = []

    def look(line: str) -> str:
        for link in LINK.finditer(line):
            target = target_of(page, link["to"])
            if target and target.endswith(".md") and posixpath.dirname(target) == posixpath.dirname(page) and target != page:
                found.append(target)
        return line

    outside_code(text, look)
    return list(dict.fromkeys(found))


def tree(root: Path) -> dict[str, list[str]]:
    """Every page of the site with the pages below it."""
    parts = contents((root / HOME).read_text(encoding="utf-8"))
    listed = [page for part in parts for page in part.pages]
    twice = {page for page in listed if listed.count(page) > 1}
    if twice:
        raise SiteError(f"{HOME}: {', '.join(sorted(twice))} is listed twice")
    below: dict[str, list[str]] = {HOME: listed}
    for page in listed:
        if not (root / page).is_file():
            raise SiteError(f"{HOME}: there is no {page}")
        is_front = posixpath.basename(page) == "README.md"
        children = linked_pages(page, (root / page).read_text(encoding="utf-8")) if is_front else []
        below[page] = [child for child in children if child not in listed]
        below |= {child: [] for child in below[page]}
    return below


def missing_pages(root: Path) -> list[str]:
    """Pages of docs/ that nobody finds who begins at the table of contents."""
    below = tree(root)
    return [name for name in repository.files(root) if name.startswith("docs/") and name.endswith(".md") and name not in below]


def stray_links(root: Path) -> list[str]:
    """Links from pages of the site to pages that are not in it."""
    below = tree(root)
    wrong = []
    for page in below:
        try:
            moved_links(page, (root / page).read_text(encoding="utf-8"), root, below)
        except SiteError as error:
            wrong.append(str(error))
    return wrong


def undocumented(root: Path) -> list[str]:
    """Headers and names of Python that the pages of the reference leave out."""
    cpp = (root / "docs/reference/cpp.md").read_text(encoding="utf-8")
    python = (root / "docs/reference/python.md").read_text(encoding="utf-8")
    headers = {path.stem for path in (root / "include/starope").glob("*.hpp")}
    said = {match["name"] for line in cpp.splitlines() if (match := HEADER.match(line))}
    listed = re.search(r"^__all__ = \[(.*?)\]", (root / "python/starope/__init__.py").read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    if listed is None:
        raise SiteError("python/starope/__init__.py: __all__ is not where it was")
    names = {f"starope.{name}" for name in re.findall(r'"(\w+)"', listed[1]) if not name.startswith("_")}
    named = {match["name"] for line in python.splitlines() if (match := NAME.match(line))}
    return ([f"docs/reference/cpp.md leaves out <starope/{name}.hpp>" for name in sorted(headers - said)]
            + [f"docs/reference/cpp.md: there is no <starope/{name}.hpp>" for name in sorted(said - headers)]
            + [f"docs/reference/python.md leaves out {name}" for name in sorted(names - named)])


def place(path: str) -> str:
    """Where a file of the repository stands in the site."""
    if not path.startswith("docs/"):
        return f"project/{path}" if path.endswith(".md") else f"files/{path}"
    path = path.removeprefix("docs/")
    return posixpath.join(posixpath.dirname(path), "index.md") if posixpath.basename(path) == "README.md" else path


def moved_links(page: str, text: str, root: Path, below: dict[str, list[str]]) -> tuple[str, set[str]]:
    """The text of a page with links that hold in the site, and the files besides pages that it needs there."""
    files: set[str] = set()
    here = posixpath.dirname(place(page))

    def moved(link: re.Match[str]) -> str:
        target = target_of(page, link["to"])
        if target is None:
            return link[0]
        if (root / target).is_dir() and f"{target}/README.md" in below:
            target += "/README.md"
        if target not in below:
            if target.endswith(".md"):
                raise SiteError(f"{page} links to {target}, which is not in the table of contents")
            if not (root / target).is_file():
                return link["text"]  # a folder
            files.add(target)
        anchor = link["to"].partition("#")[2]
        to = posixpath.relpath(place(target), here or ".")
        return f"{link['mark']}[{link['text']}]({to}{'#' + anchor if anchor else ''})"

    return outside_code(text, lambda line: LINK.sub(moved, line)), files


def toctree(page: str, children: list[str], caption: str | None = None, titles: bool = True) -> str:
    here = posixpath.dirname(place(page))
    lines = ["```{toctree}", ":hidden:", *([f":caption: {caption}"] if caption else []), *([] if titles else [":titlesonly:"]), ""]
    return "\n".join([*lines, *(posixpath.relpath(place(child), here or ".").removesuffix(".md") for child in children), "```", ""])


def header_pages(text: str) -> tuple[str, dict[str, str]]:
    """The page of the C++ reference with links to a page for each header, and these pages."""
    pages: dict[str, str] = {}

    def linked(line: str) -> str:
        if not (header := HEADER.match(line)):
            return line
        name, what = header["name"], header["what"]
        pages[f"cpp/{name}.md"] = f"# `<starope/{name}.hpp>`\n\n{what[0].upper()}{what[1:]}.\n\n```{{doxygenfile}} {name}.hpp\n```\n"
        return f"- [`<starope/{name}.hpp>`](cpp/{name}.md): {what}"

    text = outside_code(text, linked)
    names = "\n".join(name.removesuffix(".md") for name in pages)
    return text + f"\n```{{toctree}}\n:hidden:\n\n{names}\n```\n", pages


def python_names(text: str) -> str:
    """The page of the Python reference with what the sources say about each name."""
    def told(line: str) -> str:
        if not (match := NAME.match(line)):
            return line
        name = match["name"]
        last = name.rpartition(".")[2]
        if name == "starope.statistics":
            return f"```{{eval-rst}}\n.. automodule:: {name}\n   :members:\n```\n"
        if last[0].isupper():
            members = "" if "Error" in last or last in ("DegenerateModel", "InvalidArgument", "MissingPackage", "TooMuchWork", "WrongType") else "\n   :members:"
            return f"```{{eval-rst}}\n.. autoclass:: {name}{members}\n```\n"
        return f"```{{eval-rst}}\n.. autofunction:: {name}\n```\n"

    return outside_code(text, told)


def with_the_page(text: str, built: bool) -> str:
    """The text of docs/browser.md with the page itself before its first heading of the second level."""
    try_it = ("""## Try it here

```{raw} html
<p><a href="starope.html">Open it in a window of its own</a>, or use it below. What is dropped here stays in this browser.</p>
<iframe class="the-page" src="starope.html" title="starope: evaluate a policy from logs"></iframe>
```
""" if built else "This site was made without the page: `make web docs-site` puts it here.\n")
    begin, heading, rest = text.partition("\n## ")
    if not heading:
        raise SiteError("docs/browser.md: no heading before which to show the page")
    return f"{begin}\n{try_it}{heading}{rest}"


def stage(root: Path, out: Path) -> int:
    """Writes the sources of sphinx. Files that did not change are left alone, so that sphinx does not read them again."""
    below = tree(root)
    written: dict[str, bytes] = {}
    files: set[str] = set()
    parts = contents((root / HOME).read_text(encoding="utf-8"))
    for page, children in below.items():
        text, needed = moved_links(page, (root / page).read_text(encoding="utf-8"), root, below)
        files |= needed
        if page == HOME:
            text += "\n" + "\n".join(toctree(HOME, list(part.pages), part.title, titles=False) for part in parts)
        elif children:
            text += "\n" + toctree(page, children)
        if page == "docs/reference/cpp.md":
            text, headers = header_pages(text)
            written |= {posixpath.join("reference", name): content.encode() for name, content in headers.items()}
        elif page == "docs/reference/python.md":
            text = python_names(text)
        elif page == "docs/browser.md":
            text = with_the_page(text, (root / PAGE).is_file())
        written[place(page)] = text.encode()
    written |= {place(name): (root / name).read_bytes() for name in files}
    for name, content in written.items():
        target = out / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if not target.is_file() or target.read_bytes() != content:
            target.write_bytes(content)
    for folder, _, names in os.walk(out, topdown=False):
        for name in names:
            path = Path(folder) / name
            if path.relative_to(out).as_posix() not in written:
                path.unlink()
        if not os.listdir(folder) and Path(folder) != out:
            shutil.rmtree(folder)
    return len(below)


def main(arguments: list[str]) -> int:
    if not arguments or arguments[0] not in ("check", "stage") or (arguments[0] == "stage" and len(arguments) < 2):
        print(__doc__, file=sys.stderr)
        return 2
    here = Path(__file__).resolve().parents[1]
    try:
        if arguments[0] == "check":
            root = Path(arguments[1]).resolve() if len(arguments) > 1 else here
            wrong = [f"{page} is not in the table of contents ({HOME})" for page in missing_pages(root)]
            wrong += stray_links(root) + undocumented(root)
            print("\n".join([*wrong, f"{len(tree(root))} pages in the table of contents, {len(wrong)} findings"]))
            return 1 if wrong else 0
        root = Path(arguments[2]).resolve() if len(arguments) > 2 else here
        print(f"{stage(root, Path(arguments[1]))} pages in {arguments[1]}")
    except (SiteError, OSError) as error:
        print(f"docs_site.py: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
