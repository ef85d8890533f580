"""Console pages: export an agent as one file, compare a file with the agent, and apply it."""

from functools import partial

import anyio.to_thread
from pydantic import Field
from starlette.responses import Response

from app.agent_files.agent_file import MAX_FILE_CHARS, AgentFile, ChangeKind, FileChange
from app.agent_files.agent_files import AgentFiles
from app.agents.agent import Version
from app.core.errors import InvalidInput, PublishGateFailed
from app.core.source_file import Upload
from app.quality.publishing import Publishing
from app.web import access
from app.web.console.page import Form, Go, Link, NoForm, Pages, Shown, Visit, action, page

MAX_FORM_BYTES = 8 * 1024 * 1024  # URL encoding triples most special characters


class FileWanted(Form):
    version: Version = "draft"


class FileLook(Form):
    file: Upload
    prune: bool = False


class FileForm(Form):
    text: str = Field(default="", max_length=MAX_FILE_CHARS)
    prune: bool = False
    publish: bool = False
    force: bool = False


class AgentFilePages(Pages):
    _files: AgentFiles
    _publishing: Publishing

    @page(
        "/console/agents/{agent_id}/settings/file",
        access=access.read,
        under="agent_settings",
        link=Link("agent_settings", "File"),
    )
    async def agent_file(self, visit: Visit[NoForm]) -> Shown:
        """After a refusal, the form still contains the file, so that it can be published with force."""
        refused = visit.rejected.values if visit.rejected and visit.rejected.page == "apply_agent_file" else {}
        held = {name: "".join(refused.get(name, ())) for name in ("text", "prune")}
        return Shown("agent_files/agent_file.html", {"held": held, "changes": None})

    @page("/console/agents/{agent_id}/settings/file/export", access=access.read, under="agent_settings", is_file=True)
    async def export_agent_file(self, visit: Visit[FileWanted]) -> Response:
        from app.agent_files.api.file_text import written  # imported late, so that the start does not load YAML

        contents = await self._files.contents(visit.actor, visit.agent.id, visit.input.version)
        text = await anyio.to_thread.run_sync(written, contents)
        headers = {"Content-Disposition": 'attachment; filename="agent.yaml"', "Cache-Control": "no-store"}
        return Response(text, media_type="application/yaml", headers=headers)

    @action(
        "/console/agents/{agent_id}/settings/file/look",
        access=access.write,
        shown_on="agent_file",
        max_body_bytes=MAX_FILE_CHARS,
    )
    async def look_at_agent_file(self, visit: Visit[FileLook]) -> Shown:
        try:
            text = visit.input.file.body.decode("utf-8-sig")
        except UnicodeDecodeError:
            raise InvalidInput("file", "This is not UTF-8 text. Choose the exported file.") from None
        try:
            file = await _file_in(text, visit)
            changes = await self._files.compare(visit.actor, visit.agent.id, file, prunes=visit.input.prune)
        except InvalidInput as error:
            raise InvalidInput("file", str(error)) from None
        held = {"text": text, "prune": "true" if visit.input.prune else ""}
        return Shown("agent_files/agent_file.html", {"held": held, "changes": changes})

    @action(
        "/console/agents/{agent_id}/settings/file",
        access=access.write,
        shown_on="agent_file",
        max_body_bytes=MAX_FORM_BYTES,
    )
    async def apply_agent_file(self, visit: Visit[FileForm]) -> Go:
        given, actor, agent_id = visit.input, visit.actor, visit.agent.id
        try:
            file = await _file_in(given.text, visit)
            if given.publish:
                publish = partial(self._publishing.publish, actor, agent_id, force=given.force)
                changes, published = await self._files.apply_live(actor, agent_id, file, publish, prunes=given.prune)
                outcome = f"Version {published.version.number} is live."
            else:
                changes = await self._files.apply(actor, agent_id, file, prunes=given.prune)
                outcome = "Visitors see no change until you publish."
        except (InvalidInput, PublishGateFailed) as error:
            raise InvalidInput("", str(error)) from None
        return Go(visit.url("agent_file"), f"{_summary(changes)} {outcome}")


async def _file_in(text: str, visit: Visit[Form]) -> AgentFile:
    from app.agent_files.api.file_text import read

    model = await anyio.to_thread.run_sync(read, text)
    return model.for_agent(visit.actor, visit.agent.id)


def _summary(changes: list[FileChange]) -> str:
    done = sum(change.kind is not ChangeKind.KEPT for change in changes)
    return f"Applied: {done} {'change' if done == 1 else 'changes'}." if done else "No changes."
