"""Keeps the contexts with which chunks are indexed in line with the agent's setting, and estimates their cost."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Annotated
from uuid import UUID

from anyio import to_thread

from app.agents.agent_choices import ContextKind
from app.agents.records import AgentRecords
from app.core.turn import TokenUsage
from app.knowledge.chunk_limits import RESERVED_TOKENS
from app.knowledge.context_writer import MAX_ANSWER_TOKENS, ContextWriter, Window, context_requests
from app.knowledge.records.contexts import ChunkToSituate, ContextRecords, VersionToSituate
from app.providers.token_counter import TokenCounter
from app.store.system_of_record import SystemOfRecord, Transaction

NO_MODEL = "no chat model is set (DOCENT_MODEL_URL, DOCENT_MODEL_NAME)"
# Providers cache no shorter beginning of a request.
_CACHEABLE_TOKENS = 1024


@dataclass(frozen=True, slots=True)
class ContextReport:
    """How many chunks of some versions got a context. `missing` chunks have only their structural line, for the given
    `reason`; `changed` ones have to be indexed again."""

    written: int = 0
    kept: int = 0  # texts that the model wrote earlier
    missing: int = 0
    changed: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    reason: str = ""

    def __add__(self, other: "ContextReport") -> "ContextReport":
        return ContextReport(
            written=self.written + other.written,
            kept=self.kept + other.kept,
            missing=self.missing + other.missing,
            changed=self.changed + other.changed,
            prompt_tokens=self.prompt_tokens + other.prompt_tokens,
            completion_tokens=self.completion_tokens + other.completion_tokens,
            reason=self.reason or other.reason,
        )

    def in_words(self) -> str:
        """A sentence for the page's report; "" if nothing is missing."""
        if not self.missing:
            return ""
        return f"Without a written context: {self.missing} chunks ({self.reason.rstrip('.')})."


@dataclass(frozen=True, slots=True)
class ContextEstimate:
    """The estimated effort of writing the contexts of an agent. Tokens are counted by the shipped tokenizer; a
    provider's count may differ somewhat."""

    documents: int = 0
    chunks: int = 0
    to_write: Annotated[
        int, "Chunks whose context the chat model would write; 0 unless the published `contextual_chunks` is `model`."
    ] = 0  # without those that it wrote earlier
    prompt_tokens: int = 0
    cached_tokens: Annotated[int, "Those of the prompt tokens that begin like the request before."] = 0
    answer_tokens: Annotated[int, "The most that the model may write."] = 0

    @property
    def usage(self) -> TokenUsage:
        """The most that the model may charge for."""
        return TokenUsage(self.prompt_tokens, self.answer_tokens, cached_tokens=self.cached_tokens)

    def __add__(self, other: "ContextEstimate") -> "ContextEstimate":
        return ContextEstimate(*(getattr(self, f.name) + getattr(other, f.name) for f in fields(self)))


@dataclass(frozen=True, slots=True)
class ChunkContexts:
    """Writes contexts with `writer`, None without a chat model. If anything fails, the structural line is used.
    `max_tokens` is the longest input of the embedder."""

    _record: SystemOfRecord
    _counter: TokenCounter
    _max_tokens: int
    _writer: ContextWriter | None

    @property
    def model_id(self) -> str:
        """The id of the model that writes contexts; "" without one."""
        return self._writer.model_id if self._writer else ""

    async def refresh(self, agent_id: UUID, version_id: UUID) -> ContextReport:
        """Give the version's chunks the contexts that the agent's published setting requires. A repeated call only asks
        the model for missing ones."""

        def work(tx: Transaction) -> tuple[VersionToSituate | None, ContextKind]:
            kind = AgentRecords(tx).live_config(agent_id).contextual_chunks
            if kind is ContextKind.STRUCTURAL and not ContextRecords(tx).has_written(version_id):
                return None, kind
            return ContextRecords(tx).version(version_id), kind

        version, kind = await self._record.of_agent(agent_id).read(work)
        if version is None:
            return ContextReport()
        if kind is ContextKind.STRUCTURAL:
            return ContextReport(changed=await self._set(agent_id, version_id, version, {}))
        if self._writer is None:
            return ContextReport(missing=len(version.chunks), reason=NO_MODEL)
        texts, report = await self._texts(agent_id, self._writer, version)
        changed = await self._set(agent_id, version_id, version, texts)
        return report + ContextReport(missing=len(version.chunks) - len(texts), changed=changed)

    async def estimate(self, agent_id: UUID) -> ContextEstimate:
        """Estimate the cost for the agent's current knowledge, whatever its setting."""
        version_ids = await self._record.of_agent(agent_id).read(lambda tx: ContextRecords(tx).live_versions(agent_id))
        total = ContextEstimate()
        for version_id in version_ids:
            version = await self._record.of_agent(agent_id).read(lambda tx: ContextRecords(tx).version(version_id))
            if version is not None:
                total += await self._estimate(agent_id, version)
        return total

    async def _texts(
        self, agent_id: UUID, writer: ContextWriter, version: VersionToSituate
    ) -> tuple[dict[str, str], ContextReport]:
        """The model's texts by chunk id: those it wrote earlier, and new ones for the others."""
        texts: dict[str, str] = {}
        report = ContextReport()
        for window in self._windows(version):
            known = await self._kept(agent_id, version, window)
            missing = [request for request in window.requests if request.key not in known]
            if missing and not report.reason:  # do not call a model that has just failed for the next window
                written = await writer.write(window, missing)
                if written.texts:
                    await self._record.of_agent(agent_id).write(
                        lambda tx: ContextRecords(tx).keep(version.document_id, writer.model_id, written.texts)
                    )
                report += ContextReport(
                    written=len(written.texts),
                    prompt_tokens=written.prompt_tokens,
                    completion_tokens=written.completion_tokens,
                    reason=written.reason,
                )
                known |= written.texts
            report += ContextReport(kept=len(window.requests) - len(missing))
            texts |= {request.chunk_id: known[request.key] for request in window.requests if request.key in known}
        return texts, report

    async def _set(self, agent_id: UUID, version_id: UUID, version: VersionToSituate, texts: dict[str, str]) -> int:
        wanted = {
            chunk.id: self._fitted(texts[chunk.id], chunk) if chunk.id in texts else None for chunk in version.chunks
        }
        changed = {chunk.id: wanted[chunk.id] for chunk in version.chunks if wanted[chunk.id] != chunk.indexed_context}
        if changed:
            await self._record.of_agent(agent_id).write(lambda tx: ContextRecords(tx).set_indexed(version_id, changed))
        return len(changed)

    def _fitted(self, written: str, chunk: ChunkToSituate) -> str | None:
        """The context that fits the embedder beside the chunk's own words: the model's text with the structural line
        below it; else the model's text alone, cut to the room that is left; None if the structural line says more."""
        room = self._max_tokens - RESERVED_TOKENS - self._counter.count(chunk.text)
        both = f"{written}\n{chunk.context}" if chunk.context else written
        if self._counter.count(both) <= room:
            return both
        words = written.split()
        while words and self._counter.count(" ".join(words)) > room:
            words.pop()
        cut = " ".join(words)
        return cut if self._counter.count(cut) > self._counter.count(chunk.context) else None

    def _windows(self, version: VersionToSituate) -> list[Window]:
        return context_requests(
            version.url, version.title, [(chunk.id, chunk.text) for chunk in version.chunks], self._counter
        )

    async def _kept(self, agent_id: UUID, version: VersionToSituate, window: Window) -> dict[str, str]:
        if self._writer is None:
            return {}
        keys, model_id = [request.key for request in window.requests], self._writer.model_id
        return await self._record.of_agent(agent_id).read(
            lambda tx: ContextRecords(tx).kept(version.document_id, model_id, keys)
        )

    async def _estimate(self, agent_id: UUID, version: VersionToSituate) -> ContextEstimate:
        total = ContextEstimate(documents=1, chunks=len(version.chunks))
        for window in await to_thread.run_sync(self._windows, version):
            known = await self._kept(agent_id, version, window)
            passages = [request.passage for request in window.requests if request.key not in known]
            if passages:
                total += await to_thread.run_sync(self._window_estimate, window.shared, passages)
        return total

    def _window_estimate(self, shared: str, passages: Sequence[str]) -> ContextEstimate:
        begin = self._counter.count(shared)
        return ContextEstimate(
            to_write=len(passages),
            prompt_tokens=begin * len(passages) + sum(self._counter.count(passage) for passage in passages),
            cached_tokens=begin * (len(passages) - 1) if begin >= _CACHEABLE_TOKENS else 0,
            answer_tokens=MAX_ANSWER_TOKENS * len(passages),
        )
