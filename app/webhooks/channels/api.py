"""Admin API: channels of a team's chat that receive notices."""

from typing import Annotated

from pydantic import Field

from app.core.actor import Actor
from app.core.webhook_event import WebhookEvent
from app.web.operation import Api, Call, Model, delete, get, items_of, post, read, write
from app.webhooks.api import TAG, EventsOf
from app.webhooks.channels.channel import ADDRESS, MAX_CHANNELS, NAME, NoticeChannel
from app.webhooks.channels.channels import ChannelView, NoticeChannels
from app.webhooks.notice import noticed


class NoticeChannelIn(Model):
    name: Annotated[str, NAME, "A name for operators, such as #support."]
    url: Annotated[str, ADDRESS, "Of its incoming webhook; never shown again."]
    events: Annotated[tuple[WebhookEvent, ...], EventsOf(noticed)]
    is_quoting: bool = Field(default=False, description="Whether notices contain the questions of gaps.")


class NoticeChannelOut(Model, shows=NoticeChannel, fields="id kind name events is_quoting created_at"): ...


class NoticeChannelStateOut(
    NoticeChannelOut, shows=ChannelView, parts="channel state", fields="waiting given_up last_error"
): ...


class NoticeChannelsOut(Model, adds=items_of(NoticeChannelStateOut)): ...


class ChannelTestOut(Model):
    is_delivered: bool
    reason: str = Field(description="Why the test failed, in words.")


class AdminNoticeChannels(Api):
    tag = TAG
    _channels: NoticeChannels

    @get(
        "/v1/notice-channels",
        f"List the channels that notices are posted to, oldest first; at most {MAX_CHANNELS}",
        access=read,
    )
    async def list_notice_channels(self, call: Call[Actor, None]) -> NoticeChannelsOut:
        found = await self._channels.of_workspace(call.caller)
        return NoticeChannelsOut.showing(items=found)

    @post("/v1/notice-channels", "Post notices to a channel in Slack or Discord", access=write, status=201)
    async def create_notice_channel(self, call: Call[Actor, NoticeChannelIn]) -> NoticeChannelOut:
        body = call.input
        channel = await self._channels.create(call.caller, body.name, body.url, body.events, is_quoting=body.is_quoting)
        return NoticeChannelOut.showing(channel)

    @delete("/v1/notice-channels/{channel_id}", "Delete a channel and its pending notices", access=write)
    async def delete_notice_channel(self, call: Call[Actor, None]) -> None:
        await self._channels.delete(call.caller, call.path_id("channel_id"))

    @post("/v1/notice-channels/{channel_id}/test", "Post a test message now, and return the result", access=write)
    async def test_notice_channel(self, call: Call[Actor, None]) -> ChannelTestOut:
        failure = await self._channels.test(call.caller, call.path_id("channel_id"))
        return ChannelTestOut(is_delivered=failure is None, reason=failure or "")
