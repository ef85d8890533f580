"""The check of a model's answers, measured on the demonstration site and on invented companies."""

import pytest

from tests.planted_errors import KINDS, measure


@pytest.mark.parametrize("name", ["demo", "company", "held_out"])
async def test_planted_errors_are_found_and_honest_sentences_are_left_alone(name: str) -> None:
    least = {"demo": (1.0, 0.9, 1.0, 0.75, 0.25), "company": (0.95, 0.75, 0.95, 0.6, 0.05)}
    measured = await measure(name)
    honest, *planted = (measured[kind]["marked"] for kind in KINDS)
    assert honest <= {"demo": 0.03, "company": 0.05}.get(name, 0.09)
    for kind, marked, floor in zip(KINDS[1:], planted, least.get(name, (0.95, 0.7, 0.9, 0.7, 0.15)), strict=True):
        assert marked >= floor, kind
