"""The office that operators work in."""

from tests.office.fixtures import office

__all__ = ["office"]
