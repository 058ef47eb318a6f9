#!/usr/bin/env python3
"""make_page.py ENGINE_FOLDER NPM_FOLDER EXAMPLES_FOLDER OUTPUT: puts the page of the browser into one HTML file.

The parts are in web/page; the engine (engine.js, engine.wasm) is what emscripten made of bridge.cpp; the examples are CSV files with
examples.json, which names and describes them (make_examples.py). Nothing in the page comes from elsewhere: its policy allows the
scripts that are in it, known by their hashes, a worker made of its own text, and no request at all."""

import base64
import gzip
import hashlib
import html
import json
import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
SOURCE = HERE.parent
MODULES = ("format", "columns", "engine", "view", "main")  # each may import from those before it
CHARTS = ("vega/build/vega.min.js", "vega-lite/build/vega-lite.min.js", "vega-embed/build/vega-embed.min.js")
LARGEST = 8_000_000  # bytes of the page


def joined(texts: list[str]) -> str:
    """Modules as one script: without imports and exports, in a scope of their own."""
    names: dict[str, int] = {}
    parts = []
    for number, text in enumerate(texts):
        for name in re.findall(r"^(?:export )?(?:async )?(?:function|class|const|let) (\w+)", text, flags=re.MULTILINE):
            if names.setdefault(name, number) != number:
                raise SystemExit(f"make_page.py: two modules have a '{name}'")
        text = re.sub(r"^import [^;]*;\n", "", text, flags=re.MULTILINE)
        parts.append(re.sub(r"^export ", "", text, flags=re.MULTILINE))
    return "(() => {\n\"use strict\";\n" + "\n".join(parts) + "})();\n"


def packed(data: bytes) -> str:
    return base64.b64encode(gzip.compress(data, 9, mtime=0)).decode()


def in_script(text: str) -> str:
    """A text inside a script element, which ends at the first end tag of one."""
    return text.replace("</script", "<\\/script")


def digest(text: str) -> str:
    return "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"


def policy(scripts: list[str]) -> str:
    """The frame of the report inherits it, so the scripts of a report are allowed too."""
    return ("default-src 'none'; script-src 'wasm-unsafe-eval' " + " ".join(digest(script) for script in scripts) +
            "; worker-src blob:; style-src 'unsafe-inline'; img-src data: blob:; base-uri 'none'; form-action 'none'")


def examples_html(folder: Path) -> str:
    parts = []
    for number, example in enumerate(json.loads((folder / "examples.json").read_text(encoding="utf-8"))):
        data = {key: html.escape(example[key]) for key in ("name", "title", "about", "gamma")}
        further = " data-further" if example["further"] else ""
        parts.append(f'<script type="application/octet-stream" class="example" id="example-{number}" data-name="{data["name"]}"{further} '
                     f'data-title="{data["title"]}" data-about="{data["about"]}" data-gamma="{data["gamma"]}">{packed((folder / example["name"]).read_bytes())}</script>')
    return "\n".join(parts)


def version() -> str:
    header = (SOURCE / "include/starope/version.hpp").read_text(encoding="utf-8")
    return re.search(r'#define STAROPE_VERSION "([^"]+)"', header)[1]


def page(engine: Path, npm: Path, examples: Path) -> str:
    def part(name: str) -> str:
        return (HERE / "page" / name).read_text(encoding="utf-8")

    report = SOURCE / "src/starope/report"
    script = in_script(joined([part(f"{name}.mjs") for name in MODULES]))
    worker = in_script((engine / "engine.js").read_text(encoding="utf-8") + "\n" + part("worker.mjs"))
    of_report = [(npm / "node_modules" / name).read_text(encoding="utf-8") for name in CHARTS]
    of_report.append((report / "page.js").read_text(encoding="utf-8"))
    values = {
        "policy": policy([script, *of_report]),
        "style": (report / "page.css").read_text(encoding="utf-8") + part("page.css"),
        "version": version(),
        "examples": examples_html(examples),
        "worker": worker,
        "engine": packed((engine / "engine.wasm").read_bytes()),
        "script": script,
    }
    return re.sub(r"\{\{(\w+)\}\}", lambda match: values[match[1]], part("page.html"))


def main(arguments: list[str]) -> int:
    engine, npm, examples, output = (Path(argument) for argument in arguments)
    text = page(engine, npm, examples).encode()
    if len(text) > LARGEST:
        print(f"make_page.py: the page has {len(text):,} bytes, more than {LARGEST:,}", file=sys.stderr)
        return 1
    output.write_bytes(text)
    print(f"{output}: {len(text):,} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
