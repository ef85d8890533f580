"""Limits that dataclasses declare on their fields, for checks, API models and forms."""

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
    """The limits of a dataclass's field, which is annotated with them, with its meaning for the API, or with both:
    `name: Annotated[str, required(80), "Shown to visitors."]`.

    `between`: the lowest and highest number. `most`: the maximum number of characters of a text, or of entries of a
    list; if `most_each` is set, each entry is one line of at most so many characters. `rows`: the height of a text in
    forms; with one row, it may have no line break. `words`: the label of each choice in forms. `is_required`: the text
    or list cannot be empty.
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
        """`between` as text, such as "0 to 1", or ""."""
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
    """A field that operators set in a form. The API shows its `meaning`, the console its `label` and its `hint`, or the
    meaning if there is neither a hint nor `words`. `is_share`: a number from 0 to 1 that forms show in percent.
    `is_colour`: forms offer a colour picker.
    """

    label: str
    group: str
    hint: str = ""
    is_share: bool = False
    is_colour: bool = False
    placeholder: str = ""


def setting(default: Any, **declared: Any) -> Any:
    """Declare a dataclass field with a default, or MISSING for none; `declared` are fields of Setting.

    Raises TypeError if a choice has no words.
    """
    described = Setting(**declared)
    if isinstance(default, StrEnum) and set(described.words or ()) != set(type(default)):
        raise TypeError(f"{described.label}: each choice needs its words")
    return field(default=default, metadata={_METADATA: described})


def settings_of(kind: type) -> Mapping[str, Setting]:
    """The settings of a dataclass by field name, in their order."""
    return {each.name: each.metadata[_METADATA] for each in fields(kind) if _METADATA in each.metadata}


def at_most(most: int, *, rows: int = 1, each: int = 0) -> Limits:
    """Limits of a text, or with `each` of a list of lines of at most `each` characters."""
    return Limits(most=most, rows=rows, most_each=each)


def required(most: int, *, rows: int = 1, each: int = 0) -> Limits:
    """Like `at_most`, for a text or list that cannot be empty."""
    return Limits(most=most, rows=rows, most_each=each, is_required=True)


def between(low: float, high: float) -> Limits:
    """Limits of a number, inclusive."""
    return Limits(between=(low, high))


@cache
def limits_of(kind: type) -> Mapping[str, Limits]:
    """The limits of a dataclass's fields by name, in their order, including its settings."""
    types = get_type_hints(kind, include_extras=True)
    extras = {
        each.name: (*each.metadata.values(), *getattr(types[each.name], "__metadata__", ())) for each in fields(kind)
    }
    return {name: joined(found) for name, found in extras.items() if found}


def joined(extras: Sequence[object]) -> Limits:
    """One value from the annotations of a field: its limits, with its meaning."""
    limits = next((each for each in extras if isinstance(each, Limits)), Limits())
    meaning = next((each for each in extras if isinstance(each, str)), limits.meaning)
    return replace(limits, meaning=meaning)


def check_limits(at: str, value: Any) -> None:
    """Raises InvalidInput for the first field outside its limits; `at` is the prefix of the field's name."""
    kind: type = type(value)
    for name, limits in limits_of(kind).items():
        limits.check(at + name, getattr(value, name))


QUESTION: Final = required(MAX_QUESTION_CHARS, rows=4)
"""Of a visitor."""
