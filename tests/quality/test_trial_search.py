"""Golden questions that expect words are answered as visitors would be, and the answer is read."""

from dataclasses import replace
from uuid import uuid4

import pytest

from app.agents.model_endpoint import QUOTATIONS, USUAL
from app.agents.records import AgentRecords
from app.answers.curated.curated_answer import CuratedAnswer, Trigger
from app.answers.curated.records import CuratedAnswerRecords
from app.bootstrap.answering import open_playground
from app.core.errors import ModelInterrupted, ModelUnavailable
from app.core.page_url import page_key
from app.core.turn import TokenUsage
from app.kit.pattern_matcher import PatternMatcher
from app.providers.chat.chat_model import ChatModel
from app.quality.evaluation.evaluation import Hit, StagedRanking
from app.quality.golden_question import GoldenQuestion, Trial, WrittenAnswer
from app.quality.golden_run_execution import mark
from app.quality.trial_search import TrialSearch
from app.search.retrieval import SearchQuery
from app.sources.source import UNLINKED
from tests.doubles.answering_house import SITE, AnsweringHouse
from tests.doubles.scripted_chat_model import ScriptedChatModel, Step

QUESTION = "How long is the warranty of a lamp?"
PAGE = f"{SITE}/warranty"
LIVE = Trial("live")


def golden(house: AnsweringHouse, *texts: str, patterns: tuple[str, ...] = ()) -> GoldenQuestion:
    return GoldenQuestion(uuid4(), house.agent_id, QUESTION, (PAGE,), answer_contains=texts, answer_matches=patterns)


async def tried(
    house: AnsweringHouse, asked: GoldenQuestion, model: ScriptedChatModel | None = None, trial: Trial = LIVE
) -> StagedRanking:
    async with open_playground(house.with_doubles({ChatModel: model})) as playground:
        return await TrialSearch(playground, PatternMatcher()).search(house.workspace_id, asked, trial)


async def test_an_answer_with_the_expected_words_misses_nothing(house: AnsweringHouse) -> None:
    ranking = await tried(house, golden(house, "3 YEARS", patterns=(r"warranty of \d years",)))
    assert ranking.missing == ()
    assert not ranking.is_low_confidence
    assert ranking.stages["reranked"][0].document_id == golden(house).page_keys[0]


async def test_a_file_that_is_named_by_its_source_is_found_whatever_its_address(house: AnsweringHouse) -> None:
    ranked = (await house.search.search(house.workspace_id, house.agent_id, SearchQuery(QUESTION))).retrieval.ranked
    asked = replace(golden(house), pages=(f"{UNLINKED}{ranked[0].chunk.source_id}",))
    assert (await tried(house, asked)).stages["reranked"][0].document_id in asked.page_keys


async def test_what_is_not_in_the_answer_is_named(house: AnsweringHouse) -> None:
    ranking = await tried(house, golden(house, "3 years", "5 years", patterns=(r"\d decades", r"\d years")))
    assert ranking.missing == ("5 years", r"\d decades")


async def test_without_expected_words_no_answer_is_written(house: AnsweringHouse) -> None:
    model = ScriptedChatModel(["Three years [1]."])
    ranking = await tried(house, golden(house), model)
    assert (ranking.missing, model.requests) == ((), [])


async def test_a_curated_answer_is_read_as_well(house: AnsweringHouse) -> None:
    with house.record.writing() as tx:
        CuratedAnswerRecords(tx).create(
            CuratedAnswer(uuid4(), house.agent_id, Trigger.EXACT, QUESTION, "Ten years for lamps.")
        )
    ranking = await tried(house, golden(house, "ten years"))
    assert (ranking.missing, ranking.is_low_confidence) == ((), False)
    assert ranking.stages["reranked"], "its pages are searched for beside it"


async def test_a_pattern_is_looked_for_in_a_long_answer_to_its_end(house: AnsweringHouse) -> None:
    with house.record.writing() as tx:
        agent = AgentRecords(tx).agent(house.workspace_id, house.agent_id)
        AgentRecords(tx).save_draft(house.workspace_id, agent.id, replace(agent.draft, max_answer_chars=9000))
        AgentRecords(tx).publish(house.workspace_id, agent.id)
    model = ScriptedChatModel(["Lamps last. " * 500, "The end. [1]"])
    assert (await tried(house, golden(house, patterns=("the end",)), model)).missing == ()


async def test_an_answer_that_the_model_breaks_off_holds_nothing(house: AnsweringHouse) -> None:
    model = ScriptedChatModel(["Three years", ModelInterrupted("It broke off.")])
    assert (await tried(house, golden(house, "three years"), model)).missing == ("three years",)


async def test_a_model_that_is_tried_answers_every_question_and_says_what_it_took(house: AnsweringHouse) -> None:
    model = ScriptedChatModel(["Three years [1]."], usage=TokenUsage(1000, 20, "scripted"))
    written = (await tried(house, golden(house), model, Trial("draft", USUAL))).written
    assert written is not None
    assert (written.tokens, written.cost, written.is_cited) == (1020, None, True)
    assert written.first_ms is not None


async def test_without_a_model_the_pages_are_quoted_and_none_is_called(house: AnsweringHouse) -> None:
    model = ScriptedChatModel(["Three years [1]."])
    written = (await tried(house, golden(house), model, Trial("draft", QUOTATIONS))).written
    assert written is not None
    assert (written.tokens, written.is_cited, model.requests) == (0, True, [])


async def test_an_answer_from_another_page_than_the_expected_one_cites_none(house: AnsweringHouse) -> None:
    model = ScriptedChatModel(["Three years [1]."])
    elsewhere = replace(golden(house), pages=(f"{SITE}/returns",))
    written = (await tried(house, elsewhere, model, Trial("draft", USUAL))).written
    assert written is not None
    assert not written.is_cited


@pytest.mark.parametrize(("is_cited", "right"), [(True, True), (False, False)])
def test_a_written_answer_is_right_if_it_cites_the_page_whatever_search_found(is_cited: bool, right: bool) -> None:
    asked = GoldenQuestion(uuid4(), uuid4(), QUESTION, (PAGE,))
    written = WrittenAnswer(1020, None, 300, 900, 0, is_cited)
    ranking = StagedRanking({"reranked": [Hit(page_key(PAGE))]}, 0.9, is_low_confidence=False, written=written)
    assert mark(asked, ranking).is_right is right


JUDGED = Trial("live", USUAL, "model")


@pytest.mark.parametrize(
    ("verdict", "missing", "judge"),
    [
        pytest.param('{"stated": [true, false]}', ("5 years",), "model", id="it says one of them otherwise"),
        pytest.param('{"stated": [true]}', ("36 months", "5 years"), "words", id="not a verdict for each"),
        pytest.param("Both of them.", ("36 months", "5 years"), "words", id="no verdict"),
        pytest.param(ModelUnavailable("away"), ("36 months", "5 years"), "words", id="the judge is away"),
    ],
)
async def test_a_model_judges_what_words_do_not_find(
    house: AnsweringHouse, verdict: Step, missing: tuple[str, ...], judge: str
) -> None:
    model = ScriptedChatModel(["For three years [1]."], [verdict])
    ranking = await tried(house, golden(house, "three years", "36 months", "5 years"), model, JUDGED)
    assert (ranking.missing, ranking.judged_by) == (missing, judge)
    asked = model.requests[1][-1].content
    assert ("For three years" in asked, "1. 36 months" in asked, "1. three years" in asked) == (True, True, False)


async def test_a_judge_is_not_asked_about_what_words_find(house: AnsweringHouse) -> None:
    model = ScriptedChatModel(["For three years [1]."])
    ranking = await tried(house, golden(house, "three years", patterns=("never",)), model, JUDGED)
    assert (ranking.missing, ranking.judged_by, len(model.requests)) == (("never",), "words", 1)
