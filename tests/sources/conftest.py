"""A knowledge house, the office that operators work in, and an empty website."""

from tests.crawler.conftest import clock, site
from tests.knowledge.conftest import chunker, counter, house
from tests.office.fixtures import office

__all__ = ["chunker", "clock", "counter", "house", "office", "site"]
