"""Embedder by an ONNX model on this machine's CPU."""

from array import array
from collections.abc import Callable, Iterator, Sequence
from copy import copy
from functools import partial
from pathlib import Path
from typing import Final, TypeVar

import structlog

from app.core.errors import EmbedderUnavailable
from app.kit.cache import RecentValues
from app.providers.embedding.embedder import Gloss, TokenVectors, embedding_span
from app.providers.embedding.glosses import Glosses
from app.providers.onnx_session import OnnxSession, TokenRow
from app.providers.onnx_threads import OnnxThreads, ThreadsBusy, Urgency

Read = TypeVar("Read")

_log = structlog.get_logger(__name__)

_TOKENS_AT_ONCE: Final = 512  # more urgent work waits for no more than these
_REMEMBERED: Final = 64  # questions, of 8 KiB for twenty words


class OnnxEmbedder:
    """Also a TokenCounter, because the model defines what a token is.

    The chunker keeps chunks within `max_tokens`; of a longer text, such as a visitor's endless question, the beginning
    is embedded. A text in a language that the model does not know is read word for word (`glosses.py`). Each text is
    run by itself, several at a time: in a batch the rounding of 8-bit weights would make a text's numbers depend on its
    neighbours.
    """

    def __init__(self, folder: Path, threads: OnnxThreads) -> None:
        self._session = OnnxSession(folder)
        self._glosses = Glosses(folder / "glosses", self._session.tokens.is_word)
        self._threads = threads
        self._urgency = Urgency.INGEST
        self._alone = RecentValues[str, TokenVectors](_REMEMBERED)

    def for_questions(self) -> "OnnxEmbedder":
        """The same model for texts that somebody waits for, which are run before a ranking. A single question is
        embedded for search and its tokens are remembered, because an answer made of passages needs them next."""
        urgent = copy(self)
        urgent._urgency = Urgency.QUESTION
        return urgent

    @property
    def model_id(self) -> str:
        return f"{self._session.config['model_id']}-{self._session.config['glosses']}"

    @property
    def reads(self) -> frozenset[str]:
        return self.knows | self._glosses.languages

    @property
    def knows(self) -> frozenset[str]:
        return frozenset({self._session.config["language"]})

    @property
    def dimensions(self) -> int:
        return int(self._session.config["dim"])

    @property
    def max_tokens(self) -> int:
        return int(self._session.config["max_length"])

    def count(self, text: str) -> int:
        return self._session.tokens.count(text)

    async def open(self) -> None:
        """Load the model now rather than with the first text. Raises EmbedderUnavailable."""
        try:
            await self._threads.run(self._session.open, Urgency.QUESTION)
        except Exception as error:
            raise self._unavailable(error) from error

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        if not texts:
            return []
        try:
            if len(texts) == 1:
                return [await self._threads.run(lambda: self._embed_alone(texts[0]), Urgency.QUESTION)]
            return await self._spread(texts, self._embed_rows)
        except Exception as error:
            raise self._unavailable(error) from error

    async def embed_tokens(self, texts: Sequence[str]) -> list[TokenVectors]:
        """Implements TokenEmbedder: the last layer's output for each token, of which `embed` returns the mean."""
        known = {text: read for text in texts if (read := self._alone.get(text)) is not None}
        missing = [text for text in texts if text not in known]
        if missing:
            with embedding_span(self, missing):
                try:
                    known |= zip(missing, await self._spread(missing, self._read), strict=True)
                except Exception as error:
                    raise self._unavailable(error) from error
        return [known[text] for text in texts]

    async def gloss(self, text: str) -> Gloss | None:
        if (said_in := self._glosses.clear_language(text)) is None:
            return None
        try:  # in a thread, because a list is read with the first question in its language
            english = await self._threads.run(lambda: self._glosses.english_question(text, said_in), Urgency.QUESTION)
        except Exception as error:
            raise self._unavailable(error) from error
        return Gloss(english, self._session.config["language"], said_in)

    def _read(self, rows: Sequence[TokenRow]) -> list[TokenVectors]:
        read: list[TokenVectors] = []
        for row in rows:
            meaning, states = self._session.run_tokens(row)
            read.append(TokenVectors.from_states(array("f", meaning.tolist()), row.ids[1:-1], states[1:-1]))
        return read

    async def _spread(self, texts: Sequence[str], read: Callable[[list[TokenRow]], Sequence[Read]]) -> list[Read]:
        """Call `read` for the texts, on as many threads as there are; return its results in order."""
        rows = await self._threads.run(lambda: [self._row(text) for text in texts], self._urgency)
        groups = [partial(read, rows[group.start : group.stop]) for group in _groups([len(row) for row in rows])]
        return [result for results in await self._threads.run_each(groups, self._urgency) for result in results]

    def _embed_alone(self, text: str) -> list[float]:
        row = self._row(text)
        if self._urgency is Urgency.INGEST:
            return self._embed_rows([row])[0]
        [read] = self._read([row])
        self._alone.keep(text, read)
        return read.meaning.tolist()

    def _embed_rows(self, rows: Sequence[TokenRow]) -> list[list[float]]:
        return [self._session.run(row).tolist() for row in rows]

    def _row(self, text: str) -> TokenRow:
        ids = self._session.tokens.encode(self._glosses.english(text), has_special_tokens=True)
        if len(ids) > self.max_tokens:
            _log.warning("embedder.text_cut", tokens=len(ids), max_tokens=self.max_tokens)
            ids = [*ids[: self.max_tokens - 1], self._session.special_id("[SEP]")]
        return TokenRow(ids, question_length=len(ids))

    def _unavailable(self, error: Exception) -> EmbedderUnavailable:
        if isinstance(error, ThreadsBusy):
            return EmbedderUnavailable(f"The local embedding model is busy: {error}.")
        return EmbedderUnavailable(f"The embedding model in {self._session.folder} does not run: {error}")


def _groups(lengths: Sequence[int]) -> Iterator[range]:
    """Indexes of `lengths` in groups of at most _TOKENS_AT_ONCE in sum, or of a single index."""
    start = total = 0
    for place, length in enumerate(lengths):
        if place > start and total + length > _TOKENS_AT_ONCE:
            yield range(start, place)
            start, total = place, 0
        total += length
    if start < len(lengths):
        yield range(start, len(lengths))
