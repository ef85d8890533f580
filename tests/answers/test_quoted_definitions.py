"""A definition is quoted by itself, and what goes on in one with its term."""

from app.answers.writing.passages import Passage, passages
from tests.answers.extractive_answers import answer, source

LAMPS = "\n\n".join(f"**--lamp{n}**\n\nLight up the lamp with the number {n} in the hall." for n in range(12))


def _sentences(first: str, more: str) -> str:
    return " ".join([first, *[more] * 9])


def _passage(text: str, begins: str) -> Passage:
    return next(found for found in passages(source(1, text, "Options")) if found.text.startswith(begins))


def test_what_goes_on_in_a_definition_is_told_by_its_term() -> None:
    rest = _sentences("A visitor hears it in the garden.", "It is heard from far away and behind walls.")
    ring = _sentences("Ring it.", "It has a bright and merry sound to it.")
    text = f"{LAMPS}\n\n**--bell** · *volume*\n\n{ring}\n\n{rest}\n\n{LAMPS}"
    found = _passage(text, "A visitor")
    assert found.within == "**--bell** · *volume*"


def test_what_stands_behind_the_last_definition_is_none_of_it() -> None:
    rooms = [_sentences(f"Room {n} is painted.", "It is large and bright and has a view.") for n in range(2)]
    assert [_passage("\n\n".join([LAMPS, *rooms]), f"Room {n}").within for n in range(2)] == ["", ""]


async def test_the_term_is_shown_above_what_goes_on() -> None:
    rest = _sentences("A visitor hears the bell in the garden.", "It is heard from far away and behind walls.")
    ring = _sentences("Ring it.", "It has a bright and merry sound to it.")
    found = await answer(
        "Does a visitor hear it in the garden?",
        source(1, f"{LAMPS}\n\n**--bell**\n\n{ring}\n\n{rest}\n\n{LAMPS}", "Options"),
    )
    assert found.startswith(f"**Options**\n\n**--bell**\n\n{rest}")


async def test_what_is_said_under_labels_is_about_one_thing() -> None:
    said = "**Description:**\n\nLights up the list of a folder.\n\n**Level:**\n\nglobal\n\n**Default:**\n\n`OFF`"
    found = await answer("Is the list of a folder lit up by default?", source(1, said, "list"))
    assert found == f"**list**\n\n{said} [1]"
