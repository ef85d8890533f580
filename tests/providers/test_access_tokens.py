"""Access tokens are got for a refresh token or a client secret, kept until they expire, and refused in words."""

from dataclasses import replace

import pytest

from app.providers.access_tokens import AccessTokens, NoAccessToken
from app.providers.http_caller import CrawlerHttpCaller, HttpReply
from tests.doubles.fixed_clock import FixedClock
from tests.doubles.token_endpoint import CLIENT, TokenEndpoint
from tests.every_row import every_row


async def test_a_token_is_kept_until_a_minute_before_it_expires() -> None:
    endpoint, clock = TokenEndpoint(), FixedClock()
    tokens = AccessTokens(endpoint, clock)
    assert [await tokens.text(CLIENT) for _ in range(2)] == ["access-0", "access-0"]
    assert endpoint.requests == [
        {"grant_type": "refresh_token", "client_id": "docent", "refresh_token": "refresh-0"},
    ]
    clock.advance(3600 - 60)
    assert await tokens.text(CLIENT) == "access-1"


async def test_a_refresh_token_that_is_replaced_is_used_from_then_on() -> None:
    endpoint, clock = TokenEndpoint(rotates=True), FixedClock()
    tokens = AccessTokens(endpoint, clock)
    first = await tokens.token(CLIENT)
    assert first.client == replace(CLIENT, refresh_token="refresh-1")
    assert await tokens.text(first.client) == "access-0"
    clock.advance(3600)
    assert (await tokens.token(first.client)).client.refresh_token == "refresh-2"


async def test_who_keeps_the_first_refresh_token_goes_on_with_the_latest() -> None:
    endpoint, clock = TokenEndpoint(rotates=True), FixedClock()
    tokens = AccessTokens(endpoint, clock)
    for _ in range(3):
        await tokens.text(CLIENT)
        clock.advance(3600)
    assert [each["refresh_token"] for each in endpoint.requests] == ["refresh-0", "refresh-1", "refresh-2"]


async def test_a_client_gets_a_token_for_itself() -> None:
    endpoint = TokenEndpoint(rotates=True)
    client = replace(CLIENT, refresh_token="", client_secret="s", scope="https://mail.example.com/.default")
    assert (await AccessTokens(endpoint, FixedClock()).token(client)).client == client
    assert endpoint.requests[0]["grant_type"] == "client_credentials"


@every_row(
    ("answer", "reason"),
    [
        (None, "login.example.com gave no access token: AADSTS70008: The refresh token has expired."),
        (HttpReply(400, b'{"error": "invalid_client"}'), "login.example.com gave no access token: invalid_client"),
        (HttpReply(502, b"<html>"), "login.example.com gave no access token: it answered 502"),
        (HttpReply(200, b"[" * 100_000), "login.example.com gave no access token: it answered 200"),
        (HttpReply(200, b"[]"), "login.example.com gave no access token: it answered 200"),
        (HttpReply(200, b'{"access_token": "a\\u0001b"}'), "login.example.com gave no access token: it answered 200"),
    ],
)
async def test_a_refusal_is_told_in_words(answer: HttpReply | None, reason: str) -> None:
    tokens = AccessTokens(TokenEndpoint(answer=answer), FixedClock())
    with pytest.raises(NoAccessToken) as refused:
        await tokens.text(replace(CLIENT, refresh_token="old"))
    assert str(refused.value) == reason


@pytest.mark.parametrize("seconds", [b"null", b'"x"', b"1e999", b"-5", b"-99999999999999", b"{}"])
async def test_a_lifetime_that_makes_no_sense_does_no_harm(seconds: bytes) -> None:
    answer = HttpReply(200, b'{"access_token": "a", "expires_in": ' + seconds + b"}")
    assert await AccessTokens(TokenEndpoint(answer=answer), FixedClock()).text(CLIENT) == "a"


@pytest.mark.parametrize(
    "url", ["https://127.0.0.1/token", "https://169.254.169.254/token", "http://login.example.com/token"]
)
async def test_secrets_go_to_no_private_address_and_not_without_tls(url: str) -> None:
    async with CrawlerHttpCaller() as caller:
        with pytest.raises(NoAccessToken, match="gave no access token"):
            await AccessTokens(caller, FixedClock()).text(replace(CLIENT, url=url))


async def test_no_answer_is_told_as_such() -> None:
    with pytest.raises(NoAccessToken, match="nobody answers"):
        await AccessTokens(TokenEndpoint(is_away=True), FixedClock()).text(CLIENT)


def test_secrets_are_not_shown() -> None:
    assert "refresh-0" not in repr(CLIENT)
