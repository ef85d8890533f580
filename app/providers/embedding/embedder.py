"""Ports: turn texts into vectors, one for a text or one for each of its tokens. Also wrappers for any model: each call
is a span, several visitors' questions run together, and recent vectors are kept."""

import asyncio
from array import array
from collections import deque
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from hashlib import sha256
from typing import Final, Protocol

import numpy as np
import numpy.typing as npt

from app.core.errors import EmbedderUnavailable
from app.kit.cache import RecentValues
from app.kit.tracing import Span, Value, captured, resumed, span


@dataclass(frozen=True, slots=True)
class Gloss:
    """A text in the language `said_in`, word for word in `language` (BCP 47 primary subtags)."""

    text: str
    language: str
    said_in: str


class Embedder(Protocol):
    """Turns questions and chunks into unit vectors of one space."""

    @property
    def model_id(self) -> str:
        """Names model and precision; vectors of different ids are never compared."""
        ...

    @property
    def reads(self) -> frozenset[str] | None:
        """The languages that the model reads well enough to search (BCP 47 primary subtags); None if unknown."""
        ...

    @property
    def knows(self) -> frozenset[str] | None:
        """The languages of `reads` in which the model understands sentences, and so can compare statements."""
        ...

    @property
    def dimensions(self) -> int: ...

    @property
    def max_tokens(self) -> int:
        """The most tokens of one text, as `TokenCounter` counts them, including special tokens."""
        ...

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """One vector of length 1 for each text, in order.

        Raises EmbedderUnavailable.
        """
        ...

    async def gloss(self, text: str) -> Gloss | None:
        """The text word for word in a language that the model knows; None if it knows the text's own language, has no
        list for that, or the language is not clear. Raises EmbedderUnavailable."""
        ...


class WrappedEmbedder:
    """Base of wrappers: passes on the properties of the embedder inside; subclasses define `embed`."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    @property
    def model_id(self) -> str:
        return self._embedder.model_id

    @property
    def reads(self) -> frozenset[str] | None:
        return self._embedder.reads

    @property
    def knows(self) -> frozenset[str] | None:
        return self._embedder.knows

    @property
    def dimensions(self) -> int:
        return self._embedder.dimensions

    @property
    def max_tokens(self) -> int:
        return self._embedder.max_tokens

    async def gloss(self, text: str) -> Gloss | None:
        return await self._embedder.gloss(text)


class TracedEmbedder(WrappedEmbedder):
    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        with embedding_span(self._embedder, texts):
            return await self._embedder.embed(texts)


def embedding_span(embedder: Embedder, texts: Sequence[str]) -> AbstractContextManager[Span]:
    """Record a span around one call for `texts`. A model id without a host is that of the shipped model."""
    host, _, model = embedder.model_id.partition("/")
    attributes: dict[str, Value] = {
        "gen_ai.operation.name": "embeddings",
        "gen_ai.provider.name": "openai" if model else "docent",
        "gen_ai.request.model": model or host,
        "gen_ai.embeddings.dimension.count": embedder.dimensions,
        "docent.texts": len(texts),
    }
    if model:
        attributes["server.address"] = host
    return span(f"embeddings {model or host}", attributes, kind="client" if model else "internal")


_SHORTEST: Final = 1e-9


@dataclass(frozen=True, slots=True)
class TokenVectors:
    """The vectors of one text. `meaning` is the vector that an Embedder returns for it. `tokens` are the ids of its
    tokens without special ones. `directions` has one row for each token, of integers from -127 to 127, which take a
    quarter of the size of single precision; `lengths` are the lengths of these rows, above 0."""

    meaning: "array[float]"
    tokens: npt.NDArray[np.int32]
    directions: npt.NDArray[np.int8]
    lengths: npt.NDArray[np.float32]

    @classmethod
    def from_states(
        cls, meaning: "array[float]", tokens: Sequence[int], states: npt.NDArray[np.float32]
    ) -> "TokenVectors":
        """`states` has a row for each token."""
        largest = np.maximum(np.abs(states).max(axis=1, keepdims=True, initial=0.0), _SHORTEST)
        rows = np.rint(states * (127 / largest))
        lengths = np.maximum(np.sqrt(np.einsum("td,td->t", rows, rows)), _SHORTEST).astype(np.float32)
        return cls(meaning, np.asarray(tokens, dtype=np.int32), rows.astype(np.int8), lengths)

    @property
    def units(self) -> npt.NDArray[np.float32]:
        """One row of length 1 for each token."""
        return np.asarray(self.directions / self.lengths[:, np.newaxis], dtype=np.float32)


class TokenEmbedder(Protocol):
    async def embed_tokens(self, texts: Sequence[str]) -> list[TokenVectors]:
        """Embed each text; return the vectors in order. Raises EmbedderUnavailable."""
        ...


Vectors = list[list[float]]


@dataclass(slots=True)
class _Waiting:
    """A caller that waits. `trace` is its context: a run is traced as part of its first caller."""

    texts: Sequence[str]
    vectors: asyncio.Future[Vectors]
    trace: object


class BatchingEmbedder(WrappedEmbedder):
    """Embeds questions of several callers together. A question that arrives while fewer than `runs` runs are in
    progress is embedded at once. Others wait for a run to end, and then go together, up to `max_batch` texts in a run,
    first come first served.

    At most `max_waiting` callers wait; further ones are refused at once. Callers of one run share its failure.
    """

    def __init__(self, embedder: Embedder, *, runs: int = 1, max_batch: int = 8, max_waiting: int = 64) -> None:
        super().__init__(embedder)
        self._runs = runs
        self._max_batch = max_batch
        self._max_waiting = max_waiting
        self._waiting: deque[_Waiting] = deque()
        self._running_now = 0
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def is_full(self) -> bool:
        return len(self._waiting) >= self._max_waiting

    async def embed(self, texts: Sequence[str]) -> Vectors:
        if self.is_full:
            self._forget_cancelled()
        if self.is_full:
            raise EmbedderUnavailable(f"The embedding model is busy: {self._max_waiting} questions wait already.")
        with embedding_span(self._embedder, texts):
            vectors: asyncio.Future[Vectors] = asyncio.get_running_loop().create_future()
            self._waiting.append(_Waiting(texts, vectors, captured()))
            if self._running_now < self._runs:
                self._running_now += 1
                task = asyncio.create_task(self._work(), name="embedding questions")
                self._tasks.add(task)  # the loop alone would not keep a reference to it
                task.add_done_callback(self._tasks.discard)
            return await vectors

    async def _work(self) -> None:
        try:
            await self._run_until_nobody_waits()
        finally:
            self._running_now -= 1  # before the callers that were just served can call again

    async def _run_until_nobody_waits(self) -> None:
        while batch := self._next_batch():
            try:
                with resumed(batch[0].trace):
                    vectors = await self._embedder.embed([text for each in batch for text in each.texts])
            except asyncio.CancelledError:
                _fail(batch, EmbedderUnavailable("The embedding model was closed."))
                raise
            except Exception as error:  # raised to the callers that wait
                _fail(batch, error)
                continue
            position = 0
            for each in batch:
                if not each.vectors.done():
                    each.vectors.set_result(vectors[position : position + len(each.texts)])
                position += len(each.texts)

    def _next_batch(self) -> list[_Waiting]:
        batch: list[_Waiting] = []
        room = self._max_batch
        while self._waiting:
            first = self._waiting[0]
            if first.vectors.done():  # its caller was cancelled
                self._waiting.popleft()
                continue
            if batch and len(first.texts) > room:
                break
            batch.append(self._waiting.popleft())
            room -= len(first.texts)
        return batch

    def _forget_cancelled(self) -> None:
        self._waiting = deque(entry for entry in self._waiting if not entry.vectors.done())


def _fail(batch: Sequence[_Waiting], error: Exception) -> None:
    for each in batch:
        if not each.vectors.done():
            each.vectors.set_exception(error)


class RememberingEmbedder(WrappedEmbedder):
    """Caches the vectors of up to `max_texts` texts, in single precision: an answer embeds its question several times,
    and visitors ask about the same pages. The texts, which may be visitors' words, are not kept."""

    def __init__(self, embedder: BatchingEmbedder, *, max_texts: int = 1024) -> None:
        super().__init__(embedder)
        self._batches = embedder
        self._known = RecentValues[bytes, "array[float]"](max_texts)  # 4 bytes a number, where a list takes 32

    @property
    def is_full(self) -> bool:
        return self._batches.is_full

    async def embed(self, texts: Sequence[str]) -> Vectors:
        keys = {text: sha256(text.encode(errors="surrogatepass")).digest() for text in texts}
        vectors = {text: vector for text, key in keys.items() if (vector := self._known.get(key)) is not None}
        missing = [text for text in keys if text not in vectors]
        if missing:
            for text, numbers in zip(missing, await self._embedder.embed(missing), strict=True):
                vectors[text] = array("f", numbers)
                self._known.keep(keys[text], vectors[text])
        return [vectors[text].tolist() for text in texts]
