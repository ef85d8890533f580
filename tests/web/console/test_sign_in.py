"""Signing in at the console: cookies, sessions, limits, and where one may be led."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from app.web.limits_policy import LimitsPolicy
from app.workspaces.operator import Role
from app.workspaces.operators import Operators
from app.workspaces.workspaces import Workspaces
from tests.web.console.browser import PASSWORD, ConsoleBrowser, an_operator, text_of
from tests.web.house import House, open_house, unlimited

COOKIE = "__Host-docent_console"
DEVICE = "__Host-docent_device"


async def test_the_cookie_is_for_this_host_over_tls_and_no_script(house: House) -> None:
    await an_operator(house)
    browser = ConsoleBrowser(house)
    response = await browser.sign_in("admin@example.com")
    kept = dict(zip((COOKIE, DEVICE), response.headers.get_list("set-cookie"), strict=True))
    for (name, cookie), days in zip(kept.items(), (14, 365), strict=True):
        assert cookie.startswith(f"{name}=")
        assert {part.strip().lower() for part in cookie.split(";")[1:]} == {
            *("httponly", "secure", "path=/", "samesite=lax", f"max-age={days * 24 * 3600}")
        }


async def test_signing_in_is_another_session_than_before(house: House) -> None:
    browser = await an_operator(house)
    first = browser.cookies[COOKIE]
    anonymous = ConsoleBrowser(house)
    token = await anonymous.token()
    before = anonymous.cookies[COOKIE]
    fields = {"email": "admin@example.com", "password": PASSWORD}
    assert (await anonymous.post("/console/sign-in", fields, token)).status_code == 303
    assert len({first, before, anonymous.cookies[COOKIE]}) == 3
    assert (await anonymous.get("/console/account")).status_code == 200


async def test_signing_out_ends_the_session_and_the_cookie(house: House) -> None:
    browser = await an_operator(house)
    kept = dict(browser.cookies)
    assert await browser.flash(await browser.post("/console/sign-out")) == "You are signed out."
    browser.cookies = kept
    assert (await browser.get("/console/account")).status_code == 303


async def test_one_signs_in_again_where_one_was_told_of_the_end(house: House) -> None:
    browser = await an_operator(house)
    shown = (await browser.post("/console/sign-out")).headers["location"]
    form = re.search(r'name="csrf_token" value="([0-9a-f]+)"', await browser.page(shown))
    assert form is not None
    fields = {"email": "admin@example.com", "password": PASSWORD}
    assert (await browser.post("/console/sign-in", fields, form[1])).status_code == 303


async def test_a_new_password_signs_out_everywhere(house: House) -> None:
    here = await an_operator(house)
    there = ConsoleBrowser(house)
    await there.sign_in("admin@example.com")
    wrong = await here.post(
        "/console/account/password", {"current_password": "nonsense", "new_password": "another long password"}
    )
    assert (wrong.status_code, "This password is wrong. Enter your current one." in wrong.text) == (422, True)
    fields = {"current_password": PASSWORD, "new_password": "another long password"}
    assert "Sign in with the new one" in await here.flash(await here.post("/console/account/password", fields))
    for browser in (here, there):
        assert (await browser.get("/console/account")).status_code == 303


async def test_a_refused_sign_in_keeps_the_address_and_never_the_password(house: House) -> None:
    await an_operator(house)
    browser = ConsoleBrowser(house)
    response = await browser.sign_in("admin@example.com", "not the password", next="/console/account")
    assert response.status_code == 422
    assert "The e-mail address, password or one-time code is wrong" in text_of(response.text)
    assert 'value="admin@example.com"' in response.text
    assert 'name="next" value="/console/account"' in response.text
    assert "not the password" not in response.text


@pytest.mark.parametrize(
    "wanted",
    [
        *("https://evil.example/", "//evil.example/console", "/\\evil.example", "/console\\..", "javascript:alert(1)"),
        *(
            "/console/../v1",
            "/consolexyz",
            "/console/\r\nX: y",
            "console",
            "/v1/agents",
            "/console@evil.example",
            "/console//evil.example",
        ),
    ],
)
async def test_nobody_is_led_to_another_website(wanted: str, house: House) -> None:
    await an_operator(house)
    browser = ConsoleBrowser(house)
    response = await browser.sign_in("admin@example.com", next=wanted)
    assert (response.status_code, response.headers["location"]) == (303, "/console")
    again = await browser.get("/console/sign-in?next=https%3A%2F%2Fevil.example")
    assert (again.status_code, again.headers["location"]) == (303, "/console")


async def choices_of(house: House, browser: ConsoleBrowser, email: str, wanted: str = "") -> list[str]:
    """Their tokens, for somebody who has the same password in another workspace too."""
    if not wanted:
        await house.parts.get(Workspaces).create(house.actor, "Shop", email, PASSWORD)
    shown = await browser.sign_in(email, **({"next": wanted} if wanted else {}))
    assert shown.status_code == 200, text_of(shown.text)
    assert "Choose a workspace" in text_of(shown.text)
    return re.findall(r'name="token" value="([\w=-]+)"', shown.text)


async def test_who_has_the_same_password_in_two_workspaces_chooses_one(house: House) -> None:
    await an_operator(house)
    browser = ConsoleBrowser(house)
    tokens = await choices_of(house, browser, "admin@example.com")
    assert (await browser.get("/console/account")).status_code == 303, "not signed in yet"
    for which, workspace in enumerate(("default", "Shop")):
        tokens = await choices_of(house, browser, "admin@example.com", "/console/account")
        answer = await browser.post("/console/sign-in/workspace", {"token": tokens[which], "next": "/console/account"})
        assert (answer.status_code, answer.headers["location"]) == (303, "/console/account")
        page = text_of(await browser.page("/console/account"))
        assert workspace in page
        stale = await ConsoleBrowser(house).post("/console/sign-in/workspace", {"token": tokens[which]})
        assert (stale.status_code, "Sign in again." in text_of(stale.text)) == (422, True)
        await browser.post("/console/sign-out")


async def test_guesses_are_counted_by_address_and_by_account_from_there(tmp_path: Path) -> None:
    few = replace(unlimited(), sign_ins_per_address=5, sign_ins_per_account_and_address=3)
    async with open_house(tmp_path, limits=few) as house:
        await house.parts.get(Operators).add(house.actor, "ann@example.com", Role.ADMIN, PASSWORD)
        statuses = [
            (await ConsoleBrowser(house).sign_in(" ANN@example.com", "wrong guess")).status_code for _ in "1234"
        ]
        assert statuses == [422, 422, 422, 429]
        right = await ConsoleBrowser(house).sign_in("ann@example.com")
        assert (right.status_code, int(right.headers["retry-after"]) > 0) == (429, True)
        assert (await ConsoleBrowser(house).sign_in("bob@example.com", "x")).status_code == 429, "the address"


async def test_guesses_from_elsewhere_keep_nobody_out(tmp_path: Path) -> None:
    limits = replace(LimitsPolicy(), sign_ins_per_address=10**6)
    async with open_house(tmp_path, limits=limits, trusted_proxies=("127.0.0.1",)) as house:
        await house.parts.get(Operators).add(house.actor, "ann@example.com", Role.ADMIN, PASSWORD)
        elsewhere = [ConsoleBrowser(house, came_from=f"203.0.113.{number}") for number in range(8)]
        for guesser in elsewhere:
            statuses = {(await guesser.sign_in("ann@example.com", "wrong guess")).status_code for _ in range(7)}
            assert statuses == {422, 429}
        assert (await ConsoleBrowser(house, came_from="198.51.100.1").sign_in("ann@example.com")).status_code == 303


async def test_a_known_device_is_let_through_where_its_address_is_used_up(tmp_path: Path) -> None:
    few = replace(unlimited(), sign_ins_per_address=3, sign_ins_per_known_device=2)
    async with open_house(tmp_path, limits=few) as house:
        known = await an_operator(house)
        await known.post("/console/sign-out")
        assert DEVICE in known.cookies
        statuses = [(await ConsoleBrowser(house).sign_in("admin@example.com", "guess")).status_code for _ in "123"]
        assert statuses == [422, 422, 429]
        assert (await known.sign_in("admin@example.com")).status_code == 303
        thief = ConsoleBrowser(house, {DEVICE: known.cookies[DEVICE]})
        statuses = [(await thief.sign_in("admin@example.com", "guess")).status_code for _ in "123"]
        assert statuses == [422, 422, 429], "it is counted by itself"
        other = ConsoleBrowser(house, {DEVICE: known.cookies[DEVICE]})
        assert (await other.sign_in("bob@example.com", "guess")).status_code == 429, "another account"


async def test_a_refused_sign_in_is_logged_without_what_was_typed(
    house: House, capsys: pytest.CaptureFixture[str]
) -> None:
    await an_operator(house)
    await ConsoleBrowser(house).sign_in("admin@example.com", "not the password")
    logged = capsys.readouterr().out
    assert "operator.sign_in_refused" in logged
    assert "admin@example.com" not in logged
    assert "not the password" not in logged


async def test_guesses_at_the_password_of_an_open_session_are_counted(tmp_path: Path) -> None:
    async with open_house(tmp_path, limits=replace(unlimited(), password_changes_per_operator=2)) as house:
        browser = await an_operator(house)
        fields = {"current_password": "a guess", "new_password": "another long password"}
        statuses = [(await browser.post("/console/account/password", fields)).status_code for _ in "123"]
        assert statuses == [422, 422, 429]
        right = await browser.post("/console/account/password", {**fields, "current_password": PASSWORD})
        assert right.status_code == 429


def test_how_often_one_may_try() -> None:
    limits = LimitsPolicy()
    assert (limits.sign_ins_per_address, limits.sign_ins_per_account_and_address) == (10, 5)
    assert (limits.sign_ins_per_known_device, limits.password_changes_per_operator) == (10, 5)


async def test_a_role_is_taken_away_at_once(house: House) -> None:
    admin = await an_operator(house)
    editor = await an_operator(house, Role.EDITOR)
    page = await admin.page("/console/operators")
    [path] = set(re.findall(r'href="(/console/operators/[0-9a-f-]+)" dir="auto">editor@', page))
    assert "is viewer now" in await admin.flash(await admin.post(f"{path}/role", {"role": "viewer"}))
    assert (await editor.get("/console/account")).status_code == 303


async def test_the_last_admin_cannot_be_closed_out(house: House) -> None:
    admin = await an_operator(house)
    [path] = set(re.findall(r'href="(/console/operators/[0-9a-f-]+)"', await admin.page("/console/operators")))
    for action, fields in (("role", {"role": "viewer"}), ("disable", {}), ("delete", {})):
        response = await admin.post(f"{path}/{action}", fields)
        assert (response.status_code, "This is the last admin." in text_of(response.text)) == (422, True)
