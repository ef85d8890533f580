"""What keeps the console's pages to themselves."""

import re
from pathlib import Path

import pytest

from app.web.console.dispatcher import STATIC_FILES
from tests.web.console.browser import ConsoleBrowser, an_operator
from tests.web.house import House, open_house


async def test_a_page_runs_and_loads_what_is_its_own_alone(house: House) -> None:
    browser = await an_operator(house)
    for path in ("/console/account", "/console/sign-in", "/console/nowhere"):
        response = await browser.get(path)
        policy = dict(
            part.strip().partition(" ")[::2] for part in response.headers["content-security-policy"].split(";")
        )
        assert policy["default-src"] == "'none'"
        assert policy["script-src"] == policy["style-src"] == policy["form-action"] == "'self'"
        assert policy["frame-ancestors"] == policy["base-uri"] == "'none'"
        assert "unsafe" not in response.headers["content-security-policy"]
        assert response.headers["x-content-type-options"] == "nosniff"
        assert response.headers["referrer-policy"] == "same-origin"
        assert "camera=()" in response.headers["permissions-policy"]
        assert response.headers["cache-control"] == "no-store"


async def test_no_page_holds_a_script_or_style_of_its_own(house: House) -> None:
    browser = await an_operator(house)
    text = await browser.page("/console/operators")
    assert re.findall(r"<style|\sstyle=|\son\w+=|javascript:|<script(?![^>]* src=)", text) == []


@pytest.mark.parametrize(
    ("base", "headers", "told"),
    [
        ("https://api.test", {}, True),
        ("http://api.test", {}, False),
        ("http://api.test", {"X-Forwarded-Proto": "https"}, True),
        ("http://api.test", {"X-Forwarded-Proto": "https, http"}, False),
    ],
)
async def test_browsers_are_told_to_keep_to_tls_where_it_is_spoken(
    base: str, headers: dict[str, str], told: bool, tmp_path: Path
) -> None:
    async with open_house(tmp_path, trusted_proxies=("127.0.0.1",)) as house:
        house.http.base_url = base
        response = await ConsoleBrowser(house).get("/console/sign-in", **headers)
        assert ("strict-transport-security" in response.headers) is told


async def test_nobody_but_a_trusted_proxy_says_that_it_was_tls(house: House) -> None:
    house.http.base_url = "http://api.test"
    response = await ConsoleBrowser(house).get("/console/sign-in", **{"X-Forwarded-Proto": "https"})
    assert "strict-transport-security" not in response.headers


async def test_static_files_are_kept_for_good_under_a_name_of_their_content(house: House) -> None:
    browser = ConsoleBrowser(house)
    text = await browser.page("/console/sign-in")
    found = re.findall(r'(?:href|src)="(/console/static/[^"]+)"', text)
    assert len(found) == 4
    for path in found:
        response = await browser.get(path)
        assert response.status_code == 200
        assert "immutable" in response.headers["cache-control"]
        assert re.fullmatch(r"/console/static/[\w.-]+\.[\w-]{16}\.(css|js|svg)", path)
    for path in ("/console/static/console.css", "/console/static/..%2fpage.py", found[0].replace(".svg", ".txt")):
        assert (await browser.get(path)).status_code == 404


async def test_a_script_that_asks_for_a_part_is_sent_to_the_sign_in_as_a_whole(house: House) -> None:
    response = await ConsoleBrowser(house).get("/console/account", **{"HX-Request": "true"})
    assert (response.status_code, response.headers["hx-redirect"]) == (
        200,
        "/console/sign-in?next=%2Fconsole%2Faccount",
    )


def test_the_vendored_script_has_its_licence() -> None:
    assert "Zero-Clause BSD" in (STATIC_FILES / "htmx-LICENSE.txt").read_text("utf-8")
