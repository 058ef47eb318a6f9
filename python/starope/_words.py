"""The core gives advice as the command line takes it; here it is said as Python does."""

from __future__ import annotations

import re

_SWITCHES = ("sort", "resume", "details")
_VALUES = {"state-kind": "discrete|continuous", "action-kind": "discrete|continuous", "behavior": "fill|estimate",
           "interval": "influence|t|none|bootstrap-[a-z]+|hoeffding|empirical-bernstein|anderson", "horizon": r"[0-9][0-9,]*|[A-Z]\b", "gamma": r"[0-9.]+[0-9]"}
_NAMES = {"target-prob": "target", "target-probs": "target", "o": "folder", "output": "folder"}
_FLAG = re.compile(r"(?P<empty>an empty )?(?P<pass>[Pp]ass )?(?:evaluate )?--(?P<flag>[a-z][a-z-]*)"
                   + "(?: (?:" + "|".join(f"(?<=--{flag} )(?P<{flag.replace('-', '_')}>{values})" for flag, values in _VALUES.items())
                   + r"|(?P<name>[\w.-]+(?=\.?$|\. )))(?![\w(=-]))?")


def in_python(text: str) -> str:
    """'Pass --state-kind continuous' is 'Pass state_kind="continuous"'."""
    return _FLAG.sub(_said, text) if "--" in text else text


def _said(found: re.Match[str]) -> str:
    flag = found["flag"]
    argument = _NAMES.get(flag, flag.replace("-", "_"))
    before = found["pass"] or ""
    if found["empty"]:
        return f'{before}{argument}=""'
    if flag in _SWITCHES:
        return f"{before}{argument}=True" + (f" {found['name']}" if found["name"] else "")
    value = found[flag.replace("-", "_")] if flag in _VALUES else None
    if value is not None:
        return f"{before}{argument}={value}" if flag in ("horizon", "gamma") else f'{before}{argument}="{value}"'
    if found["name"]:  # a word at the end of the sentence is a value where it was to be passed
        return f'{before}{argument}="{found["name"]}"' if before else f"{argument}= {found['name']}"
    return f"{before}{argument}="
