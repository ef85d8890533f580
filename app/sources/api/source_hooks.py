"""Publish hooks: their secrets over the admin API, and the signed call itself."""

from pydantic import Field

from app.core.actor import Actor
from app.sources.api.sources import TAG, RunOut, SyncIn
from app.sources.runs.run_control import PageSync
from app.sources.source_hooks import SourceHooks
from app.sources.sources import Sources
from app.web.middleware.public_url import root_path_of
from app.web.operation import DEFAULT_MAX_BODY_BYTES, Api, Call, CountedAddress, Model, delete, post, write
from app.web.request_body import check_json, read_body

TIMESTAMP_HEADER = "docent-timestamp"
SIGNATURE_HEADER = "docent-signature"
MAX_BODY_BYTES = 16 * DEFAULT_MAX_BODY_BYTES  # 500 addresses of 2,048 characters


class HookOut(Model):
    secret: str = Field(description="Shown once. The previous secret stops working.")
    path: str = Field(description="The path to post to.")


# The caller is unknown until the signature was checked against the body.
hook_call = CountedAddress("hook", lambda limits: limits.inits_per_address, ("unauthorized", "rate_limited"))


class SourceHookApi(Api):
    tag = TAG

    def __init__(self, hooks: SourceHooks, sources: Sources, page_sync: PageSync) -> None:
        self._hooks = hooks
        self._sources = sources
        self._page_sync = page_sync

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
        access=hook_call,
        status=202,
        codes=("malformed_json", "too_large", "unsupported_media_type", "invalid_request"),
    )
    async def call_hook(self, call: Call[None, None]) -> RunOut:
        """The signature covers the raw bytes, so the body is only parsed as JSON after it was checked."""
        request, source_id = call.request, call.path_id("source_id")
        body = await read_body(request, MAX_BODY_BYTES)
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
