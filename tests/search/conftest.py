"""A website learnt."""

from tests.turns.conftest import house

__all__ = ["house"]
