"""Admin API: what a source's website asks of its readers."""

from datetime import datetime

from pydantic import ConfigDict, Field

from app.core.actor import Actor
from app.sources import source_access as rules
from app.sources.api.sources import TAG
from app.sources.source_access import AccessFacts, AccessKind, SourceAccess
from app.sources.source_accesses import SourceAccesses
from app.web.operation import Api, Call, Model, delete, get, put, read, write


class SourceAccessIn(Model):
    model_config = ConfigDict(
        json_schema_extra={"examples": [{"kind": "basic", "name": "docent", "secret": "a password"}]}
    )

    kind: AccessKind
    name: str = Field(min_length=1, max_length=rules.MAX_NAME_CHARS, description="The user's, header's or cookie's.")
    secret: str = Field(
        min_length=1,
        max_length=rules.MAX_SECRET_CHARS,
        repr=False,
        description="The password, or the header's or cookie's value. It is stored sealed and never shown again.",
    )


class SourceAccessOut(Model):
    kind: AccessKind | None = Field(description="null: the website is read as anybody reads it.")
    name: str
    set_at: datetime | None

    @classmethod
    def of(cls, facts: AccessFacts | None) -> "SourceAccessOut":
        return cls(kind=None, name="", set_at=None) if facts is None else super().of(facts)


class AdminSourceAccess(Api):
    tag = TAG

    def __init__(self, accesses: SourceAccesses) -> None:
        self._accesses = accesses

    @get(
        "/v1/sources/{source_id}/access",
        "Get the credentials sent to the source's website, without the secret",
        access=read,
    )
    async def get_source_access(self, call: Call[Actor, None]) -> SourceAccessOut:
        return SourceAccessOut.of(await self._accesses.get(call.caller, call.path_id("source_id")))

    @put(
        "/v1/sources/{source_id}/access",
        "Send a password, a header or a cookie to the source's website, and to no other",
        access=write,
    )
    async def set_source_access(self, call: Call[Actor, SourceAccessIn]) -> SourceAccessOut:
        given = call.input
        access = SourceAccess(given.kind, given.name, given.secret)
        return SourceAccessOut.of(await self._accesses.set(call.caller, call.path_id("source_id"), access))

    @delete("/v1/sources/{source_id}/access", "Remove the credentials sent to the source's website", access=write)
    async def clear_source_access(self, call: Call[Actor, None]) -> None:
        await self._accesses.clear(call.caller, call.path_id("source_id"))
