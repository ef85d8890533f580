"""The shipped embedder, for real."""

import threading
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from app.answers.curated.curated_matcher import SHIPPED_THRESHOLD
from app.core.errors import EmbedderUnavailable
from app.providers.embedding.embedder import Gloss
from app.providers.embedding.onnx_embedder import OnnxEmbedder
from app.providers.onnx_session import Floats, OnnxSession, TokenRow
from app.providers.onnx_threads import EMBEDDER_FOLDER, OnnxThreads
from tests.contracts.embedder_contract import EmbedderContract


@pytest.fixture(scope="module")
async def embedder() -> AsyncIterator[OnnxEmbedder]:
    threads = OnnxThreads()
    yield OnnxEmbedder(EMBEDDER_FOLDER, threads)
    await threads.close()


class TestOnnxEmbedder(EmbedderContract):
    def test_the_name_holds_the_weights_their_precision_and_the_word_lists(self, embedder: OnnxEmbedder) -> None:
        assert embedder.model_id == "onnx-model.int8-5ce1b3ecc8d6-1e580ee5"
        assert (embedder.dimensions, embedder.max_tokens) == (384, 256)

    async def test_a_paraphrase_is_nearer_than_a_shared_word(self, embedder: OnnxEmbedder) -> None:
        question, paraphrase, word = await embedder.embed(
            ["How can I get my money back?", "Refunds are paid within ten days.", "Our back office is in Lyon."]
        )

        assert _cosine(question, paraphrase) > _cosine(question, word)

    @pytest.mark.parametrize(
        ("question", "right", "wrong"),
        [
            ("Was kostet der Versand?", "Die Lieferung ist ab 50 Euro gratis.", "Was wir sind: der Laden am Markt."),
            ("¿Puedo devolver un producto?", "Reembolso en 30 días.", "¿Puedo aparcar en el puerto?"),
            ("Quels sont les horaires ?", "Ouvert de 9 h à 18 h.", "Quels sont les prix ?"),
            ("Сколько стоит доставка?", "Shipping is free from 50 euros.", "Our office is in Lyon."),
        ],
    )
    async def test_other_languages_are_read_word_for_word(
        self, embedder: OnnxEmbedder, question: str, right: str, wrong: str
    ) -> None:
        asked, answer, other = await embedder.embed([question, right, wrong])

        assert _cosine(asked, answer) > _cosine(asked, other)

    @pytest.mark.parametrize(
        ("question", "same", "other"),
        [
            ("Was kostet der Versand?", "Wie hoch sind die Versandkosten?", "Was kostet die Reparatur?"),
            ("Wie kündige ich mein Abo?", "Wie kann ich mein Abonnement kündigen?", "Wie verlängere ich mein Abo?"),
            ("Comment annuler ma commande ?", "Puis-je annuler une commande ?", "Comment suivre ma commande ?"),
        ],
    )
    async def test_curated_answers_are_told_apart_in_other_languages(
        self, embedder: OnnxEmbedder, question: str, same: str, other: str
    ) -> None:
        """Shared words alone made strangers of 0.85."""
        asked, paraphrase, stranger = await embedder.embed([question, same, other])

        assert _cosine(asked, paraphrase) > SHIPPED_THRESHOLD > 0.6 > _cosine(asked, stranger)

    def test_it_reads_more_languages_than_it_knows(self, embedder: OnnxEmbedder) -> None:
        assert embedder.knows == {"en"}
        assert embedder.reads == {
            "ar", "cs", "da", "de", "el", "en", "es", "fr", "hu", "it", "nl", "pl", "pt", "ro", "ru", "sv", "tr", "uk",
            "vi",
        }  # fmt: skip

    @pytest.mark.parametrize(
        ("text", "gloss"),
        [
            ("Wie viel kostet der Versand?", Gloss("how much costs the shipping?", "en", "de")),
            ("What does shipping cost?", None),
            ("per diem for denver", None),
            ("restore a single file", None),
            ("Mitä toimitus maksaa?", None),
        ],
        ids=["in German", "in English", "maybe in Danish", "maybe in Italian", "in a language without a list"],
    )
    async def test_a_question_clearly_in_another_language_has_a_gloss(
        self, embedder: OnnxEmbedder, text: str, gloss: Gloss | None
    ) -> None:
        assert await embedder.gloss(text) == gloss

    async def test_what_is_too_long_is_embedded_by_its_beginning(self, embedder: OnnxEmbedder) -> None:
        long, longer = await embedder.embed(["refund " * 300, "refund " * 300 + "zebra " * 300])

        assert _cosine(long, longer) == pytest.approx(1, abs=1e-5)

    async def test_a_text_means_the_same_whatever_stands_beside_it(self, embedder: OnnxEmbedder) -> None:
        texts = ["Money back!", "word " * 240, "", "How do I get a refund for an order?", "Refunds. " * 40]

        together, tokens = await embedder.embed(texts), await embedder.embed_tokens(texts)

        for number, text in enumerate(texts):
            assert [together[number]] == await embedder.embed([text])
            [alone] = await embedder.embed_tokens([text])
            assert (alone.meaning, alone.tokens.tolist()) == (tokens[number].meaning, tokens[number].tokens.tolist())
            assert (alone.directions == tokens[number].directions).all()

    async def test_texts_are_read_by_all_threads_and_never_long_on_one(self, monkeypatch: pytest.MonkeyPatch) -> None:
        threads, at_once = OnnxThreads(threads=3), threading.Barrier(3)
        run, read = OnnxSession.run, list[TokenRow]()

        def together(session: OnnxSession, row: TokenRow) -> Floats:
            read.append(row)
            if len(read) <= 3:
                at_once.wait(60)  # three are in here at the same time, or this breaks
            return run(session, row)

        monkeypatch.setattr(OnnxSession, "run", together)
        embedded = await OnnxEmbedder(EMBEDDER_FOLDER, threads).embed(["word " * 240 for _ in range(9)])
        await threads.close()

        assert (len(embedded), len(read)) == (9, 9)

    async def test_a_text_is_read_token_by_token_in_the_same_run(self, embedder: OnnxEmbedder) -> None:
        texts = ["Money back!", "", "How do I get a refund for an order?"]

        read = await embedder.embed_tokens(texts)

        for text, one in zip(texts, read, strict=True):
            [meaning] = await embedder.embed([text])
            assert _cosine(list(one.meaning), meaning) == pytest.approx(1, abs=1e-5)
            assert len(one.tokens) == len(one.directions) == embedder.count(text)

    async def test_a_question_that_was_embedded_is_not_read_again_for_its_tokens(
        self, embedder: OnnxEmbedder, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        asked, others = "Do I get my money back?", ["Refunds take ten days.", "We are in Lyon."]
        expected = await embedder.embed_tokens([asked, *others])
        [vector] = await embedder.embed([asked])
        urgent, read = embedder.for_questions(), list[TokenRow]()
        run = OnnxSession.run_tokens

        def counted(session: OnnxSession, row: TokenRow) -> tuple[Floats, Floats]:
            read.append(row)
            return run(session, row)

        monkeypatch.setattr(OnnxSession, "run_tokens", counted)
        assert await urgent.embed([asked]) == [vector]
        tokens = await embedder.for_questions().embed_tokens([asked, *others])

        assert len(read) == 3
        for one, other in zip(tokens, expected, strict=True):
            assert (one.meaning, one.tokens.tolist()) == (other.meaning, other.tokens.tolist())
            assert (one.directions == other.directions).all()

    async def test_a_token_is_nearest_to_what_means_the_same(self, embedder: OnnxEmbedder) -> None:
        question, answer = await embedder.embed_tokens(["money", "Please call on Monday: we pay cash."])

        [nearness] = (question.units @ answer.units.T).tolist()

        words = ["please", "call", "on", "monday", ":", "we", "pay", "cash", "."]
        assert len(words) == len(nearness)
        assert max(zip(nearness, words, strict=True))[1] in {"pay", "cash"}

    def test_tokens_are_the_models_own(self, embedder: OnnxEmbedder) -> None:
        assert embedder.count("") == 0
        assert embedder.count("Money back!") == 3
        assert embedder.count("word " * 1_000) == 1_000


async def test_missing_weights_say_where_they_were_looked_for(tmp_path: Path) -> None:
    threads = OnnxThreads()
    embedder = OnnxEmbedder(tmp_path, threads)

    with pytest.raises(EmbedderUnavailable, match=tmp_path.name):
        await embedder.open()
    with pytest.raises(EmbedderUnavailable):
        await embedder.embed(["refund"])
    await threads.close()


async def test_a_full_queue_refuses_at_once() -> None:
    threads = OnnxThreads(max_waiting=0)

    with pytest.raises(EmbedderUnavailable, match="busy"):
        await OnnxEmbedder(EMBEDDER_FOLDER, threads).embed(["refund"])


def _cosine(one: list[float], other: list[float]) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True))
