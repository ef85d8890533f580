"""The check of a model's answers, measured on the demonstration site and on invented companies."""

import pytest

from tests.planted_errors import KINDS, measure

# The least share to be marked of each of KINDS after the first.
LEAST = {
    "demo": (0.99, 0.93, 0.95, 0.85, 0.65),
    "company": (0.99, 0.92, 0.9, 0.75, 0.48),
    "held_out": (0.97, 0.9, 0.91, 0.88, 0.55),
}


@pytest.mark.parametrize("name", sorted(LEAST))
async def test_planted_errors_are_found_and_honest_sentences_are_left_alone(name: str) -> None:
    measured = await measure(name)
    honest, *planted = (measured[kind]["marked"] for kind in KINDS)
    assert honest <= 0.03
    for kind, marked, least in zip(KINDS[1:], planted, LEAST[name], strict=True):
        assert marked >= least, kind
