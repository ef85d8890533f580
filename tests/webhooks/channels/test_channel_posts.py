"""What happens is posted into the channels of its workspace that want it: once where nothing fails, and again where it
does."""

import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from uuid import UUID

import pytest
from sqlalchemy import update

from app.core.errors import InvalidInput, NotFound
from app.core.list_page import PageRequest
from app.core.webhook_event import WebhookEvent
from app.gaps.records.gaps import GapRecords
from app.store.delivery_loop import KEPT, RETRY_AFTER, DeliveryState
from app.store.sealed_rows import SealedRows
from app.store.secret_keys import SecretKeys
from app.webhooks.announcements import GapDigests
from app.webhooks.channels.channel import MAX_CHANNELS, ChannelKind, NoticeChannel
from app.webhooks.channels.channels import ChannelPosts, NoticeChannels
from app.webhooks.channels.records import NOTICE_CHANNELS, NoticeChannelRecords
from app.webhooks.webhooks import WebhookDelivery
from tests.doubles.mailers import MAILER
from tests.doubles.recording_sender import RecordingSender
from tests.doubles.workspaces import another_workspace
from tests.webhooks.team import Team, open_team

SLACK = "https://hooks.slack.com/services/T00000000/B00000000/abcDEF123456"
DISCORD = "https://discord.com/api/webhooks/123456789012345678/abc-DEF_123"
PAGE = PageRequest()
WEEK_SECONDS = 7 * 24 * 3600


@dataclass
class ChannelTeam(Team):
    sender: RecordingSender = field(default_factory=RecordingSender)

    @property
    def channels(self) -> NoticeChannels:
        return NoticeChannels(self.record, self.sender, MAILER, self.clock)

    @property
    def posts(self) -> ChannelPosts:
        return ChannelPosts(self.record, self.sender, MAILER, self.clock, luck=lambda: 0.5)

    async def channel(self, *events: WebhookEvent, url: str = SLACK, is_quoting: bool = False) -> NoticeChannel:
        return await self.channels.create(self.actor, "#support", url, events, is_quoting=is_quoting)

    async def deliver(self) -> int:
        await WebhookDelivery(self.record, self.sender, self.clock, [self.posts]).deliver()
        return await self.posts.deliver()

    @property
    def told(self) -> list[str]:
        return [body.decode() for _, _, body in self.sender.posted]

    async def state(self) -> DeliveryState:
        [view] = await self.channels.of_workspace(self.actor)
        return view.state


@pytest.fixture
async def team(tmp_path: Path) -> AsyncIterator[ChannelTeam]:
    async with open_team(tmp_path) as team:
        yield ChannelTeam(team.record, team.clock, team.session)


@pytest.mark.parametrize(("url", "query"), [(SLACK, ""), (DISCORD, "?with_components=true")])
async def test_a_visitor_who_waits_is_posted_once_with_a_way_to_the_chat(
    team: ChannelTeam, url: str, query: str
) -> None:
    await team.channel(WebhookEvent.PERSON_ASKED, url=url)
    await team.visitor_asks_for_a_person()
    assert [await team.deliver() for _ in range(3)] == [1, 0, 0]
    [(posted_to, headers, body)] = team.sender.posted
    assert posted_to == url + query
    assert headers["Content-Type"] == "application/json"
    assert f"https://docent.example.com/console/live/{team.session.conversation_id}" in body.decode()
    assert await team.state() == DeliveryState()


async def test_a_channel_hears_of_what_it_wants_and_of_nothing_before_it(team: ChannelTeam) -> None:
    await team.asked_in_vain("Do you repair lamps?")
    team.clock.advance(1)
    await team.channel(WebhookEvent.GAP_GROWN)
    await team.visitor_asks_for_a_person()
    await team.deliver()
    assert team.told == []
    await team.asked_in_vain("Do you ship to Malta?")
    await team.deliver()
    assert len(team.told) == 1


async def test_channels_of_another_workspace_hear_nothing(team: ChannelTeam, tmp_path: Path) -> None:
    other = replace(team.actor, workspace_id=await another_workspace(tmp_path))
    made = await team.channels.create(other, "#eve", SLACK, [WebhookEvent.PERSON_ASKED], is_quoting=True)
    await team.visitor_asks_for_a_person()
    assert await team.deliver() == 0
    assert await team.channels.of_workspace(team.actor) == []
    for attempt in (team.channels.delete, team.channels.test):
        with pytest.raises(NotFound):
            await attempt(team.actor, made.id)


async def test_words_of_visitors_are_posted_only_where_that_was_chosen(team: ChannelTeam) -> None:
    await team.channel(WebhookEvent.GAP_GROWN, WebhookEvent.GAPS_WEEKLY)
    await team.channel(WebhookEvent.GAP_GROWN, WebhookEvent.GAPS_WEEKLY, url=DISCORD, is_quoting=True)
    await team.asked_in_vain("Do you ship to <Malta>?")
    await team.deliver()
    team.clock.advance(WEEK_SECONDS)
    assert await GapDigests(team.record, team.clock, [team.posts]).announce() == 1
    await team.deliver()
    for url, _, body in team.sender.posted:
        assert ("Malta" in body.decode()) == url.startswith(DISCORD)
    assert len(team.sender.posted) == 4


async def test_a_question_that_was_erased_meanwhile_is_not_posted(team: ChannelTeam) -> None:
    await team.channel(WebhookEvent.GAP_GROWN, is_quoting=True)
    await team.asked_in_vain("Do you ship to Malta?")
    team.sender.failure = "the receiver answered 500"
    await team.deliver()
    team.clock.advance(RETRY_AFTER[0].total_seconds() * 1.3)
    with team.record.writing() as tx:
        for gap in GapRecords(tx).page(team.session.agent_id, None, PAGE).items:
            tx.connection.exec_driver_sql("UPDATE gaps SET question = 'Where?' WHERE id = ?", (gap.id.bytes,))
    await team.deliver()
    assert ["Malta" in said for said in team.told] == [True, False]


async def test_what_is_not_taken_is_tried_again_then_given_up_and_forgotten(team: ChannelTeam) -> None:
    await team.channel(WebhookEvent.PERSON_ASKED)
    await team.visitor_asks_for_a_person()
    team.sender.failure = "the receiver answered 404"
    await team.deliver()
    assert await team.state() == DeliveryState(1, 0, "the receiver answered 404")
    for pause in RETRY_AFTER:
        team.clock.advance(pause.total_seconds() * 1.3)
        assert await team.deliver() == 1
    assert await team.state() == DeliveryState(0, 1, "the receiver answered 404")
    assert len(set(team.told)) == 1, "the same at each attempt"
    team.clock.advance(KEPT.total_seconds() + 1)
    assert await team.posts.forget() == 1
    assert await team.state() == DeliveryState()


async def test_the_address_lies_sealed_and_is_not_told(team: ChannelTeam) -> None:
    made = await team.channel(WebhookEvent.PERSON_ASKED)
    [view] = await team.channels.of_workspace(team.actor)
    assert "abcDEF" not in repr((made, view))
    with team.record.reading() as tx:
        for table in ("notice_channels", "audit_log"):
            assert "abcDEF" not in repr(tx.connection.exec_driver_sql(f"SELECT * FROM {table}").all())


async def test_an_address_waits_for_a_change_of_the_secret_key_or_is_given_up_with_the_key(team: ChannelTeam) -> None:
    before, after = b"b" * 32, b"a" * 32
    made = await team.channel(WebhookEvent.PERSON_ASKED)
    await team.visitor_asks_for_a_person()
    with team.record.writing() as tx:  # as if it had been sealed by the key of before
        old = replace(tx, secret_keys=SecretKeys(lambda: [before]))
        sealed = SealedRows(old, NOTICE_CHANNELS).sealed(made.id, SLACK.encode())
        tx.connection.execute(update(NOTICE_CHANNELS).values(sealed))
        changed = replace(tx, secret_keys=SecretKeys(lambda: [after, before]))
        assert NoticeChannelRecords(changed).channel(team.session.workspace_id, made.id)[1] == SLACK
    assert await team.deliver() == 1
    assert team.told == []
    assert "cannot be decrypted" in (await team.state()).last_error
    with team.record.writing() as tx:
        assert SealedRows(tx, NOTICE_CHANNELS).forget_locked() == 1
    assert await team.channels.of_workspace(team.actor) == []


async def test_a_test_is_posted_at_once_and_says_what_became_of_it(team: ChannelTeam) -> None:
    made = await team.channel(WebhookEvent.PERSON_ASKED, url=DISCORD)
    assert made.kind is ChannelKind.DISCORD
    assert await team.channels.test(team.actor, made.id) is None
    team.sender.failure = "the receiver answered 401"
    assert await team.channels.test(team.actor, made.id) == "the receiver answered 401"
    assert json.loads(team.told[0])["embeds"][0]["title"] == "Test message from Docent"


async def test_channels_are_few_and_hear_of_something(team: ChannelTeam) -> None:
    for events in ((), (WebhookEvent.TURN_FINISHED,)):
        with pytest.raises(InvalidInput, match="events"):
            await team.channel(*events)
    for _ in range(MAX_CHANNELS):
        await team.channel(WebhookEvent.PERSON_ASKED)
    with pytest.raises(InvalidInput, match="at most"):
        await team.channel(WebhookEvent.PERSON_ASKED)


async def test_a_channel_that_is_removed_gets_nothing_of_what_waits(team: ChannelTeam) -> None:
    made = await team.channel(WebhookEvent.PERSON_ASKED)
    await team.visitor_asks_for_a_person()
    await WebhookDelivery(team.record, team.sender, team.clock, [team.posts]).deliver()
    await team.channels.delete(team.actor, made.id)
    assert await team.deliver() == 0
    assert isinstance(made.id, UUID)
