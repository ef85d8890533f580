"""Discovery over the API: a list to choose from, and nothing stored."""

import pytest

from tests.web.house import House

SITE = "https://www.example.com"


async def test_a_website_is_offered_as_sources(house: House) -> None:
    found = (await house.api("POST", f"/v1/agents/{house.agent.id}/discover", {"url": SITE})).json()
    assert found == {
        "url": SITE,
        "title": "Home",
        "offers": [
            {"kind": "site", "url": SITE, "title": "Home", "pages": 3, "has_more": False},
            {"kind": "sitemap", "url": f"{SITE}/sitemap.xml", "title": "", "pages": 40, "has_more": True},
        ],
        "problems": [{"url": f"{SITE}/feed", "reason": "it lists no page"}],
        "is_complete": True,
    }
    assert (await house.api("GET", f"/v1/agents/{house.agent.id}/sources")).json()["items"] == []


async def test_an_address_that_must_not_be_dialled_is_refused_by_field(house: House) -> None:
    for url in ("http://127.0.0.1/", "nowhere", "ftp://www.example.com/"):
        response = await house.api("POST", f"/v1/agents/{house.agent.id}/discover", {"url": url})
        assert (response.status_code, response.json()["error"]["field"]) == (422, "url")


@pytest.mark.parametrize(
    "url",
    [
        pytest.param("http://10.0.0.5/wiki", id="a private network"),
        pytest.param("http://169.254.169.254/latest/meta-data/", id="cloud metadata"),
        pytest.param("http://localhost/", id="a local name"),
        pytest.param("http://wiki/", id="a name without a domain"),
        pytest.param("https://www.example.com:22/", id="a port that is not dialled"),
        pytest.param("http://2130706433/", id="an address in disguise"),
    ],
)
async def test_a_source_that_could_never_be_read_is_not_made(house: House, url: str) -> None:
    sources = f"/v1/agents/{house.agent.id}/sources"
    for kind in ("site", "url", "sitemap", "feed"):
        response = await house.api("POST", sources, {"kind": kind, "name": "Wiki", "url": url})
        assert (response.status_code, response.json()["error"]["field"]) == (422, "url"), kind
    assert (await house.api("GET", sources)).json()["items"] == []
