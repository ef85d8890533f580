"""A website learnt, and the office that operators work in."""

from tests.office.fixtures import office
from tests.turns.conftest import house

__all__ = ["house", "office"]
