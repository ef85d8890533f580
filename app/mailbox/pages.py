"""Console page: an agent's mailbox."""

from app.mailbox.api import MailboxIn, made_of
from app.mailbox.mailboxes import Mailboxes
from app.web.console.page import Form, Go, MenuEntry, NoForm, Pages, Shown, Visit, action, page, read, write

_PATH = "/console/agents/{agent_id}/mailbox"


class MailboxForm(MailboxIn, Form): ...


class MailboxPages(Pages):
    _mailboxes: Mailboxes

    @page(_PATH, access=read, menu=MenuEntry("E-mail", "Set-up", 2, "letter"))
    async def mailbox(self, visit: Visit[NoForm]) -> Shown:
        found = await self._mailboxes.mailbox(visit.actor, visit.agent.id)
        return Shown("mailbox/mailbox.html", {"mailbox": found, "has_mail": self._mailboxes.can_send})

    @action(_PATH, access=write, shown_on="mailbox")
    async def set_mailbox(self, visit: Visit[MailboxForm]) -> Go:
        await self._mailboxes.set(visit.actor, visit.agent.id, *made_of(visit.input, visit.agent.id))
        return Go(visit.url("mailbox"), "Mailbox saved. New mails are read within a minute.")

    @action(_PATH + "/clear", access=write, under="mailbox")
    async def clear_mailbox(self, visit: Visit[NoForm]) -> Go:
        await self._mailboxes.clear(visit.actor, visit.agent.id)
        return Go(visit.url("mailbox"), "Mailbox removed.")
