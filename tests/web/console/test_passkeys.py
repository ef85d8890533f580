"""Passkeys: added with the password, signed in by, of use once for each challenge, removed."""

import re
from html import unescape

import pytest

from app.core.list_page import PageRequest
from app.workspaces.audit_entry import AuditFilter
from app.workspaces.operator import HOLDS
from app.workspaces.operators import Operators
from app.workspaces.records.audit import AuditRecords
from app.workspaces.records.operators import OperatorRecords
from tests.doubles.soft_passkey import SoftPasskey
from tests.web.console.browser import PASSWORD, ConsoleBrowser, Value, an_operator, text_of
from tests.web.console.test_second_factor import set_up
from tests.web.house import House

ORIGIN, PAGE, SIGN_IN, EMAIL = (
    "https://api.test",
    "/console/account/passkeys",
    "/console/sign-in/passkey",
    "admin@example.com",
)
REMOVE = f"{PAGE}/remove"


async def turns_of_span(browser: ConsoleBrowser, path: str) -> dict[str, str]:
    """What the page's form asks the browser for, and the challenge."""
    page = await browser.page(path)
    asked, challenge = re.search(r'data-options="([^"]*)"', page), re.search(r'name="challenge" value="([^"]*)"', page)
    assert asked is not None
    assert challenge is not None
    return {"asked": unescape(asked[1]), "challenge": challenge[1]}


async def new_form(browser: ConsoleBrowser, key: SoftPasskey) -> dict[str, str]:
    found = await turns_of_span(browser, PAGE)
    credential = key.created(found["asked"])
    return {"challenge": found["challenge"], "credential": credential, "name": "My laptop", "password": PASSWORD}


async def sign_in_form(browser: ConsoleBrowser, key: SoftPasskey) -> dict[str, str]:
    found = await turns_of_span(browser, SIGN_IN)
    return {"challenge": found["challenge"], "credential": key.got(found["asked"])}


async def added(house: House, browser: ConsoleBrowser) -> SoftPasskey:
    key = SoftPasskey(ORIGIN)
    told = await browser.flash(await browser.post(PAGE, await new_form(browser, key)))
    assert told == "My laptop is a passkey of yours now."
    house.clock.advance(1)
    return key


async def right_form(house: House, admin: ConsoleBrowser, page: str) -> tuple[str, dict[str, Value], ConsoleBrowser]:
    """For the action of that name: its address, a form that is taken, and who sends it."""
    if page == "add_passkey":
        return PAGE, {**await new_form(admin, SoftPasskey(ORIGIN))}, admin
    key = await added(house, admin)
    if page == "remove_passkey":
        return REMOVE, {**await removal(admin)}, admin
    browser = ConsoleBrowser(house)
    return SIGN_IN, {**await sign_in_form(browser, key)}, browser


async def removal(browser: ConsoleBrowser, password: str = PASSWORD) -> dict[str, str]:
    """The form that removes the first passkey."""
    found = re.search(r'<option value="([0-9a-f-]{36})"', await browser.page(PAGE))
    assert found is not None
    return {"passkey": found[1], "own_password": password}


async def signs_in(house: House, key: SoftPasskey) -> int:
    browser = ConsoleBrowser(house)
    return (await browser.post(SIGN_IN, await sign_in_form(browser, key))).status_code


async def test_a_passkey_signs_in_without_password_and_code(house: House) -> None:
    admin = await an_operator(house)
    await set_up(house, admin)
    key = await added(house, admin)
    browser = ConsoleBrowser(house)
    response = await browser.post(SIGN_IN, {**await sign_in_form(browser, key), "next": "/console/account"})
    assert (response.status_code, response.headers["location"]) == (303, "/console/account")
    assert EMAIL in await browser.page("/console/account")
    assert "My laptop" in await browser.page(PAGE)


async def test_a_password_is_still_taken(house: House) -> None:
    await added(house, await an_operator(house))
    assert (await ConsoleBrowser(house).sign_in(EMAIL)).status_code == 303


async def test_an_open_session_alone_adds_and_removes_nothing(house: House) -> None:
    admin, key = await an_operator(house), SoftPasskey(ORIGIN)
    refused = await admin.post(PAGE, {**await new_form(admin, key), "password": "a guess"})
    assert (refused.status_code, "password is wrong" in text_of(refused.text)) == (422, True)
    key = await added(house, admin)
    assert (await admin.post(REMOVE, await removal(admin, "a guess"))).status_code == 422
    somebody = await an_operator(house, email="second@example.com")
    assert (await somebody.post(REMOVE, await removal(admin))).status_code == 404, "another's is absent"
    assert await signs_in(house, key) == 303
    assert "removed" in await admin.flash(await admin.post(REMOVE, await removal(admin)))
    assert await signs_in(house, key) == 422


async def test_an_answer_is_of_use_once_and_in_the_browser_that_asked_alone(house: House) -> None:
    key = await added(house, await an_operator(house))
    mine, other = ConsoleBrowser(house), ConsoleBrowser(house)
    form, kept = await sign_in_form(mine, key), dict(mine.cookies)
    assert (await other.post(SIGN_IN, form)).status_code == 422, "another browser"
    assert (await mine.post(SIGN_IN, form)).status_code == 303
    assert (await ConsoleBrowser(house, kept).post(SIGN_IN, form)).status_code == 422, "again"


async def test_a_challenge_ends(house: House) -> None:
    key, browser = await added(house, await an_operator(house)), ConsoleBrowser(house)
    form = await sign_in_form(browser, key)
    house.clock.advance(int(HOLDS.total_seconds()) + 1)
    assert (await browser.post(SIGN_IN, form)).status_code == 422


@pytest.mark.parametrize("wrong", ["another address", "nobody was verified", "another's key", "a challenge of its own"])
async def test_what_does_not_hold_signs_nobody_in(wrong: str, house: House) -> None:
    key, browser = await added(house, await an_operator(house)), ConsoleBrowser(house)
    if wrong == "another address":
        key.origin = "https://docent.evil.example"
    elif wrong == "nobody was verified":
        key.verifies = False
    elif wrong == "another's key":
        key = SoftPasskey(ORIGIN, id=key.id)
    form = await sign_in_form(browser, key)
    if wrong == "a challenge of its own":
        form["challenge"] = "A" * 54
    assert (await browser.post(SIGN_IN, form)).status_code == 422
    assert (await browser.get("/console/account")).status_code == 303


@pytest.mark.parametrize("credential", ["", "{}", "[]", "null", '{"rawId": 5}', '{"rawId": "ä"}', "[" * 5000])
async def test_nonsense_signs_nobody_in_and_adds_nothing(credential: str, house: House) -> None:
    admin, browser = await an_operator(house), ConsoleBrowser(house)
    key = await added(house, admin)
    assert (
        await browser.post(SIGN_IN, {**await sign_in_form(browser, key), "credential": credential})
    ).status_code == 422
    form = {**await new_form(admin, SoftPasskey(ORIGIN)), "credential": credential}
    assert (await admin.post(PAGE, form)).status_code == 422


async def test_a_passkey_that_nobody_has_is_refused_as_such(house: House) -> None:
    await an_operator(house)
    assert await signs_in(house, SoftPasskey(ORIGIN)) == 422


async def test_a_disabled_account_has_none_that_signs_in_and_another_s_password_removes_them(house: House) -> None:
    admin = await an_operator(house)
    key = await added(house, admin)
    await an_operator(house, email="second@example.com")
    [found] = await house.record.read(lambda tx: OperatorRecords(tx).credentials(EMAIL))
    operators = house.parts.get(Operators)
    await operators.change(house.actor, found.operator.id, is_disabled=True)
    assert await signs_in(house, key) == 422
    await operators.change(house.actor, found.operator.id, is_disabled=False)
    assert await signs_in(house, key) == 303
    await operators.change(house.actor, found.operator.id, password="another long password")
    assert await signs_in(house, key) == 422


async def test_what_happens_is_audited(house: House) -> None:
    key = await added(house, await an_operator(house))
    await signs_in(house, key)
    await signs_in(house, SoftPasskey(ORIGIN))
    of = AuditFilter(action="operator.")
    page = await house.record.read(lambda tx: AuditRecords(tx).page(house.actor.workspace_id, PageRequest(50), of))
    told = [(entry.action.removeprefix("operator."), entry.details.get("by")) for entry in page.items]
    assert told[:3] == [("refuse_sign_in", "passkey"), ("sign_in", "passkey"), ("add_passkey", None)]
