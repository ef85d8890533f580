"""A visitor is told in their own language that a quoted page is in another one."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from app.agents.agent import AgentConfig
from app.answers.writing.answer_context import AnswerContext, Source
from app.answers.writing.extractive_writer import ExtractiveWriter
from app.answers.writing.passage_readings import PassageReadings
from app.answers.writing.quotation import page_language
from app.core.text.languages import LANGUAGES
from app.providers.chat.chat_model import TextDelta
from tests.answers.extractive_answers import source
from tests.doubles.hashing_embedder import HashingEmbedder
from tests.doubles.memory_keyword_index import MemoryKeywordIndex
from tests.every_row import every_row

QUESTION = "How long is the warranty of a lamp?"
ENGLISH = replace(source(1, "The warranty of a lamp is three years."), language="en")


async def answer(sources: Sequence[Source], visitor: str | None) -> str:
    context = AnswerContext(
        AgentConfig(name="x", confidence_threshold=0.0), QUESTION, QUESTION, tuple(sources), language=visitor
    )
    writer = ExtractiveWriter(PassageReadings(HashingEmbedder(), MemoryKeywordIndex()))
    return "".join([item.text async for item in writer.write(context) if isinstance(item, TextDelta)]).strip()


@every_row(
    ("visitor", "told"),
    [
        ("de", "Diese Seite ist auf Englisch."),
        ("fr", "Cette page est en anglais."),
        ("ar", "هذه الصفحة باللغة الإنجليزية."),
        ("ja", "このページは英語で書かれています。"),
    ],
)
async def test_the_language_of_the_page_is_named_before_the_quotation(visitor: str, told: str) -> None:
    assert await answer([ENGLISH], visitor) == f"{told}\n\nThe warranty of a lamp is three years. [1]"


@pytest.mark.parametrize("visitor", ["en", None])
async def test_nothing_is_said_of_a_page_in_the_visitors_language_or_where_that_is_not_known(
    visitor: str | None,
) -> None:
    assert await answer([ENGLISH], visitor) == "The warranty of a lamp is three years. [1]"


async def test_nothing_is_said_of_a_page_whose_language_is_not_known() -> None:
    assert await answer([replace(ENGLISH, language=None)], "de") == "The warranty of a lamp is three years. [1]"


async def test_a_german_page_that_its_theme_declares_as_english_is_not_called_english() -> None:
    german = replace(ENGLISH, text="Die Garantie einer Lampe gilt drei Jahre, also lange.")
    assert await answer([german], "de") == f"{german.text} [1]"


FRENCH, GERMAN = "La garantie d'une lampe est de trois ans.", "Die Garantie einer Lampe gilt drei Jahre."


def test_each_language_of_the_quoted_pages_is_named_once() -> None:
    quoted = [("en", ENGLISH.text), ("fr", FRENCH), ("en", ENGLISH.text), ("de", GERMAN)]
    assert page_language(quoted, "de") == "Diese Seite ist auf Englisch. Diese Seite ist auf Französisch."


def test_a_language_without_a_name_here_is_not_named() -> None:
    assert page_language([("la", "Gallia est omnis divisa in partes tres.")], "de") == ""
    assert page_language([("xx", "Gallia est omnis divisa in partes tres.")], "yy") == ""


@every_row("visitor", sorted(LANGUAGES - {"en", "fr"}))
def test_it_is_said_in_each_language_of_visitors(visitor: str) -> None:
    said = page_language([("en", ENGLISH.text)], visitor)
    assert said
    assert "{" not in said
    assert said not in (page_language([("en", ENGLISH.text)], "sv"), page_language([("fr", FRENCH)], visitor))
