"""Tantivy on real folders, shared with another process and lost under its feet."""

import shutil
from pathlib import Path
from uuid import UUID

import anyio
import pytest
from tantivy import Index

from app.core.errors import IndexUnavailable
from app.providers.indexes.tantivy_keyword_index import TantivyKeywordIndex
from tests.contracts.keyword_index_contract import AGENT, OTHER_AGENT, SHOP, KeywordIndexContract, row


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "keywords"


@pytest.fixture
def index(root: Path) -> TantivyKeywordIndex:
    return TantivyKeywordIndex(root, lock_wait_seconds=0.2)


class TestTantivyKeywordIndex(KeywordIndexContract):
    @pytest.fixture
    def index(self, root: Path) -> TantivyKeywordIndex:
        return TantivyKeywordIndex(root)

    @pytest.mark.parametrize(
        ("language", "text", "question"),
        [
            ("en", "Cancelling subscriptions", "how do I cancel a subscription?"),
            (None, "Cancelling subscriptions", "subscription"),
            ("de", "Die Rückerstattungen werden überwiesen", "Rückerstattung"),
            ("es", "Configuración de la cuenta", "configuracion"),
            ("pt-BR", "As devoluções são pagas", "devolução"),
            ("ru", "Возвраты средств", "возврат"),
            ("tr", "İstanbul şubesi", "istanbul"),
            ("pl", "Zwroty pieniędzy", "ZWROTY"),
            ("ar", "سياسة استرداد الأموال", "استرداد"),
            ("xx", "café society", "cafe"),
            ("../../etc", "path", "path"),
        ],
    )
    async def test_each_language_folds_its_own_forms(
        self, index: TantivyKeywordIndex, language: str | None, text: str, question: str
    ) -> None:
        await index.put(AGENT, language, [row("a", text)])

        assert [hit.chunk_id for hit in await index.search(AGENT, language, question, 5)] == ["a"]

    @pytest.mark.parametrize(
        ("language", "text", "typed", "mark"),
        [
            ("en", "The organisation of subscriptions", "organisati", "organisation"),
            ("en", "The organisation of subscriptions", "subscriptoins", "subscriptions"),
            ("en", "The organisation of subscriptions", "subscription org", "organisation"),
            ("en", "The warranty of a station", "waranty ", "warranty"),
            ("en", "The wifi of a station", "wi-fi ", "wifi"),
            ("zh", "網路設定", "网路", "網路"),
            ("en", "Themes of the shop", "shop the", "shop"),
            ("en", "Themes of the shop", "the", "Themes"),
            ("de", "Die Rückerstattungen werden überwiesen", "ruckerst", "Rückerstattungen"),
            ("de", "Die Rückerstattungen werden überwiesen", "Rückerstatung", "Rückerstattungen"),
            ("fr", "Nos abonnements annuels", "abonne", "abonnements"),
            ("ru", "Возвраты средств", "возвр", "Возвраты"),
            ("tr", "İstanbul şubesi", "ista", "İstanbul"),
            ("ar", "سياسة استرداد الأموال", "استر", "استرداد"),
            ("zh", "退款将在十天内支付。", "退", "退"),
            ("zh", "退款将在十天内支付。", "支付", "支付"),
            ("ja", "返金は十日以内に行われます", "返金", "返金"),
            ("th", "การคืนเงินภายในสิบวัน", "คืนเงิน", "คืนเงิน"),
            ("ko", "환불은 열흘 안에 지급됩니다", "환불", "환불"),
        ],
    )
    async def test_what_is_typed_in_each_language_finds_and_marks_its_words(
        self, index: TantivyKeywordIndex, language: str, text: str, typed: str, mark: str
    ) -> None:
        await index.put(AGENT, language, [row("a", text), row("b", "0123456789")])

        assert [hit.chunk_id for hit in await index.complete(AGENT, language, typed, 5)] == ["a"]
        [marks] = index.marked(language, typed, [text])
        assert mark in [text[start:end] for start, end in marks]


async def found(index: TantivyKeywordIndex, question: str) -> list[str]:
    return [hit.chunk_id for hit in await index.search(AGENT, "en", question, 10)]


async def test_what_another_process_writes_is_found(index: TantivyKeywordIndex, root: Path) -> None:
    assert await found(index, "refund") == []
    worker = TantivyKeywordIndex(root)

    await worker.put(AGENT, "en", SHOP)
    assert await found(index, "refund") == ["refunds"]
    await worker.put(AGENT, "en", [row("more", "refund")])
    assert set(await found(index, "refund")) == {"refunds", "more"}
    await worker.drop_agent(AGENT)
    await worker.put(AGENT, "en", [row("again", "refund")])
    assert await found(index, "refund") == ["again"]


async def test_each_commit_is_found_however_fast_it_follows(index: TantivyKeywordIndex, root: Path) -> None:
    worker = TantivyKeywordIndex(root)
    for letter in "abcdefghijklmnopqrst":
        await worker.put(AGENT, "en", [row("refunds", f"refund{letter}")])
        assert await found(index, f"refund{letter}") == ["refunds"]
        assert await found(index, f"refund{chr(ord(letter) - 1)}") == []


async def test_question_words_do_not_count_where_others_tell(index: TantivyKeywordIndex) -> None:
    await index.put(AGENT, "en", [row("refund", "Refund rules."), row("how", "How what which can you do")])

    assert await found(index, "How can you get a refund?") == ["refund"]
    assert await found(index, "What can you do?") == ["how"]


async def test_coverage_takes_the_spelling_of_which_a_text_has_most(index: TantivyKeywordIndex) -> None:
    texts = ["the sign-in page", "how to sign in", "the page of ABX-9921-K"]
    await index.put(AGENT, "en", [row(str(at), text) for at, text in enumerate(texts)])

    joined, apart, neither = await index.coverage(AGENT, "en", "signin or sign-in", texts)
    assert joined > apart > neither == 0
    assert await index.coverage(AGENT, "en", "ABX9921K", texts) > [0.0] * 3
    assert await index.coverage(AGENT, "en", "ABX-9921-M", texts) == [0.0] * 3


async def test_a_lost_folder_names_the_fix_and_comes_back_without_a_restart(
    index: TantivyKeywordIndex, root: Path
) -> None:
    await index.put(AGENT, "en", SHOP)
    await found(index, "refund")
    shutil.rmtree(root)

    for _ in range(2):
        with pytest.raises(IndexUnavailable, match="docent reindex"):
            await found(index, "refund")
    with pytest.raises(IndexUnavailable, match="docent reindex"):
        await index.coverage(AGENT, "en", "refund", ["refund"])

    await TantivyKeywordIndex(root).put(AGENT, "en", SHOP)
    assert await found(index, "refund") == ["refunds"]


async def test_a_broken_folder_names_the_fix(root: Path) -> None:
    await TantivyKeywordIndex(root).put(AGENT, "en", SHOP)
    (root / str(AGENT) / "2-en" / "meta.json").write_text("garbage")

    index = TantivyKeywordIndex(root)
    with pytest.raises(IndexUnavailable, match="docent reindex"):
        await found(index, "refund")
    with pytest.raises(IndexUnavailable, match="docent reindex"):
        await index.put(AGENT, "en", SHOP)
    await index.drop_agent(AGENT)
    await index.put(AGENT, "en", SHOP)
    assert await found(index, "refund") == ["refunds"]


async def test_another_language_starts_the_index_anew(index: TantivyKeywordIndex) -> None:
    await index.put(AGENT, "en", SHOP)

    with pytest.raises(IndexUnavailable, match="docent reindex"):
        await index.search(AGENT, "de", "refund", 5)

    await index.put(AGENT, "de", [row("neu", "Rückerstattung")])
    assert await index.chunk_ids(AGENT) == {"neu"}
    with pytest.raises(IndexUnavailable):
        await index.search(AGENT, "en", "refund", 5)


async def test_a_writer_in_another_process_is_waited_for(index: TantivyKeywordIndex, root: Path) -> None:
    await index.put(AGENT, "en", SHOP)
    patient = TantivyKeywordIndex(root, lock_wait_seconds=30)
    other = Index.open(str(root / str(AGENT) / "2-en")).writer(heap_size=15_000_000, num_threads=1)

    with pytest.raises(IndexUnavailable, match="Another process"):
        await index.put(AGENT, "en", [row("late", "late")])

    async with anyio.create_task_group() as group:
        group.start_soon(patient.put, AGENT, "en", [row("late", "late")])
        await anyio.wait_all_tasks_blocked()
        other.wait_merging_threads()
    assert await found(index, "late") == ["late"]


async def test_writers_and_readers_of_many_agents_go_together(root: Path) -> None:
    index = TantivyKeywordIndex(root, max_readers=3)
    agents = [UUID(int=100 + number) for number in range(10)]

    async def fill(agent: UUID) -> None:
        for number in range(3):
            await index.put(agent, "en", [row(f"{agent}-{number}", "refund")])
            await index.search(agent, "en", "refund", 5)

    async with anyio.create_task_group() as group:
        for agent in agents:
            group.start_soon(fill, agent)

    for agent in agents:
        assert len(await index.search(agent, "en", "refund", 5)) == 3
    assert await index.agent_ids() == set(agents)


async def test_strange_folders_are_nobodys_index(index: TantivyKeywordIndex, root: Path) -> None:
    await index.put(OTHER_AGENT, "en", SHOP)
    (root / "lost+found").mkdir()

    assert await index.agent_ids() == {OTHER_AGENT}


async def test_two_processes_may_make_an_agents_index_at_once(root: Path) -> None:
    both = [TantivyKeywordIndex(root), TantivyKeywordIndex(root)]

    async with anyio.create_task_group() as group:
        for number in range(6):
            group.start_soon(both[number % 2].put, AGENT, "en", [row(f"c{number}", "refund")])

    assert len(await both[0].chunk_ids(AGENT)) == 6
    assert await both[0].agent_ids() == {AGENT}
