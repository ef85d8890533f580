"""The format of an agent's file, with the names and rules of the rest of the API."""

from dataclasses import replace
from typing import Annotated, Any, Final, Literal
from uuid import UUID, uuid4

from pydantic import Field

from app.actions.actions import MAX_ACTIONS
from app.actions.api import ActionFields
from app.agent_files.agent_file import AgentContents, AgentFile, FileChange, FileSource
from app.agents.agent import AgentConfig
from app.agents.api.agent_models import AgentConfigOut, AgentPatch, changed
from app.answers.curated.api import CuratedAnswerCreate
from app.core.actor import Actor
from app.core.difference import Difference
from app.core.setting import at_most
from app.live_chat.saved_replies import MAX_REPLIES
from app.live_chat.saved_reply import SavedReply
from app.quality.api.golden_questions import GoldenQuestionCreate
from app.quality.golden_question import GoldenOrigin, GoldenQuestion
from app.quality.golden_questions import MAX_GOLDEN
from app.sources.api.sources import ScheduleIn, SourceCreate
from app.web.model import Model, example

MAX_ANSWERS: Final = 2000
MAX_SOURCES: Final = 500
_PART = "If null or left out, the agent's own are kept."


class GoldenInFile(GoldenQuestionCreate, json_schema_extra=None):
    origin: Literal["imported", "conversation"] = Field(
        default="imported",
        description="conversation: a visitor asked the question, so it is never offered to other visitors.",
    )


class ReplyInFile(Model, takes=SavedReply, fields="title text for_all_agents"):
    for_all_agents: Annotated[bool, "Whether the reply belongs to the workspace instead of only this agent."] = False


_EXAMPLE = {
    "settings": {"tone": "short"},
    "curated_answers": [{"trigger": "phrase", "pattern": "opening hours", "answer": "9 to 17."}],
}


@example(**_EXAMPLE)
class AgentFileModel(Model):
    """An agent as one file, without ids, secrets or indexed content."""

    docent: Literal[1] = Field(default=1, description="The version of this format.")
    settings: AgentPatch = Field(
        default_factory=AgentPatch,
        description="The agent's settings by name. Settings that are left out keep their values.",
    )
    curated_answers: Annotated[tuple[CuratedAnswerCreate, ...] | None, at_most(MAX_ANSWERS), _PART] = None
    golden_questions: tuple[GoldenInFile, ...] | None = Field(
        default=None, max_length=MAX_GOLDEN, description=f"{_PART} Pages can be names of uploaded files."
    )
    saved_replies: tuple[ReplyInFile, ...] | None = Field(default=None, max_length=MAX_REPLIES, description=_PART)
    sources: tuple[SourceCreate, ...] | None = Field(
        default=None, max_length=MAX_SOURCES, description=f"{_PART} Of any kind except file and documents."
    )
    actions: Annotated[tuple[ActionFields, ...] | None, at_most(MAX_ACTIONS), f"{_PART} Without headers."] = None

    def for_agent(self, actor: Actor, agent_id: UUID) -> AgentFile:
        answers, golden = self.curated_answers, self.golden_questions
        replies, sources = self.saved_replies, self.sources
        return AgentFile(
            lambda draft: changed(draft, self.settings),
            None if answers is None else [each.written_for(agent_id) for each in answers],
            None if golden is None else [_golden(agent_id, each) for each in golden],
            None if replies is None else [_reply(actor, agent_id, each) for each in replies],
            None if sources is None else [_source(each) for each in sources],
            None if self.actions is None else [each.written_for(agent_id) for each in self.actions],
        )


class AgentFileOut(Model):
    """Like `AgentFileModel`. Defaults are omitted, except in the settings, which are complete."""

    docent: Literal[1] = 1
    settings: dict[str, Any]
    curated_answers: list[dict[str, Any]]
    golden_questions: list[dict[str, Any]]
    saved_replies: list[dict[str, Any]]
    sources: list[dict[str, Any]]
    actions: list[dict[str, Any]]

    @classmethod
    def showing(cls, contents: AgentContents) -> "AgentFileOut":
        return cls(
            settings=_settings_of(contents.config),
            curated_answers=[_short(CuratedAnswerCreate.showing(each)) for each in contents.curated_answers],
            golden_questions=[_short(_golden_of(each)) for each in contents.golden_questions],
            saved_replies=[_short(_reply_of(each)) for each in contents.saved_replies],
            sources=[_short(_source_of(each)) for each in contents.sources],
            actions=[_short(ActionFields.showing(each)) for each in contents.actions],
        )


class FieldChangeOut(Model, shows=Difference, fields="name before after"): ...


class FileChangeOut(Model, shows=FileChange, fields="part kind title fields"): ...


def _settings_of(config: AgentConfig) -> dict[str, Any]:
    """All settings except the source ids that search is limited to, which no other agent has."""
    settings = AgentConfigOut.showing(config).model_dump(mode="json")
    del settings["retrieval"]["filter"]["sources"]
    return {"name": settings.pop("name"), **settings}


def _short(model: Model) -> dict[str, Any]:
    return model.model_dump(mode="json", exclude_defaults=True)


def _golden(agent_id: UUID, given: GoldenInFile) -> GoldenQuestion:
    return given.made(GoldenQuestion, id=uuid4(), agent_id=agent_id, origin=GoldenOrigin(given.origin))


def _golden_of(golden: GoldenQuestion) -> GoldenInFile:
    is_asked = golden.origin is GoldenOrigin.CONVERSATION
    return GoldenInFile.showing(golden, origin="conversation" if is_asked else "imported")


def _reply(actor: Actor, agent_id: UUID, given: ReplyInFile) -> SavedReply:
    whose = None if given.for_all_agents else agent_id
    reply = given.made(SavedReply, id=uuid4(), workspace_id=actor.workspace_id, agent_id=whose)
    return replace(reply, title=reply.title.strip())


def _reply_of(reply: SavedReply) -> ReplyInFile:
    return ReplyInFile.showing(reply, for_all_agents=reply.agent_id is None)


def _source(given: SourceCreate) -> FileSource:
    when = given.schedule.schedule() if given.schedule else None
    return FileSource(given.config(), when.cron if when else "", when.every_hours if when else 0)


def _source_of(source: FileSource) -> SourceCreate:
    fields = {name: getattr(source.config, name) for name in SourceCreate.model_fields if hasattr(source.config, name)}
    when = ScheduleIn.showing(source.schedule) if source.schedule else None
    return SourceCreate(**fields, schedule=when)
