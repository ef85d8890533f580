"""Console pages: channels of a team's chat, the events they get, testing and removing them."""

from app.core.webhook_event import WebhookEvent, urgent_events
from app.mail.mailer import Mailer
from app.web.console.page import Form, Go, Link, NoForm, Pages, Shown, Visit, action, page, read, write
from app.webhooks.channels.api import NoticeChannelIn
from app.webhooks.channels.channel import MAX_CHANNELS
from app.webhooks.channels.channels import CHANNELS_PATH, NoticeChannels
from app.webhooks.notice import noticed


class NewChannel(NoticeChannelIn, Form):
    events: tuple[WebhookEvent, ...] = ()


class NoticeChannelPages(Pages):
    _channels: NoticeChannels
    _mailer: Mailer

    @page(CHANNELS_PATH, access=read, under="notices", link=Link("notices", "Slack and Discord channels"))
    async def notice_channels(self, visit: Visit[NoForm]) -> Shown:
        context = {
            "channels": await self._channels.of_workspace(visit.actor),
            "in_words": noticed(),
            "usual": urgent_events(),
            "most": MAX_CHANNELS,
            "has_address": bool(self._mailer.whole_url("/")),
        }
        return Shown("webhooks/channels/notice_channels.html", context)

    @action(CHANNELS_PATH, access=write, shown_on="notice_channels")
    async def add_notice_channel(self, visit: Visit[NewChannel]) -> Go:
        given = visit.input
        await self._channels.create(visit.actor, given.name, given.url, given.events, is_quoting=given.is_quoting)
        return Go(visit.url("notice_channels"), "Channel added. Post a test message to check it.")

    @action(CHANNELS_PATH + "/{channel_id}/test", access=write, under="notices")
    async def test_notice_channel(self, visit: Visit[NoForm]) -> Go:
        failure = await self._channels.test(visit.actor, visit.path_id("channel_id"))
        outcome = f"The test message failed: {failure}." if failure else "Test message posted. Check the channel."
        return Go(visit.url("notice_channels"), outcome)

    @action(CHANNELS_PATH + "/{channel_id}/delete", access=write, under="notices")
    async def delete_notice_channel(self, visit: Visit[NoForm]) -> Go:
        await self._channels.delete(visit.actor, visit.path_id("channel_id"))
        return Go(visit.url("notice_channels"), "Channel removed.")
