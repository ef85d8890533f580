"""What operators set and wrote of one agent, without ids, secrets and what was learnt; and how two of it differ."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final, Generic, TypeVar
from uuid import UUID

from app.agents.agent import AgentConfig
from app.answers.curated.curated_answer import CuratedAnswer
from app.conversations.people.saved_reply import SavedReply
from app.core.difference import Difference, differences
from app.core.errors import InvalidInput
from app.core.turn import question_key
from app.quality.golden_question import GoldenQuestion
from app.sources.run_schedule import Schedule
from app.sources.source import GIVEN_KINDS, SourceConfig

MAX_FILE_CHARS: Final = 2_000_000

Thing = TypeVar("Thing")


@dataclass(frozen=True, slots=True)
class FileSource:
    """A source, and when it is read again: by `cron`, `every_hours`, or neither. `id` is that of a stored one."""

    config: SourceConfig
    cron: str = ""
    every_hours: int = 0
    id: UUID | None = None

    @property
    def schedule(self) -> Schedule | None:
        return Schedule(self.cron, self.every_hours) if self.cron or self.every_hours else None


@dataclass(frozen=True, slots=True)
class AgentContents:
    """An agent as it stands, its settings those of one version. `left_out` are names of sources that no file holds."""

    config: AgentConfig
    curated_answers: Sequence[CuratedAnswer]
    golden_questions: Sequence[GoldenQuestion]
    saved_replies: Sequence[SavedReply]
    sources: Sequence[FileSource]
    left_out: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class AgentFile:
    """What a file says of an agent: `settings` makes of a draft what it wants of it. A part that is None is not spoken
    of, and stays."""

    settings: Callable[[AgentConfig], AgentConfig]
    curated_answers: Sequence[CuratedAnswer] | None = None
    golden_questions: Sequence[GoldenQuestion] | None = None
    saved_replies: Sequence[SavedReply] | None = None
    sources: Sequence[FileSource] | None = None


class ChangeKind(StrEnum):
    """What applying a file does about one thing."""

    ADDED = "added"
    CHANGED = "changed"
    REMOVED = "removed"
    KEPT = "kept"  # the agent has it and the file does not; it stays


@dataclass(frozen=True, slots=True)
class FileChange:
    """`part` is the file's own name for where it stands, `title` says which one; `fields` are those that change."""

    part: str
    kind: ChangeKind
    title: str
    fields: tuple[Difference, ...] = ()


@dataclass(frozen=True, slots=True)
class Part(Generic[Thing]):
    """A list of a file. Things of one `key` are the same thing; where several have it, in their order. `onto` gives a
    stored thing what the file says of it; `is_removable` says whether one that the file lacks may go."""

    name: str
    key: Callable[[Thing], Hashable]
    title: Callable[[Thing], str]
    onto: Callable[[Thing, Thing], Thing]
    is_removable: Callable[[Thing], bool]


@dataclass(frozen=True, slots=True)
class Match(Generic[Thing]):
    """What is to be added; what is to be changed, as it is stored and as it will be; what is to be removed; and what
    only the agent has."""

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
    """`prunes`: what may be removed, and the file lacks, is to be removed."""
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
    """Where it came from does not change."""
    own = {name: getattr(stored, name) for name in ("id", "agent_id", "created_at", "origin")}
    return replace(filed, **own)


def _reply_onto(stored: SavedReply, filed: SavedReply) -> SavedReply:
    return replace(filed, id=stored.id, workspace_id=stored.workspace_id, agent_id=stored.agent_id)


def _source_onto(stored: FileSource, filed: FileSource) -> FileSource:
    return replace(filed, id=stored.id, config=replace(filed.config, is_public=stored.config.is_public))


def _source_key(source: FileSource) -> Hashable:
    config = source.config
    return config.kind, config.name if config.kind in GIVEN_KINDS else config.url.strip()


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
    lambda each: each.agent_id is not None,  # one of the whole workspace is other agents' too
)
# What was learnt from a source goes with it: that is deleted by name, with a receipt.
SOURCES: Final[Part[FileSource]] = Part(
    "sources", _source_key, lambda each: each.config.name, _source_onto, lambda _: False
)


@dataclass(frozen=True, slots=True)
class Plan:
    """What applying a file does to an agent."""

    before: AgentConfig
    after: AgentConfig
    curated: Match[CuratedAnswer]
    golden: Match[GoldenQuestion]
    replies: Match[SavedReply]
    sources: Match[FileSource]

    @property
    def changes(self) -> list[FileChange]:
        found = tuple(differences(self.before, self.after))
        settings = [FileChange("settings", ChangeKind.CHANGED, self.after.name, found)] if found else []
        lists = (self.curated, self.golden, self.replies, self.sources)
        return [*settings, *(change for match in lists for change in match.changes)]


def planned(stored: AgentContents, after: AgentConfig, file: AgentFile, *, prunes: bool) -> Plan:
    """`after` is what the file's settings make of the stored ones. Raises InvalidInput where a golden question of the
    file is there twice: an agent has each wording once."""
    asked: set[Hashable] = set()
    for number, golden in enumerate(file.golden_questions or ()):
        if GOLDEN_QUESTIONS.key(golden) in asked:
            raise InvalidInput(
                f"golden_questions.{number}.question", "Another golden question of the file asks this. Remove one."
            )
        asked.add(GOLDEN_QUESTIONS.key(golden))
    return Plan(
        stored.config,
        after,
        matched(CURATED_ANSWERS, stored.curated_answers, file.curated_answers, prunes=prunes),
        matched(GOLDEN_QUESTIONS, stored.golden_questions, file.golden_questions, prunes=prunes),
        matched(SAVED_REPLIES, stored.saved_replies, file.saved_replies, prunes=prunes),
        matched(SOURCES, stored.sources, file.sources, prunes=prunes),
    )
