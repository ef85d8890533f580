"""Signing in at the console: cookies, sessions, limits, and where one may be led."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from app.domain.operator import Role
from app.web.limits_policy import LimitsPolicy
from tests.web.console.browser import PASSWORD, ConsoleBrowser, an_operator, text_of
from tests.web.house import House, open_house, unlimited

COOKIE = "__Host-docent_console"


async def test_the_cookie_is_for_this_host_over_tls_and_no_script(house: House) -> None:
    await an_operator(house)
    browser = ConsoleBrowser(house)
    response = await browser.sign_in("admin@example.com")
    [cookie] = response.headers.get_list("set-cookie")
    assert cookie.startswith(f"{COOKIE}=")
    assert {part.strip().lower() for part in cookie.split(";")[1:]} == {
        *("httponly", "secure", "path=/", "samesite=lax", f"max-age={14 * 24 * 3600}")
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


async def test_a_new_password_signs_out_everywhere(house: House) -> None:
    here = await an_operator(house)
    there = ConsoleBrowser(house)
    await there.sign_in("admin@example.com")
    wrong = await here.post(
        "/console/account/password", {"current_password": "nonsense", "new_password": "another long password"}
    )
    assert (wrong.status_code, "This is not your password." in wrong.text) == (422, True)
    fields = {"current_password": PASSWORD, "new_password": "another long password"}
    assert "Sign in with the new one" in await here.flash(await here.post("/console/account/password", fields))
    for browser in (here, there):
        assert (await browser.get("/console/account")).status_code == 303


async def test_a_refused_sign_in_keeps_the_address_and_never_the_password(house: House) -> None:
    await an_operator(house)
    browser = ConsoleBrowser(house)
    response = await browser.sign_in("admin@example.com", "not the password", next="/console/account")
    assert response.status_code == 422
    assert "The e-mail address or the password is wrong." in text_of(response.text)
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


async def test_guesses_are_counted_by_address_and_by_account(tmp_path: Path) -> None:
    few = replace(unlimited(), sign_ins_per_address=5, sign_ins_per_email=3)
    async with open_house(tmp_path, limits=few) as house:
        await house.services.operators.add(house.actor, "ann@example.com", Role.ADMIN, PASSWORD)
        statuses = [
            (await ConsoleBrowser(house).sign_in(" ANN@example.com", "wrong guess")).status_code for _ in "1234"
        ]
        assert statuses == [422, 422, 422, 429]
        right = await ConsoleBrowser(house).sign_in("ann@example.com")
        assert (right.status_code, int(right.headers["retry-after"]) > 0) == (429, True)
        assert (await ConsoleBrowser(house).sign_in("bob@example.com", "x")).status_code == 429, "the address"


def test_an_address_may_try_ten_times_a_minute() -> None:
    assert (LimitsPolicy().sign_ins_per_address, LimitsPolicy().sign_ins_per_email) == (10, 5)


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
