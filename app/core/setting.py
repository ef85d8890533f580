"""Settings are declared once, with their range and words: checks, API models and forms read the declaration."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from enum import StrEnum
from typing import Any, Final, TypeVar

from app.core.field_rules import check_between

Default = TypeVar("Default")
_METADATA: Final = "setting"


@dataclass(frozen=True, slots=True)
class Setting:
    """What a dataclass's field is for. `between`: the lowest and highest number that it may have. `words`: what the
    console calls each choice of an enumeration."""

    label: str
    meaning: str
    group: str
    between: tuple[float, float] | None = None
    words: Mapping[Any, str] | None = None

    @property
    def description(self) -> str:
        """A sentence with the range."""
        if self.between is None:
            return self.meaning
        low, high = (f"{limit:.15g}" for limit in self.between)
        return f"{self.meaning.removesuffix('.')}; {low} to {high}."


def setting(
    default: Default,
    *,
    label: str,
    meaning: str,
    group: str,
    between: tuple[float, float] | None = None,
    words: Mapping[Any, str] | None = None,
) -> Default:
    """A field of a dataclass of settings. Raises TypeError if a choice has no words."""
    declared = Setting(label, meaning, group, between, words)
    if isinstance(default, StrEnum) and set(words or ()) != set(type(default)):
        raise TypeError(f"{label}: each choice needs its words")
    return field(default=default, metadata={_METADATA: declared})


def settings_of(kind: type) -> Mapping[str, Setting]:
    """By the names of the fields, in their order."""
    return {each.name: each.metadata[_METADATA] for each in fields(kind) if _METADATA in each.metadata}


def check_settings(at: str, values: Any) -> None:
    """Raises InvalidInput for a number outside of its range, named below `at`."""
    for name, declared in settings_of(type(values)).items():
        if declared.between is not None:
            check_between(at + name, getattr(values, name), *declared.between)
