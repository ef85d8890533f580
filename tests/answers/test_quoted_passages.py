"""Where a quotation begins and ends, and what comes along with it."""

from dataclasses import replace
from unittest.mock import ANY

import pytest

from app.answers.writing.passages import passages
from app.answers.writing.quotation import extended, in_page_order, with_code
from tests.answers.extractive_answers import answer, source, written
from tests.doubles.hashing_embedder import HashingEmbedder
from tests.every_row import every_row


async def test_a_definition_is_quoted_with_its_term() -> None:
    others = "\n\n".join(f"**--lamp{n}**\n\nLight up the lamp with the number {n} in the hall." for n in range(12))
    text = f"{others}\n\n**--depth**\n\nMake a shallow clone.\n\n{others}"
    assert "**--depth**\n\nMake a shallow clone." in await answer(
        "How do I make a shallow clone?", source(1, text, "x")
    )


async def test_steps_are_quoted_whole_with_the_line_that_introduces_them() -> None:
    steps = "\n".join(f"{number}. Turn the reset wheel of the hub to mark {number}." for number in range(1, 9))
    text = f"The hub is a box.\n\n{'It is grey. ' * 90}\n\nHow to reset the hub:\n\n{steps}\n\n{'It is heavy. ' * 90}"
    found = await answer("How do I reset the hub?", text)
    assert found.startswith(f"How to reset the hub:\n\n{steps}")
    assert "It is grey" not in found


async def test_the_steps_behind_the_paragraph_about_them_come_along() -> None:
    steps = "\n".join(f"{number}. Turn its wheel to mark {number}, and wait." for number in range(1, 19))
    about = f"How to reset the hub of a lamp depends on its wheel. {'It is grey. ' * 20}".strip()
    found = await answer(
        "How do I reset the hub of a lamp?", f"{'It is a box. ' * 40}\n\n{about}\n\n{steps}\n\nIt is heavy."
    )
    assert found == f"{about}\n\n{steps} [1]"


async def test_steps_are_quoted_without_other_steps_before_them() -> None:
    tests = "\n".join(f"{number}. Look at lamp {number} of the hall." for number in range(1, 20))
    resets = "\n".join(f"{number}. Turn the reset wheel of the hub to mark {number}." for number in range(1, 20))
    found = passages(source(1, f"How to test it:\n\n{tests}\n\nHow to reset it:\n\n{resets}"))
    assert extended(found[-1], 500).text == f"How to reset it:\n\n{resets}"


async def test_steps_that_would_make_the_answer_too_long_stay_out() -> None:
    steps = "\n".join(f"{number}. Turn its wheel to mark {number}, and wait." for number in range(1, 19))
    about = f"How to reset the hub of a lamp depends on its wheel. {'It is grey. ' * 20}".strip()
    text = f"{about}\n\nDo this:\n\n{steps}\n\nIt is heavy."
    assert await answer("How do I reset the hub of a lamp?", text, max_chars=500) == f"{about} [1]"


async def test_a_page_whose_title_is_asked_tells_its_steps() -> None:
    steps = "\n".join(f"{number}. Press button {number} of the box, then wait." for number in range(1, 9))
    begins = source(1, "The lamp is dark when the hub has not heard from it.", title="My lamp is dark")
    below = source(2, f"Do this with a dark lamp:\n\n{steps}", "Try this", title="My lamp is dark")
    page = [begins, replace(below, url=f"{begins.url}#try")]
    found = await answer("My lamp is dark", *page)
    assert found.startswith("The lamp is dark when")
    assert steps in found
    assert steps not in await answer("My lamp is dark", *(replace(each, title="Lamps") for each in page))


@every_row(
    "message",
    [
        pytest.param("The bell says:\n\n```\nlamp[12]: could not be lit: no such bell\n```", id="as code"),
        pytest.param("The bell says:\n\n> lamp[12]: could not be lit:\n> no such bell", id="as a quotation"),
        pytest.param('The bell says "The lamp could not be lit: no such bell.".', id="in quotes"),
        pytest.param("The bell says:\n\u201eThe lamp could not be lit: no such bell\u201c", id="in German quotes"),
    ],
)
async def test_a_message_is_quoted_with_what_stands_behind_it(message: str) -> None:
    before = "The lamp is lit by its bell. " * 6
    behind = f"{'It hangs where nobody looks for it. ' * 20}\n\nPut it back, and start anew."
    found = await answer(
        "could not be lit: no such bell", f"{before}\n\n{message}\n\n{behind}\n\n{'It is grey. ' * 40}"
    )
    assert found.startswith("The bell says")
    assert "Put it back, and start anew." in found


async def test_a_short_section_is_quoted_whole() -> None:
    prices = "| Delivery | Price |\n|---|---|\n| Norway | 15 euros |"
    text = f"{prices}\n\nWithin a week we deliver to Norway."
    assert await answer("How long does delivery to Norway take?", text) == f"{text} [1]"


def test_the_example_that_is_announced_comes_along_from_behind_two_notes() -> None:
    code = "\n".join(f"bell.{number} = on, in the hall" for number in range(12))
    notes = "We take it that the hall is called so.\n\nWhat is not shown stays as it was.\n\nOn a server:"
    text = f"The example below sets up a lamp that rings.\n\n{notes}\n\n```\n{code}\n```"
    first = replace(passages(source(1, text))[0], start=0, end=1)
    assert with_code(first).text == text


async def test_what_stands_around_the_answer_and_is_about_something_else_is_left_out() -> None:
    warranty = "The warranty of a lamp is 3 years, and of a lamp with a battery 2 years."
    told = f"{warranty}\n\nBoxes are grey.\n\nThe warranty of a lamp ends abroad, wherever that lamp was bought."
    text = f"We met in Galway.\n\n{told}\n\nPlease bring shoes."
    assert await answer("How long is the warranty of a lamp?", text) == f"{told} [1]"


async def test_a_line_that_says_little_alone_keeps_what_follows_it() -> None:
    text = "This is how to reset a hub.\n\nHold the pin until it is red.\n\nWait for ten seconds, and open the door."
    assert await answer("How do I reset a hub?", f"We met in Galway.\n\n{text}") == f"We met in Galway.\n\n{text} [1]"


async def test_a_short_section_says_something_together_with_its_heading() -> None:
    text = "## City bike\n\n€14/ day\n\n## Mountain bike\n\n€19/ day"
    assert await answer("What is the mountain bike?", source(1, text, "x")) == "**Mountain bike**\n\n€19/ day [1]"


async def test_a_price_at_the_end_is_no_title() -> None:
    text = "## Mountain bike\n\n€19 a day\n\n€89 a week"
    assert "€19 a day\n\n€89 a week [1]" in await answer("What is the mountain bike?", source(1, text, "x"))


async def test_short_code_close_behind_comes_along() -> None:
    about = f"To reset the hub of a lamp, ask it over the network. {'The hub of a lamp hears. ' * 14}".strip()
    more = f"The hub of a lamp minds noise. {'It is a hub. ' * 18}".strip()
    code = "```\ncurl -X POST 10.0.0.7\n```"
    found = await answer("How do I reset the hub of a lamp?", f"{about}\n\n{more}\n\n{code}\n\n{'It is. ' * 90}")
    assert found.startswith(f"{about}\n\n{more}\n\n{code}\n\n[1]")


async def test_code_right_before_the_passage_comes_along_where_it_fits() -> None:
    code = "Light it up:\n\n```\nlit --all\n```"
    told = f"The lamp hub of a house is made by that as one package. {'Install it as others. ' * 12}".strip()
    found = await answer("How do I make the package of a lamp hub?", f"{'It is. ' * 90}\n\n{code}\n\n{told}")
    assert found == f"{code}\n\n{told} [1]"


async def test_code_that_was_cut_stays_with_the_label_of_its_tab() -> None:
    code = "\n".join(f"lamp.{n} = on, in the hall of the house with number {n}" for n in range(12))
    found = await answer(
        "How do I light the hall?", f"To light the hall, set this:\n\n**hall.conf**\n\n```\n{code}\n```\n\nThen wait."
    )
    assert found.startswith("To light the hall, set this:\n\n**hall.conf**\n\n```\nlamp.")


async def test_a_list_that_was_cut_is_introduced_once() -> None:
    items = [
        f"- Lamp {number} has a warranty of {number} years. {'It shines on. ' * 5}".strip() for number in range(1, 5)
    ]
    text = "\n".join(["These lamps have a warranty:", "", *items])
    found = await answer("Which lamps have a warranty of years?", f"{text}\n\n{'It is. ' * 90}")
    assert found.startswith(f"{text} [1]")


async def test_code_behind_the_answer_stays_whatever_its_words_are() -> None:
    text = "Reset the hub over the network.\n\nMind the noise.\n\n```\ncurl -X POST 10.0.0.7\n```"
    assert await answer("How do I reset the hub over the network?", text) == f"{text}\n\n[1]"


async def test_without_the_embedder_a_short_section_is_quoted_whole() -> None:
    embedder = HashingEmbedder()
    embedder.is_down = True
    text = "The warranty of a lamp is 3 years.\n\nPlease bring shoes."
    assert await written("How long is the warranty of a lamp?", text, embedder=embedder) == (f"{text} [1]", ANY)


async def test_another_part_of_the_section_is_quoted_under_the_same_heading() -> None:
    far = f"{'It shines on. ' * 40}".strip()
    text = f"The warranty of a lamp is 3 years.\n\n{far}\n\n{far}\n\nThe warranty of a lamp ends abroad."
    found = await answer("What of the warranty of a lamp?", source(1, text, "Lamps"))
    assert found.startswith("**Lamps**\n\nThe warranty of a lamp")
    assert "The warranty of a lamp is 3 years. [1]" in found
    assert "The warranty of a lamp ends abroad. [1]" in found
    assert found.count("**Lamps**") == 1


def test_two_parts_of_a_section_are_quoted_in_its_order() -> None:
    text = "\n\n".join(f"{name} {'It shines. ' * 40}".strip() for name in "ABC")
    starts, hall, means = passages(source(1, text))
    assert in_page_order(means, starts) == [starts, means]
    assert [one.text for one in in_page_order(hall, starts)] == [f"{starts.text}\n\n{hall.text}"]


def test_parts_of_two_sections_stay_in_the_order_of_the_better() -> None:
    text = "A lamp shines in the hall.\n\n## Warranty\n\nIt is 3 years from the purchase on."
    first, second = passages(source(1, text, "Lamps"))
    assert in_page_order(second, first) == [second, first]


async def test_code_is_quoted_whole_with_the_sentence_before_it() -> None:
    text = "Reset the hub over the network:\n\n```\ncurl -X POST \\\n  http://hub/reset\n```"
    assert await answer("How do I reset the hub?", text) == f"{text}\n\n[1]"


async def test_rows_of_a_long_table_come_with_its_header() -> None:
    rows = [f"| E{number} | {'cause ' * 12}{number} |" for number in range(30)]
    found = await answer("What is error E21?", "\n".join(["| Code | Meaning |", "|---|---|", *rows]))
    assert found.startswith("| Code | Meaning |\n|---|---|\n")
    assert rows[21] in found
    assert len(found) < 800


async def test_a_passage_is_no_longer_than_it_has_to_be_read() -> None:
    text = "\n\n".join(f"The lamp of room {number} is warm. {'It shines on. ' * 20}" for number in range(9))
    assert len(await answer("How warm is the lamp of room 4?", text)) < 700


async def test_a_second_section_is_quoted_where_it_is_nearly_as_good() -> None:
    found = await answer(
        "Who repairs a lamp free of charge?",
        source(1, "The shop repairs a lamp free of charge.", "Shop"),
        source(2, "The maker repairs a lamp free of charge.", "Maker"),
    )
    assert "The shop repairs a lamp free of charge. [1]" in found
    assert "The maker repairs a lamp free of charge. [2]" in found


@every_row("sign", [":", ";", ",", " and"])
async def test_a_quotation_does_not_end_in_a_line_that_announces_something(sign: str) -> None:
    about = f"The warranty of a lamp is 3 years. {'It is for each lamp. ' * 20}".strip()
    lead = f"{'The warranty of a lamp ends abroad. ' * 5}The warranty of a lamp has these limits{sign}"
    items = "\n".join(f"- Lamp {number} shines. {'It shines on. ' * 10}".strip() for number in range(9))
    found = await answer("How long is the warranty of a lamp?", f"{about}\n\n{lead}\n\n{items}")
    assert f"{lead} [1]" not in found
    assert f"{lead}\n\n[1]" not in found


async def test_a_line_that_announces_the_next_headings_is_not_quoted() -> None:
    told = "The bell rings twice where the warranty of a lamp has ended."
    text = f"{told}\n\nThese warranties have ended so far:\n\n## Aurora\n\nIn May."
    assert await answer("How long is the warranty of a lamp?", text) == f"{told} [1]"


async def test_a_long_paragraph_stays_one() -> None:
    text = " ".join(f"The warranty of lamp {number} is {number} years and no more." for number in range(10))
    assert await answer("How long is the warranty of a lamp?", text) == f"{text} [1]"


async def test_long_code_stays_one() -> None:
    lines = "\n".join(f"curl -X POST http://10.0.0.{number}/lamp/reset" for number in range(11))
    text = f"This resets the hub of each lamp:\n\n```sh\n{lines}\n```"
    assert await answer("How do I reset the hub of a lamp?", text) == f"{text}\n\n[1]"
