"""Which chunks an answer is made from."""

import math
from datetime import date
from pathlib import Path
from typing import Literal
from uuid import UUID

import pytest

from app.agents.retrieval_settings import ConfidenceScale, FusionMethod, RerankMode, RetrievalSettings
from app.bootstrap.answering import search_parts
from app.core.search_filter import AttributeFilter, SearchFilter
from app.core.turn_events import Citations
from app.search.confidence import calibrated
from app.search.retrieval import SearchQuery
from tests.doubles.answering_house import PAGES, SITE, answering_house
from tests.doubles.scripted_chat_model import ScriptedChatModel

ASKED = SearchQuery("What does shipping cost?")


def urls(event: Citations) -> list[str]:
    return [citation.url for citation in event.citations]


async def test_one_page_does_not_fill_every_place(tmp_path: Path) -> None:
    async with answering_house(tmp_path) as house:
        section = "Returns of a lamp are free. You may return a lamp within 30 days of its arrival, with its box."
        await house.learn("/stuffed", "\n\n".join(f"## Return a lamp {n}\n\n{section * 8}" for n in range(10)))
        asked = SearchQuery("May I return a lamp within 30 days?", f"{SITE}/stuffed")
        found = await house.retriever.retrieve(await house.live_agent(sources=4), asked)

    assert {item.chunk.url for item in found.ranked[:4]} == {f"{SITE}/stuffed"}  # the order alone would give it all
    assert [item.chunk.url for item in found.sources].count(f"{SITE}/stuffed") == 3


async def test_chunks_that_are_far_from_the_question_are_sources_too(tmp_path: Path) -> None:
    async with answering_house(tmp_path) as house:
        found = await house.retriever.retrieve(await house.live_agent(), SearchQuery("Who wrote the opera Aida?"))

    assert {item.chunk.url for item in found.sources} == {f"{SITE}{path}" for path in PAGES}
    assert found.is_low_confidence


async def test_a_text_that_two_pages_share_is_a_source_once(tmp_path: Path) -> None:
    async with answering_house(tmp_path) as house:
        said = "You may pay for a lamp by card, by invoice or with a gift voucher."
        await house.learn("/pay", f"# Paying\n\n{said}")
        await house.learn("/faq", f"# Questions\n\n{said}")
        found = await house.retriever.retrieve(
            await house.live_agent(), SearchQuery("May I pay for a lamp with a gift voucher?")
        )

    texts = [" ".join(item.chunk.text.split()) for item in found.sources]
    assert len(texts) == len(set(texts))
    assert sum(said in item.chunk.text for item in found.ranked) == 2


async def test_a_manual_on_one_page_repeats_none_of_its_chapters(tmp_path: Path) -> None:
    said = "You may pay for a lamp by card, by invoice or with a gift voucher that somebody gave you. " * 6
    care = "Keep the lamp dry and clean, and let it cool down before you change its bulb. " * 6
    async with answering_house(tmp_path) as house:
        await house.learn("/paying", f"# Paying\n\n{said}")
        await house.learn("/manual", f"# Manual\n\n## Care\n\n{care}\n\n## Paying\n\n{said}")
        found = await house.retriever.retrieve(
            await house.live_agent(), SearchQuery("May I pay for a lamp with a gift voucher?")
        )

    assert sum("gift voucher" in item.chunk.text for item in found.ranked) > 1
    assert sum("gift voucher" in item.chunk.text for item in found.sources) == 1


@pytest.mark.parametrize(
    ("only", "paths"),
    [
        (SearchFilter(path_prefixes=("/ship", "/warr")), {"/shipping", "/warranty"}),
        (SearchFilter(path_prefixes=("//lamps.example/ship", "//other.example/warr")), {"/shipping"}),
        (SearchFilter(languages=("de",)), {"/lampen"}),
        (SearchFilter(dated_from=date(2020, 1, 1), dated_to=date(2020, 12, 31)), {"/lampen"}),
        (SearchFilter(dated_from=date(2021, 1, 1)), {"/returns", "/shipping", "/warranty"}),
        (SearchFilter(sources=(UUID(int=1),)), set()),
        (SearchFilter(attributes=(AttributeFilter("country", ("at", "de")),)), {"/lampen"}),
        (SearchFilter(attributes=(AttributeFilter("country", ("at",)), AttributeFilter("plan", ("pro",)))), set()),
        (SearchFilter(path_prefixes=("/lampen",), languages=("en",)), set()),
    ],
    ids=[
        "path",
        "host and path",
        "language",
        "time window",
        "since",
        "another source",
        "one of its values",
        "every attribute must hold",
        "every part must hold",
    ],
)
@pytest.mark.parametrize("by", ["the agent", "the question"])
async def test_only_pages_that_pass_the_filter_are_found(
    tmp_path: Path, only: SearchFilter, paths: set[str], by: str
) -> None:
    async with answering_house(tmp_path) as house:
        lampen = "# Lamp\n\nDie Lamp lamp."
        await house.learn("/lampen", lampen, language="de", modified=date(2020, 5, 1), country="at", plan="basic")
        found = await (house.found("lamp", filter=only) if by == "the agent" else house.found("lamp", only))

    assert set(found) == paths


@pytest.mark.parametrize("said_of", ["the page", "the question"])
async def test_what_the_embedder_cannot_read_is_believed_by_its_words_alone(tmp_path: Path, said_of: str) -> None:
    async with answering_house(tmp_path) as house:
        await house.learn(
            "/lampen", "# Lampen\n\nDie Lampe leuchtet.", language="de" if said_of == "the page" else "en"
        )
        house.embedder.reads = frozenset({"en"})
        agent = await house.live_agent()
        query = SearchQuery("Warum leuchtet die Lampe?", asked_in="de" if said_of == "the question" else None)
        ranked = (await house.retriever.retrieve(agent, query)).ranked

    german = next(item for item in ranked if item.chunk.url.endswith("/lampen"))
    believed = [calibrated(cosine, german.coverage, None) for cosine in (None, german.cosine)]
    assert german.calibrated == believed[0] != believed[1]


async def test_what_the_reranker_cannot_read_is_believed_without_it(tmp_path: Path) -> None:
    async with answering_house(tmp_path) as house:
        await house.learn("/lampen", "# Lampen\n\nDie Lampe leuchtet.", language="de")
        house.embedder.reads = house.reranker.reads = frozenset({"en"})
        query = SearchQuery("Warum leuchtet die Lampe?", asked_in="de")
        voted, alone = [
            (await house.retriever.retrieve(await house.live_agent(rerank=mode), query)).best
            for mode in (RerankMode.VOTE, RerankMode.OFF)
        ]
    assert voted == alone


async def test_the_agents_filter_and_the_questions_must_both_hold(tmp_path: Path) -> None:
    async with answering_house(tmp_path) as house:
        found = await house.found(
            "lamp", SearchFilter(path_prefixes=("/shipping",)), filter=SearchFilter(path_prefixes=("/returns",))
        )
    assert found == []


async def test_a_newer_or_an_older_page_is_preferred_as_the_agent_says(tmp_path: Path) -> None:
    async with answering_house(tmp_path) as house:
        for year in (2019, 2024):
            await house.learn(f"/prices/{year}", f"# Prices\n\nOur prices of {year}.", modified=date(year, 1, 1))
        newest = await house.found("prices", freshness_weight=1)
        oldest = await house.found("prices", freshness_weight=-1)

    assert newest.index("/prices/2024") < newest.index("/prices/2019")
    assert oldest.index("/prices/2019") < oldest.index("/prices/2024")


@pytest.mark.parametrize("rating", ["up", "down"])
async def test_thumbs_move_the_pages_of_the_answers_that_they_are_for(
    tmp_path: Path, rating: Literal["up", "down"]
) -> None:
    async with answering_house(tmp_path) as house:
        question = "What does shipping cost?"
        events = await house.ask(question)
        [cited] = {url.partition("#")[0] for event in events if isinstance(event, Citations) for url in urls(event)}
        agent = await house.live_agent(engagement_weight=1)
        before = {item.chunk.url: item.order for item in (await house.retriever.retrieve(agent, ASKED)).ranked}
        await house.turns.feedback(house.session, house.sent[0].turn_id, rating, "")
        after = {item.chunk.url: item.order for item in (await house.retriever.retrieve(agent, ASKED)).ranked}

    moved = {url: round(after[url] - place, 6) for url, place in before.items()}
    assert moved.pop(cited) == pytest.approx(1 / 6 if rating == "up" else -1 / 6, abs=1e-5)
    assert set(moved.values()) == {0}


@pytest.mark.parametrize(
    ("asked", "mode", "read"),
    [
        ("voltage of a lamp", RerankMode.VOTE, 6),
        ("history of the opera Aida", RerankMode.VOTE, 9),
        ("voltage of a lamp", RerankMode.JUDGE, 9),
    ],
    ids=["likely", "unlikely", "decides alone"],
)
async def test_a_voter_reads_on_only_where_none_of_the_first_is_likely_to_answer(
    tmp_path: Path, asked: str, mode: RerankMode, read: int
) -> None:
    async with answering_house(tmp_path) as house:
        for number in range(9):
            await house.learn(f"/lamp-{number}", f"# Lamp {number}\n\nThe voltage of the lamp is {number} volts.")
        agent = await house.live_agent(rerank=mode, rerank_candidates=9)
        found = await house.retriever.retrieve(agent, SearchQuery(asked))

    assert sum(item.logit is not None for item in found.ranked) == read
    [reranked] = [stage for stage in found.trace["stages"] if stage["stage"] == "rerank"]
    assert reranked["read"] == read


async def test_confidence_may_be_the_rerankers_alone(tmp_path: Path) -> None:
    async with answering_house(tmp_path) as house:
        agent = await house.live_agent(
            rerank=RerankMode.VOTE, confidence_from=ConfidenceScale.RERANKER, confidence_steepness=2.5
        )
        found = await house.retriever.retrieve(agent, SearchQuery("Shipping to Norway"))

    best = max(item.logit for item in found.ranked if item.logit is not None)
    assert found.best == pytest.approx(1 / (1 + math.exp(-best / 2.5)))


async def test_the_trace_says_what_every_stage_did(tmp_path: Path) -> None:
    async with answering_house(tmp_path) as house:
        agent = await house.live_agent(rerank=RerankMode.VOTE)
        found = await house.retriever.retrieve(agent, SearchQuery("lamp", f"{SITE}/returns"))

    stages = {stage["stage"]: stage for stage in found.trace["stages"]}
    assert list(stages) == [
        "recall", "coverage", "fusion", "rerank", "vote", "current_page", "threshold"
    ]  # fmt: skip
    assert all(stage["ms"] >= 0 for stage in stages.values())
    assert stages["current_page"]["head"][0] == found.ranked[0].chunk.id[:8]
    assert {"moved", "weight"} <= stages["current_page"].keys()


async def test_a_question_is_searched_for_as_the_pages_spell_it(tmp_path: Path) -> None:
    async with answering_house(tmp_path) as house:
        house.keywords.spellings["waranty"] = "warranty"
        agent = await house.live_agent()
        slipped = await house.retriever.retrieve(agent, SearchQuery("the waranty of a lamp"))
        meant = await house.retriever.retrieve(agent, SearchQuery("the warranty of a lamp"))

    assert slipped.question == meant.question == "the warranty of a lamp"
    assert slipped.sources == meant.sources
    assert [stage.get("said") for stage in slipped.trace["stages"] if stage["stage"] == "spelling"] == [meant.question]
    assert "spelling" not in [stage["stage"] for stage in meant.trace["stages"]]


async def test_a_mode_that_nothing_is_set_up_for_leaves_the_fused_order(tmp_path: Path) -> None:
    async with answering_house(tmp_path) as house:
        found = await house.retriever.retrieve(await house.live_agent(rerank=RerankMode.MODEL), SearchQuery("lamp"))

    assert found.trace["missing"] == ["reranker"]
    assert [item.fused for item in found.ranked] == sorted((item.fused for item in found.ranked), reverse=True)


async def test_the_chat_model_may_decide_the_order_alone(tmp_path: Path) -> None:
    model = ScriptedChatModel(["[0, 10, 5]"])
    async with answering_house(tmp_path, model=model) as house:
        agent = await house.live_agent(rerank=RerankMode.MODEL)
        found = await house.retriever.retrieve(agent, SearchQuery("Tell me of the lamp"))

    logits = [item.logit for item in found.ranked if item.logit is not None]
    assert len(logits) == 3
    assert logits == sorted(logits, reverse=True)
    assert not found.trace["missing"]


async def test_sources_are_told_with_what_stands_around_them(tmp_path: Path) -> None:
    async with answering_house(tmp_path) as house:
        steps = [f"## Step {n}\n\n" + f"Turn screw number {n} until it is tight. " * 12 for n in range(1, 6)]
        await house.learn("/assembly", "# Assembly\n\n" + "\n\n".join(steps))
        turns_search = search_parts(house.base, None).for_turns(house.cache)
        settings = {"sources": 1, "neighbours": 1, "source_tokens": 3000}
        wide = await turns_search.retrieve(await house.live_agent(**settings), SearchQuery("screw number 3"))
        tight = await turns_search.retrieve(
            await house.live_agent(**settings | {"source_tokens": 100}), SearchQuery("screw number 3")
        )

    [source], [alone] = wide.sources, tight.sources
    assert [f"number {n} " in source.chunk.text for n in range(1, 6)] == [False, True, True, True, False]
    assert "number 3 " in alone.chunk.text
    assert "number 4 " not in alone.chunk.text
    assert source.chunk.link == alone.chunk.link


async def test_pages_in_the_question_s_language_go_before_their_translations(tmp_path: Path) -> None:
    async with answering_house(tmp_path) as house:
        for language, costs in (("de", "kostenlos"), ("en", "free"), ("fr", "gratuit")):
            await house.learn(f"/{language}/hotel", f"# Hotel\n\nHotel WLAN {costs}.", language=language)
        agent = await house.live_agent()
        first = [
            (await house.retriever.retrieve(agent, SearchQuery("hotel wlan", asked_in=language)))
            .ranked[0]
            .chunk.language
            for language in ("de", "en", "fr")
        ]
    assert first == ["de", "en", "fr"]


@pytest.mark.parametrize(("asked_in", "left"), [("en", 1.0), ("de", 0.25), (None, 1.0)])
async def test_a_model_that_does_not_read_the_question_has_less_to_say(
    tmp_path: Path, asked_in: str | None, left: float
) -> None:
    async with answering_house(tmp_path) as house:
        house.embedder.reads = house.reranker.reads = frozenset({"en"})
        query = SearchQuery("Shipping a lamp to Norway", asked_in=asked_in)
        found = await house.retriever.retrieve(await house.live_agent(foreign_weight=0.25), query)
        house.embedder.reads = house.reranker.reads = None
        weights = {"vector_weight": RetrievalSettings().vector_weight * left, "rerank_weight": 0.25 * left}
        expected = await house.retriever.retrieve(await house.live_agent(**weights), query)

    assert [item.order for item in found.ranked] == pytest.approx([item.order for item in expected.ranked])
    assert [item.fused for item in found.ranked] == pytest.approx([item.fused for item in expected.ranked])


async def test_a_vote_weighs_the_same_whatever_the_fusion(tmp_path: Path) -> None:
    """Reciprocal ranks are small numbers; a vote of a quarter must not outweigh them."""
    async with answering_house(tmp_path) as house:
        for n in range(12):
            await house.learn(f"/model-{n}", f"# Model {n}\n\nLamp model {n} is bright." + " It shines." * n)
        asked = SearchQuery("Which lamp model is bright and shines?")
        moves = {}
        for fusion in FusionMethod:
            agent = await house.live_agent(fusion=fusion, page_boost=0)
            found = (await house.retriever.retrieve(agent, asked)).ranked
            fused = [item.fused for item in found]
            moves[fusion] = max(fused) - min(fused)
    assert moves[FusionMethod.RRF] == pytest.approx(moves[FusionMethod.SCORE], rel=1)
