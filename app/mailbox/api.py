"""Admin API: an agent's mailbox."""

from datetime import UTC, datetime
from uuid import UUID, uuid4

from app.core.actor import Actor
from app.core.errors import NotFound
from app.mailbox.mailbox import Mailbox, MailboxKeys
from app.mailbox.mailboxes import Mailboxes
from app.web.derived_fields import taken
from app.web.operation import Api, Call, Model, delete, example, get, put, read, write

_KEYS = {name: taken(MailboxKeys, name) for name in ("password", "client_secret")}
_SET = "host port user folder address reply token_url client_id scope"


@example(host="imap.example.com", user="help@example.com", address="help@example.com")
class MailboxIn(Model, takes=Mailbox, fields=_SET, adds=_KEYS): ...


class MailboxOut(Model, shows=Mailbox, fields=f"{_SET} created_at verified_at read_at last_error"): ...


def made_of(given: MailboxIn, agent_id: UUID) -> tuple[Mailbox, MailboxKeys]:
    made = given.made(Mailbox, id=uuid4(), agent_id=agent_id, created_at=datetime.now(UTC))
    return made, given.made(MailboxKeys)


class AdminMailboxes(Api):
    tag = "Mailbox"
    _mailboxes: Mailboxes

    @get("/v1/agents/{agent_id}/mailbox", "Get the mailbox whose mails an agent answers", access=read)
    async def get_mailbox(self, call: Call[Actor, None]) -> MailboxOut:
        mailbox = await self._mailboxes.mailbox(call.caller, call.path_id("agent_id"))
        if mailbox is None:
            raise NotFound("mailbox")
        return MailboxOut.showing(mailbox)

    @put("/v1/agents/{agent_id}/mailbox", "Connect a mailbox; mails that come from then on are answered", access=write)
    async def set_mailbox(self, call: Call[Actor, MailboxIn]) -> MailboxOut:
        agent_id = call.path_id("agent_id")
        return MailboxOut.showing(await self._mailboxes.set(call.caller, agent_id, *made_of(call.input, agent_id)))

    @delete("/v1/agents/{agent_id}/mailbox", "Remove an agent's mailbox; its conversations stay", access=write)
    async def clear_mailbox(self, call: Call[Actor, None]) -> None:
        await self._mailboxes.clear(call.caller, call.path_id("agent_id"))
