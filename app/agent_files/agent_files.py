"""Use cases of an agent's file: export it, compare it, apply it."""

from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TypeVar
from uuid import UUID

from app.actions.action import Action, ActionHosts, check_action
from app.actions.actions import check_room
from app.actions.records import ActionRecords
from app.agent_files.agent_file import AgentContents, AgentFile, FileChange, FileSource, Match, Plan, planned
from app.agents.agent import Version
from app.agents.agent_rules import checked_config
from app.agents.model_endpoints import ChatModelNames
from app.agents.records import AgentRecords
from app.answers.curated.curated_answers import check_answer
from app.answers.curated.records import CuratedAnswerRecords, CuratedEditRecords
from app.core.actor import Actor
from app.core.errors import InvalidInput
from app.kit.pattern_matcher import PatternMatcher
from app.kit.wiring import Wired
from app.live_chat import saved_replies
from app.live_chat.records import SavedReplyRecords
from app.live_chat.saved_reply import SavedReply
from app.quality import golden_questions
from app.quality.golden_question import GoldenQuestion
from app.quality.records.golden_questions import GoldenQuestionRecords
from app.sources.records import ScheduleRecords, SourceRecords
from app.sources.source import Schedule, Source
from app.sources.sources import Schedules, Sources
from app.store.system_of_record import SystemOfRecord, Transaction, reads, writes
from app.workspaces.audit_entry import more_changes_of
from app.workspaces.records.audit import AuditRecords

Done = TypeVar("Done")

more_changes_of("agent", {"apply_file": "Agent file applied"})


class AgentFiles(Wired):
    """Every method raises NotFound for an agent that does not exist or belongs to another workspace."""

    _records: SystemOfRecord
    _patterns: PatternMatcher
    _sources: Sources
    _schedules: Schedules
    _hosts: ActionHosts
    _chat_models: ChatModelNames

    @reads
    def contents(self, tx: Transaction, actor: Actor, agent_id: UUID, version: Version) -> AgentContents:
        """With the settings of the draft or of the live version; golden questions refer to uploaded files by name.
        Raises NotFound for the live version of an agent that was never published."""
        names = golden_questions.file_names(tx, agent_id)
        stored = _stored(tx, actor, agent_id, version)
        named = [golden_questions.with_names(each, names) for each in stored.golden_questions]
        return replace(stored, golden_questions=named)

    @reads
    def compare(
        self, tx: Transaction, actor: Actor, agent_id: UUID, file: AgentFile, *, prunes: bool
    ) -> list[FileChange]:
        """What applying the file would change. With `prunes`, curated answers, golden questions and the agent's own
        saved replies that the file's lists lack would be removed.

        Raises InvalidInput with the field's place in the file, such as "curated_answers.2.pattern".
        """
        self._check(file)
        return self._plan(tx, actor, agent_id, file, prunes).changes

    async def apply(self, actor: Actor, agent_id: UUID, file: AgentFile, *, prunes: bool) -> list[FileChange]:
        """Apply everything that visitors do not see: the draft, golden questions, saved replies, and sources, which are
        not crawled yet. All of it or nothing. Returns and raises what `compare` does."""
        self._check(file)

        def work(tx: Transaction) -> list[FileChange]:
            plan = self._plan(tx, actor, agent_id, file, prunes)
            if plan.before != plan.after:
                AgentRecords(tx).save_draft(actor.workspace_id, agent_id, plan.after)
            _store_golden(tx, agent_id, plan.golden)
            _store_replies(tx, actor, plan.replies)
            self._store_sources(tx, agent_id, plan.sources)
            given_later = {plan.curated.part.name, plan.actions.part.name}
            _audit(tx, actor, agent_id, [each for each in plan.changes if each.part not in given_later])
            return plan.changes

        return await self._records.of_workspace(actor.workspace_id).write(work)

    async def apply_live(
        self, actor: Actor, agent_id: UUID, file: AgentFile, publish: Callable[[], Awaitable[Done]], *, prunes: bool
    ) -> tuple[list[FileChange], Done]:
        """Call `apply`, then `publish`, which publishes the draft, then apply curated answers and actions, which take
        effect at once. If `publish` raises, the file stays applied, but nothing changes for visitors."""
        changes = await self.apply(actor, agent_id, file, prunes=prunes)
        published = await publish()
        await self._apply_to_visitors(actor, agent_id, file, prunes=prunes)
        return changes, published

    @writes
    def _apply_to_visitors(
        self, tx: Transaction, actor: Actor, agent_id: UUID, file: AgentFile, *, prunes: bool
    ) -> None:
        plan = self._plan(tx, actor, agent_id, file, prunes)
        match = plan.curated
        for answer in match.added:
            created = CuratedAnswerRecords(tx).create(answer)
            CuratedEditRecords(tx).keep(created, actor.name)
        for _, answer in match.changed:
            CuratedEditRecords(tx).keep(CuratedAnswerRecords(tx).save(answer), actor.name)
        for answer in match.removed:
            CuratedAnswerRecords(tx).delete(agent_id, answer.id)
        if match.added or match.changed or match.removed:
            AgentRecords(tx).bump_generation(agent_id)
        _store_actions(tx, agent_id, plan.actions)
        _audit(tx, actor, agent_id, [*match.changes, *plan.actions.changes])

    def _check(self, file: AgentFile) -> None:
        """The checks that need no database."""
        for number, answer in enumerate(file.curated_answers or ()):
            with _named(f"curated_answers.{number}"):
                check_answer(answer, self._patterns)
        for number, reply in enumerate(file.saved_replies or ()):
            with _named(f"saved_replies.{number}"):
                saved_replies.check_reply(reply)
        for number, action in enumerate(file.actions or ()):
            with _named(f"actions.{number}"):
                check_action(action, self._hosts)
        for number, source in enumerate(file.sources or ()):
            with _named(f"sources.{number}"):
                if not source.config.kind.is_in_agent_files:
                    raise InvalidInput(
                        "kind", "Uploaded files and documents cannot be part of a file. Remove this source."
                    )
                self._sources.check(source.config)
            if source.schedule is not None:
                with _named(f"sources.{number}.schedule"):
                    self._schedules.check(source.config, source.schedule)

    def _plan(self, tx: Transaction, actor: Actor, agent_id: UUID, file: AgentFile, prunes: bool) -> Plan:
        stored = _stored(tx, actor, agent_id, "draft")
        with _named("settings"):
            after = checked_config(file.settings(stored.config))
            if after.chat_model != stored.config.chat_model:
                self._chat_models.check(tx, actor.workspace_id, after.chat_model)
        golden = self._with_files(tx, agent_id, file.golden_questions)
        return planned(stored, after, replace(file, golden_questions=golden), prunes=prunes)

    def _with_files(
        self, tx: Transaction, agent_id: UUID, filed: Sequence[GoldenQuestion] | None
    ) -> list[GoldenQuestion] | None:
        """Raises InvalidInput, also for a page that is neither a URL nor the name of a file that the agent has."""
        if filed is None:
            return None
        files = golden_questions.files_by_name(tx, agent_id)
        found = [golden_questions.with_files(each, files) for each in filed]
        for number, each in enumerate(found):
            with _named(f"golden_questions.{number}"):
                golden_questions.check_golden(each, self._patterns)
        return found

    def _store_sources(self, tx: Transaction, agent_id: UUID, match: Match[FileSource]) -> None:
        for each in match.added:
            source = SourceRecords(tx).create(agent_id, each.config)
            if each.schedule is not None:
                self._schedules.begin(tx, source, each.schedule)
        for before, after in match.changed:
            if after.id is None:
                raise TypeError("a stored source has an id")
            source = SourceRecords(tx).save(agent_id, after.id, after.config)
            if after.schedule is None:
                ScheduleRecords(tx).clear(source.id)
            elif after.schedule != before.schedule:
                self._schedules.begin(tx, source, after.schedule)


def _stored(tx: Transaction, actor: Actor, agent_id: UUID, version: Version) -> AgentContents:
    sources = SourceRecords(tx).sources(agent_id)
    return AgentContents(
        AgentRecords(tx).by_version(actor.workspace_id, agent_id, version).config,
        CuratedAnswerRecords(tx).answers(agent_id),
        GoldenQuestionRecords(tx).questions(agent_id),
        SavedReplyRecords(tx).of_workspace(actor.workspace_id, agent_id),
        [_filed(each) for each in sources if each.config.kind.is_in_agent_files],
        [each.config.name for each in sources if not each.config.kind.is_in_agent_files],
        ActionRecords(tx).actions(agent_id),
    )


def _filed(source: Source) -> FileSource:
    when = source.schedule.schedule if source.schedule else Schedule()
    return FileSource(source.config, when.cron, when.every_hours, source.id)


def _store_golden(tx: Transaction, agent_id: UUID, match: Match[GoldenQuestion]) -> None:
    for golden in match.removed:
        GoldenQuestionRecords(tx).delete(agent_id, golden.id)
    for golden in match.added:
        GoldenQuestionRecords(tx).put(golden)
    for _, golden in match.changed:
        GoldenQuestionRecords(tx).save(golden)
    if match.added:
        with _named("golden_questions"):
            golden_questions.check_room(len(GoldenQuestionRecords(tx).questions(agent_id)))


def _store_actions(tx: Transaction, agent_id: UUID, match: Match[Action]) -> None:
    """Files contain no headers: new actions have none, and stored ones keep theirs only if the server is the same."""
    for action in match.removed:
        ActionRecords(tx).delete(agent_id, action.id)
    for action in match.added:
        ActionRecords(tx).create(action, {})
    for before, after in match.changed:
        ActionRecords(tx).save(after, None if before.server == after.server else {})
    if match.added:
        with _named("actions"):
            check_room(tx, agent_id)


def _store_replies(tx: Transaction, actor: Actor, match: Match[SavedReply]) -> None:
    for reply in match.removed:
        SavedReplyRecords(tx).delete(actor.workspace_id, reply.id)
    for reply in match.added:
        SavedReplyRecords(tx).create(reply)
    for _, reply in match.changed:
        SavedReplyRecords(tx).save(reply)
    if match.added:
        with _named("saved_replies"):
            saved_replies.check_room(tx, actor)


def _audit(tx: Transaction, actor: Actor, agent_id: UUID, changes: Sequence[FileChange]) -> None:
    """Records the number of changes by part and kind; nothing when the file changed nothing."""
    details: dict[str, dict[str, int]] = {}
    for each in changes:
        if each.kind != "kept":
            kinds = details.setdefault(each.part, {})
            kinds[each.kind.value] = kinds.get(each.kind.value, 0) + 1
    if details:
        AuditRecords(tx).acted(actor, "agent.apply_file", agent_id, **details)


@contextmanager
def _named(place: str) -> Iterator[None]:
    """Prefixes the field of an InvalidInput raised inside with its place in the file."""
    try:
        yield
    except InvalidInput as error:
        field = f"{place}.{error.field}" if error.field else place
        raise InvalidInput(field, error.message) from None
