"""As much CSS as it takes to know what a page's own <style> elements and style attributes hide.

No layout, no external sheets: a declaration block becomes a mapping, a sheet the rules that hold on a screen.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

Declarations = Mapping[str, str]

_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)", re.DOTALL)
_ESCAPE = re.compile(r"\\(?:([0-9a-fA-F]{1,6})\s?|(.))", re.DOTALL)
_DECLARATION = re.compile(r"([\w-]+)\s*:((?:[^;\"'()]|\"[^\"]*\"|'[^']*'|\([^)]*\)|[\"'()])*)")
_IMPORTANT = re.compile(r"\s*!\s*important\s*$")
_VARIABLE = re.compile(r"var\(\s*(--[\w-]+)\s*(?:,([^()]*))?\)")
_BRACE = re.compile(r"[{}]")
_MAX_SHEET_CHARS = 400_000
_GROUPING = ("@media", "@supports", "@layer", "@container", "@scope")
_WEIGHTS = (
    (re.compile(r"#[\w-]+"), 10_000),
    (re.compile(r"\.[\w-]+|\[[^\]]*\]|(?<!:):[\w-]+"), 100),
    (re.compile(r"(?:^|[\s>+~])[a-zA-Z][\w-]*"), 1),
)


@dataclass(frozen=True, slots=True)
class Rule:
    """One selector with its declarations. `weight` orders rules as the cascade does, without `!important`."""

    selector: str
    declarations: Declarations
    important: frozenset[str]
    weight: int


def parse_declarations(text: str) -> tuple[dict[str, str], frozenset[str]]:
    """The properties of a declaration block in lower case, and those of them marked `!important`."""
    text = _unescape(_COMMENT.sub(" ", text)).lower()
    values: dict[str, str] = {}
    important: set[str] = set()
    for name, raw in _DECLARATION.findall(text):
        value, marks = _IMPORTANT.subn("", raw.strip())
        if marks:
            important.add(name)
        elif name in important:
            continue
        values[name] = value.strip()
    return values, frozenset(important)


def parse_sheet(text: str) -> list[Rule]:
    """Every rule of a sheet that holds on a screen of any size, one entry for each selector of a list."""
    text = _COMMENT.sub(" ", text[:_MAX_SHEET_CHARS]).replace("<!--", " ").replace("-->", " ")
    return [rule for prelude, block in _blocks(text, depth=0) for rule in _rules(prelude, block)]


def resolve_variables(values: dict[str, str], variables: Declarations) -> dict[str, str]:
    """`values` with `var(--x)` replaced, as far as the page itself defines it."""
    if not any("var(" in value for value in values.values()):
        return values
    return {
        name: _VARIABLE.sub(lambda found: values.get(found[1]) or variables.get(found[1]) or found[2] or "", value)
        for name, value in values.items()
    }


def _blocks(text: str, depth: int) -> Iterator[tuple[str, str]]:
    """(prelude, block) of each plain rule; grouping rules that hold on a screen are entered."""
    at = 0
    while (start := text.find("{", at)) >= 0:
        end = _closing(text, start)
        prelude = text[at:start].rpartition(";")[2].strip()
        block = text[start + 1 : end]
        if not prelude.startswith("@"):
            yield prelude, block
        elif depth < 5 and prelude.startswith(_GROUPING) and _holds_on_screen(prelude):
            yield from _blocks(block, depth + 1)
        at = end + 1


def _closing(text: str, start: int) -> int:
    depth = 0
    for found in _BRACE.finditer(text, start):
        depth += 1 if found[0] == "{" else -1
        if depth == 0:
            return found.start()
    return len(text)


def _holds_on_screen(prelude: str) -> bool:
    if not prelude.startswith("@media"):
        return not prelude.startswith(("@supports not", "@container"))
    queries = prelude.removeprefix("@media").lower().split(",")
    return any(query.split() in (["all"], ["screen"], ["only", "screen"]) for query in queries)


def _rules(prelude: str, block: str) -> Iterator[Rule]:
    declarations, important = parse_declarations(block)
    if not declarations or len(prelude) > 4000:
        return
    for part in re.split(r",(?![^(\[]*[)\]])", prelude):
        selector = part.strip()
        if selector and "{" not in selector:
            weight = sum(len(pattern.findall(selector)) * points for pattern, points in _WEIGHTS)
            yield Rule(selector, declarations, important, weight)


def _unescape(text: str) -> str:
    if "\\" not in text:
        return text
    return _ESCAPE.sub(lambda found: _character(found[1]) if found[1] else found[2], text)


def _character(digits: str) -> str:
    code = int(digits, 16)
    return chr(code) if 0 < code < 0x110000 else "\ufffd"
