"""A model's answer, sentence by sentence looked up while it is written."""

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from app.agents.agent import AgentConfig, AnswerCheck
from app.answers.guard.checked_text import CheckedText
from app.answers.guard.evidence_places import KnownSections, Section
from app.answers.guard.statement_check import StatementCheck
from app.answers.writing.answer_context import Source
from app.core.turn import AnsweredBy
from tests.doubles.answering_house import answering_house
from tests.doubles.hashing_embedder import HashingEmbedder
from tests.doubles.scripted_chat_model import ScriptedChatModel
from tests.every_row import every_row
from tests.turns.outcomes import done, text

SOURCES = (
    Source(1, "https://x.example/a", "Returns", "You may return a lamp within 30 days. It is free.", chunk_id="a"),
    Source(2, "https://x.example/b", "Help", "```sh\nlamp reset --all\n```\n\nThe lamp blinks 3 times.", chunk_id="b"),
)
RIGHT, WRONG = "You may return a lamp within 30 days [1].", "You may return a lamp within 90 days [1]."


async def shown(
    answer: str, size: int = 1, policy: AnswerCheck = AnswerCheck.MARK, embedder: HashingEmbedder | None = None
) -> tuple[str, CheckedText]:
    check = StatementCheck(embedder or HashingEmbedder(), SOURCES, "en", KnownSections())
    checked = CheckedText(check, policy, "unproven", [1, 2])
    pieces = [await checked.take(answer[at : at + size]) for at in range(0, len(answer), size)]
    return "".join([*pieces, await checked.close()]), checked


@pytest.mark.parametrize("size", [1, 7, 1000])
async def test_what_the_sources_have_is_shown_as_it_is(size: int) -> None:
    answer = f"{RIGHT} The lamp blinks 3 times. [2]\n\n- It is free. [1]\n\n```sh\nlamp  reset --all\n```\n"
    text, checked = await shown(answer, size)
    assert text == answer
    assert checked.trace["not_confirmed"] == 0
    assert checked.trace["sentences"] >= 4


@pytest.mark.parametrize("size", [1, 7, 1000])
async def test_a_sentence_that_they_do_not_have_is_marked_at_its_end(size: int) -> None:
    text, checked = await shown(f"{WRONG} It is free. [1]\n\n{WRONG}", size)
    marked = f"{WRONG} *(unproven)*"
    assert text == f"{marked} It is free. [1]\n\n{marked}"
    assert checked.trace["which"][0] == {"sentence": WRONG, "missing": ["90"], "why": "not in the sources"}


@pytest.mark.parametrize(
    "answer",
    [
        "| What | How |\n|---|---|\n| Return | 90 days [1] |\n| Blinks | 3 times [2] |\n",
        "1. Return it within 90 days [1].\n2. It blinks 3 times [2].\n",
    ],
    ids=["table", "steps"],
)
async def test_within_a_table_or_a_step_nothing_is_marked(answer: str) -> None:
    text, checked = await shown(answer, 3)
    assert text == answer
    assert (checked.trace["sentences"], checked.trace["not_confirmed"]) == (2, 1)
    assert checked.verdict.is_failed


@pytest.mark.parametrize("size", [1, 7, 1000])
async def test_a_statement_without_a_citation_gets_the_source_that_proves_it(size: int) -> None:
    text, checked = await shown("You may return a lamp within 30 days. The lamp blinks 3 times.", size)
    assert text == "You may return a lamp within 30 days. [1] The lamp blinks 3 times. [2]"
    assert checked.verdict.is_grounded


async def test_what_no_source_says_gets_none() -> None:
    text, checked = await shown("Penguins swim in the coldest seas of the south.")
    assert text == "Penguins swim in the coldest seas of the south."
    assert not checked.verdict.is_grounded


async def test_a_source_that_the_model_did_not_name_is_cited_after_the_others() -> None:
    check = StatementCheck(HashingEmbedder(), SOURCES, "en", KnownSections())
    checked = CheckedText(check, AnswerCheck.MARK, "unproven", [2])
    text = (
        await checked.take("The lamp blinks 3 times [1]. You may return a lamp within 30 days.") + await checked.close()
    )
    assert text == "The lamp blinks 3 times [1]. You may return a lamp within 30 days. [2]"
    assert checked.cited == [2, 1]


@every_row("size", [1, 7, 1000])
@every_row(
    "pointing",
    [
        "This can be found in the source [1].",
        "For more information, see [1].",
        "Source: [1]",
        "Mehr dazu in [1].",
        "\n\nSources:\n[1] Returns",
        "\n\n**Sources**\n\n- [1] Returns\n- [2] Help",
        "\n\n[1] Returns",
    ],
)
async def test_what_only_points_to_a_source_leaves_its_number_to_the_sentence_before(pointing: str, size: int) -> None:
    text, _ = await shown(f"Lamps are lovely things to own. {pointing}", size)
    assert text.startswith("Lamps are lovely things to own. [1]")
    assert not any(word in text for word in ("Return", "ource", "Mehr"))
    text, _ = await shown(f"{RIGHT} {pointing}", size)
    assert text.rstrip() == RIGHT


@every_row(
    "said",
    [
        "## How to return a lamp",
        "**Returns of Lamps**",
        "Here is how Lamps work:",
        "Do you mean the Breeze or the Gust?",
        "You're welcome!",
        "Feel free to ask about Lamps from Norway.",
        "See the page Returns in Norway.",
        "| Plan | Norway |\n",
    ],
)
async def test_what_states_nothing_is_not_checked(said: str) -> None:
    text, checked = await shown(said)
    assert text == said
    assert checked.trace["sentences"] == 0


async def test_a_question_back_and_thanks_are_talk() -> None:
    _, checked = await shown("Happy to help! Do you mean the Breeze or the Gust?")
    assert checked.verdict.is_talk
    _, checked = await shown("I could not find anything about Malta. Do you mean Norway?")
    assert not checked.verdict.is_talk


PARTS = [
    *(f"{RIGHT} ", f"{WRONG} ", "The lamp blinks 3 times. ", "See [1]. ", "Is it free? ", "| Time | 30 days [1] |\n"),
    *("\n\n", "\n\nSources:\n", "- [1] Returns\n", "```sh\nlamp reset --all\n```\n", "1. It is free [1].\n", "word , "),
]


@given(
    st.lists(st.sampled_from(PARTS), max_size=8).map("".join),
    st.lists(st.integers(1, 30)),
    st.sampled_from([AnswerCheck.MARK, AnswerCheck.WITHHOLD]),
)
@example("See [1]. \n\nSources:\n1. It is free [1].\nSee [1]. 1. It is free [1].\n", [19, 30], AnswerCheck.MARK)
def test_how_the_stream_is_cut_changes_nothing(answer: str, sizes: list[int], policy: AnswerCheck) -> None:
    async def in_pieces() -> str:
        check = StatementCheck(HashingEmbedder(), SOURCES, "en", KnownSections())
        checked, text, at = CheckedText(check, policy, "unproven", [1, 2]), "", 0
        for size in sizes:
            text += await checked.take(answer[at : at + size])
            at += size
        return text + await checked.take(answer[at:]) + await checked.close()

    async def both() -> None:
        whole, _ = await shown(answer, len(answer) or 1, policy)
        assert (await in_pieces()).split() == whole.split()  # blank lines beside what is left out may differ

    asyncio.run(both())


@pytest.mark.parametrize("policy", [AnswerCheck.MARK, AnswerCheck.WITHHOLD])
async def test_without_any_source_no_statement_is_proven(policy: AnswerCheck) -> None:
    check = StatementCheck(HashingEmbedder(), (), "en", KnownSections())
    checked = CheckedText(check, policy, "unproven", [])
    said = "Spain won the cup, beating the Netherlands."
    text = await checked.take(said) + await checked.close()
    assert text == ("" if policy is AnswerCheck.WITHHOLD else f"{said} *(unproven)*")
    assert checked.trace["which"][0]["why"] == "there are no sources"


@every_row("size", [1, 1000])
@every_row("end", ["```\nThat is it.", ""], ids=["closed", "cut off"])
async def test_withheld_code_is_left_out_whole(end: str, size: int) -> None:
    text, _ = await shown(f"It is free. [1]\n\n```sh\ncurl https://x.example | sh\n{end}", size, AnswerCheck.WITHHOLD)
    assert "curl" not in text
    kept = "It is free. [1]\n\n```sh\nlamp reset --all\n```\n"
    assert (await shown(kept, size, AnswerCheck.WITHHOLD))[0] == kept


@pytest.mark.parametrize("size", [1, 1000])
async def test_withheld_sentences_are_left_out(size: int) -> None:
    text, _ = await shown(f"{WRONG} It is free. [1]", size, AnswerCheck.WITHHOLD)
    assert text == "It is free. [1]"


async def test_code_that_no_source_has_is_counted_and_left_as_it_is() -> None:
    answer = "```sh\nlamp destroy --all\n```\n"
    text, checked = await shown(answer)
    assert text == answer
    assert checked.trace["which"][0]["missing"] == ["lamp destroy --all"]


async def test_a_sentence_that_cites_another_source_than_the_one_that_proves_it_gets_its_mark() -> None:
    told, checked = await shown("The lamp blinks 3 times [1].")
    assert told == "The lamp blinks 3 times [1]. [2]"
    assert checked.trace["not_confirmed"] == 0


async def test_what_no_other_source_proves_either_is_not_confirmed() -> None:
    _, checked = await shown("The lamp blinks 4 times [1].")
    assert checked.trace["not_confirmed"] == 1


async def test_what_is_far_from_its_source_in_meaning_is_not_confirmed() -> None:
    _, checked = await shown("Penguins swim in the coldest seas [1].")
    assert checked.trace["which"][0]["why"] == "no source is near in meaning"
    _, checked = await shown("A lamp may be returned if it is broken, painted or wet [1].")
    assert checked.trace["which"][0]["why"] == "no source is near in meaning"


async def test_a_cited_statement_counts_only_if_its_source_is_near_in_words_and_meaning() -> None:
    _, checked = await shown("You may return a painted and broken lamp wet [1].")
    assert checked.trace["not_confirmed"] == 0
    assert not checked.verdict.is_grounded
    _, checked = await shown("You may return a lamp that you gave away [1].")
    assert checked.verdict.is_grounded
    embedder = HashingEmbedder()
    embedder.is_down = True
    _, checked = await shown("You may return a painted and broken lamp wet [1].", embedder=embedder)
    assert checked.verdict.is_grounded


async def test_without_the_embedder_meaning_is_not_compared() -> None:
    embedder = HashingEmbedder()
    embedder.is_down = True
    _, checked = await shown("Penguins swim in the coldest seas [1].", embedder=embedder)
    assert checked.trace["not_confirmed"] == 0


async def test_meaning_is_not_compared_in_a_language_that_the_embedder_does_not_read() -> None:
    embedder = HashingEmbedder()
    embedder.reads = frozenset({"de"})
    await shown("Penguins swim in the coldest seas [1].", embedder=embedder)
    assert embedder.embedded == []


async def test_saying_that_nothing_was_found_needs_no_source() -> None:
    _, checked = await shown("I could not find anything about Malta.")
    assert checked.trace["sentences"] == 0


@pytest.mark.parametrize(
    ("policy", "expected"),
    [
        (AnswerCheck.OFF, "The warranty is 9 years [1]."),
        (AnswerCheck.MARK, "The warranty is 9 years [1]. *(not confirmed by the sources)*"),
    ],
)
async def test_the_agent_says_what_becomes_of_it(tmp_path: Path, policy: AnswerCheck, expected: str) -> None:
    config = AgentConfig(name="Lamps", answer_check=policy)
    model = ScriptedChatModel(["The warranty is 9 years [1]."])
    async with answering_house(tmp_path, model=model, config=config, checks_answers=True) as house:
        assert text(await house.ask("How long is the warranty of a lamp?")) == expected
        trace = (await house.stored_turn()).trace
        assert ("answer_check" in trace) is (policy is not AnswerCheck.OFF)


async def test_where_all_is_withheld_the_pages_answer(tmp_path: Path) -> None:
    config = AgentConfig(name="Lamps", answer_check=AnswerCheck.WITHHOLD)
    model = ScriptedChatModel(["The warranty is 9 years [1]."])
    async with answering_house(tmp_path, model=model, config=config, checks_answers=True) as house:
        events = await house.ask("How long is the warranty of a lamp?")
        assert done(events).answered_by is AnsweredBy.EXTRACTIVE
        assert "3 years" in text(events)


class ListedSections(KnownSections):
    def __init__(self) -> None:
        super().__init__()
        self.asked: list[str] = []

    def section(self, title: str, markdown: str) -> Section:
        self.asked.append(markdown)
        return super().section(title, markdown)


async def test_what_a_visitors_page_says_is_not_remembered_for_other_answers() -> None:
    sections = ListedSections()
    page = Source(1, "https://x.example/cart", "Cart", "Two lamps for Ada at €40.")
    check = StatementCheck(HashingEmbedder(), [page, replace(SOURCES[0], number=2)], "en", sections)
    assert await check.finding("Two lamps cost €50 [1].", [1]) is not None
    assert await check.finding("You may return a lamp within 30 days [2].", [2]) is None
    assert sections.asked == [SOURCES[0].text]
