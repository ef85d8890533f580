"""An agent's file: everything that operators have configured and written, without ids, secrets or indexed content; and
its comparison with the stored agent."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Annotated, Final, Generic, TypeVar
from uuid import UUID

from app.actions.action import Action
from app.actions.actions import stored_onto
from app.agents.agent import AgentConfig
from app.answers.curated.curated_answer import CuratedAnswer
from app.core.difference import Difference, differences
from app.core.errors import InvalidInput
from app.core.turn import question_key
from app.live_chat.saved_reply import SavedReply
from app.quality.golden_question import GoldenQuestion
from app.sources.source import Schedule, SourceConfig

MAX_FILE_CHARS: Final = 2_000_000

Thing = TypeVar("Thing")


@dataclass(frozen=True, slots=True)
class FileSource:
    """A source and its crawl schedule: `cron`, `every_hours`, or neither. `id` is None for a source that is not stored
    yet."""

    config: SourceConfig
    cron: str = ""
    every_hours: int = 0
    id: UUID | None = None

    @property
    def schedule(self) -> Schedule | None:
        return Schedule(self.cron, self.every_hours) if self.cron or self.every_hours else None


@dataclass(frozen=True, slots=True)
class AgentContents:
    """An agent with the settings of one version. `left_out` names the sources that a file cannot hold."""

    config: AgentConfig
    curated_answers: Sequence[CuratedAnswer]
    golden_questions: Sequence[GoldenQuestion]
    saved_replies: Sequence[SavedReply]
    sources: Sequence[FileSource]
    left_out: Sequence[str] = ()
    actions: Sequence[Action] = ()


@dataclass(frozen=True, slots=True)
class AgentFile:
    """The parsed file. `settings` applies the file's settings to a draft. A list that is None is missing from the file
    and stays as it is."""

    settings: Callable[[AgentConfig], AgentConfig]
    curated_answers: Sequence[CuratedAnswer] | None = None
    golden_questions: Sequence[GoldenQuestion] | None = None
    saved_replies: Sequence[SavedReply] | None = None
    sources: Sequence[FileSource] | None = None
    actions: Sequence[Action] | None = None


class ChangeKind(StrEnum):
    """What applying a file does to one item."""

    ADDED = "added"
    CHANGED = "changed"
    REMOVED = "removed"
    KEPT = "kept"  # the agent has it and the file does not; it stays


@dataclass(frozen=True, slots=True)
class FileChange:
    """One change that applying a file makes. `fields` are the changed fields of the entry."""

    part: Annotated[str, "settings, curated_answers, golden_questions, saved_replies, sources or actions."]
    kind: Annotated[ChangeKind, "kept: the agent has it, but the file does not."]
    title: Annotated[str, "Identifies the entry: its pattern, question, title or name."]
    fields: Annotated[tuple[Difference, ...], "The changed fields of the entry, in words."] = ()


@dataclass(frozen=True, slots=True)
class Part(Generic[Thing]):
    """One list of a file, and how its items match stored ones: by `key`, and in order among equal keys. `onto(stored,
    filed)` is the item to store; `is_removable` is whether a stored item that the file lacks may be removed."""

    name: str
    key: Callable[[Thing], Hashable]
    title: Callable[[Thing], str]
    onto: Callable[[Thing, Thing], Thing]
    is_removable: Callable[[Thing], bool]


@dataclass(frozen=True, slots=True)
class Match(Generic[Thing]):
    """Items to add, to change (pairs of before and after) and to remove; `kept` ones stay although the file lacks
    them."""

    part: Part[Thing]
    added: tuple[Thing, ...] = ()
    changed: tuple[tuple[Thing, Thing], ...] = ()
    removed: tuple[Thing, ...] = ()
    kept: tuple[Thing, ...] = ()

    @property
    def changes(self) -> Iterator[FileChange]:
        name, title = self.part.name, self.part.title
        yield from (FileChange(name, ChangeKind.ADDED, title(each)) for each in self.added)
        for stored, wanted in self.changed:
            fields = tuple(replace(one, name=one.name.removeprefix("config.")) for one in differences(stored, wanted))
            yield FileChange(name, ChangeKind.CHANGED, title(wanted), fields)
        yield from (FileChange(name, ChangeKind.REMOVED, title(each)) for each in self.removed)
        yield from (FileChange(name, ChangeKind.KEPT, title(each)) for each in self.kept)


def matched(part: Part[Thing], stored: Sequence[Thing], filed: Sequence[Thing] | None, *, prunes: bool) -> Match[Thing]:
    """Compare the stored items with those of the file, None if it lacks the list. `prunes` removes removable items that
    the file lacks."""
    if filed is None:
        return Match(part)
    there, wanted = _keyed(part, stored), _keyed(part, filed)
    pairs = ((there[key], part.onto(there[key], each)) for key, each in wanted.items() if key in there)
    surplus = [each for key, each in there.items() if key not in wanted]
    return Match(
        part,
        added=tuple(each for key, each in wanted.items() if key not in there),
        changed=tuple((before, after) for before, after in pairs if before != after),
        removed=tuple(each for each in surplus if prunes and part.is_removable(each)),
        kept=tuple(each for each in surplus if not (prunes and part.is_removable(each))),
    )


def _keyed(part: Part[Thing], things: Iterable[Thing]) -> dict[Hashable, Thing]:
    seen: Counter[Hashable] = Counter()
    found: dict[Hashable, Thing] = {}
    for each in things:
        key = part.key(each)
        found[key, seen[key]] = each
        seen[key] += 1
    return found


def _curated_onto(stored: CuratedAnswer, filed: CuratedAnswer) -> CuratedAnswer:
    own = {name: getattr(stored, name) for name in ("id", "agent_id", "hits", "last_hit_at")}
    return replace(filed, **own)


def _golden_onto(stored: GoldenQuestion, filed: GoldenQuestion) -> GoldenQuestion:
    """Keeps the stored origin."""
    own = {name: getattr(stored, name) for name in ("id", "agent_id", "created_at", "origin")}
    return replace(filed, **own)


def _reply_onto(stored: SavedReply, filed: SavedReply) -> SavedReply:
    return replace(filed, id=stored.id, workspace_id=stored.workspace_id, agent_id=stored.agent_id)


def _source_onto(stored: FileSource, filed: FileSource) -> FileSource:
    return replace(filed, id=stored.id, config=replace(filed.config, is_public=stored.config.is_public))


def _source_key(source: FileSource) -> Hashable:
    config = source.config
    return config.kind, config.name if config.kind.is_given else config.url.strip()


CURATED_ANSWERS: Final[Part[CuratedAnswer]] = Part(
    "curated_answers",
    lambda each: (each.trigger, each.pattern, each.language, each.page_prefix),
    lambda each: f"{each.trigger.value}: {each.pattern}",
    _curated_onto,
    lambda _: True,
)
GOLDEN_QUESTIONS: Final[Part[GoldenQuestion]] = Part(
    "golden_questions",
    lambda each: question_key(each.question) or each.question,
    lambda each: each.question,
    _golden_onto,
    lambda _: True,
)
SAVED_REPLIES: Final[Part[SavedReply]] = Part(
    "saved_replies",
    lambda each: (each.agent_id is None, each.title.strip().casefold()),
    lambda each: each.title,
    _reply_onto,
    lambda each: each.agent_id is not None,  # replies without an agent are shared by the whole workspace
)
ACTIONS: Final[Part[Action]] = Part(
    "actions", lambda each: each.name, lambda each: each.title, stored_onto, lambda _: True
)
# Never removable: deleting a source also deletes its indexed content, so it has to be confirmed by name.
SOURCES: Final[Part[FileSource]] = Part(
    "sources", _source_key, lambda each: each.config.name, _source_onto, lambda _: False
)


@dataclass(frozen=True, slots=True)
class Plan:
    """The changes that applying a file makes to an agent."""

    before: AgentConfig
    after: AgentConfig
    curated: Match[CuratedAnswer]
    golden: Match[GoldenQuestion]
    replies: Match[SavedReply]
    sources: Match[FileSource]
    actions: Match[Action]

    @property
    def changes(self) -> list[FileChange]:
        found = tuple(differences(self.before, self.after))
        settings = [FileChange("settings", ChangeKind.CHANGED, self.after.name, found)] if found else []
        lists = (self.curated, self.golden, self.replies, self.sources, self.actions)
        return [*settings, *(change for match in lists for change in match.changes)]


def planned(stored: AgentContents, after: AgentConfig, file: AgentFile, *, prunes: bool) -> Plan:
    """Compare a file with the stored agent. `after` is the draft with the file's settings applied. Raises InvalidInput
    if the file repeats a golden question."""
    keys: set[Hashable] = set()
    for number, golden in enumerate(file.golden_questions or ()):
        if GOLDEN_QUESTIONS.key(golden) in keys:
            raise InvalidInput(
                f"golden_questions.{number}.question", "Another golden question of the file asks this. Remove one."
            )
        keys.add(GOLDEN_QUESTIONS.key(golden))
    return Plan(
        stored.config,
        after,
        matched(CURATED_ANSWERS, stored.curated_answers, file.curated_answers, prunes=prunes),
        matched(GOLDEN_QUESTIONS, stored.golden_questions, file.golden_questions, prunes=prunes),
        matched(SAVED_REPLIES, stored.saved_replies, file.saved_replies, prunes=prunes),
        matched(SOURCES, stored.sources, file.sources, prunes=prunes),
        matched(ACTIONS, stored.actions, file.actions, prunes=prunes),
    )
