"""Where keys of identity providers may be read, and what becomes of it."""

from collections.abc import Iterator

import pytest

from app.agents.signed_users import MAX_BYTES, CrawlerKeySetReader
from app.core.errors import InvalidInput, Unavailable
from tests.doubles.loopback_site import LoopbackSite, Reply, running_site
from tests.every_row import every_row


@pytest.fixture
def provider() -> Iterator[LoopbackSite]:
    with running_site() as site:
        yield site


def reader_of(provider: LoopbackSite, timeout_seconds: float = 10.0) -> CrawlerKeySetReader:
    return CrawlerKeySetReader(provider.policy.allowed, timeout_seconds)


@every_row(
    "url",
    [
        "https://127.0.0.1/keys",
        "https://169.254.169.254/latest",
        "https://[::1]/keys",
        "https://localhost/keys",
        "http://id.example.com/keys",
        "file:///etc/passwd",
    ],
)
async def test_an_address_behind_the_guard_is_neither_taken_nor_read(url: str) -> None:
    async with CrawlerKeySetReader() as reader:
        with pytest.raises(InvalidInput) as refused:
            reader.canonical(url)
        assert refused.value.field == "jwks_url"
        with pytest.raises(Unavailable):
            await reader.read(url)


async def test_what_is_published_comes_as_it_is(provider: LoopbackSite) -> None:
    provider.routes["/keys"] = lambda _: Reply(200, b'{"keys": []}')
    async with reader_of(provider) as reader:
        assert await reader.read(f"{provider.origin}/keys") == b'{"keys": []}'


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        (Reply(302, headers={"Location": "/elsewhere"}), "status 302"),
        (Reply(500), "status 500"),
        (Reply(200, b"x" * (MAX_BYTES + 1)), "larger than"),
    ],
    ids=["a redirect is not followed", "an error", "too much"],
)
async def test_what_is_no_key_set_is_said_in_words(reply: Reply, why: str, provider: LoopbackSite) -> None:
    provider.routes["/keys"] = lambda _: reply
    async with reader_of(provider) as reader:
        with pytest.raises(Unavailable, match=why):
            await reader.read(f"{provider.origin}/keys")
    assert [path for path, _ in provider.asked] == ["/keys"]


async def test_a_provider_that_does_not_answer_is_given_up(provider: LoopbackSite) -> None:
    def never(_: object) -> Reply:
        provider.closing.wait()
        return Reply(204)

    provider.routes["/keys"] = never
    async with reader_of(provider, timeout_seconds=0.2) as reader:
        with pytest.raises(Unavailable, match="no answer"):
            await reader.read(f"{provider.origin}/keys")
