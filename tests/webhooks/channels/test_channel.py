"""Which addresses a channel may have: those by which Slack and Discord take messages, and no others."""

import pytest

from app.core.errors import InvalidInput
from app.webhooks.channels.channel import ChannelKind, channel_kind
from tests.every_row import every_row

SLACK = "https://hooks.slack.com/services/T00000000/B00000000/abcDEF123456"
DISCORD = "https://discord.com/api/webhooks/123456789012345678/abc-DEF_123"


@every_row(
    ("url", "kind"),
    [
        (SLACK, ChannelKind.SLACK),
        (DISCORD, ChannelKind.DISCORD),
        (DISCORD.replace("/api/", "/api/v10/"), ChannelKind.DISCORD),
        (DISCORD.replace("discord.com", "canary.discord.com"), ChannelKind.DISCORD),
    ],
)
def test_an_address_says_whose_it_is(url: str, kind: ChannelKind) -> None:
    assert channel_kind(url) is kind


@every_row(
    "url",
    [
        pytest.param("", id="nothing"),
        pytest.param(SLACK.replace("https", "http"), id="without TLS"),
        pytest.param(SLACK.replace("hooks.slack.com", "hooks.slack.com.example.com"), id="another host"),
        pytest.param(SLACK.replace("hooks.slack.com", "hooks.slack.com:8443"), id="another port"),
        pytest.param(SLACK.replace("https://", "https://me@"), id="a user before the host"),
        pytest.param(SLACK.replace("https://", "https://example.com@"), id="what reads like a host before it"),
        pytest.param("https://hooks.slack.com/api/chat.postMessage", id="another call of the same host"),
        pytest.param(f"{DISCORD}/../../users/@me", id="a path that leads elsewhere"),
        pytest.param(f"{DISCORD}?wait=true", id="a query"),
        pytest.param(f"{DISCORD}#x", id="a fragment"),
        pytest.param("https://[::1", id="no address at all"),
        pytest.param("https://169.254.169.254/services/T0/B0/abc", id="a machine's own service"),
    ],
)
def test_nothing_else_is_posted_to(url: str) -> None:
    with pytest.raises(InvalidInput, match=r"hooks\.slack\.com/services") as refused:
        channel_kind(url)
    assert "abc" not in str(refused.value), "it may be a secret with a slip in it"
