"""Below a prefix: paths with and without it are the same to routes, and whatever is said of addresses has it."""

import re
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import httpx2
import pytest

from app.bootstrap.application import create_app
from app.core.setting_values import OWN_PATHS, checked_root_path
from tests.doubles.oidc_double import ISSUER
from tests.every_row import every_row
from tests.web.console.browser import ConsoleBrowser, an_operator
from tests.web.console.test_provider_sign_in import ANSWER, START, open_place
from tests.web.house import SITE, House, every_endpoint


def below(house: House, root_path: str = "/docent") -> httpx2.AsyncClient:
    """The same house, served under a prefix."""
    transport = httpx2.ASGITransport(app=create_app(house.parts, root_path=root_path))
    return httpx2.AsyncClient(transport=transport, base_url="https://www.test")


@pytest.mark.parametrize("path", ["/docent/openapi.json", "/openapi.json", "/docent/", "/docent", "/"])
async def test_a_path_is_found_with_its_prefix_and_without(still_house: House, path: str) -> None:
    async with below(still_house) as http:
        assert (await http.get(path)).status_code == 200


@pytest.mark.parametrize("path", ["/docentopenapi.json", "/docent/docent/openapi.json", "/other/openapi.json"])
async def test_nothing_else_is_taken_for_the_prefix(still_house: House, path: str) -> None:
    async with below(still_house) as http:
        assert (await http.get(path)).status_code == 404


async def test_the_document_and_the_index_name_it(still_house: House) -> None:
    async with below(still_house, "/a/b") as http:
        assert (await http.get("/openapi.json")).json()["servers"] == [{"url": "/a/b"}]
        assert (await http.get("/a/b/")).json()["docs"] == "/a/b/docs"
    assert (await still_house.http.get("/openapi.json")).json()["servers"] == [{"url": "/"}]


async def test_a_listed_website_may_read_what_lies_below_it(house: House) -> None:
    body = {"agent_id": str(house.agent.id), "page_url": f"{SITE}/"}
    async with below(house) as http:
        for path in ("/docent/v1/widget/init", "/v1/widget/init"):
            answer = await http.post(path, json=body, headers={"Origin": SITE})
            assert answer.headers["access-control-allow-origin"] == SITE


async def test_signing_in_leads_back_below_it_and_nowhere_else(house: House) -> None:
    await an_operator(house)
    async with below(house) as http:
        asked = await http.get("/docent/console/account")
        assert asked.headers["location"] == "/docent/console/sign-in?next=%2Fdocent%2Fconsole%2Faccount"
        for wanted, shown in [
            ("/docent/console/account", "/docent/console/account"),
            ("/console/account", "/docent/console/account"),
            ("/other/console", "/docent/console"),
            ("//evil.example/console", "/docent/console"),
        ]:
            page = await http.get("/docent/console/sign-in", params={"next": wanted})
            assert f'name="next" value="{shown}"' in page.text


async def test_its_cookies_are_sent_to_the_console_and_no_other_path_of_the_host(still_house: House) -> None:
    async with below(still_house) as http:
        set_cookie = (await http.get("/docent/console/sign-in")).headers["set-cookie"]
    assert re.match(r"__Secure-docent_console=", set_cookie)
    assert {"path=/docent/console", "secure", "httponly"} <= {part.strip().lower() for part in set_cookie.split(";")}


@every_row(
    ("written", "prefix"), [("", ""), ("/", ""), ("/docent", "/docent"), ("/docent/", "/docent"), ("/a/b.c", "/a/b.c")]
)
def test_a_prefix_is_read_without_its_last_slash(written: str, prefix: str) -> None:
    assert checked_root_path(written) == prefix


@every_row("written", ["docent", "//docent", "/a//b", "/../a", "/a b", "/a?b", "https://a.example/b"])
def test_what_is_no_path_is_refused(written: str) -> None:
    with pytest.raises(ValueError, match="/docent"):
        checked_root_path(written)


def test_a_prefix_that_begins_as_our_own_paths_do_is_refused(still_house: House) -> None:
    """Else a path of which a proxy has stripped it reads as one of which it has not."""
    paths = [endpoint.path for endpoint in every_endpoint()]
    paths += [str(getattr(route, "path", "")) for route in still_house.app.routes]
    assert {path.split("/")[1] for path in paths} - {""} == set(OWN_PATHS)
    with pytest.raises(ValueError, match="/console"):
        checked_root_path("/console/docent")


async def test_the_settings_say_where_the_provider_leads_back_to_whatever_host_is_asked(tmp_path: Path) -> None:
    async with open_place(tmp_path, public_url="https://docent.example.com/chat") as place:
        place.provider.metadata["end_session_endpoint"] = f"{ISSUER}/logout"
        browser = ConsoleBrowser(place.house)
        begun = await browser.get(START)  # at https://api.test
        asked = parse_qs(urlsplit(begun.headers["location"]).query)
        assert asked["redirect_uri"] == [f"https://docent.example.com/chat{ANSWER}"]
        await place.sign_in(browser)
        await browser.post("/console/sign-out")
        away = parse_qs(urlsplit((await browser.get("/console/sign-out/provider")).headers["location"]).query)
        assert away["post_logout_redirect_uri"] == ["https://docent.example.com/chat/console/sign-in"]
