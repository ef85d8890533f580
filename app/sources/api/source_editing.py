"""Admin API: changing a source, the credentials that its website requires, and the secret of its publish hook; with the
signed call itself.
"""

from datetime import datetime
from typing import Annotated

from pydantic import ConfigDict, Field

from app.core.actor import Actor
from app.sources.api.sources import MAX_BODY_BYTES, TAG, RunOut, SourceOut, SourcePatch, SyncIn
from app.sources.runs.run_control import PageSync
from app.sources.source import (
    AccessFacts,
    AccessKind,
    Source,
    SourceAccess,
)
from app.sources.source_editing import SourceAccesses, SourceEditing, SourceHooks, with_own_address
from app.sources.sources import Sources
from app.web.access import hook
from app.web.file_export import public_path
from app.web.middleware.public_url import base_url_of, root_path_of
from app.web.operation import (
    DEFAULT_MAX_BODY_BYTES,
    Api,
    Call,
    Model,
    delete,
    get,
    patch,
    post,
    put,
    read,
    write,
)
from app.web.request_body import check_json, read_body


class SourceTextOut(Model, shows=Source, parts="config", fields="source_id=id name url text"): ...


class AdminSourceEditing(Api):
    tag = TAG
    _editing: SourceEditing

    @patch(
        "/v1/sources/{source_id}",
        "Change a source; only the fields sent change, from the next sync on",
        access=write,
        max_body_bytes=MAX_BODY_BYTES,
    )
    async def edit_source(self, call: Call[Actor, SourcePatch]) -> SourceOut:
        source_id = call.path_id("source_id")
        own_address = f"{base_url_of(call.request)}{public_path(source_id)}"
        return SourceOut.showing(
            await self._editing.change(
                call.caller, source_id, lambda config: with_own_address(call.input.applied_to(config), own_address)
            )
        )

    @get("/v1/sources/{source_id}/text", "Get the text of a source of kind text, as last saved", access=read)
    async def get_source_text(self, call: Call[Actor, None]) -> SourceTextOut:
        return SourceTextOut.showing(await self._editing.text(call.caller, call.path_id("source_id")))


class SourceAccessIn(Model, takes=SourceAccess, fields="kind name secret"):
    model_config = ConfigDict(
        json_schema_extra={"examples": [{"kind": "basic", "name": "docent", "secret": "a password"}]}
    )

    secret: str = Field(repr=False)


class SourceAccessOut(Model, shows=AccessFacts, fields="kind name set_at"):
    kind: Annotated[AccessKind | None, "Null if the website is read without credentials."]
    name: str
    set_at: datetime | None


class AdminSourceAccess(Api):
    tag = TAG
    _accesses: SourceAccesses

    @get(
        "/v1/sources/{source_id}/access",
        "Get the credentials for the source's website, without the secret",
        access=read,
    )
    async def get_source_access(self, call: Call[Actor, None]) -> SourceAccessOut:
        facts = await self._accesses.access(call.caller, call.path_id("source_id"))
        return SourceAccessOut.showing(facts) if facts else SourceAccessOut(kind=None, name="", set_at=None)

    @put(
        "/v1/sources/{source_id}/access",
        "Send a password, a header or a cookie to the source's website, and to no other",
        access=write,
    )
    async def set_source_access(self, call: Call[Actor, SourceAccessIn]) -> SourceAccessOut:
        access = call.input.made(SourceAccess)
        return SourceAccessOut.showing(await self._accesses.set(call.caller, call.path_id("source_id"), access))

    @delete("/v1/sources/{source_id}/access", "Remove the credentials sent to the source's website", access=write)
    async def clear_source_access(self, call: Call[Actor, None]) -> None:
        await self._accesses.clear(call.caller, call.path_id("source_id"))


TIMESTAMP_HEADER = "docent-timestamp"
SIGNATURE_HEADER = "docent-signature"
MAX_CALL_BYTES = 16 * DEFAULT_MAX_BODY_BYTES  # 500 addresses of 2,048 characters


class HookOut(Model):
    secret: str = Field(description="Shown once. The previous secret stops working.")
    path: str = Field(description="The path to post to.")


class SourceHookApi(Api):
    tag = TAG
    _hooks: SourceHooks
    _sources: Sources
    _page_sync: PageSync

    @post("/v1/sources/{source_id}/hook", "Create a new secret for the source's publish hook", access=write, status=201)
    async def make_hook(self, call: Call[Actor, None]) -> HookOut:
        source_id = call.path_id("source_id")
        path = f"{root_path_of(call.request)}/v1/hooks/sources/{source_id}"
        return HookOut(secret=await self._hooks.make(call.caller, source_id), path=path)

    @delete("/v1/sources/{source_id}/hook", "Remove the source's publish hook", access=write)
    async def remove_hook(self, call: Call[Actor, None]) -> None:
        await self._hooks.remove(call.caller, call.path_id("source_id"))

    @post(
        "/v1/hooks/sources/{source_id}",
        "Report changed pages, signed with the hook's secret; the body is that of syncSource",
        access=hook,
        status=202,
        codes=("malformed_json", "too_large", "unsupported_media_type", "invalid_request"),
    )
    async def call_hook(self, call: Call[None, None]) -> RunOut:
        """The signature covers the raw bytes, so the body is only parsed as JSON after it was checked."""
        request, source_id = call.request, call.path_id("source_id")
        body = await read_body(request, MAX_CALL_BYTES)
        headers = request.headers
        actor = await self._hooks.caller(
            source_id, headers.get(TIMESTAMP_HEADER, ""), headers.get(SIGNATURE_HEADER, ""), body
        )
        urls = None
        if body.strip():
            check_json(request, body)
            urls = SyncIn.model_validate_json(body).urls
        if urls is None:
            return RunOut.showing(await self._sources.sync(actor, source_id))
        return RunOut.showing(await self._page_sync.pages(actor, source_id, urls))
