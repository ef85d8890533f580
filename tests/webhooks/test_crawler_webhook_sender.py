"""What webhooks may be posted to, and what becomes of a post."""

from collections.abc import Iterator

import pytest

from app.core.errors import InvalidInput
from app.webhooks.webhook import CrawlerWebhookSender
from tests.doubles.loopback_site import LoopbackSite, Reply, running_site
from tests.every_row import every_row


@pytest.fixture
def receiver() -> Iterator[LoopbackSite]:
    with running_site() as site:
        yield site


def sender_to(receiver: LoopbackSite, timeout_seconds: float = 10.0) -> CrawlerWebhookSender:
    return CrawlerWebhookSender(receiver.policy.allowed, timeout_seconds)


@every_row(
    "url",
    [
        "https://127.0.0.1/",
        "https://10.0.0.1/hook",
        "https://169.254.169.254/latest",
        "https://[::1]/",
        "https://2130706433/",
        "https://localhost/",
        "https://example.com:22/",
        "ftp://example.com/",
        "hook",
    ],
)
def test_an_address_that_may_not_be_crawled_may_not_be_posted_to(url: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        CrawlerWebhookSender().canonical(url)
    assert refused.value.field == "url"


def test_only_https_will_do() -> None:
    sender = CrawlerWebhookSender()
    assert sender.canonical(" HTTPS://Hooks.Example.com/a?key=1 ") == "https://hooks.example.com/a?key=1"
    with pytest.raises(InvalidInput, match="https://"):
        sender.canonical("http://hooks.example.com/a")


async def test_headers_and_body_arrive_as_they_are(receiver: LoopbackSite) -> None:
    receiver.page("/hook?key=1", status=204)
    async with sender_to(receiver) as sender:
        assert await sender.post(f"{receiver.origin}/hook?key=1", {"Docent-Delivery": "7"}, b'{"a":1}') is None
    [(path, headers)] = receiver.asked
    assert (path, headers["docent-delivery"], receiver.posted) == ("/hook?key=1", "7", [b'{"a":1}'])


async def test_anything_but_a_2xx_is_a_failure_and_no_redirect_is_followed(receiver: LoopbackSite) -> None:
    receiver.page("/broken", status=500)
    receiver.page("/moved", status=307, location="/hook")
    async with sender_to(receiver) as sender:
        assert await sender.post(f"{receiver.origin}/broken", {}, b"{}") == "the receiver answered 500"
        assert await sender.post(f"{receiver.origin}/moved", {}, b"{}") == "the receiver answered 307"
    assert receiver.paths == ["/broken", "/moved"]


async def test_a_receiver_that_does_not_answer_is_given_up(receiver: LoopbackSite) -> None:
    def never(_: object) -> Reply:
        receiver.closing.wait()
        return Reply(204)

    receiver.routes["/hook"] = never
    async with sender_to(receiver, timeout_seconds=0.2) as sender:
        assert await sender.post(f"{receiver.origin}/hook", {}, b"{}") == "no answer within 0.2 s"


async def test_an_address_that_is_private_by_now_is_not_dialled(receiver: LoopbackSite) -> None:
    async with CrawlerWebhookSender() as sender:
        told = await sender.post(f"https://127.0.0.1:{receiver.port}/hook", {}, b"{}")
    assert told is not None
    assert receiver.asked == []


async def test_a_closed_port_is_a_failure_in_words() -> None:
    with running_site() as gone:
        pass
    async with sender_to(gone) as sender:
        told = await sender.post(f"{gone.origin}/hook", {}, b"{}")
    assert told is not None
    assert "cannot be reached" in told
