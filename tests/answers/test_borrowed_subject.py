"""Whether a sentence that a source proves is about what is asked."""

from collections.abc import Sequence

import pytest

from app.answers.guard.evidence_places import KnownSections
from app.answers.guard.sentence_kind import SentenceKind
from app.answers.guard.statement_check import Judgement, StatementCheck
from app.answers.writing.answer_context import Source
from tests.doubles.hashing_embedder import HashingEmbedder

TEACHERS = Source(1, "https://x.example/a", "Pay", "As a teacher you start with a salary of £32,900.", chunk_id="a")
ASSISTANTS = Source(2, "https://x.example/b", "Roles", "A teaching assistant helps pupils to learn.", chunk_id="b")
ASKED = "What does a teaching assistant earn?"


def check(question: str = ASKED, sources: Sequence[Source] = (TEACHERS, ASSISTANTS)) -> StatementCheck:
    return StatementCheck(HashingEmbedder(), sources, "en", KnownSections(), question=question)


@pytest.mark.parametrize("cited", [[1], []])
async def test_what_a_source_says_of_something_else_is_no_proof_of_what_is_asked(cited: list[int]) -> None:
    said = "A teaching assistant starts with a salary of £32,900."
    assert await check().judged(said, cited) == Judgement()
    assert (
        await check("What does a teacher earn?").judged("A teacher starts with a salary of £32,900.", cited)
    ).source == 1


async def test_a_word_of_the_question_that_no_source_has_is_the_visitors_own() -> None:
    said = "A pedagogue starts with a salary of £32,900 as a teacher."
    assert (await check("What does a pedagogue earn?").judged(said, [1])).source == 1


async def test_a_sentence_that_names_where_it_is_from_is_proven_by_the_rest() -> None:
    said = "According to the information provided in the given documents, a teacher starts with £32,900."
    assert (await check("What does a teacher earn?").judged(said, [])).source == 1


def test_what_repeats_the_visitors_situation_states_nothing() -> None:
    said = "The visitor forgot their login."
    assert check("forgot my login").kind(said) is SentenceKind.ECHO
    assert check("can i say i forgot my login?").kind(said) is SentenceKind.STATEMENT


async def test_what_a_single_source_proves_is_no_proof_if_all_together_deny_its_number() -> None:
    plan = Source(1, "https://x.example/a", "Plans", "Up to 10 people can use a station.", chunk_id="a")
    told = Source(
        2, "https://x.example/b", "People", "On Plus up to 5 people can use a station, on Pro 10.", chunk_id="b"
    )
    found = await check("How many people on Plus?", [plan, told]).judged("On Plus up to 10 people use a station.", [])
    assert found.finding is not None
