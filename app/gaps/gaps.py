"""Operators' work on gaps: list, close and organise them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Annotated, Final
from uuid import UUID

from app.agents.own_agent import reads_agent
from app.agents.records import AgentRecords
from app.conversations.records.stored_turns import StoredTurnRecords
from app.core.actor import Actor
from app.core.errors import InvalidInput, NotFound
from app.core.field_rules import check_chosen
from app.core.list_page import ListPage, PageRequest, collected
from app.core.page_url import is_same_page, same_page_urls
from app.core.setting import at_most, required
from app.core.turn import GapState
from app.gaps.gap import EVERY_GAP, FoundThen, Gap, GapFacts, GapFilter, GapOrder, Snapshot, found_then, shortfall
from app.gaps.records.gaps import GapRecords
from app.gaps.records.triage import GapTriageRecords
from app.kit.wiring import Wired
from app.knowledge.records.live_documents import LiveDocumentRecords
from app.sources.records import SourceRecords
from app.store.system_of_record import SystemOfRecord, Transaction, reads, writes
from app.workspaces.audit_entry import changes_of
from app.workspaces.operators import checked_assignee
from app.workspaces.records.audit import AuditRecords

NOTE: Final = at_most(2000, rows=3)
MAX_EXPORTED = 10_000

_ACTIONS = {GapState.RESOLVED: "gap.resolve", GapState.IGNORED: "gap.ignore", GapState.OPEN: "gap.reopen"}

changes_of(
    "gap",
    "Gap",
    "Gaps",
    {
        "edit": "Gap assigned or note changed",
        "flag": "Gap created from a question",
        "ignore": "Gap ignored",
        "reopen": "Gap reopened",
        "resolve": "Gap closed without proof",
        "prove": "Gap asked again",
        "settle": "Gaps ignored or reopened in bulk",
        "take_back": "Bulk change of gaps undone",
        "merge": "Gaps merged",
        "split": "Gap split",
    },
)


def open_gaps(tx: Transaction, agent_id: UUID, _: datetime) -> int:
    return GapRecords(tx).counts(agent_id).get(GapState.OPEN, 0)


class Gaps(Wired):
    """Every method raises NotFound for an agent or gap that does not exist or belongs to another workspace."""

    _records: SystemOfRecord

    @reads_agent
    def gaps(
        self,
        tx: Transaction,
        actor: Actor,
        agent_id: UUID,
        state: GapState | None,
        page: PageRequest,
        only: GapFilter = EVERY_GAP,
        order: GapOrder = GapOrder.ASKED,
    ) -> ListPage[Gap]:
        return GapRecords(tx).page(agent_id, state, page, only, order)

    @reads_agent
    def counts(self, tx: Transaction, actor: Actor, agent_id: UUID, only: GapFilter = EVERY_GAP) -> dict[GapState, int]:
        """By state, for states that occur."""
        return GapRecords(tx).counts(agent_id, only)

    async def all_of_agent(
        self, actor: Actor, agent_id: UUID, state: GapState | None, only: GapFilter = EVERY_GAP
    ) -> list[Gap]:
        """The first MAX_EXPORTED, most frequent first."""
        return await collected(lambda page: self.gaps(actor, agent_id, state, page, only), MAX_EXPORTED)

    @reads
    def gap(self, tx: Transaction, actor: Actor, gap_id: UUID) -> Gap:
        return GapRecords(tx).gap(actor.workspace_id, gap_id)

    async def resolve(self, actor: Actor, gap_id: UUID, note: str = "") -> Gap:
        """Close the gap without proof. GapReplays closes gaps with proof."""
        return await self._settle(actor, gap_id, GapState.RESOLVED, note)

    async def ignore(self, actor: Actor, gap_id: UUID, note: str = "") -> Gap:
        return await self._settle(actor, gap_id, GapState.IGNORED, note)

    async def reopen(self, actor: Actor, gap_id: UUID, note: str = "") -> Gap:
        return await self._settle(actor, gap_id, GapState.OPEN, note)

    @writes
    def _settle(self, tx: Transaction, actor: Actor, gap_id: UUID, state: GapState, note: str) -> Gap:
        NOTE.check("note", note)
        gap = GapRecords(tx).set_state(actor.workspace_id, gap_id, state, note)
        AuditRecords(tx).acted(actor, _ACTIONS[state], gap_id, agent_id=str(gap.agent_id))
        return gap


MAX_AT_ONCE: Final = 100
CHOSEN: Final = required(MAX_AT_ONCE)
SAMPLES = 20


@dataclass(frozen=True, slots=True)
class GapView:
    """`snapshot` is None if the trace of the latest asking was erased."""

    gap: Gap
    facts: GapFacts
    snapshot: Annotated[Snapshot | None, "What search found for the latest question, and why it was not enough."]


class GapTriage(Wired):
    """Every method raises NotFound for a gap that does not exist or belongs to another workspace."""

    _records: SystemOfRecord

    @reads
    def view(self, tx: Transaction, actor: Actor, gap_id: UUID) -> GapView:
        gap = GapRecords(tx).gap(actor.workspace_id, gap_id)
        facts = GapTriageRecords(tx).facts(gap_id, SAMPLES)
        return GapView(gap, facts, _snapshot(tx, actor, gap, facts))

    @writes
    def merge(self, tx: Transaction, actor: Actor, gap_id: UUID, others: Sequence[UUID]) -> Gap:
        """Merge the others, of the same agent, into this one, which keeps its question, state and note."""
        check_chosen("gap_ids", others, MAX_AT_ONCE, "gaps")
        if gap_id in others:
            raise InvalidInput("gap_ids", "A gap cannot be merged with itself. Remove it from the list.")
        gap = GapRecords(tx).gap(actor.workspace_id, gap_id)
        for other in others:
            if GapRecords(tx).gap(actor.workspace_id, other).agent_id != gap.agent_id:
                raise InvalidInput("gap_ids", "Gaps of different agents cannot be merged. Choose gaps of one agent.")
        GapTriageRecords(tx).merge(gap.agent_id, gap_id, others)
        merged = {"gap_ids": [str(other) for other in others]}
        AuditRecords(tx).acted(actor, "gap.merge", gap_id, **merged)
        return GapRecords(tx).gap(actor.workspace_id, gap_id)

    @writes
    def split(self, tx: Transaction, actor: Actor, gap_id: UUID, turn_id: UUID) -> Gap:
        """Split off the wording of that turn with all its askings, as the gap that is returned. The two are never
        merged automatically again."""
        GapRecords(tx).gap(actor.workspace_id, gap_id)
        own = GapTriageRecords(tx).split(gap_id, turn_id)
        AuditRecords(tx).acted(actor, "gap.split", gap_id, new_gap_id=str(own))
        return GapRecords(tx).gap(actor.workspace_id, own)

    @writes
    def edit(
        self, tx: Transaction, actor: Actor, gap_id: UUID, assignee: str | None = None, note: str | None = None
    ) -> Gap:
        """Set the assignee, an operator's e-mail address or "", and the note for operators; None leaves a value
        unchanged."""
        NOTE.check("note", note or "")
        before = GapRecords(tx).gap(actor.workspace_id, gap_id).assignee
        new = assignee if assignee in (None, before) else checked_assignee(tx, actor, assignee)
        GapTriageRecords(tx).edit(gap_id, assignee=new, note=note)
        AuditRecords(tx).acted(actor, "gap.edit", gap_id)
        return GapRecords(tx).gap(actor.workspace_id, gap_id)

    @writes
    def settle(
        self, tx: Transaction, actor: Actor, agent_id: UUID, gap_ids: Sequence[UUID], state: GapState, note: str
    ) -> list[Gap]:
        """Ignore (with a reason) or reopen up to MAX_AT_ONCE gaps of one agent, all or none. A reason is added to
        earlier notes."""
        check_chosen("gap_ids", gap_ids, MAX_AT_ONCE, "gaps")
        replace(NOTE, is_required=state is GapState.IGNORED).check("note", note)
        changed: list[Gap] = []
        for gap in self._of_agent(tx, actor, agent_id, gap_ids):
            noted = f"{gap.note}\n{note}" if state is GapState.IGNORED and gap.note else note
            NOTE.check("note", noted)
            changed.append(GapRecords(tx).set_state(actor.workspace_id, gap.id, state, noted))
            details = {"agent_id": str(agent_id), "state": state.value}
            AuditRecords(tx).acted(actor, "gap.settle", gap.id, **details)
        return changed

    @writes
    def take_back(
        self, tx: Transaction, actor: Actor, agent_id: UUID, gap_ids: Sequence[UUID], state: GapState, note: str
    ) -> list[Gap]:
        """Restore gaps that were in `state` before they were ignored with `note`. Those that are no longer ignored stay
        unchanged."""
        check_chosen("gap_ids", gap_ids, MAX_AT_ONCE, "gaps")
        changed: list[Gap] = []
        for gap in self._of_agent(tx, actor, agent_id, gap_ids):
            if gap.state is not GapState.IGNORED:
                continue
            before = gap.note.removesuffix(note).removesuffix("\n")
            changed.append(GapRecords(tx).take_back(actor.workspace_id, gap.id, state, before))
            details = {"agent_id": str(agent_id), "state": state.value}
            AuditRecords(tx).acted(actor, "gap.take_back", gap.id, **details)
        return changed

    @staticmethod
    def _of_agent(tx: Transaction, actor: Actor, agent_id: UUID, gap_ids: Sequence[UUID]) -> list[Gap]:
        gaps = [GapRecords(tx).gap(actor.workspace_id, gap_id) for gap_id in gap_ids]
        if any(gap.agent_id != agent_id for gap in gaps):
            raise NotFound("gap")
        return gaps


def _snapshot(tx: Transaction, actor: Actor, gap: Gap, facts: GapFacts) -> Snapshot | None:
    turn = StoredTurnRecords(tx).find(facts.samples[0].turn_id) if facts.samples else None
    if turn is None:
        return None
    agent = AgentRecords(tx).agent(actor.workspace_id, gap.agent_id)
    found = found_then(turn.trace)
    is_gone = bool(found) and not LiveDocumentRecords(tx).page_chunks(agent.id, same_page_urls(found[0].url))
    threshold = agent.draft.confidence_threshold
    why = shortfall(found, facts.samples[0].reason, threshold, is_gone=is_gone)
    source_id = _text_source(tx, agent.id, found[0]) if found else None
    return Snapshot(why, found, source_id, threshold)


def _text_source(tx: Transaction, agent_id: UUID, best: FoundThen) -> UUID | None:
    """The source of the text that was found. Compares titles as well, because a page may have the text's address."""
    url = best.url.partition("#")[0]
    for source in SourceRecords(tx).sources(agent_id):
        is_its_page = is_same_page(source.given_url, url)
        if "text" in source.config.kind.fields and is_its_page and best.title in ("", source.config.name):
            return source.id
    return None
