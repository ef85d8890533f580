import gzip
from collections.abc import Iterator, Mapping

import httpcore
import pytest

from crawler.extract.page import Outcome, Validators
from crawler.fetch.fetch_result import HTML, Fetched, FetchLimits, NotFetched, Refusal, WantedBody
from crawler.fetch.fetcher import Fetcher
from tests.crawler.conftest import MakeFetcher
from tests.doubles.fake_network import USER_AGENT, FakeClock, FakeConnector, FakeNetwork, response
from tests.doubles.loopback_site import LoopbackSite, Reply


async def failed(fetcher: Fetcher, url: str, wanted: WantedBody = HTML) -> NotFetched:
    answer = await fetcher.fetch(url, wanted=wanted)
    assert isinstance(answer, NotFetched), answer
    assert answer.reason
    assert answer.url == url
    return answer


async def fetched(fetcher: Fetcher, url: str) -> Fetched:
    answer = await fetcher.fetch(url)
    assert isinstance(answer, Fetched), answer
    return answer


async def test_a_page_arrives_with_all_that_is_known_about_it(site: LoopbackSite, fetcher: Fetcher) -> None:
    site.page("/a", "<p>hello", etag='"1"', last_modified="Mon, 01 Jan 2024 00:00:00 GMT")
    answer = await fetched(fetcher, f"{site.origin}/a")
    assert (answer.body, answer.status, answer.media_type, answer.charset) == (b"<p>hello", 200, "text/html", "utf-8")
    assert answer.validators == Validators('"1"', "Mon, 01 Jan 2024 00:00:00 GMT")


async def test_we_say_who_we_are_and_carry_no_cookie(site: LoopbackSite, fetcher: Fetcher) -> None:
    site.page("/a", "hello", set_cookie="session=1")
    await fetched(fetcher, f"{site.origin}/a")
    await fetched(fetcher, f"{site.origin}/a")
    for _, headers in site.asked:
        assert headers["user-agent"] == USER_AGENT
        assert "cookie" not in headers


@pytest.mark.parametrize(
    ("status", "outcome"),
    [
        (204, Outcome.HTTP_ERROR),
        (401, Outcome.LOGIN_WALL),
        (403, Outcome.LOGIN_WALL),
        (404, Outcome.NOT_FOUND),
        (410, Outcome.GONE),
        (418, Outcome.HTTP_ERROR),
        (429, Outcome.RATE_LIMITED),
        (500, Outcome.HTTP_ERROR),
        (503, Outcome.HTTP_ERROR),
    ],
)
async def test_each_status_has_its_outcome(status: int, outcome: Outcome, site: LoopbackSite, fetcher: Fetcher) -> None:
    site.page("/a", status=status)
    answer = await failed(fetcher, f"{site.origin}/a")
    assert (answer.outcome, answer.status) == (outcome, status)


async def test_an_unchanged_page_is_not_read_again(site: LoopbackSite, fetcher: Fetcher) -> None:
    def conditional(headers: Mapping[str, str]) -> Reply:
        return Reply(304) if headers.get("if-none-match") == '"1"' else Reply(200, b"new")

    site.routes["/a"] = conditional
    answer = await fetcher.fetch(f"{site.origin}/a", Validators('"1"', "Mon, 01 Jan 2024 00:00:00 GMT"))
    assert isinstance(answer, NotFetched)
    assert answer.outcome is Outcome.UNCHANGED
    assert site.asked[0][1]["if-modified-since"] == "Mon, 01 Jan 2024 00:00:00 GMT"


async def test_unchanged_is_an_error_when_nothing_was_asked(site: LoopbackSite, fetcher: Fetcher) -> None:
    site.page("/a", status=304)
    assert (await failed(fetcher, f"{site.origin}/a")).outcome is Outcome.HTTP_ERROR


async def test_a_busy_server_is_asked_again_after_the_time_it_named(
    site: LoopbackSite, fetcher: Fetcher, clock: FakeClock
) -> None:
    replies = iter([Reply(429, headers={"Retry-After": "7"}), Reply(200, b"<html>ok")])
    site.routes["/a"] = lambda _: next(replies)
    assert (await fetched(fetcher, f"{site.origin}/a")).body == b"<html>ok"
    assert clock.slept == [7.0]


async def test_a_server_that_asks_for_too_long_a_pause_is_left_alone(site: LoopbackSite, fetcher: Fetcher) -> None:
    site.page("/a", status=503, retry_after="86400")
    answer = await failed(fetcher, f"{site.origin}/a")
    assert answer.retry_after_seconds == 86_400
    assert len(site.asked) == 1


async def test_retries_wait_longer_each_time_and_end(clock: FakeClock) -> None:
    network = FakeNetwork(FakeConnector(lambda _: response(503)), clock=clock)
    answer = await failed(network.fetcher, "http://www.example.com/")
    assert answer.status == 503
    assert clock.slept == [0.5, 1.0]
    assert len(network.connector.requests) == 3


@pytest.mark.parametrize("failure", [httpcore.ConnectError("refused"), httpcore.ConnectTimeout("silence")])
async def test_a_connection_that_fails_is_tried_again(failure: Exception, clock: FakeClock) -> None:
    connector = FakeConnector(lambda _: response(200, b"ok"), fail_first=2, first_failure=failure)
    network = FakeNetwork(connector, clock=clock)
    assert (await fetched(network.fetcher, "http://www.example.com/")).body == b"ok"


async def test_nobody_listening_is_unreachable() -> None:
    network = FakeNetwork(FakeConnector(lambda _: [], fail_first=99))
    assert (await failed(network.fetcher, "http://www.example.com/")).outcome is Outcome.UNREACHABLE


async def test_an_answer_that_is_no_http_is_unreachable() -> None:
    network = FakeNetwork(FakeConnector(lambda _: [b"SSH-2.0-OpenSSH_9.6\r\n"]))
    assert (await failed(network.fetcher, "http://www.example.com/")).outcome is Outcome.UNREACHABLE


async def test_redirects_are_followed_and_end_in_the_final_url(site: LoopbackSite, fetcher: Fetcher) -> None:
    site.page("/a", status=301, location="b?x=1")
    site.page("/b?x=1", "<p>here")
    assert (await fetched(fetcher, f"{site.origin}/a")).final_url == f"{site.origin}/b?x=1"


async def test_a_query_is_posted_and_does_not_follow_a_redirect(site: LoopbackSite, fetcher: Fetcher) -> None:
    site.page("/search", status=302, location="/found")
    site.page("/found", "<p>here")
    answer = await fetcher.fetch(f"{site.origin}/search", query=b'{"page": 1}')
    assert isinstance(answer, Fetched)
    assert site.posted == [b'{"page": 1}']
    assert [headers.get("content-type") for _, headers in site.asked] == ["application/json", None]


async def test_a_circle_of_redirects_is_left_after_one_round(site: LoopbackSite, fetcher: Fetcher) -> None:
    site.page("/a", status=302, location="/b")
    site.page("/b", status=302, location="/a")
    assert (await failed(fetcher, f"{site.origin}/a")).outcome is Outcome.TOO_MANY_REDIRECTS
    assert site.paths == ["/a", "/b"]


async def test_a_redirect_to_another_private_port_is_not_followed(site: LoopbackSite, fetcher: Fetcher) -> None:
    site.page("/a", status=302, location=f"http://127.0.0.1:{site.port + 1}/")
    assert (await failed(fetcher, f"{site.origin}/a")).outcome is Outcome.FORBIDDEN_ADDRESS


async def test_whoever_asks_may_stop_a_redirect(site: LoopbackSite, fetcher: Fetcher) -> None:
    async def admit(url: str) -> Refusal | None:
        return Refusal(Outcome.OUT_OF_SCOPE, f"{url} is not ours")

    site.page("/a", status=302, location="/b")
    answer = await fetcher.fetch(f"{site.origin}/a", admit=admit)
    assert isinstance(answer, NotFetched)
    assert (answer.outcome, answer.final_url) == (Outcome.OUT_OF_SCOPE, f"{site.origin}/b")
    assert site.paths == ["/a"]


async def test_a_date_is_not_held_against_another_page(site: LoopbackSite, fetcher: Fetcher) -> None:
    site.page("/a", status=302, location="/b")
    site.page("/b", "here")
    await fetcher.fetch(f"{site.origin}/a", Validators('"1"', "Mon, 01 Jan 2024 00:00:00 GMT"))
    assert site.asked[1][1]["if-none-match"] == '"1"'
    assert "if-modified-since" not in site.asked[1][1]


async def test_a_bomb_is_too_large_and_never_unpacked(site: LoopbackSite, fetcher: Fetcher) -> None:
    site.page("/a", gzip.compress(b"\0" * 30_000_000), content_encoding="gzip")
    assert (await failed(fetcher, f"{site.origin}/a")).outcome is Outcome.TOO_LARGE


async def test_a_page_without_end_is_too_large(site: LoopbackSite, fetcher: Fetcher) -> None:
    def endless() -> Iterator[bytes]:
        while not site.closing.is_set():
            yield b"x" * 65_536

    site.routes["/a"] = lambda _: Reply(headers={"Content-Type": "text/html"}, chunks=endless)
    answer = await failed(fetcher, f"{site.origin}/a", WantedBody(HTML.media_types, 200_000))
    assert answer.outcome is Outcome.TOO_LARGE


async def test_a_page_that_drips_is_given_up(site: LoopbackSite, make_fetcher: MakeFetcher) -> None:
    def drip() -> Iterator[bytes]:
        while not site.closing.wait(0.02):
            yield b"x"

    site.routes["/a"] = lambda _: Reply(headers={"Content-Type": "text/html"}, chunks=drip)
    fetcher = make_fetcher(FetchLimits(total_timeout_seconds=0.3))
    assert (await failed(fetcher, f"{site.origin}/a")).outcome is Outcome.TIMED_OUT


async def test_a_server_that_falls_silent_is_given_up(site: LoopbackSite, make_fetcher: MakeFetcher) -> None:
    def silence() -> Iterator[bytes]:
        site.closing.wait()
        yield b""

    site.routes["/a"] = lambda _: Reply(headers={"Content-Type": "text/html"}, chunks=silence)
    fetcher = make_fetcher(read_timeout_seconds=0.2)
    assert (await failed(fetcher, f"{site.origin}/a")).outcome is Outcome.TIMED_OUT


@pytest.mark.parametrize("content_type", ["application/pdf", "image/png", "text/plain; charset=utf-8"])
async def test_only_web_pages_are_read(content_type: str, site: LoopbackSite, fetcher: Fetcher) -> None:
    site.page("/a", "whatever", content_type=content_type)
    assert (await failed(fetcher, f"{site.origin}/a")).outcome is Outcome.NOT_HTML


@pytest.mark.parametrize(("body", "is_html"), [(b"\n<!DOCTYPE html><p>x", True), (b"%PDF-1.7", False)])
async def test_without_a_content_type_the_body_decides(
    body: bytes, is_html: bool, site: LoopbackSite, fetcher: Fetcher
) -> None:
    site.routes["/a"] = lambda _: Reply(200, body)
    assert isinstance(await fetcher.fetch(f"{site.origin}/a"), Fetched) == is_html


@pytest.mark.parametrize("etag", ['"ü"', '"' + "x" * 1000 + '"'])
async def test_a_validator_that_cannot_be_sent_back_is_not_kept(etag: str) -> None:
    network = FakeNetwork(FakeConnector(lambda _: response(200, b"ok", {"ETag": etag})))
    assert (await fetched(network.fetcher, "http://www.example.com/")).validators == Validators()


async def test_a_stored_validator_that_cannot_be_sent_is_a_failure_not_a_crash() -> None:
    network = FakeNetwork(FakeConnector(lambda _: response(200, b"ok")))
    assert isinstance(await network.fetcher.fetch("http://www.example.com/", Validators("ü\r\nX: y")), NotFetched)
