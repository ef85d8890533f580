"""Admin API: an agent as one file."""

from functools import partial
from typing import Annotated

from pydantic import Field

from app.agent_files.agent_files import AgentFiles
from app.agent_files.api.file_models import AgentFileModel, AgentFileOut, FileChangeOut
from app.agents.agent import Version
from app.agents.api.agent_models import GateOut, PublishedOut
from app.core.actor import Actor
from app.quality.publishing import Publishing
from app.web.operation import Api, Call, Model, example, get, post, read, write

MAX_BODY_BYTES = 4 * 1024 * 1024


class AgentFileQuery(Model):
    version: Annotated[Version, "Whether to export the settings of the draft or of the live version."] = "draft"


@example(file={"settings": {"tone": "short"}})
class ApplyIn(Model):
    file: AgentFileModel
    dry_run: bool = Field(default=False, description="List the changes without making them.")
    publish: Annotated[bool, "Then publish the draft, with the file's curated answers and actions."] = False
    force: bool = Field(default=False, description="Publish even if the publish gate refuses.")
    prune: bool = Field(
        default=False,
        description="Remove curated answers, actions, golden questions and the agent's own saved replies that are "
        "missing from the file's lists. Sources are kept.",
    )


class AppliedOut(Model):
    changes: tuple[FileChangeOut, ...] = Field(description="Empty if the agent already matches the file.")
    is_dry_run: bool
    version: int | None = Field(description="The version that was published; null if none was.")
    gate: Annotated[GateOut | None, "The effect of publishing on golden questions; null if they were not compared."]


class AdminAgentFiles(Api):
    tag = "Agents"
    _files: AgentFiles
    _publishing: Publishing

    @get(
        "/v1/agents/{agent_id}/file",
        "Export the agent as one file: settings, curated answers, golden questions, saved replies, sources and actions",
        access=read,
    )
    async def export_agent_file(self, call: Call[Actor, AgentFileQuery]) -> AgentFileOut:
        contents = await self._files.contents(call.caller, call.path_id("agent_id"), call.input.version)
        return AgentFileOut.showing(contents)

    @post(
        "/v1/agents/{agent_id}/file",
        "Apply a file to the agent and list the changes; visitors see nothing until it is published",
        access=write,
        max_body_bytes=MAX_BODY_BYTES,
        codes=("publish_gate_failed",),
    )
    async def apply_agent_file(self, call: Call[Actor, ApplyIn]) -> AppliedOut:
        given, actor, agent_id = call.input, call.caller, call.path_id("agent_id")
        file = given.file.for_agent(actor, agent_id)
        version, gate = None, None
        if given.publish and not given.dry_run:
            publish = partial(self._publishing.publish, actor, agent_id, force=given.force)
            changes, done = await self._files.apply_live(actor, agent_id, file, publish, prunes=given.prune)
            version, gate = done.version.number, PublishedOut.showing(done).gate
        else:
            work = self._files.compare if given.dry_run else self._files.apply
            changes = await work(actor, agent_id, file, prunes=given.prune)
        return AppliedOut(
            changes=tuple(map(FileChangeOut.showing, changes)),
            is_dry_run=given.dry_run,
            version=version,
            gate=gate,
        )
