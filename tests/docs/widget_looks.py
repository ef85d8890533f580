"""The widget's CSS variables with their defaults, for docs/reference/widget-looks.md: `make reference` writes them, a
test compares.

Usage: python -m tests.docs.widget_looks
"""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final

_ROOT: Final = Path(__file__).resolve().parents[2]
_SOURCES: Final = _ROOT / "widget" / "src"
DOCUMENT: Final = _ROOT / "docs" / "reference" / "widget-looks.md"
_BEGIN: Final = "<!-- Made from the widget's style sheets by `make reference`: a change here is overwritten. -->\n"
_MADE: Final = re.compile(f"{re.escape(_BEGIN)}.*?\n\n(?=[^|])", re.DOTALL)
_USED: Final = re.compile(r"var\((--docent-[\w-]+), ((?:[^()]|\([^()]*\))+)\)")
# What each is for, in the table's order.
MEANINGS: Final[Mapping[str, str]] = {
    "--docent-primary": "launcher, header, questions, send button",
    "--docent-on-primary": "text on it",
    "--docent-radius": "corners of the panel, the box in the page and the invitation",
    "--docent-width": "width of the panel, as far as the window has room",
    "--docent-font": "typeface",
    "--docent-z-index": "place above the page",
    "--docent-code-comment": "comments in code",
    "--docent-code-keyword": "keywords in code",
    "--docent-code-name": "names in code",
    "--docent-code-string": "strings in code",
    "--docent-code-number": "numbers in code",
}
# Defaults that the page script works out from the agent's settings (widget/src/theme.ts).
_WORKED_OUT: Final[Mapping[str, str]] = {
    "var(--p)": "the agent's colour",
    "var(--on)": "black or white, whichever has more contrast",
    "var(--round)": "the agent's `radius_px`, else 18px",
    "0px": "42rem if the visitor widens it",
}


def defaults() -> dict[str, list[str]]:
    """By variable, as the style sheets have them: for light pages first, then for dark ones if another."""
    found: dict[str, list[str]] = {}
    for sheet in sorted(_SOURCES.glob("*.css")):
        for name, default in _USED.findall(sheet.read_text("utf-8")):
            told = found.setdefault(name, [])
            if default not in told:
                told.append(default)
    return found


def table() -> str:
    found = defaults()
    lines = ["| variable | for | default |", "|---|---|---|"]
    for name, meaning in MEANINGS.items():
        is_code = name.startswith("--docent-code-")
        told = [
            _WORKED_OUT.get(each, f"`{each}`") for each in sorted(found[name], key=lambda each: each in _WORKED_OUT)
        ]
        lines.append(
            f"| `{name}` | {meaning} | {' in light, '.join(told) + ' in dark' if is_code else '; '.join(told)} |"
        )
    return "\n".join(lines) + "\n"


def renewed(document: str) -> str:
    return _MADE.sub(lambda _: f"{_BEGIN}\n{table()}\n", document)


if __name__ == "__main__":
    DOCUMENT.write_text(renewed(DOCUMENT.read_text("utf-8")), "utf-8")
