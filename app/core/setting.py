"""Settings are declared once, with their limits and words: checks, API models and forms read the declaration."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from enum import StrEnum
from typing import Any, Final

from app.core.errors import InvalidInput
from app.core.field_rules import check_between, check_line, check_lines, check_text

_METADATA: Final = "setting"


@dataclass(frozen=True, slots=True)
class Setting:
    """What a field of a dataclass is for: the API shows its `meaning`, the console its `label` and `hint`. Without a
    hint, it shows the meaning, or nothing if the words of the choices say it.

    `between`: the lowest and highest number. `most`: the characters of a text, or the entries of a list; if each
    entry is a line, it has at most `most_each` characters. `rows` of a text in forms; one row takes no line break.
    `words` of each choice in forms. `is_share`: a number from 0 to 1 that forms show in percent. `is_required`: the
    text cannot be empty. `is_colour`: forms offer a picker.
    """

    label: str
    group: str
    meaning: str = ""
    between: tuple[float, float] | None = None
    most: int | None = None
    most_each: int = 0
    rows: int = 1
    words: Mapping[Any, str] | None = None
    hint: str = ""
    is_share: bool = False
    is_required: bool = False
    is_colour: bool = False
    placeholder: str = ""

    @property
    def range(self) -> str:
        """Such as "0 to 1", or "" for none."""
        return " to ".join(f"{limit:.15g}" for limit in self.between or ())

    def check(self, at: str, value: Any) -> None:
        """Raises InvalidInput, naming the field and the fix."""
        if self.between is not None and value is not None:
            check_between(at, value, *self.between)
        if isinstance(value, tuple) and self.most is not None:
            self._check_entries(at, value, self.most)
        elif isinstance(value, str) and self.most is not None:
            check = check_line if self.rows == 1 else check_text
            check(at, value, self.most, may_be_empty=not self.is_required)
        if self.words is not None and value not in self.words:
            raise InvalidInput(at, f"Choose one of: {', '.join(self.words)}.")

    def _check_entries(self, at: str, entries: Sequence[str], most: int) -> None:
        if self.most_each:
            check_lines(at, entries, most, self.most_each)
        elif len(entries) > most:
            raise InvalidInput(at, f"This has {len(entries)} entries. Use at most {most}.")


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


def check_settings(at: str, values: Any) -> None:
    """Raises InvalidInput for a value outside of its limits, named below `at`."""
    for name, declared in settings_of(type(values)).items():
        declared.check(at + name, getattr(values, name))
