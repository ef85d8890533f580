import ssl
from ipaddress import ip_address

import httpcore
import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.address_policy import AddressPolicy
from crawler.errors import AddressRefused, TimedOut, Unreachable, UrlRefused
from crawler.fetch.guarded_dialler import GuardedDialler
from crawler.fetch.guarded_transport import GuardedTransport, GuardedWire
from crawler.url_rules import check_url
from tests.doubles.fake_network import FakeConnector, FakeNetwork, FakeRequest, FakeResolver, response
from tests.doubles.loopback_site import running_site
from tests.every_row import every_row


def ok(_: FakeRequest) -> list[bytes]:
    return response(200, b"hello")


def test_the_pool_of_the_transport_dials_through_the_guard() -> None:
    transport = GuardedTransport()
    assert isinstance(transport._pool, httpcore.AsyncConnectionPool)
    assert isinstance(transport._pool._network_backend, GuardedDialler)


async def test_an_ordinary_httpx_client_is_guarded_too() -> None:
    connector = FakeConnector(ok)
    transport = GuardedTransport(resolver=FakeResolver(default=[["10.0.0.1"]]), connector=connector)
    async with httpx.AsyncClient(transport=transport, trust_env=False) as client:
        with pytest.raises(AddressRefused):
            await client.get("http://intranet.example.com/")
    assert connector.dialled == []


async def test_a_name_never_reaches_an_allowed_endpoint() -> None:
    connector = FakeConnector(ok)
    dialler = GuardedDialler(
        AddressPolicy(frozenset({("127.0.0.1", 8080)})), FakeResolver(default=[["127.0.0.1"]]), connector
    )
    with pytest.raises(AddressRefused):
        await dialler.connect_tcp("rebind.example.com", 8080)
    await dialler.connect_tcp("127.0.0.1", 8080)
    assert connector.dialled == [("127.0.0.1", 8080)]


async def test_the_reason_does_not_tell_what_a_name_means_inside_our_network() -> None:
    dialler = GuardedDialler(AddressPolicy(), FakeResolver(default=[["10.20.30.40"]]), FakeConnector(ok))
    with pytest.raises(AddressRefused) as refused:
        await dialler.connect_tcp("intranet.example.com", 80)
    assert refused.value.reason == "intranet.example.com resolves to an address that is not public"


async def test_a_local_name_is_refused_even_when_asked_for_below_the_url_check() -> None:
    connector = FakeConnector(ok)
    with pytest.raises(UrlRefused):
        await GuardedDialler(AddressPolicy(), FakeResolver(), connector).connect_tcp("localhost", 80)
    assert connector.dialled == []


async def test_a_port_off_the_list_is_not_dialled_below_the_url_check_either() -> None:
    connector = FakeConnector(ok)
    with pytest.raises(AddressRefused):
        await GuardedDialler(AddressPolicy(), FakeResolver(), connector).connect_tcp("www.example.com", 6379)
    assert connector.dialled == []


async def test_local_sockets_are_never_opened() -> None:
    with pytest.raises(AddressRefused):
        await GuardedDialler(AddressPolicy()).connect_unix_socket("/var/run/docker.sock")


async def test_the_next_address_is_tried_when_one_does_not_answer() -> None:
    connector = FakeConnector(ok, fail_first=1)
    resolver = FakeResolver(default=[["2606:4700::1", "93.184.215.14"]])
    await GuardedDialler(AddressPolicy(), resolver, connector).connect_tcp("www.example.com", 80, timeout=1.0)
    assert connector.dialled == [("2606:4700::1", 80), ("93.184.215.14", 80)]


async def test_a_resolver_that_fails_or_answers_nonsense_leads_nowhere() -> None:
    async def failing(host: str, port: int) -> list[str]:
        raise OSError("no such name")

    with pytest.raises(httpcore.ConnectError):
        await GuardedDialler(AddressPolicy(), failing).connect_tcp("www.example.com", 80)
    with pytest.raises(AddressRefused):
        await GuardedDialler(AddressPolicy(), FakeResolver(default=[["nonsense"]])).connect_tcp("www.example.com", 80)


@every_row(
    ("failure", "translated"),
    [
        (httpcore.ConnectError("x"), Unreachable),
        (httpcore.ConnectTimeout("x"), TimedOut),
        (httpcore.RemoteProtocolError("x"), Unreachable),
        (httpcore.ReadError("x"), Unreachable),
    ],
)
async def test_transport_errors_arrive_in_our_words(failure: Exception, translated: type[Exception]) -> None:
    network = FakeNetwork(FakeConnector(ok, failure=failure))
    with pytest.raises(translated):
        async with network.wire.send("GET", check_url("http://www.example.com/"), {}):
            pass


async def test_https_where_there_is_none_says_which_address_to_try() -> None:
    with running_site() as site:
        wire = GuardedWire(GuardedTransport(site.policy))
        with pytest.raises(Unreachable) as refused:
            async with wire.send("GET", check_url(f"https://127.0.0.1:{site.port}/", site.policy), {}):
                pass
        await wire.aclose()
    assert refused.value.reason == (
        f"127.0.0.1 does not use https on port {site.port}; its address may begin with http://"
    )


def _refused() -> ssl.SSLError:
    error = ssl.SSLError(1, "[SSL: TLSV1_ALERT_INTERNAL_ERROR] tlsv1 alert internal error (_ssl.c:1006)")
    error.reason = "TLSV1_ALERT_INTERNAL_ERROR"
    return error


def _expired() -> ssl.SSLCertVerificationError:
    error = ssl.SSLCertVerificationError(1, "[SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed (_ssl.c:1006)")
    error.verify_message = "certificate has expired"
    return error


@pytest.mark.parametrize(
    ("cause", "reason"),
    [
        (_expired(), "www.example.com has no valid certificate (certificate has expired)"),
        (_refused(), "www.example.com refuses an encrypted connection"),
    ],
)
async def test_a_reason_has_no_text_of_the_programming_language(cause: Exception, reason: str) -> None:
    failure = httpcore.ConnectError(str(cause))
    failure.__cause__ = cause
    with pytest.raises(Unreachable) as refused:
        async with FakeNetwork(FakeConnector(ok, failure=failure)).wire.send(
            "GET", check_url("https://www.example.com/"), {}
        ):
            pass
    assert refused.value.reason == reason


async def test_the_target_goes_out_exactly_as_it_was_checked() -> None:
    network = FakeNetwork(FakeConnector(ok))
    url = check_url("http://www.example.com/a%2Fb/{x}?q='%22[1]'&r=%zz")
    async with network.wire.send("GET", url, {}):
        pass
    assert [request.target for request in network.connector.requests] == [url.target]


async def test_lines_of_x_robots_tag_stay_apart() -> None:
    def respond(_: FakeRequest) -> list[bytes]:
        return [b"HTTP/1.1 200 OK\r\nX-Robots-Tag: a: b\r\nX-Robots-Tag: c\r\nVary: d\r\nVary: e\r\n\r\n"]

    network = FakeNetwork(FakeConnector(respond))
    async with network.wire.send("GET", check_url("http://www.example.com/"), {}) as answer:
        assert answer.headers["x-robots-tag"] == "a: b\nc"
        assert answer.headers["vary"] == "d, e"


@given(answers=st.lists(st.ip_addresses().map(str), min_size=1, max_size=3))
async def test_whatever_a_name_resolves_to_only_public_addresses_are_dialled(answers: list[str]) -> None:
    connector = FakeConnector(ok, fail_first=99)
    dialler = GuardedDialler(AddressPolicy(), FakeResolver(default=[answers]), connector)
    with pytest.raises((AddressRefused, httpcore.ConnectError)) as refused:
        await dialler.connect_tcp("www.example.com", 80)
    assert not any(answer in str(refused.value) for answer in answers if AddressPolicy().refusal(ip_address(answer)))
    refusals = [AddressPolicy().refusal(ip_address(answer)) for answer in answers]
    assert connector.dialled == ([] if any(refusals) else [(answer, 80) for answer in answers])
