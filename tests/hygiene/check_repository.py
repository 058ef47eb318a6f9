#!/usr/bin/env python3
"""Rules that hold for every file of the repository and that no compiler checks. Prints what breaks them; exit code 1."""

import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
import repository  # noqa: E402

LONGEST_FILE = 450  # lines of a source file; more are two ideas in one
LARGEST_FILE = 1_000_000  # bytes of any file

SOURCE = re.compile(r"(\.(cpp|hpp|py|sh|cmake)|(^|/)(CMakeLists\.txt|Makefile))$")
TEXT = re.compile(r"\.(cpp|hpp|py|sh|cmake|md|txt|json|toml|yml|in)$|(^|/)(Makefile|LICENSE|\.[a-z-]+|\.ci/run)$")
PUBLIC_HEADER = re.compile(r"^include/starope/.*\.hpp$")

# Words are put together here so that this file does not break the rule it states.
UNFINISHED = re.compile(r"\b(" + "|".join(["TO" + "DO", "FIX" + "ME", "X" + "XX", "HA" + "CK"]) + r")\b")

# Folders that exist on one machine only. Debian's own (/usr, /etc) are the same everywhere.
MACHINE_PATH = re.compile(r"(?<![\w.}/-])/(home|root|Users|work|workspace|mnt|media|srv|opt)/[\w.-]")

# Every address is one that a reader anywhere can open; package registries and mirrors of one site are not.
ADDRESS = re.compile(r"\b(?:https?|ftp|git|ssh)://(?:[^\s/@]+@)?([\w.-]+)")
KNOWN_HOSTS = {"arxiv.org", "doi.org", "github.com", "www.debian.org", "json-schema.org", "proceedings.mlr.press",
               "vega.github.io", "gymnasium.farama.org", "minari.farama.org",
               "www.w3.org"}

# Libraries that stay behind the interface: a user of the installed headers needs none of them.
HIDDEN_LIBRARY = re.compile(r'^\s*#\s*include\s*[<"](fmt|Eigen|unsupported/Eigen|Spectra|hwy|boost|Random123|nlohmann|CLI|toml\+\+|fast_float)/')

# One spelling, in prose as in identifiers: that of the identifiers, American.
BRITISH = re.compile("|".join([
    "behavi" + "our", "col" + "our", r"\bcent" + "re", "neighb" + "our", "fav" + "our", "catalog" + "ue", r"\blicen" + "ce",
    "label" + "l(?:ing|ed)", "model" + "l(?:ing|ed)", "program" + "me(?!d|r)", "judge" + "ment",
    "(?:recogni|summari|normali|standardi|optimi|minimi|maximi|initiali|symmetri|factori|seriali|vectori|discreti|randomi|penali)"
    + "s(?:e|ing|ation)"]), re.IGNORECASE)

LINK = re.compile(r"!?\[[^\]\n]+\]\((?P<to>[^)\s]+)\)")


def check_size(name: str, text: str) -> list[str]:
    lines = text.count("\n")
    if SOURCE.search(name) and lines > LONGEST_FILE:
        return [f"{name}: {lines} lines, more than {LONGEST_FILE}: split it where the second idea starts"]
    return []


def check_lines(name: str, text: str) -> list[str]:
    wrong = []
    for number, line in enumerate(text.splitlines(), start=1):
        where = f"{name}:{number}"
        if word := UNFINISHED.search(line):
            wrong.append(f"{where}: '{word[0]}': finish it, or write down the decision not to")
        if TEXT.search(name) and not name.startswith("tests/data/") and (word := BRITISH.search(line)):
            wrong.append(f"{where}: '{word[0]}': American spelling, as in identifiers")
        if path := MACHINE_PATH.search(line):
            wrong.append(f"{where}: '{path[0]}...' is a path of one machine")
        wrong += [f"{where}: the host '{host}' is not one of the known public ones (see KNOWN_HOSTS)"
                  for host in ADDRESS.findall(line) if host.lower() not in KNOWN_HOSTS]
        if PUBLIC_HEADER.search(name) and (library := HIDDEN_LIBRARY.match(line)):
            wrong.append(f"{where}: a public header includes {library[1]}: move it into the source file")
        if TEXT.search(name) and line != line.rstrip():
            wrong.append(f"{where}: blanks at the end of the line")
    if TEXT.search(name) and text and not text.endswith("\n"):
        wrong.append(f"{name}: no newline at the end")
    return wrong


def check_units(names: list[str]) -> list[str]:
    """Every source of the library has its test beside it."""
    present = set(names)
    sources = [n for n in names if re.match(r"src/starope/.*\.cpp$", n) and not n.endswith("_test.cpp")]
    return [f"{n}: no {Path(n).stem}_test.cpp beside it" for n in sources if n[:-4] + "_test.cpp" not in present]


def check_assertions(name: str, text: str) -> list[str]:
    if name.endswith("_test.cpp") and not re.search(r"\b(EXPECT|ASSERT)_", text):
        return [f"{name}: a test file that expects nothing"]
    return []


def check_folders(name: str, text: str) -> list[str]:
    """Tests run beside each other: two that share the name of a file take it from each other now and then."""
    if name.endswith("_test.cpp") and (call := re.search(r"\b(temp_directory_path|TempDir)\(", text)):
        return [f"{name}: '{call[1]}': take a testing::TemporaryFolder, which no other test shares"]
    return []


def check_links(name: str, text: str, root: Path) -> list[str]:
    """Links and pictures of a page that are files of the repository are there, anchors included."""
    if not name.endswith(".md"):
        return []
    wrong = []
    for link in LINK.finditer(re.sub(r"```.*?```", "", text, flags=re.DOTALL)):
        target, _, anchor = link["to"].partition("#")
        if "://" in target or target.startswith("mailto:"):
            continue
        path = (root / name).parent / target if target else root / name
        if not path.exists():
            wrong.append(f"{name}: the link to '{link['to']}' leads nowhere")
        elif anchor and path.suffix == ".md" and anchor not in anchors(path.read_text(encoding="utf-8")):
            wrong.append(f"{name}: '{target}' has no heading for '#{anchor}'")
    return wrong


def check_versions(texts: dict[str, str]) -> list[str]:
    """Every file that names the version of the project names the same one."""
    places = {"CMakeLists.txt": r"^\s*VERSION\s+([\d.]+)", "CITATION.cff": r"^version: ([\d.]+)",
              "pyproject.toml": r"^version = \"([\d.]+)\""}
    found = {}
    for name, pattern in places.items():
        if name in texts and (match := re.search(pattern, texts[name], flags=re.MULTILINE)):
            found[name] = match[1]
    if len(set(found.values())) > 1:
        return ["the version differs: " + ", ".join(f"{name} has {version}" for name, version in found.items())]
    return []


def check_workflows(texts: dict[str, str]) -> list[str]:
    """What a hosted CI runs is what a developer can run: targets of the Makefile, scripts of the repository."""
    targets = set(re.findall(r"^([a-z-]+):", texts.get("Makefile", ""), flags=re.MULTILINE))
    wrong = []
    for name, text in texts.items():
        if not re.match(r"\.github/workflows/.*\.yml$", name):
            continue
        lists = [list_of for list_of in re.findall(r"^ *target: \[(.*)\]", text, flags=re.MULTILINE)]
        asked = [entry.strip(' "').split()[0] for list_of in lists for entry in list_of.split(",")]
        asked += re.findall(r"^ *- run: make ([a-z-]+)", text, flags=re.MULTILINE)
        wrong += [f"{name}: the Makefile has no target '{each}'" for each in asked if each not in targets]
        wrong += [f"{name}: there is no script '{each}'" for each in re.findall(r"^ *- run: (\.\S+)", text, flags=re.MULTILINE) if each not in texts]
    return wrong


def anchors(page: str) -> set[str]:
    """The anchors that GitHub gives the headings of a page."""
    headings = re.findall(r"^#+\s+(.*?)\s*$", page, flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def check(root: Path) -> list[str]:
    names = repository.files(root)
    roots = {name: (root / name).read_text(encoding="utf-8") for name in names if "/" not in name}
    named = {name: (root / name).read_text(encoding="utf-8") for name in names if name.startswith((".github/", ".ci/"))}
    wrong = check_units(names) + check_versions(roots) + check_workflows(roots | named)
    for name in names:
        data = (root / name).read_bytes()
        if len(data) > LARGEST_FILE:
            wrong.append(f"{name}: {len(data)} bytes; large data do not belong into the repository")
        if b"\0" in data:
            continue  # not text
        text = data.decode("utf-8", errors="replace")
        wrong += check_size(name, text) + check_lines(name, text) + check_assertions(name, text)
        wrong += check_folders(name, text) + check_links(name, text, root)
    return wrong


def main(arguments: list[str]) -> int:
    root = Path(arguments[0] if arguments else ".").resolve()
    wrong = check(root)
    for line in wrong:
        print(line)
    print(f"{len(repository.files(root))} files checked, {len(wrong)} findings")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
