"""Parses as much CSS as is needed to know what a page's own <style> elements and style attributes hide.

There is no layout, and external sheets are not read. A declaration block becomes a mapping, a sheet becomes the rules
that apply on a screen.
"""

import re
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass

import re2

Declarations = Mapping[str, str]

# Tokens in which braces, semicolons and comment marks have no meaning (CSS Syntax 3, section 4). Each alternative
# begins with a different letter, so that the search can skip to the next of these letters.
_URL = r"""(?<!\w.)[rR][lL]\(\s*+(?!["'])[^)]*+"""
_OPAQUE = re.compile(
    r"""\\.|/\*.*?(?:\*/|\Z)|"(?:[^"\\\n]|\\.)*+"?|'(?:[^'\\\n]|\\.)*+'?"""
    rf"|u{_URL}|U{_URL}",
    re.DOTALL,
)
_MARK = re.compile(r"[{};,/*\[\]]")
_ESCAPE = re.compile(r"\\(?:([0-9a-fA-F]{1,6})\s?|(.))", re.DOTALL)
_DECLARATION = re2.compile(r"([\w-]+)\s*:((?:[^;\"'()]|\"[^\"]*\"|'[^']*'|\([^)]*\)|[\"'()])*)")
# Most blocks have neither strings nor functions.
_PLAIN_BLOCK = re.compile(r"[^\"'()]*+")
_PLAIN = re.compile(r"(?<![\w-])([\w-]++)\s*+:([^;]*+)")
_MAY_BE_OPAQUE = re.compile(r"[\\\"'(]|/\*")
_ANY = r"|inherit|initial|unset|revert|revert-layer|[^(\n]*+\(.*\).*"
_SIZES = r"[+-]?[\d.]+(?:e-?\d+)?(?:[a-z]+|%)?"
_VALID = {
    "display": re.compile(
        r"none|contents|block|inline|inline-block|flex|inline-flex|grid|inline-grid|list-item|flow-root|flow|ruby|"
        r"run-in|math|table(?:-[a-z-]+)?|inline-table|-(?:webkit|ms|moz)-[a-z-]+|[a-z-]+ [a-z -]+" + _ANY
    ),
    "visibility": re.compile(r"visible|hidden|collapse" + _ANY),
    "opacity": re.compile(r"[+-]?[\d.]+(?:e-?\d+)?%?" + _ANY),
    "position": re.compile(r"static|relative|absolute|fixed|sticky|-webkit-sticky" + _ANY),
    "font-size": re.compile(_SIZES + r"|(?:x{1,3}-)?(?:small|large)|medium|smaller|larger|math" + _ANY),
    "color": re.compile(r"[a-z]+|#[0-9a-f]{3,8}" + _ANY),
}
_IMPORTANT = re.compile(r"(?:(?<!\s)\s++)?!\s*+important\s*+$")
_VARIABLE = re.compile(r"var\(\s*(--[\w-]+)\s*(?:,([^()]*))?\)")
_BRACE = re.compile(r"[{}]")
_BRACKET = re.compile(r"[()\[\]]")
_NESTED = re.compile(r"(?:(?<![^;{}])[^;{}]++)?\{(?:[^{}]|\{[^{}]*+\})*+\}")
_MAX_SHEET_CHARS = 400_000
_GROUPING = ("@media", "@supports", "@layer", "@container", "@scope")
_SCREENS = frozenset({"", "all", "screen", "only screen", "only all"})
_SCREEN = {"width": 1280, "height": 800, "device-width": 1280, "device-height": 800}
_KIND = re.compile(r"^(?:only )?(?:all|screen)\b(?: and)?")
_FEATURE = re.compile(r"\(([^:()]*+):?([^()]*+)\)")
_WEIGHTS = (
    (re.compile(r"#[\w-]+"), 10_000),
    (re.compile(r"\.[\w-]+|\[[^\[\]]*+\]|(?<!:):[\w-]+"), 100),
    (re.compile(r"(?:^|[\s>+~])[a-zA-Z][\w-]*"), 1),
)
_IN_BRACKETS = re.compile(r"\([^()]*+\)|\[[^\[\]]*+\]")
_CLASS_OR_ID = re.compile(r"[.#]([\w-]+)")
# Selectors that only apply to states such as :hover, or to pseudo-elements.
_STATE = re.compile(
    r"::|:(?:hover|focus|active|visited|checked|target|before|after|first-letter|first-line|disabled|invalid|valid"
    r"|placeholder|host|empty|has\(|open)"
)


@dataclass(frozen=True, slots=True)
class Rule:
    """One selector with its declarations."""

    selector: str
    declarations: Declarations
    important: frozenset[str]

    @property
    def weight(self) -> int:
        """The rule's specificity, which orders rules in the cascade, apart from `!important`."""
        return sum(len(pattern.findall(self.selector)) * points for pattern, points in _WEIGHTS)


def parse_declarations(text: str) -> tuple[dict[str, str], frozenset[str]]:
    """The properties of a declaration block in lower case, and those of them marked `!important`."""
    text = _unescape(_without_opaque(text) if _MAY_BE_OPAQUE.search(text) else text).lower()
    values: dict[str, str] = {}
    important: set[str] = set()
    for name, raw in _PLAIN.findall(text) if _PLAIN_BLOCK.fullmatch(text) else _DECLARATION.findall(text):
        value, marks = _IMPORTANT.subn("", raw.strip())
        if name in _VALID and not _VALID[name].fullmatch(value):
            continue  # as in browsers, an invalid value does not override an earlier one
        if marks:
            important.add(name)
        elif name in important:
            continue
        values[name] = value.strip()
    return values, frozenset(important)


def parse_sheet(text: str, names: Set[str]) -> list[Rule]:
    """The rules of a sheet that apply on a screen, one for each selector of a list. `names` are the page's classes and
    ids in lower case; rules that need others are left out, as most rules of a framework do."""
    text = _without_opaque(text[:_MAX_SHEET_CHARS]).replace("<!--", " ").replace("-->", " ")
    return [rule for prelude, block in _blocks(text, depth=0) for rule in _rules(prelude, block, names)]


def resolve_variables(values: dict[str, str], variables: Declarations) -> dict[str, str]:
    """`values` with `var(--x)` replaced if `variables` defines it."""
    if not any("var(" in value for value in values.values()):
        return values
    return {
        name: _VARIABLE.sub(
            lambda found: values.get(found[1]) or variables.get(found[1]) or found[2] or "", value
        ).strip()
        for name, value in values.items()
    }


def _blocks(text: str, depth: int) -> Iterator[tuple[str, str]]:
    """(prelude, block) of each plain rule, also within grouping rules that apply on a screen."""
    at = 0
    while (start := text.find("{", at)) >= 0:
        end = _closing(text, start)
        prelude = text[at:start].rpartition(";")[2].strip()
        block = text[start + 1 : end]
        if not prelude.startswith("@"):
            yield prelude, _NESTED.sub(";", block) if "{" in block else block
            if "{" in block and depth < 5:
                yield from ((_nested(prelude, inner), text) for inner, text in _blocks(block, depth + 1))
        elif depth < 5 and prelude.lower().startswith(_GROUPING) and _group_holds(prelude.lower()):
            yield from _blocks(block, depth + 1)
        at = end + 1


def _nested(outer: str, inner: str) -> str:
    """The selector of a rule inside a rule (CSS nesting). "&" stands for the outer selector; without it, the outer one
    selects an ancestor."""
    parts = [part.strip() for part in inner.split(",")]
    outers = [part.strip() for part in outer.split(",")]
    return ",".join(
        part.replace("&", above) if "&" in part else f"{above} {part}" for above in outers for part in parts
    )


def _closing(text: str, start: int) -> int:
    if (end := text.find("}", start)) >= 0 and text.find("{", start + 1, end) < 0:
        return end  # most blocks
    depth = 0
    for found in _BRACE.finditer(text, start):
        depth += 1 if found[0] == "{" else -1
        if depth == 0:
            return found.start()
    return len(text)


def _group_holds(prelude: str) -> bool:
    if prelude.startswith("@media"):
        return holds_on_screen(prelude.removeprefix("@media"))
    return not prelude.startswith(("@supports not", "@container"))


def holds_on_screen(media: str) -> bool:
    """Whether a media query list applies on an ordinary desktop screen; unknown conditions count as false."""
    return (
        any(_query_holds(query.split()) for query in media.lower().replace("(", " (").split(",")) or not media.strip()
    )


def _query_holds(words: list[str]) -> bool:
    text = " ".join(words)
    if words[:1] == ["not"]:
        return text in {"not print", "not speech"}
    kind, features = _KIND.sub("", text), _FEATURE.findall(text)
    if text.startswith(("print", "only print", "speech", "tty")) or (not features and text not in _SCREENS):
        return False
    rest = _FEATURE.sub("", kind).replace("and", "").strip()
    return not rest and all(_feature_holds(name.strip(), value.strip()) for name, value in features)


def _feature_holds(name: str, value: str) -> bool:
    found = re.fullmatch(r"([\d.]+)(px|em|rem)?", value)
    side = _SCREEN.get(name[4:])
    if found and side and name[:4] in {"min-", "max-"}:
        pixels = float(found[1]) * (1 if found[2] == "px" else 16)
        return pixels <= side if name[:4] == "min-" else pixels >= side
    return (name, value) in {
        ("prefers-color-scheme", "light"),
        ("orientation", "landscape"),
        ("hover", "hover"),
        ("pointer", "fine"),
        ("color", ""),
    }


def _rules(prelude: str, block: str, names: Set[str]) -> Iterator[Rule]:
    if len(prelude) > 4000:
        return
    selectors = [part for part in map(str.strip, _selectors(prelude)) if _may_match(part, names)]
    declarations, important = parse_declarations(block) if selectors else ({}, frozenset())
    if declarations:
        yield from (Rule(selector, declarations, important) for selector in selectors)


def _may_match(selector: str, names: Set[str]) -> bool:
    if not selector or "{" in selector or (":" in selector and _STATE.search(selector)):
        return False
    plain = _IN_BRACKETS.sub("", selector) if "(" in selector or "[" in selector else selector
    if "\\" in plain or "(" in plain:
        return True
    return names >= set(_CLASS_OR_ID.findall(plain.lower()))


def _selectors(prelude: str) -> Iterator[str]:
    """Split a list of selectors at commas, except within brackets."""
    if not _BRACKET.search(prelude):
        yield from prelude.split(",")
        return
    end, bracket = len(prelude), ""
    for at in range(len(prelude) - 1, -1, -1):
        if prelude[at] in "()[]":
            bracket = prelude[at]
        elif prelude[at] == "," and bracket not in (")", "]"):
            yield prelude[at + 1 : end]
            end = at
    yield prelude[:end]


def _without_opaque(text: str) -> str:
    """Replace comments by blanks, and marks in strings and `url(...)` by escapes, so that the text can be split."""
    return _OPAQUE.sub(_opened, text)


def _opened(found: re.Match[str]) -> str:
    token = found[0]
    if token.startswith("/*"):
        return " "
    return token if token.startswith("\\") else _MARK.sub(lambda mark: f"\\{ord(mark[0]):x} ", token)


def _unescape(text: str) -> str:
    if "\\" not in text:
        return text
    return _ESCAPE.sub(lambda found: _character(found[1]) if found[1] else found[2], text)


def _character(digits: str) -> str:
    code = int(digits, 16)
    return chr(code) if 0 < code < 0x110000 else "\ufffd"
