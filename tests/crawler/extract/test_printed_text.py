"""Running text in a <pre>: its layout tells headings, terms, items, paragraphs and code apart."""

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.extract.extraction import extract_page
from crawler.extract.markdown.printed_text import is_printed_text, printed_parts
from tests.every_row import every_row
from tests.linear_time import takes_linear_time

MANUAL_PAGE = """\
PUMP(8)                                                                PUMP(8)

<b>NAME</b>
       pump - moves water

<b>SYNOPSIS</b>
       <b>pump</b> [-d] [<b>-r</b> <i>rate</i>]

<b>DESCRIPTION</b>
       The  pump  server  accepts requests of other stations and performs zero
       or more of them.  For this mode of operation,  the  pro-
       gram expects to be run from the station's own master process.

       These are the states of a pump:

       -      A pump that is primed waits for its first request and makes no
              noise at all.

       -      A pump that is dry has to be filled again by hand.

<b>OPTIONS</b>
       <b>-d</b>     Do not go into the background, and write what is done to the
              standard error stream.

       <b>-r</b> <i>rate</i>
              Move this many litres in a minute.  The default is all that the
              pipe can take.

<b>EXAMPLES</b>
       To fill the tank of the second station, let it move ten litres:

           pump -r 10 station2

           pump --list
"""


def markdown(pre: str) -> str:
    page = f"<!doctype html><title>Pump</title><main><pre>{pre}</pre></main>"
    return extract_page(page.encode(), "https://example.com/pump", "utf-8").markdown


def test_a_manual_page_has_headings_terms_and_paragraphs() -> None:
    assert markdown(MANUAL_PAGE).split("\n\n") == [
        "## NAME",
        "pump - moves water",
        "## SYNOPSIS",
        "```\npump [-d] [-r rate]\n```",
        "## DESCRIPTION",
        "The pump server accepts requests of other stations and performs zero or more of them. For this mode of"
        " operation, the program expects to be run from the station's own master process.",
        "These are the states of a pump:",
        "- A pump that is primed waits for its first request and makes no noise at all.\n"
        "- A pump that is dry has to be filled again by hand.",
        "## OPTIONS",
        "**-d**",
        "Do not go into the background, and write what is done to the standard error stream.",
        "**-r rate**",
        "Move this many litres in a minute. The default is all that the pipe can take.",
        "## EXAMPLES",
        "To fill the tank of the second station, let it move ten litres:",
        "```\npump -r 10 station2",
        "pump --list\n```",
    ]


def test_rows_of_terms_beside_their_texts_are_terms() -> None:
    rows = """\
The answer of the station begins with one of these codes, which tell how it
went, and goes on with a line of text for those who read it. What comes
after that line is not read by any of the other stations of a network.

  200  when the tank has been filled
  403  when the valve is locked by another station, which has to
       open it first
"""
    assert markdown(rows).split("\n\n")[1:] == [
        "**200**",
        "when the tank has been filled",
        "**403**",
        "when the valve is locked by another station, which has to open it first",
    ]


def test_a_compound_that_is_broken_at_its_hyphen_keeps_it() -> None:
    text = """\
A self-cleaning filter saves the time of those who would clean it; a self-
cleaning one needs water, and a con-
ventional one does not need any of it, which is why both of them are sold.
"""
    assert "a self-cleaning one needs water, and a conventional one" in markdown(text)


@every_row(
    "code",
    [
        "pump -r 10 station2\npump --list",
        "# Security updates of the pump for all stations\ndeb https://example.com stable main contrib non-free\n",
        "pump:\n  rate = 10\n  text = \\\n   This is what the pump says when it has been\\n\\\n   started by hand.",
        "Mo Tu We Th Fr Sa Su  Mo Tu We Th Fr Sa Su\n 1  2  3  4  5  6  7   5  6  7  8  9 10 11",
        "Section: water\nPriority: optional\nDescription: a pump\n It moves the water from here to there.",
        'def fill(tank):\n    """Fill the tank with clean water up to the line."""\n    tank.level = 1',
        "+-----+\n| box |\n+-----+",
        "10:00:01 pump[12]: accepted the request of station 2 for 10 litres\n10:00:02 pump[12]: done",
    ],
)
def test_code_and_output_stay_as_they_are(code: str) -> None:
    assert markdown(code) == f"```\n{code.strip()}\n```"


@pytest.mark.parametrize("pre", ["<pre><code>{}</code></pre>", "<pre class=screen>{}</pre>", "<pre lang=en>{}</pre>"])
def test_what_the_page_calls_code_is_code(pre: str) -> None:
    text = "Fill the tank with clean water up to the line and close the lid until it clicks."
    page = f"<main><h1>Start</h1>{pre.format(text)}</main>".encode()
    is_code = "```" in extract_page(page, "https://example.com/", "utf-8").markdown
    assert is_code == ("lang" not in pre)


@given(st.text(alphabet=string.ascii_letters + " .-\n", max_size=400))
def test_no_word_is_lost(text: str) -> None:
    def letters(said: str) -> str:
        return "".join(filter(str.isalpha, said))

    markers = {"-", "o", "a)", "*"}
    kept = letters("".join(part.text for part in printed_parts(text)))
    first_words = [words[0] for line in text.split("\n") if (words := line.split())]
    if not markers & set(first_words):  # what marks an item goes
        assert kept == letters(text)


@pytest.mark.parametrize(
    "piece",
    ["The quick brown fox jumps over the lazy dog.\n", "- x\n", "term  and what it means here\n", "word-\n", "a\n b\n"],
)
def test_long_texts_are_read_in_linear_time(piece: str) -> None:
    assert takes_linear_time(lambda text: (is_printed_text(text), list(printed_parts(text))), piece, 20_000)
