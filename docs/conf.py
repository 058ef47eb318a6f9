"""Settings of sphinx for the documentation site. The sources are laid out by tools/docs_site.py; `make docs-site` does both.

The environment names what was made before: STAROPE_DOXYGEN, the folder of doxygen's XML, and STAROPE_PACKAGE, that of the package."""

import logging
import os
import re
import sys
from pathlib import Path

root = Path(__file__).resolve().parents[1]
sys.path.insert(0, os.environ["STAROPE_PACKAGE"])

project = "starope"
author = "The starope authors"
copyright = author
release = re.search(r'STAROPE_VERSION "([^"]+)"', (root / "include/starope/version.hpp").read_text(encoding="utf-8"))[1]
version = release

extensions = ["myst_parser", "breathe", "sphinx.ext.autodoc"]
root_doc = "index"
exclude_patterns = ["files/**"]
default_role = "literal"

# Headings have the anchors that Git hosts give them.
myst_heading_anchors = 4

breathe_projects = {"starope": os.environ["STAROPE_DOXYGEN"]}
breathe_default_project = "starope"
breathe_show_include = False

autodoc_mock_imports = ["pyspark", "pyarrow", "pandas"]
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
python_maximum_signature_line_length = 90
add_module_names = False

html_theme = "furo"
html_title = f"starope {release}"
html_static_path = [str(root / "docs/static")]
html_css_files = ["site.css"]
html_extra_path = [str(page) for page in [root / "build/starope.html"] if page.is_file()]  # of make web; docs/browser.md shows it
html_copy_source = False
html_show_sourcelink = False
pygments_style = "friendly"
pygments_dark_style = "monokai"

# Docstrings are plain text: paragraphs, and lists "name: meaning" whose further lines are indented.
ITEM = re.compile(r"^(?P<name>[\w*][\w\s,.=|()*-]{0,40}?): (?P<text>\S.*)$")


def as_definitions(app, what, name, obj, options, lines: list[str]) -> None:
    made: list[str] = []
    open_item = in_code = False
    for i, line in enumerate(lines):
        if line.startswith("    ") and not open_item and i > 0 and not lines[i - 1].strip() and not ITEM.match(line.strip()):
            if not in_code:
                made += ["::", ""]
            in_code = True
        in_code = in_code and (line.startswith("    ") or not line.strip())
        if in_code:
            made.append(line)
            continue
        line = line.replace("*", "\\*")
        item = ITEM.match(line.strip()) if len(line) - len(line.lstrip()) in (0, 4) else None
        # One such line in a paragraph is a sentence with a colon; a list begins a paragraph.
        begins = item and (open_item or i == 0 or not lines[i - 1].strip())
        if begins and what in ("function", "method", "class", "module"):
            made += [f"``{item['name']}``", f"    {item['text']}"]
            open_item = True
        elif open_item and line.startswith(" "):
            made.append("    " + line.strip())
        else:
            if line.strip() and open_item:
                made.append("")
            open_item = False
            made.append(line)
    lines[:] = made


class SameNamespace(logging.Filter):
    """Every header opens the same namespaces, and breathe declares them again for each; other duplicates stay mistakes."""

    def filter(self, record: logging.LogRecord) -> bool:
        return re.search(r"Duplicate C\+\+ declaration(.|\n)*cpp:type:: (starope|detail|domains|io)'", record.getMessage()) is None


def setup(app) -> None:
    logging.getLogger("sphinx.sphinx.domains.cpp").addFilter(SameNamespace())
    app.connect("autodoc-process-docstring", as_definitions)
