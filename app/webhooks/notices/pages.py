"""The console's page for notices: the mails that the current operator gets."""

from app.core.webhook_event import WebhookEvent
from app.mail.mailer import Mailer
from app.web.console.page import Form, Go, MenuEntry, NoForm, Pages, Shown, Visit, action, page, read
from app.webhooks.notice import noticed
from app.webhooks.notices.notices import SETTINGS_PATH, Notices

# Nobody else gets mails about these.
_OWN = {
    WebhookEvent.CONVERSATION_ASSIGNED: "a conversation is assigned to you",
    WebhookEvent.OPERATOR_MENTIONED: "a note mentions you",
}


class NoticesForm(Form):
    events: tuple[WebhookEvent, ...] = ()


class NoticePages(Pages):
    _notices: Notices
    _mailer: Mailer

    @page(SETTINGS_PATH, access=read, menu=MenuEntry("Notices", "Workspace", 0, "bell"))
    async def notices(self, visit: Visit[NoForm]) -> Shown:
        chosen = await self._notices.chosen(visit.actor, visit.operator.id)
        return Shown(
            "webhooks/notices/notices.html",
            {"chosen": chosen, "in_words": noticed() | _OWN, "has_mail": self._mailer.is_on},
        )

    @action(SETTINGS_PATH, access=read, shown_on="notices")
    async def choose_notices(self, visit: Visit[NoticesForm]) -> Go:
        await self._notices.choose(visit.actor, visit.operator.id, visit.input.events)
        return Go(visit.url("notices"), "Saved.")
