"""The check of a model's answers, measured on the demonstration site."""

from tests.planted_errors import KINDS, measure


async def test_planted_errors_are_found_and_honest_sentences_are_left_alone() -> None:
    measured = await measure()
    marked = {kind: row["marked"] for kind, row in measured.items()}
    honest, number, swapped_number, name, swapped_name, _ = (marked[kind] for kind in KINDS)
    assert honest <= 0.03
    assert number >= 0.95
    assert name >= 0.95
    assert swapped_number >= 0.9
    assert swapped_name >= 0.7
