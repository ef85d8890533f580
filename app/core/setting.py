"""Values carry the limits of their fields: checks, API models and forms read them from the declaration."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from enum import StrEnum
from functools import cache
from typing import Any, Final, get_type_hints

from app.core.errors import InvalidInput
from app.core.field_rules import MAX_QUESTION_CHARS, check_between, check_line, check_text

_METADATA: Final = "setting"


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Of a field of a dataclass, which is annotated with them and with its meaning for the API, or with one of the two:
    `name: Annotated[str, required(80), "Shown to visitors."]`.

    `between`: the lowest and highest number. `most`: the characters of a text, or the entries of a list; if each
    entry is a line, it has at most `most_each` characters. `rows` of a text in forms; one row takes no line break.
    `words` of each choice in forms. `is_required`: the text or list cannot be empty.
    """

    meaning: str = ""
    between: tuple[float, float] | None = None
    most: int | None = None
    most_each: int = 0
    rows: int = 1
    words: Mapping[Any, str] | None = None
    is_required: bool = False

    @property
    def range(self) -> str:
        """Such as "0 to 1", or "" for none."""
        return " to ".join(f"{limit:.15g}" for limit in self.between or ())

    def check(self, at: str, value: Any) -> None:
        """Raises InvalidInput, naming the field and the fix."""
        if self.between is not None and value is not None:
            check_between(at, value, *self.between)
        if isinstance(value, tuple | Mapping) and self.most is not None:
            self._check_entries(at, value, self.most)
        elif isinstance(value, str) and self.most is not None:
            check = check_line if self.rows == 1 else check_text
            check(at, value, self.most, may_be_empty=not self.is_required)
        if self.words is not None and value not in self.words:
            raise InvalidInput(at, f"Choose one of: {', '.join(self.words)}.")

    def _check_entries(self, at: str, entries: tuple[str, ...] | Mapping[str, Any], most: int) -> None:
        if self.is_required and not entries:
            raise InvalidInput(at, "This cannot be empty. Enter at least one entry.")
        if len(entries) > most:
            raise InvalidInput(at, f"This has {len(entries)} entries. Use at most {most}.")
        for number, entry in enumerate(entries if self.most_each else ()):
            check_line(f"{at}.{number}", entry, self.most_each, may_be_empty=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting(Limits):
    """A field that operators set in a form: the API shows its `meaning`, the console its `label` and `hint`. Without a
    hint, it shows the meaning, or nothing if the words of the choices say it. `is_share`: a number from 0 to 1 that
    forms show in percent. `is_colour`: forms offer a picker.
    """

    label: str
    group: str
    hint: str = ""
    is_share: bool = False
    is_colour: bool = False
    placeholder: str = ""


def setting(default: Any, **declared: Any) -> Any:
    """A field of a dataclass, with that default, or MISSING for none; `declared` are fields of Setting.

    Raises TypeError if a choice has no words.
    """
    described = Setting(**declared)
    if isinstance(default, StrEnum) and set(described.words or ()) != set(type(default)):
        raise TypeError(f"{described.label}: each choice needs its words")
    return field(default=default, metadata={_METADATA: described})


def settings_of(kind: type) -> Mapping[str, Setting]:
    """By the names of the fields, in their order."""
    return {each.name: each.metadata[_METADATA] for each in fields(kind) if _METADATA in each.metadata}


def at_most(most: int, *, rows: int = 1, each: int = 0) -> Limits:
    """Of a text, or of a list of lines of at most `each` characters."""
    return Limits(most=most, rows=rows, most_each=each)


def required(most: int, *, rows: int = 1, each: int = 0) -> Limits:
    """The same, and it cannot be empty."""
    return Limits(most=most, rows=rows, most_each=each, is_required=True)


def between(low: float, high: float) -> Limits:
    """Of a number."""
    return Limits(between=(low, high))


@cache
def limits_of(kind: type) -> Mapping[str, Limits]:
    """By the names of the fields, in their order; settings as well."""
    types = get_type_hints(kind, include_extras=True)
    extras = {
        each.name: (*each.metadata.values(), *getattr(types[each.name], "__metadata__", ())) for each in fields(kind)
    }
    return {name: joined(found) for name, found in extras.items() if found}


def joined(extras: Sequence[object]) -> Limits:
    """The limits with the meaning, from what annotates a field."""
    limits = next((each for each in extras if isinstance(each, Limits)), Limits())
    meaning = next((each for each in extras if isinstance(each, str)), limits.meaning)
    return replace(limits, meaning=meaning)


def check_limits(at: str, value: Any) -> None:
    """Raises InvalidInput for a field outside of its limits, named below `at`."""
    kind: type = type(value)
    for name, limits in limits_of(kind).items():
        limits.check(at + name, getattr(value, name))


QUESTION: Final = required(MAX_QUESTION_CHARS, rows=4)
"""Of a visitor."""
