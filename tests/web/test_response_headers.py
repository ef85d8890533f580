"""Headers that browsers act on: on every answer, refusals and faults included."""

from pathlib import Path

import httpx2
import pytest

from tests.web.house import House, open_house

EVERYWHERE = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "x-frame-options": "DENY",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}
HSTS = "strict-transport-security"


@pytest.mark.parametrize("path", ["/healthz", "/v1/agents", "/v1/nothing", "/openapi.json", "/metrics"])
async def test_every_answer_has_them_and_none_sets_a_cookie(path: str, still_house: House) -> None:
    response = await still_house.http.get(path)
    assert {name: response.headers[name] for name in EVERYWHERE} == EVERYWHERE
    assert "set-cookie" not in response.headers


@pytest.mark.parametrize(
    ("proxies", "scheme", "said", "is_told"),
    [
        ((), "https", None, True),
        ((), "http", None, False),
        ((), "http", "https", False),
        (("127.0.0.1",), "http", "https", True),
        (("127.0.0.1",), "http", "http, https", True),
        (("127.0.0.1",), "http", "https, http", False),
        (("127.0.0.1",), "http", None, False),
        (("10.0.0.0/8",), "http", "https", False),
    ],
    ids=[
        "TLS ends with us", "no TLS", "a stranger says so", "a trusted proxy says so", "the nearest proxy counts",
        "a proxy before it counts not", "a trusted proxy says nothing", "another proxy is trusted",
    ],
)  # fmt: skip
async def test_browsers_are_held_to_tls_where_they_came_over_it(
    proxies: tuple[str, ...], scheme: str, said: str | None, is_told: bool, tmp_path: Path
) -> None:
    async with open_house(tmp_path, trusted_proxies=proxies) as house:
        transport = httpx2.ASGITransport(app=house.app, client=("127.0.0.1", 5000))
        async with httpx2.AsyncClient(transport=transport, base_url=f"{scheme}://api.test", trust_env=False) as http:
            headers = {"X-Forwarded-Proto": said} if said else {}
            answers = [await http.get(path, headers=headers) for path in ("/healthz", "/v1/agents")]
    assert [answer.headers.get(HSTS) for answer in answers] == ["max-age=31536000" if is_told else None] * 2
