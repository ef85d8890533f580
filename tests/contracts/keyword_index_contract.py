"""What every KeywordIndex promises."""

from uuid import UUID

import pytest

from app.providers.indexes.search_indexes import ChunkTerms, KeywordIndex

AGENT, OTHER_AGENT = UUID(int=1), UUID(int=2)
VERSION, OTHER_VERSION = UUID(int=11), UUID(int=12)


def row(chunk_id: str, text: str, title: str = "", version: UUID = VERSION) -> ChunkTerms:
    return ChunkTerms(chunk_id, version, title, text)


SHOP = [
    row("refunds", "A refund is paid back within ten days to the card.", "Refunds"),
    row("shipping", "We ship to Canada within ten days.", "Shipping"),
    row("code", "Call DiffExecutor.run_all() to apply a diff.", "Reference"),
    row("hours", "The office opens at nine within the week.", "Opening hours"),
]


class KeywordIndexContract:
    """A subclass gives the fixture `index`, empty."""

    async def found(self, index: KeywordIndex, question: str) -> list[str]:
        return [hit.chunk_id for hit in await index.search(AGENT, "en", question, 10)]

    async def test_the_chunk_with_the_rarer_words_comes_first(self, index: KeywordIndex) -> None:
        await index.put(AGENT, "en", SHOP)

        hits = await index.search(AGENT, "en", "How many days within which a refund is paid?", 10)

        assert hits[0].chunk_id == "refunds"
        assert hits[0].score > hits[1].score > 0

    async def test_a_search_keeps_to_the_versions_that_it_is_told(self, index: KeywordIndex) -> None:
        await index.put(
            AGENT, "en", [*SHOP, row("old", "A refund was paid back within a year.", version=OTHER_VERSION)]
        )
        [old] = await index.search(AGENT, "en", "refund paid", 10, [OTHER_VERSION])

        assert old in await index.search(AGENT, "en", "refund paid", 10)  # with the same score
        assert await index.search(AGENT, "en", "refund paid", 10, []) == []
        assert old.chunk_id not in {hit.chunk_id for hit in await index.search(AGENT, "en", "refund", 10, [VERSION])}

    async def test_a_title_word_is_found(self, index: KeywordIndex) -> None:
        await index.put(AGENT, "en", SHOP)

        assert await self.found(index, "opening") == ["hours"]

    async def test_an_identifier_is_found_by_its_parts(self, index: KeywordIndex) -> None:
        await index.put(AGENT, "en", SHOP)

        assert await self.found(index, "executor") == ["code"]
        assert (await self.found(index, "DiffExecutor"))[0] == "code"

    @pytest.mark.parametrize(
        "question",
        ["", "  ", "???", "the", 'title:"x" AND (', "absent", "\x00 \ud800", "a* OR b~2 [1 TO"],
    )
    async def test_a_question_without_a_known_word_finds_nothing(self, index: KeywordIndex, question: str) -> None:
        await index.put(AGENT, "en", SHOP)

        assert await self.found(index, question) == []

    async def test_a_question_of_question_words_alone_is_still_searched(self, index: KeywordIndex) -> None:
        await index.search(AGENT, "en", "how do you do?", 10)

    async def test_a_question_of_ten_thousand_characters_is_answered(self, index: KeywordIndex) -> None:
        await index.put(AGENT, "en", SHOP)
        filler = " ".join(f"filler{number}" for number in range(1_000))

        assert await self.found(index, f"refund {filler}") == ["refunds"]

    async def test_scripts_without_spaces_are_found_by_parts(self, index: KeywordIndex) -> None:
        await index.put(AGENT, "zh", [row("zh", "退款将在十天内支付。"), row("hi", "हिन्दी में धनवापसी")])

        assert [hit.chunk_id for hit in await index.search(AGENT, "zh", "如何退款?", 5)] == ["zh"]
        assert [hit.chunk_id for hit in await index.search(AGENT, "zh", "धनवापसी", 5)] == ["hi"]

    async def test_an_agent_finds_only_its_own(self, index: KeywordIndex) -> None:
        await index.put(AGENT, "en", SHOP)
        await index.put(OTHER_AGENT, "en", [row("theirs", "refund")])

        assert await self.found(index, "refund") == ["refunds"]
        assert await index.chunk_ids(OTHER_AGENT) == {"theirs"}
        assert await index.agent_ids() == {AGENT, OTHER_AGENT}

    async def test_an_agent_without_an_index_finds_nothing(self, index: KeywordIndex) -> None:
        assert await self.found(index, "refund") == []
        assert await index.coverage(AGENT, "en", "refund", ["refund"]) == [0.0]
        assert await index.chunk_ids(AGENT) == set()
        assert await index.agent_ids() == set()
        await index.drop_versions(AGENT, [VERSION])
        await index.drop_agent(AGENT)
        assert await index.agent_ids() == set()

    async def test_putting_replaces_by_chunk_id(self, index: KeywordIndex) -> None:
        await index.put(AGENT, "en", SHOP)
        await index.put(AGENT, "en", SHOP)
        await index.put(AGENT, "en", [row("refunds", "Vouchers only.", version=OTHER_VERSION)])

        assert await self.found(index, "refund") == []
        assert await self.found(index, "vouchers") == ["refunds"]
        assert await index.chunk_ids(AGENT) == {"refunds", "shipping", "code", "hours"}

    async def test_a_dropped_version_is_found_no_more(self, index: KeywordIndex) -> None:
        await index.put(AGENT, "en", [*SHOP, row("new", "A refund is paid at once.", version=OTHER_VERSION)])

        await index.drop_versions(AGENT, [VERSION, UUID(int=99)])

        assert await self.found(index, "refund") == ["new"]
        assert await index.chunk_ids(AGENT) == {"new"}

    async def test_a_dropped_agent_leaves_nothing(self, index: KeywordIndex) -> None:
        await index.put(AGENT, "en", SHOP)
        await index.put(OTHER_AGENT, "en", SHOP)

        await index.drop_agent(AGENT)

        assert await self.found(index, "refund") == []
        assert await index.agent_ids() == {OTHER_AGENT}

    async def test_coverage_is_the_share_of_the_telling_words(self, index: KeywordIndex) -> None:
        await index.put(AGENT, "en", SHOP)

        whole, rare, common, none = await index.coverage(
            AGENT, "en", "What is a refund within?", ["Within: a refund", "Refund.", "within", "Nothing of it"]
        )

        assert whole < 1
        assert none == 0
        assert 0 < common < rare < whole
        assert common + rare == pytest.approx(whole)

    async def test_holding_the_only_common_word_of_a_question_proves_little(self, index: KeywordIndex) -> None:
        await index.put(AGENT, "en", SHOP)

        [short] = await index.coverage(AGENT, "en", "Within?", ["within"])
        [long] = await index.coverage(AGENT, "en", "Is a refund within?", ["within a refund"])

        assert short < long

    async def test_a_word_that_the_index_lacks_weighs_most(self, index: KeywordIndex) -> None:
        await index.put(AGENT, "en", SHOP)

        known, unknown = await index.coverage(AGENT, "en", "refund zeppelin", ["refund", "zeppelin"])

        assert unknown > known

    async def test_no_telling_word_covers_nothing(self, index: KeywordIndex) -> None:
        await index.put(AGENT, "en", SHOP)

        assert await index.coverage(AGENT, "en", "the ?", ["the"]) == [0.0]
        assert await index.coverage(AGENT, "en", "refund", []) == []

    async def test_entries_are_counted_by_version(self, index: KeywordIndex) -> None:
        assert await index.count_versions(AGENT, [VERSION]) == 0
        await index.put(AGENT, "en", [*SHOP[:2], row("code", "Call run_all().", version=OTHER_VERSION)])
        await index.put(OTHER_AGENT, "en", SHOP)

        assert await index.count_versions(AGENT, [VERSION]) == 2
        assert await index.count_versions(AGENT, [VERSION, OTHER_VERSION, UUID(int=99)]) == 3
        await index.drop_versions(AGENT, [VERSION])
        assert await index.count_versions(AGENT, [VERSION]) == 0

    async def test_an_index_that_is_written_anew_holds_what_it_held(self, index: KeywordIndex) -> None:
        assert await index.rewrite(AGENT, "en", SHOP)
        assert await index.agent_ids() == set()
        await index.put(AGENT, "en", SHOP[:2])

        assert await index.rewrite(AGENT, "en", SHOP[:3])
        assert await self.found(index, "refund") == ["refunds"]
        assert await index.chunk_ids(AGENT) == {"refunds", "shipping", "code"}

    async def test_nothing_that_was_put_meanwhile_is_lost(self, index: KeywordIndex) -> None:
        await index.put(AGENT, "en", SHOP)

        assert not await index.rewrite(AGENT, "en", SHOP[:3])
        assert await index.chunk_ids(AGENT) == {"refunds", "shipping", "code", "hours"}

    async def completed(self, index: KeywordIndex, typed: str) -> list[str]:
        return [hit.chunk_id for hit in await index.complete(AGENT, "en", typed, 10)]

    @pytest.mark.parametrize("typed", ["r", "refu", "Refund", "REFUNDS"])
    async def test_what_is_being_typed_finds_the_words_that_it_begins(self, index: KeywordIndex, typed: str) -> None:
        await index.put(AGENT, "en", SHOP)

        assert (await self.completed(index, typed))[0] == "refunds"

    async def test_a_chunk_that_holds_every_typed_word_is_found_alone(self, index: KeywordIndex) -> None:
        await index.put(AGENT, "en", SHOP)

        assert await self.completed(index, "days canad") == ["shipping"]
        assert set(await self.completed(index, "days within")) == {"refunds", "shipping"}

    @pytest.mark.parametrize("typed", ["refudn", "reefund", "rfund", "shiping refund"])
    async def test_a_misspelt_word_finds_what_is_near_it(self, index: KeywordIndex, typed: str) -> None:
        await index.put(AGENT, "en", SHOP)

        assert "refunds" in await self.completed(index, typed)

    async def test_a_misspelling_is_looked_for_only_where_nothing_fits_as_it_is(self, index: KeywordIndex) -> None:
        await index.put(AGENT, "en", [row("farm", "A farm."), row("firm", "A firm.")])

        assert await self.completed(index, "farm") == ["farm"]

    @pytest.mark.parametrize("typed", ["", "  ", "???", "absent", "zz", "\x00 \ud800", "a" * 9_000, "[a-z]*(.+)$"])
    async def test_typing_what_nothing_holds_finds_nothing(self, index: KeywordIndex, typed: str) -> None:
        await index.put(AGENT, "en", [row("refunds", "Refunds take ten days.")])

        assert await self.completed(index, typed) == []
        assert index.marked("en", typed, ["Refunds take ten days."]) == [[]]

    async def test_typing_keeps_to_the_agent_and_to_the_versions_that_it_is_told(self, index: KeywordIndex) -> None:
        await index.put(AGENT, "en", SHOP)
        await index.put(AGENT, "en", [row("old", "A refund takes a year.", version=OTHER_VERSION)])
        await index.put(OTHER_AGENT, "en", [row("theirs", "refund")])

        assert [hit.chunk_id for hit in await index.complete(AGENT, "en", "refu", 10, [OTHER_VERSION])] == ["old"]
        assert await index.complete(AGENT, "en", "refu", 10, []) == []
        assert await index.complete(AGENT, "en", "refu", 0) == []

    @pytest.mark.parametrize(
        ("typed", "marks"),
        [
            pytest.param("refu", ["refund", "Refunds"], id="what it begins"),
            pytest.param("refudn", ["refund", "Refunds"], id="what is near it"),
            pytest.param("days refund", ["refund", "days", "Refunds"], id="each word"),
            pytest.param("refund the", ["refund", "Refunds"], id="no word that tells nothing"),
            pytest.param("execut", ["DiffExecutor"], id="a part of an identifier"),
        ],
    )
    def test_what_was_typed_is_marked(self, index: KeywordIndex, typed: str, marks: list[str]) -> None:
        text = "The refund takes ten days. Refunds by DiffExecutor."

        [found] = index.marked("en", typed, [text])

        assert [text[start:end] for start, end in found] == marks
