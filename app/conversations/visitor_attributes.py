"""Attributes of a visitor, sent when the widget opens: signed by the website's server, or unsigned."""

import json
from collections.abc import Mapping, Sequence
from typing import Final

from app.agents.agent_rules import check_attribute
from app.core.errors import InvalidInput
from app.core.search_filter import AttributeFilter
from app.core.visitor_attribute import VisitorAttribute

MAX_ATTRIBUTES: Final = 20
MAX_SIGNED_BYTES: Final = 4000


def all_attributes(plain: Mapping[str, str], signed: Mapping[str, str]) -> tuple[VisitorAttribute, ...]:
    """All attributes, sorted by name; signed ones replace unsigned ones of the same name. Raises InvalidInput."""
    for field, given in (("attributes", plain), ("signed_attributes", signed)):
        if len(given) > MAX_ATTRIBUTES:
            raise InvalidInput(field, f"This has {len(given)} attributes. Use at most {MAX_ATTRIBUTES}.")
        for name, value in given.items():
            check_attribute(field, name, (value,))
    names = sorted({*plain, *signed})
    return tuple(VisitorAttribute(name, signed.get(name, plain.get(name, "")), name in signed) for name in names)


def read_signed(text: str) -> Mapping[str, str]:
    """Parse a JSON object of strings. Raises InvalidInput."""
    try:
        attributes = json.loads(text)
    except (ValueError, RecursionError):
        attributes = None
    if not isinstance(attributes, dict) or not all(isinstance(value, str) for value in attributes.values()):
        raise InvalidInput("signed_attributes", 'Send a JSON object of strings as a string, such as {"plan":"pro"}.')
    return attributes


def narrowing(attributes: Sequence[VisitorAttribute], names: Sequence[str]) -> tuple[AttributeFilter, ...]:
    """The filter for a visitor with these attributes: the signed ones among `names`."""
    return tuple(
        AttributeFilter(each.name, (each.value,)) for each in attributes if each.is_signed and each.name in names
    )
