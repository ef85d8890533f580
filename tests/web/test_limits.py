from dataclasses import replace
from pathlib import Path
from uuid import uuid4

import pytest
from sqlalchemy import Connection, Engine, event
from starlette.requests import Request

from app.core.actor import ASK
from app.web.client_address import ClientAddresses
from app.workspaces.api_tokens import ApiTokens
from tests.every_row import every_row
from tests.web.house import PAGE, SITE, House, open_house, unlimited


def a_request(peer: str | None, *forwarded: str) -> Request:
    return Request(
        {
            "type": "http",
            "client": (peer, 1234) if peer else None,
            "headers": [(b"x-forwarded-for", line.encode()) for line in forwarded],
        }
    )


@every_row(
    ("peer", "forwarded", "key"),
    [
        ("203.0.113.9", (), "203.0.113.9"),
        ("203.0.113.9", ("198.51.100.1",), "203.0.113.9"),
        ("10.0.0.1", ("198.51.100.1",), "198.51.100.1"),
        ("10.0.0.1", ("1.2.3.4, 198.51.100.1",), "198.51.100.1"),
        ("10.0.0.1", ("1.2.3.4", "198.51.100.1"), "198.51.100.1"),
        ("10.0.0.1", ("198.51.100.1, 10.0.0.7",), "198.51.100.1"),
        ("10.0.0.1", ("nonsense",), "10.0.0.1"),
        ("10.0.0.1", (), "10.0.0.1"),
        ("::ffff:10.0.0.1", ("198.51.100.1",), "198.51.100.1"),
        ("2001:db8:1:2:3:4:5:6", (), "2001:db8:1:2::/64"),
        ("::ffff:203.0.113.9", (), "203.0.113.9"),
        ("fe80::1%eth0", (), "fe80::/64"),
        (None, (), "unknown"),
        ("testclient", (), "unknown"),
    ],
)
def test_an_address_is_what_trusted_proxies_say(peer: str | None, forwarded: tuple[str, ...], key: str) -> None:
    assert ClientAddresses(["10.0.0.0/8"]).limit_key(a_request(peer, *forwarded)) == key


FLY_APP = "2a09:8280:1::1:2345"


@every_row(
    ("peer", "sent", "key"),
    [
        pytest.param("172.16.7.2", {"fly-client-ip": ["198.51.100.1"]}, "198.51.100.1", id="Fly"),
        pytest.param(
            "172.16.7.2",
            {"fly-client-ip": ["2001:db8:1:2::9"], "x-forwarded-for": [f"2001:db8:1:2::9, {FLY_APP}"]},
            "2001:db8:1:2::/64",
            id="Fly, whose list ends with the app's own address",
        ),
        pytest.param(
            "172.16.7.2",
            {"fly-client-ip": ["198.51.100.1"], "x-forwarded-for": [f"1.2.3.4, 198.51.100.1, {FLY_APP}"]},
            "198.51.100.1",
            id="Fly, and a visitor who sends a list of their own",
        ),
        pytest.param("203.0.113.9", {"fly-client-ip": ["198.51.100.1"]}, "203.0.113.9", id="nobody's proxy"),
        pytest.param("172.16.7.2", {"fly-client-ip": ["1.2.3.4", "5.6.7.8"]}, "172.16.7.2", id="said twice"),
        pytest.param("172.16.7.2", {"fly-client-ip": ["1.2.3.4, 5.6.7.8"]}, "172.16.7.2", id="a list"),
        pytest.param("172.16.7.2", {"x-forwarded-for": ["198.51.100.1"]}, "172.16.7.2", id="said elsewhere"),
        pytest.param("172.16.7.2", {}, "172.16.7.2", id="not said"),
    ],
)
def test_a_proxy_may_name_the_visitor_in_a_header_of_its_own(peer: str, sent: dict[str, list[str]], key: str) -> None:
    lines = [(name.encode(), line.encode()) for name, values in sent.items() for line in values]
    request = Request({"type": "http", "client": (peer, 1234), "headers": lines})
    assert ClientAddresses(["172.16.0.0/12"], "Fly-Client-IP").limit_key(request) == key


@pytest.mark.parametrize(
    ("header", "first", "second"),
    [
        pytest.param(
            "Fly-Client-IP",
            {"Fly-Client-IP": "198.51.100.1", "X-Forwarded-For": f"198.51.100.1, {FLY_APP}"},
            {"Fly-Client-IP": "198.51.100.2", "X-Forwarded-For": f"198.51.100.2, {FLY_APP}"},
            id="Fly",
        ),
        pytest.param(
            "X-Forwarded-For",
            {"X-Forwarded-For": "6.6.6.6, 198.51.100.1"},
            {"X-Forwarded-For": "6.6.6.6, 198.51.100.2"},
            id="nginx with $proxy_add_x_forwarded_for",
        ),
        pytest.param(
            "X-Real-IP", {"X-Real-IP": "198.51.100.1"}, {"X-Real-IP": "198.51.100.2"}, id="nginx with $remote_addr"
        ),
    ],
)
async def test_visitors_behind_a_proxy_share_no_limit(
    tmp_path: Path, header: str, first: dict[str, str], second: dict[str, str]
) -> None:
    limits = replace(unlimited(), inits_per_address=1)
    async with open_house(tmp_path, limits=limits, trusted_proxies=("127.0.0.1",), proxy_header=header) as house:
        body = {"agent_id": str(house.agent.id), "page_url": PAGE}
        told = [
            (await house.http.post("/v1/widget/init", json=body, headers={"Origin": SITE, **sent})).status_code
            for sent in (first, second, first, second)
        ]
        assert told == [200, 200, 429, 429]


def test_a_proxy_that_is_no_address_is_refused_at_start() -> None:
    with pytest.raises(ValueError, match="proxy"):
        ClientAddresses(["proxy.internal"])


async def _init(house: House) -> int:
    body = {"agent_id": str(house.agent.id), "page_url": PAGE}
    response = await house.http.post("/v1/widget/init", json=body, headers={"Origin": SITE})
    if response.status_code == 429:
        assert response.json()["error"]["code"] == "rate_limited"
        assert response.headers["retry-after"] == "60"
        assert response.headers["ratelimit-policy"] == '"default";q=2;w=60'
        assert response.headers["ratelimit"] == '"default";r=0;t=60'
        assert response.headers["access-control-allow-origin"] == SITE
        readable = response.headers["access-control-expose-headers"]
        assert {"RateLimit", "RateLimit-Policy", "Retry-After"} <= set(readable.split(", "))
    return response.status_code


async def test_an_address_that_opens_too_often_is_told_when_to_come_back(tmp_path: Path) -> None:
    async with open_house(tmp_path, limits=replace(unlimited(), inits_per_address=2)) as house:
        assert [await _init(house) for _ in range(3)] == [200, 200, 429]


async def test_calls_are_counted_by_hook_and_more_of_them_by_address(tmp_path: Path) -> None:
    """A service calls for many agents from a few addresses, but ids can be guessed."""
    async with open_house(tmp_path, limits=replace(unlimited(), inits_per_address=1)) as house:
        one, other = (f"/v1/hooks/{kind}/{house.agent.id}" for kind in ("slack", "discord"))
        paths = [one, one, other, *(f"/v1/hooks/sources/{uuid4()}" for _ in range(8))]
        statuses = [(await house.http.post(path, json={})).status_code for path in paths]
        assert statuses == [401, 429, 401, *(7 * [401]), 429]


@pytest.mark.parametrize(
    "limit",
    [
        *("questions_per_address", "questions_per_visitor", "questions_per_agent"),
        *("questions_per_visitor_day", "questions_per_network_day"),
    ],
)
async def test_too_many_questions_are_refused_before_any_turn(tmp_path: Path, limit: str) -> None:
    async with open_house(tmp_path, limits=replace(unlimited(), **{limit: 2})) as house:
        visitor = await house.visitor()
        statuses = [(await visitor.ask()).status_code for _ in range(3)]
        assert statuses == [200, 200, 429]
        assert len(house.turns.asked) == 2


@every_row(
    ("peer", "network"),
    [
        ("198.51.100.7", "198.51.100.0/24"),
        ("::ffff:198.51.100.7", "198.51.100.0/24"),
        ("2001:db8:1:2:3::4", "2001:db8:1::/48"),
        ("testclient", "unknown"),
    ],
)
def test_a_network_is_what_one_is_often_given_as_a_whole(peer: str, network: str) -> None:
    request = Request({"type": "http", "client": (peer, 1234), "headers": []})
    assert ClientAddresses().network_key(request) == network


async def test_who_begins_anew_as_another_visitor_spends_the_same_networks_day(tmp_path: Path) -> None:
    limits = replace(unlimited(), questions_per_visitor_day=2, questions_per_network_day=3)
    async with open_house(tmp_path, limits=limits) as house:
        one, other = await house.visitor(), await house.visitor()
        assert [(await one.ask()).status_code for _ in range(3)] == [200, 200, 429]
        assert [(await other.ask()).status_code for _ in range(2)] == [200, 429]
        refused = await other.ask()
        assert int(refused.headers["retry-after"]) > 3600
        assert len(house.turns.asked) == 3


async def test_a_user_whom_a_program_names_has_a_visitors_day(tmp_path: Path) -> None:
    async with open_house(tmp_path, limits=replace(unlimited(), questions_per_visitor_day=1)) as house:
        issued = await house.parts.get(ApiTokens).issue(house.actor, "bot", [ASK])
        body = {"model": "Docs", "messages": [{"role": "user", "content": "What does it cost?"}]}

        async def asked(user: dict[str, str]) -> int:
            return (await house.api("POST", "/v1/chat/completions", {**body, **user}, issued.token)).status_code

        users: list[dict[str, str]] = [{"user": "ann"}, {"user": "ann"}, {"user": "bob"}, {}, {}]
        assert [await asked(user) for user in users] == [200, 429, 200, 200, 200]


async def test_a_turn_knows_the_network_or_the_token_that_asks_and_tells_it_nobody(house: House) -> None:
    await (await house.visitor()).ask()
    issued = await house.parts.get(ApiTokens).issue(house.actor, "bot", [ASK])
    body = {"model": "Docs", "messages": [{"role": "user", "content": "What does it cost?"}]}
    await house.api("POST", "/v1/chat/completions", body, issued.token)
    visitors, programs = [session for session, _ in house.turns.asked]
    assert (visitors.network, programs.network) == ("127.0.0.0/24", f"token {issued.record.id}")
    assert "127.0.0" not in repr(visitors)


async def test_without_a_bound_nothing_is_counted_for_the_day(tmp_path: Path) -> None:
    limits = replace(unlimited(), questions_per_visitor_day=0, questions_per_network_day=0)
    async with open_house(tmp_path, limits=limits) as house:
        assert (await (await house.visitor()).ask()).status_code == 200
        assert not [key for key in house.limiter.hits if "day" in key[0]]


async def test_one_visitors_limit_is_not_anothers(tmp_path: Path) -> None:
    async with open_house(tmp_path, limits=replace(unlimited(), questions_per_visitor=1)) as house:
        one, other = await house.visitor(), await house.visitor()
        assert [(await one.ask()).status_code, (await one.ask()).status_code] == [200, 429]
        assert (await other.ask()).status_code == 200


async def test_who_calls_too_often_costs_the_database_nothing(tmp_path: Path) -> None:
    async with open_house(tmp_path, limits=replace(unlimited(), calls_per_visitor=1)) as house:
        visitor = await house.visitor()
        assert (await visitor.call("GET", "/conversation/messages")).status_code == 200
        transactions: list[Connection] = []
        note = transactions.append
        event.listen(Engine, "begin", note)
        try:
            refused = await visitor.call("GET", "/conversation/messages")
        finally:
            event.remove(Engine, "begin", note)
        assert (refused.status_code, transactions) == (429, [])
        assert refused.headers["access-control-allow-origin"] == SITE


async def test_an_api_token_has_a_limit_too(tmp_path: Path) -> None:
    async with open_house(tmp_path, limits=replace(unlimited(), calls_per_api_token=1)) as house:
        assert [(await house.api("GET", "/v1/agents")).status_code for _ in range(2)] == [200, 429]
        assert (await house.api("GET", "/v1/agents", token=house.read)).status_code == 200
