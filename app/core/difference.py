"""The differences between two values, field by field, in words."""

from dataclasses import dataclass, fields, is_dataclass
from typing import Any, Final

_LONGEST_WORD: Final = 4096


@dataclass(frozen=True, slots=True)
class Difference:
    """One field, before and after."""

    name: str
    before: str
    after: str


def differences(before: Any, after: Any) -> list[Difference]:
    """The fields in which two dataclasses of one type differ; nested fields are named like "theme.greeting"."""
    found: list[Difference] = []
    _compare("", before, after, found)
    return found


def _compare(prefix: str, before: Any, after: Any, found: list[Difference]) -> None:
    for each in fields(before):
        old, new = getattr(before, each.name), getattr(after, each.name)
        if old == new:
            continue
        if hasattr(old, "__dataclass_fields__") and type(old) is type(new):
            _compare(f"{prefix}{each.name}.", old, new, found)
        else:
            found.append(Difference(prefix + each.name, _words(old), _words(new)))


def _words(value: object) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    if is_dataclass(value):
        return " · ".join(
            _words(one) for each in fields(value) if (one := getattr(value, each.name)) not in (None, (), "")
        )
    if isinstance(value, tuple):
        return ", ".join(map(_words, value)) or "nothing"
    words = str(getattr(value, "value", "nothing" if value in (None, "") else value))
    # A run without a blank that is longer than any word is data.
    return (
        words
        if len(words) < _LONGEST_WORD or " " in words or "\n" in words
        else f"{words[:20]}... ({len(words)} characters)"
    )
