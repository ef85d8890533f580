"""What many pages of a website say word for word is its frame: it is not indexed, until it no longer is on so many."""

from dataclasses import replace

import pytest

from app.knowledge import chunker
from app.knowledge.document import PageContent
from app.knowledge.page_sections import RepeatedSections, left_out_of
from app.knowledge.records.repeated_texts import RepeatedTextRecords
from tests.every_row import every_row
from tests.knowledge.knowledge_house import KnowledgeHouse, page, words

HELP = "## Need more help?\n\nWrite to [us](https://x.example/contact) at any time."
HOURS = "## Opening hours\n\nFrom nine to six."


def article(number: int, end: str = HELP) -> PageContent:
    text = f"# Article {number}\n\n{words(12, f'fruit{number}')}"
    return replace(page(), url=f"https://x.example/{number}", title=f"Article {number}", markdown=f"{text}\n\n{end}")


async def learn(house: KnowledgeHouse, *pages: PageContent, keep: tuple[str, ...] = ()) -> None:
    for each in pages:
        await house.ingest.learn(house.agent_id, house.source.id, each)
    await house.repeated.settle(house.agent_id, house.source.id, keep)


async def left_out(house: KnowledgeHouse) -> list[tuple[str, int]]:
    texts = await house.record.read(lambda tx: RepeatedTextRecords(tx).left_out(house.source.id))
    return [(text.heading, text.pages) for text in texts]


async def asks_for_help(house: KnowledgeHouse) -> int:
    return sum("Need more help?" in text for text in await house.live_texts())


async def test_a_text_on_many_pages_is_not_indexed(house: KnowledgeHouse) -> None:
    await learn(house, *map(article, range(6)))
    assert await asks_for_help(house) == 0
    assert await left_out(house) == [("Need more help?", 6)]
    await house.assert_in_step()


async def test_a_page_that_is_read_later_is_learnt_without_it(house: KnowledgeHouse) -> None:
    await learn(house, *map(article, range(6)))
    await house.ingest.learn(house.agent_id, house.source.id, article(7))
    assert await asks_for_help(house) == 0


async def test_a_second_reading_changes_nothing(house: KnowledgeHouse) -> None:
    await learn(house, *map(article, range(6)))
    before, embedded = await house.live_ids(), len(house.embedder.embedded)
    await learn(house, *map(article, range(6)))
    assert (await house.live_ids(), len(house.embedder.embedded)) == (before, embedded)


async def test_what_many_pages_no_longer_have_is_indexed_again(house: KnowledgeHouse) -> None:
    await learn(house, *map(article, range(6)))
    await learn(house, *(article(number, end="") for number in range(1, 6)))
    assert await left_out(house) == []
    assert await asks_for_help(house) == 1
    await house.assert_in_step()


@pytest.mark.parametrize("keep", ["need more HELP?", "*"])
async def test_an_operator_can_keep_it(keep: str, house: KnowledgeHouse) -> None:
    await learn(house, *map(article, range(6)))
    await learn(house, keep=(keep,))
    assert await left_out(house) == []
    assert await asks_for_help(house) == 6


async def test_a_page_that_says_nothing_else_keeps_it(house: KnowledgeHouse) -> None:
    alone = replace(page(), url="https://x.example/help", title="Help", markdown=HELP)
    await learn(house, *map(article, range(6)), alone)
    assert await asks_for_help(house) == 1


async def test_chunking_by_other_rules_leaves_out_the_same(
    house: KnowledgeHouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    await learn(house, *map(article, range(6)))
    monkeypatch.setattr(chunker, "CHUNKING_VERSION", chunker.CHUNKING_VERSION + 1)
    ingest = house.ingest
    while await ingest.cut_anew():
        pass
    assert await asks_for_help(house) == 0


@every_row(
    ("pages", "with_it", "is_frame"),
    [(6, 6, True), (30, 7, True), (30, 6, False), (4, 4, False), (5, 5, True)],
    ids=["on all", "on more than a fifth", "on a fifth", "on four", "on five"],
)
def test_more_than_a_fifth_of_the_pages_and_at_least_five(pages: int, with_it: int, is_frame: bool) -> None:
    counted = RepeatedSections()
    for number in range(pages):
        counted.add(article(number, end=HELP if number < with_it else "").markdown)
    assert bool(counted.most()) is is_frame


def test_the_same_words_under_another_heading_are_another_text() -> None:
    counted = RepeatedSections()
    for number in range(10):
        counted.add(f"# Article {number}\n\nWrite to us at any time.")
    assert counted.most() == []


def test_only_the_repeated_section_of_a_page_goes() -> None:
    counted = RepeatedSections()
    for number in range(6):
        counted.add(article(number, end=f"{HOURS}\n\n{HELP}" if number == 1 else HELP).markdown)
    [text] = counted.most()
    assert text.text == "Write to us at any time."
    assert left_out_of(article(1).markdown, {text.key}) == (text.key,)
