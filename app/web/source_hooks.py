"""Publish hooks: their secrets over the admin API, and the signed call itself."""

from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import Field
from starlette.requests import Request

from app.operating.actor import Actor
from app.operating.page_sync import PageSync
from app.operating.source_hooks import SourceHooks
from app.operating.sources import Sources
from app.ports.rate_limiter import RateLimiter
from app.web.admin_access import AdminAccess
from app.web.admin_sources import TAG, RunOut, SyncIn
from app.web.client_address import ClientAddresses
from app.web.endpoint import DEFAULT_MAX_BODY_BYTES, AnyEndpoint, Call, Endpoint, Model
from app.web.json_body import check_json, read_body
from app.web.limits_policy import LimitsPolicy, a_minute

TIMESTAMP_HEADER = "docent-timestamp"
SIGNATURE_HEADER = "docent-signature"
MAX_BODY_BYTES = 16 * DEFAULT_MAX_BODY_BYTES  # 500 addresses of 2,048 characters


class HookOut(Model):
    secret: str = Field(description="Shown once. The one before no longer holds.")
    path: str = Field(description="Where to post to.")


@dataclass(frozen=True, slots=True)
class HookAccess:
    """Nobody is known before the signature was checked against the body, so addresses are counted."""

    limiter: RateLimiter
    limits: LimitsPolicy
    addresses: ClientAddresses
    scheme: str | None = None
    errors: Sequence[str] = ("unauthorized", "rate_limited")

    async def admit(self, request: Request) -> None:
        address = self.addresses.limit_key(request)
        await self.limiter.hit(a_minute(self.limits.inits_per_address), "hook", "address", address)


class SourceHookApi:
    def __init__(
        self, hooks: SourceHooks, sources: Sources, page_sync: PageSync, access: AdminAccess, calls: HookAccess
    ) -> None:
        self._hooks = hooks
        self._sources = sources
        self._page_sync = page_sync
        self._access = access
        self._calls = calls

    def endpoints(self) -> Sequence[AnyEndpoint]:
        path = "/v1/sources/{source_id}/hook"
        return (
            Endpoint(
                "POST",
                path,
                "makeHook",
                "A new secret for the source's publish hook",
                TAG,
                self._access.write,
                self.make,
                response_model=HookOut,
                status=201,
                codes=("not_found",),
            ),
            Endpoint(
                "DELETE",
                path,
                "removeHook",
                "Take no more calls of the source's publish hook",
                TAG,
                self._access.write,
                self.remove,
                status=204,
                codes=("not_found",),
            ),
            Endpoint(
                "POST",
                "/v1/hooks/sources/{source_id}",
                "callHook",
                "Say, signed with the hook's secret, what has changed: as for syncSource",
                TAG,
                self._calls,
                self.call,
                response_model=RunOut,
                status=202,
                codes=("not_found", "malformed_json", "too_large", "unsupported_media_type", "invalid_request"),
            ),
        )

    async def make(self, call: Call[Actor, None]) -> HookOut:
        source_id = call.path_id("source_id")
        return HookOut(secret=await self._hooks.make(call.caller, source_id), path=f"/v1/hooks/sources/{source_id}")

    async def remove(self, call: Call[Actor, None]) -> None:
        await self._hooks.remove(call.caller, call.path_id("source_id"))

    async def call(self, call: Call[None, None]) -> RunOut:
        """The signature is of the bytes as they came, so the body is read as JSON only after it was checked."""
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
            return RunOut.of(await self._sources.sync(actor, source_id))
        return RunOut.of(await self._page_sync.pages(actor, source_id, urls))
