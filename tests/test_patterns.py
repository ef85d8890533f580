"""No regular expression of ours can be made to take long: four times the input takes less than nine times as long.

Patterns are found by walking the modules: those that a module holds, and those written where they are used. For each a
text that it matches is made up; every beginning of such a text is tried with repetitions behind it, which is where
backtracking explodes. A pattern that is slower either gets a bound on its input, named here, or is written so that no
place is read twice: possessive quantifiers, and a look-behind that lets a run of blanks begin once.
"""

import ast
import importlib
import re
import string
import time
from collections.abc import Iterator, Sequence
from dataclasses import fields, is_dataclass
from pathlib import Path
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any, Final

import pytest

import app
import crawler

_CHARS: Final = 2000
_TIMES_THE_TEXT: Final = 4
_MOST: Final = 9  # times as long; a quadratic pattern takes 16, and one that has bounds of its own four
_NOTICED_SECONDS: Final = 0.001  # below it there is nothing to find
_RUNS: Final = 3  # of which all are slow
_LONG_SECONDS: Final = 0.5  # once is enough
_UNITS: Final = (*"a1_ \n\t.-/[](|`*<=:@'#", "a ", "a.", ":a", " \n")
_CANDIDATES: Final = string.ascii_letters + string.digits + " _-./:!|\n\u00e9\u4e2d"
_UNEXPECTED: Final = "\ue000"
_BRANCHES: Final = 4
_BEGINNINGS: Final = 8

# What is read of a text at most, by the code that uses the pattern.
_BOUNDS: Final = {
    "app.core.text.answer_words.failure_patterns": 320,
    "app.answers.query_contextualizer._spaced_forms": 160,
    "app.answers.query_contextualizer._joined_forms": 160,
    "app.answers.handoff._patterns": 500,
}
_MADE_BY_FUNCTIONS: Final = (*_BOUNDS, "app.core.text.words._word_pattern")
# At such a bound nobody waits for longer.
_BOUNDED_SECONDS: Final = 0.2


def _sources() -> dict[str, Path]:
    """Of the modules that know regular expressions."""
    rooms = {package.__name__: Path(package.__path__[0]) for package in (app, crawler)}
    found = {
        ".".join((room, *path.relative_to(folder).with_suffix("").parts)).removesuffix(".__init__"): path
        for room, folder in rooms.items()
        for path in folder.rglob("*.py")
        if "migrations" not in path.parts and path.stem != "__main__"
    }
    return {name: path for name, path in sorted(found.items()) if re.search(r"\bre\.", path.read_text("utf-8"))}


_SOURCES: Final = _sources()


def _held(value: object) -> Iterator[re.Pattern[str]]:
    if isinstance(value, re.Pattern) and isinstance(value.pattern, str):
        yield value
    elif isinstance(value, list | tuple):
        for each in value:
            yield from _held(each)
    elif isinstance(value, dict):
        yield from _held(list(value.values()))
    elif is_dataclass(value) and not isinstance(value, type):
        yield from _held([getattr(value, field.name) for field in fields(value)])


def _methods(tree: ast.Module, name: str) -> tuple[str, ...]:
    """How a module uses its pattern: where it only matches from the start, searching it is nobody's trouble."""
    used = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute) and _named(node.value) == name}
    return tuple(sorted(used)) if used and used <= {"match", "fullmatch"} else ("search",)


def _named(node: ast.expr) -> str:
    """Of `NAME` and of `NAME[key]`."""
    base = node.value if isinstance(node, ast.Subscript) else node
    return base.id if isinstance(base, ast.Name) else ""


def _patterns_of(name: str) -> Iterator[tuple[str, re.Pattern[str], tuple[str, ...]]]:
    module, tree = importlib.import_module(name), ast.parse(_SOURCES[name].read_text("utf-8"))
    for key, value in vars(module).items():
        made = value() if f"{name}.{key}" in _MADE_BY_FUNCTIONS else value
        for pattern in _held(made):
            yield f"{name}.{key}", pattern, _methods(tree, key)
    for node in ast.walk(tree):
        match node:
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id="re"), attr=method),
                args=[ast.Constant(value=str(written)), *_],
            ) if method not in ("compile", "escape"):
                how = method if method in ("match", "fullmatch") else "search"
                yield f"{name}:{node.lineno}", re.compile(written), (how,)


def _samples(parsed: Sequence[Any]) -> list[list[str]]:
    """Texts that match, or nearly, in the parts that the pattern's parts match; one more for each branch."""
    texts: list[list[str]] = [[]]
    for code, value in parsed:
        options: list[list[str]] = [[]]
        match str(code):
            case "LITERAL":
                options = [[chr(value)]]
            case "NOT_LITERAL" | "ANY":
                options = [["a" if value != ord("a") else "b"]]
            case "IN":
                options = [[_member(value)]]
            case "SUBPATTERN":
                options = _samples(value[3])
            case "ATOMIC_GROUP":
                options = _samples(value)
            case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
                options = [part * min(max(value[0], 1), 5) for part in _samples(value[2])]
            case "BRANCH":
                options = [sample for branch in value[1] for sample in _samples(branch)]
        texts = [
            text + options[min(place, len(options) - 1)] for text in texts[:_BRANCHES] for place in range(len(options))
        ]
        texts = texts[:: max(1, len(texts) // _BRANCHES)][:_BRANCHES]
    return texts


def _member(parts: Sequence[tuple[Any, Any]]) -> str:
    """A character of the class."""
    for code, value in parts:
        if str(code) == "LITERAL" and parts[0][0] is not parser.NEGATE:
            return chr(value)
    pattern = re.compile("[" + "".join(map(_class_part, parts)) + "]")
    return next((each for each in _CANDIDATES if pattern.fullmatch(each)), "a")


def _class_part(part: tuple[Any, Any]) -> str:
    code, value = str(part[0]), part[1]
    if code == "NEGATE":
        return "^"
    if code == "RANGE":
        return f"{re.escape(chr(value[0]))}-{re.escape(chr(value[1]))}"
    if code == "CATEGORY":
        kind = str(value).removeprefix("CATEGORY_").removeprefix("UNI_")
        letter = {"DIGIT": "d", "SPACE": "s", "WORD": "w"}[kind.removeprefix("NOT_")]
        return f"\\{letter.upper() if kind.startswith('NOT_') else letter}"
    return re.escape(chr(value))


def _hard_texts(pattern: re.Pattern[str]) -> Iterator[tuple[str, str]]:
    """(beginning, what is repeated behind it)"""
    begun: dict[str, None] = {"": None}
    for sample in _samples(parser.parse(pattern.pattern, pattern.flags & ~re.DEBUG)):
        ends = range(1, len(sample) + 1) if len(sample) <= _BEGINNINGS else [*range(1, _BEGINNINGS), len(sample)]
        begun |= dict.fromkeys("".join(sample[:end]) for end in ends)
    for beginning in begun:
        if beginning:
            yield "", beginning
        for unit in dict.fromkeys((*_UNITS, *beginning[-1:])):
            yield beginning, unit


def _seconds(pattern: re.Pattern[str], methods: Sequence[str], text: str) -> float:
    began = time.thread_time()
    for method in methods:
        if method == "search":
            for _ in pattern.finditer(text):
                pass
        else:
            getattr(pattern, method)(text)
    return time.thread_time() - began


def _text(beginning: str, unit: str, chars: int) -> str:
    """Ends in what no pattern expects, or a match that takes all ways would be found by the first."""
    return (beginning + unit * (chars // len(unit) + 1))[: chars - 1] + _UNEXPECTED


def _is_superlinear(pattern: re.Pattern[str], methods: Sequence[str], beginning: str, unit: str) -> bool:
    short, long = (_text(beginning, unit, chars) for chars in (_CHARS, _TIMES_THE_TEXT * _CHARS))
    once = _seconds(pattern, methods, short)
    if once < _NOTICED_SECONDS:
        return False
    runs = 0
    while (took := _seconds(pattern, methods, long)) > _MOST * once:
        runs += 1
        if runs == _RUNS or took > _LONG_SECONDS:
            return True
        once = max(once, _seconds(pattern, methods, short))
    return False


@pytest.mark.parametrize("name", _SOURCES)
def test_time_grows_with_the_text_and_not_faster(name: str) -> None:
    for where, pattern, methods in _patterns_of(name):
        bound = _BOUNDS.get(where)
        for beginning, unit in _hard_texts(pattern):
            if bound is not None:
                took = _seconds(pattern, methods, _text(beginning, unit, bound))
                assert took < _BOUNDED_SECONDS, (where, pattern.pattern, beginning, unit)
            else:
                assert not _is_superlinear(pattern, methods, beginning, unit), (where, pattern.pattern, beginning, unit)


def test_the_measure_tells_a_bomb_from_a_harmless_pattern() -> None:
    assert any(_is_superlinear(re.compile(r"\s+x"), ("search",), *each) for each in _hard_texts(re.compile(r"\s+x")))
    harmless = re.compile(r"(?<!\s)\s++x")
    assert not any(_is_superlinear(harmless, ("search",), *each) for each in _hard_texts(harmless))
    anchored = re.compile(r"\s+x")
    assert not any(_is_superlinear(anchored, ("fullmatch",), *each) for each in _hard_texts(anchored))
    found_at_once = re.compile(r"^-+[^\n]{0,9}-+$", re.MULTILINE)
    assert any(_is_superlinear(found_at_once, ("search",), *each) for each in _hard_texts(found_at_once))
