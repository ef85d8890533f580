"""From the server's address to the first account, in a browser."""

from pathlib import Path

from app.web.limits_policy import LimitsPolicy
from app.workspaces.first_account import FirstAccount
from app.workspaces.operator import Role
from tests.web.console.browser import PASSWORD, ConsoleBrowser, an_operator, text_of
from tests.web.house import House, open_house

PATH, EMAIL = "/console/first-account", "ann@example.com"


async def token_of(house: House) -> str:
    return (await house.parts.get(FirstAccount).path()).partition("token=")[2]


async def test_the_servers_address_is_a_page_for_browsers_and_json_for_programs(house: House) -> None:
    led = await ConsoleBrowser(house).get("/", Accept="text/html,application/xhtml+xml")
    assert (led.status_code, led.headers["location"]) == (303, "/console/welcome")
    page = await ConsoleBrowser(house).page("/console/welcome")
    assert 'href="/docs"' in page
    assert "has no account yet" in text_of(page)
    told = await house.http.get("/", headers={"Accept": "*/*"})
    assert (told.json()["name"], told.headers["vary"]) == ("docent", "Accept")
    await an_operator(house)
    assert "has no account yet" not in text_of(await ConsoleBrowser(house).page("/console/welcome"))


async def test_whoever_has_the_link_makes_the_first_account_and_is_signed_in(house: House) -> None:
    browser, token = ConsoleBrowser(house), await token_of(house)
    assert "Create the first account" in text_of(await browser.page(f"{PATH}?token={token}"))
    answer = await browser.post(PATH, {"token": token, "email": f" {EMAIL.upper()}", "password": PASSWORD})
    assert (answer.status_code, answer.headers["location"]) == (303, "/console")
    assert "admin" in text_of(await browser.page("/console/account"))


async def test_the_link_works_once(house: House) -> None:
    token = await token_of(house)
    await an_operator(house, Role.ADMIN)
    assert await house.parts.get(FirstAccount).path() == ""
    assert "an account exists already" in text_of(await ConsoleBrowser(house).page(f"{PATH}?token={token}"))
    late = await ConsoleBrowser(house).post(PATH, {"token": token, "email": EMAIL, "password": PASSWORD})
    assert (late.status_code, "an account exists already" in text_of(late.text)) == (422, True)
    assert (await ConsoleBrowser(house).sign_in(EMAIL)).status_code == 422


async def test_without_the_link_there_is_no_first_account(house: House) -> None:
    token = await token_of(house)
    for made_up in ("", "x", token[:-1], token.swapcase(), "ü"):
        assert "This link is invalid" in text_of(await ConsoleBrowser(house).page(f"{PATH}?token={made_up}"))
        tried = await ConsoleBrowser(house).post(PATH, {"token": made_up, "email": EMAIL, "password": PASSWORD})
        assert tried.status_code == 422
    assert (await ConsoleBrowser(house).sign_in(EMAIL)).status_code == 422


async def test_a_refused_form_keeps_the_link(house: House) -> None:
    browser, token = ConsoleBrowser(house), await token_of(house)
    short = await browser.post(PATH, {"token": token, "email": EMAIL, "password": "short"})
    assert (short.status_code, f'name="token" value="{token}"' in short.text) == (422, True)
    assert (await browser.post(PATH, {"token": token, "email": EMAIL, "password": PASSWORD})).status_code == 303


async def test_tries_are_counted_by_address(tmp_path: Path) -> None:
    async with open_house(tmp_path, limits=LimitsPolicy()) as house:
        form = {"token": "x", "email": EMAIL, "password": PASSWORD}
        statuses = [(await ConsoleBrowser(house).post(PATH, form)).status_code for _ in range(6)]
        assert statuses == [422] * 5 + [429]
