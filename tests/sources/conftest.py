"""A knowledge house, and the office that operators work in."""

from tests.knowledge.conftest import chunker, counter, house
from tests.office.fixtures import office

__all__ = ["chunker", "counter", "house", "office"]
