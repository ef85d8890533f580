"""Calls reach what may be called, over TLS and through the guard, and bring back what was answered."""

import pytest

from app.providers.http_caller import CallFailed, CrawlerHttpCaller
from tests.doubles.loopback_site import running_site
from tests.every_row import every_row


async def test_what_a_server_answers_is_read_up_to_a_bound() -> None:
    with running_site() as site:
        site.page("/said", "0123456789 and more", status=201)
        async with CrawlerHttpCaller([("127.0.0.1", site.port)], max_reply_bytes=10) as caller:
            reply = await caller.call("GET", f"{site.origin}/said", {"X-Key": "secret"})
    assert (reply.status, reply.body) == (201, b"0123456789")
    [(path, headers)] = site.asked
    assert (path, headers["x-key"]) == ("/said", "secret")


@every_row(
    ("url", "reason"),
    [
        ("http://www.example.com/", "https"),
        ("https://127.0.0.1/", "loopback"),
        ("https://169.254.169.254/latest/meta-data", "link-local"),
        ("https://[::1]/", "nothing can be called there"),
        ("file:///etc/passwd", "nothing can be called there"),
    ],
)
async def test_what_may_not_be_called_is_not(url: str, reason: str) -> None:
    async with CrawlerHttpCaller() as caller:
        with pytest.raises(CallFailed, match=reason):
            await caller.call("GET", url, {})
