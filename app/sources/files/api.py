"""Admin API: files that an agent learns from."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated

from pydantic import Field
from starlette.responses import Response

from app.core.actor import Actor
from app.core.setting import at_most
from app.core.source_file import ACCEPTED, Upload
from app.sources.files.source_files import SourceFiles, StoredFile
from app.sources.source import MAX_NAME_CHARS
from app.web.errors import Refusal
from app.web.file_export import DOWNLOAD, served
from app.web.model import Url
from app.web.operation import AnyEndpoint, Api, Call, Model, Multipart, anybody_with_link, get, post, read, write
from app.web.request_body import FORM_BYTES, FilePart

TAG = "Sources"


class FileReplacement(Multipart):
    file: FilePart = Field(description=f"{ACCEPTED}, recognised by its content and its name.")


class FileUpload(FileReplacement):
    name: Annotated[str, at_most(MAX_NAME_CHARS), "Shown in citations. If left out, the title in the file."] = ""
    url: Annotated[Url, "The page that citations link to."] = ""


class FileOut(
    Model,
    shows=StoredFile,
    parts="facts source source.config",
    fields="source_id agent_id name=source.config.name url file_name=facts.name is_public format size_bytes digest "
    "uploaded_at",
):
    is_public: Annotated[bool, "Whether anyone may open it at /v1/files/{source_id}."]


class AdminFiles(Api):
    tag = TAG
    _files: SourceFiles

    def endpoints(self) -> Sequence[AnyEndpoint]:
        """Files may be as large as the settings allow, and few are received at once."""
        largest = self._files.max_bytes + FORM_BYTES
        return [
            replace(each, max_body_bytes=largest, holding=self._files.receiving) if each.form_model else each
            for each in super().endpoints()
        ]

    @post(
        "/v1/agents/{agent_id}/files",
        "Add a source by uploading its file; sync reads it",
        access=write,
        status=201,
        codes=("overloaded",),
    )
    async def upload_file(self, call: Call[Actor, FileUpload]) -> FileOut:
        given, agent_id = call.input, call.path_id("agent_id")
        self._refuse_large(given.file)
        return FileOut.showing(await self._files.add(call.caller, agent_id, given.file, given.name, given.url))

    @post(
        "/v1/sources/{source_id}/file",
        "Replace a source's file; the next sync reads it",
        access=write,
        codes=("overloaded",),
    )
    async def replace_file(self, call: Call[Actor, FileReplacement]) -> FileOut:
        source_id = call.path_id("source_id")
        self._refuse_large(call.input.file)
        return FileOut.showing(await self._files.replace(call.caller, source_id, call.input.file))

    @get("/v1/sources/{source_id}/file", "Get the metadata of a source's file", access=read)
    async def get_file(self, call: Call[Actor, None]) -> FileOut:
        return FileOut.showing(await self._files.file(call.caller, call.path_id("source_id")))

    @get(
        "/v1/sources/{source_id}/file/content",
        "Download a source's file as it was uploaded",
        access=read,
        response_media_type=DOWNLOAD,
    )
    async def download_file(self, call: Call[Actor, None]) -> Response:
        return await served(await self._files.opened(call.caller, call.path_id("source_id")))

    @get(
        "/v1/files/{source_id}",
        "Download a file that an operator made public; citations link to it",
        access=anybody_with_link,
        response_media_type=DOWNLOAD,
    )
    async def open_public_file(self, call: Call[None, None]) -> Response:
        return await served(await self._files.opened_by_anybody(call.path_id("source_id")))

    def _refuse_large(self, file: Upload) -> None:
        if len(file.body) > self._files.max_bytes:
            raise Refusal(
                "too_large",
                f"The file has {len(file.body)} bytes. Use at most {self._files.max_bytes}. Split it, or have the "
                "operator raise DOCENT_MAX_FILE_MIB.",
            )
