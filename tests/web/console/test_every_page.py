"""One table over all pages of the console: each is opened rightly, and wrongly in every way that it can be.

A page whose form has no example in page_examples.py fails the first test here.
"""

import re
from collections import Counter
from collections.abc import Callable
from html import unescape
from typing import Any

import pytest

from app.core.actor import MANAGE, READ, WRITE
from app.web.console.page import ConsolePage
from app.workspaces.operators import Operators
from tests.every_row import every_row
from tests.web.console.browser import ConsoleBrowser, text_of
from tests.web.console.page_examples import FORMS, SHOWN_AT_ONCE, WITHOUT_A_PAGE, OpenConsole, every_page
from tests.web.console.test_passkeys import right_form
from tests.web.console.test_sign_in import choices_of
from tests.web.house import UNKNOWN

PAGES = every_page()
AT_A_PROVIDER = {"sign_in_at_provider", "provider_answer", "signed_out", "sign_out_at_provider"}
BY_A_PASSKEY = {"passkey_sign_in", "do_passkey_sign_in"}
BY_A_LINK = {"forgotten_password", "ask_for_link", "password_link", "use_password_link"}
AT_FIRST = {"welcome", "first_account", "create_first_account"}
OPEN = {"sign_in", "do_sign_in", "choose_workspace", "nothing", *AT_FIRST, *AT_A_PROVIDER, *BY_A_LINK, *BY_A_PASSKEY}
ENDS_THE_SESSION = {"sign_out", "change_password", "leave_workspace"}
ROLES = {READ: "viewer", WRITE: "editor", MANAGE: "admin"}


def those(fits: Callable[[ConsolePage], bool]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    return every_row("page", [page for page in PAGES if fits(page)], ids=name_of)


def name_of(page: ConsolePage) -> str:
    return page.name


def is_form(page: ConsolePage) -> bool:
    return page.method == "POST"


def is_guarded(page: ConsolePage) -> bool:
    return page.scope is not None


def test_every_page_has_its_example_and_its_form_a_page() -> None:
    names = {page.name for page in PAGES}
    assert {page.name for page in PAGES if is_form(page)} == set(FORMS)
    assert set(FORMS) >= SHOWN_AT_ONCE
    for page in PAGES:
        assert not page.shown_on or page.shown_on in names, page.name
        assert not page.under or page.under in names, page.name
        assert page.shown_on or not (is_form(page) and page.form.model_fields), f"{page.name}: where is the form?"


def test_only_these_pages_are_open_to_everyone() -> None:
    assert {page.name for page in PAGES if not is_guarded(page)} == OPEN


def test_what_changes_something_needs_more_than_the_right_to_read() -> None:
    # Of the operator alone.
    own = {"sign_out", "change_password", "leave_workspace", "do_sign_in", "ask_for_link", "use_password_link"}
    own |= {"choose_workspace", "create_first_account", "add_passkey", "remove_passkey", "do_passkey_sign_in"}
    own |= {"choose_notices", "switch_on_second_factor", "switch_off_second_factor"}
    assert [page.name for page in PAGES if is_form(page) and page.scope not in (WRITE, MANAGE)] == sorted(
        own, key=[page.name for page in PAGES].index
    )


@those(lambda page: not is_form(page) and not page.is_stream and page.name not in OPEN)
async def test_a_page_is_shown_to_whom_it_is_for(page: ConsolePage, still_console: OpenConsole) -> None:
    assert page.scope is not None
    browser: ConsoleBrowser = getattr(still_console, ROLES[page.scope])
    response = await browser.get(still_console.path(page))
    assert response.status_code == 200, text_of(response.text)
    assert response.headers["cache-control"] == "no-store"
    assert still_console.rooms.visitor.session["anonymous_id"] not in response.text, "who has it is the visitor"
    if page.is_file:
        assert response.headers["content-disposition"].startswith("attachment")
        return
    assert response.text.count("<h1") == 1
    many = r"(?<![\d.,])1 (?:chunk|page|turn|question|conversation|answer|visitor|source|gap)s\b"
    assert re.findall(many, response.text) == []
    for address, label in re.findall(r'<a class="back" href="([^"]+)">.*?</span>(.*?)</a>', response.text):
        [title] = re.findall("<h1[^>]*>(.*?)</h1>", (await browser.get(unescape(address))).text)
        assert label in (title, "Gap"), "a page is called the same by what leads back to it"


@those(lambda page: not is_form(page) and not page.is_file and not page.is_stream and page.scope is not None)
async def test_no_id_stands_twice_on_a_page(page: ConsolePage, still_console: OpenConsole) -> None:
    """What htmx picks out of a page by its id is put in a place with all that has it."""
    ids = re.findall(r'\sid="([^"]*)"', await still_console.admin.page(still_console.path(page)))
    assert [each for each, count in Counter(ids).items() if count > 1] == []


# There are accounts; the first one: test_first_account.py.
@pytest.mark.parametrize("page", [each for each in PAGES if is_form(each) and each.name not in AT_FIRST], ids=name_of)
async def test_a_right_form_is_taken(page: ConsolePage, console: OpenConsole) -> None:
    if page.name == "enable_operator":
        operator_id = console.rooms.ids["operator_id"]
        await console.house.parts.get(Operators).change(console.house.actor, operator_id, is_disabled=True)
    browser = console.admin if is_guarded(page) else ConsoleBrowser(console.house)
    if page.name == "leave_workspace":
        browser = console.editor  # the last admin stays
    if page.name in ("take_live", "reply_live", "send_picture"):
        await console.visitor_asks_for_a_person()
    if page.name in ("reply_live", "send_picture"):
        await browser.post(console.path(page).rpartition("/")[0] + "/take")
    path, form = console.path(page), console.form(page)
    if page.name in ("add_passkey", "remove_passkey", "do_passkey_sign_in"):
        path, form, browser = await right_form(console.house, console.admin, page.name)
    if page.name == "choose_workspace":
        form = {"token": (await choices_of(console.house, browser, "admin@example.com"))[0]}
    response = await browser.post(path, form)
    if page.name in SHOWN_AT_ONCE:
        assert response.status_code == 200, text_of(response.text)
        return
    if page.name in WITHOUT_A_PAGE:
        assert (response.status_code, response.text) == (204, "")
        return
    assert response.status_code == 303, text_of(response.text)
    assert response.headers["location"].startswith("/console")
    led = await browser.get(response.headers["location"])
    assert led.status_code in (200, 303), text_of(led.text)


@those(lambda page: is_guarded(page) and not page.is_stream)
async def test_without_a_session_one_signs_in_and_comes_back(page: ConsolePage, still_console: OpenConsole) -> None:
    path = still_console.path(page)
    nobody = ConsoleBrowser(still_console.house)
    response = await nobody.post(path, still_console.form(page)) if is_form(page) else await nobody.get(path)
    assert response.status_code == 303
    assert response.headers["location"].startswith("/console/sign-in")
    if not is_form(page):
        assert await nobody.page(response.headers["location"])
        back = await nobody.sign_in("viewer@example.com", next=path)
        assert back.headers["location"] == path


@those(is_form)
async def test_a_form_with_the_token_of_another_session_or_none_is_refused(
    page: ConsolePage, still_console: OpenConsole
) -> None:
    for token in ("", await still_console.editor.token()):
        await assert_not_from_a_page(page, token, still_console)


@every_row("token", ["0" * 64, "ä"], ids=["another one", "no token"])
@those(lambda page: page.name in ("save_settings", "send_picture"))
async def test_a_form_with_what_is_no_token_is_refused(
    page: ConsolePage, token: str, still_console: OpenConsole
) -> None:
    """All tokens are compared in one place; a form is sent in two ways."""
    await assert_not_from_a_page(page, token, still_console)


async def assert_not_from_a_page(page: ConsolePage, token: str, still_console: OpenConsole) -> None:
    response = await still_console.admin.post(still_console.path(page), still_console.form(page), token=token)
    assert response.status_code == 403
    assert "This page has expired" in text_of(response.text)


@those(lambda page: page.scope in (WRITE, MANAGE))
async def test_a_viewer_changes_nothing(page: ConsolePage, still_console: OpenConsole) -> None:
    path, viewer = still_console.path(page), still_console.viewer
    response = await viewer.post(path, still_console.form(page)) if is_form(page) else await viewer.get(path)
    assert response.status_code == 403
    assert "Your role" in text_of(response.text)


@those(lambda page: page.scope == MANAGE)
async def test_an_editor_manages_nobody(page: ConsolePage, still_console: OpenConsole) -> None:
    path, editor = still_console.path(page), still_console.editor
    response = await editor.post(path, still_console.form(page)) if is_form(page) else await editor.get(path)
    assert response.status_code == 403


@those(lambda page: "_id}" in page.path)
async def test_what_is_another_workspaces_is_not_here(page: ConsolePage, still_console: OpenConsole) -> None:
    stranger, own = still_console.stranger, {"agent_id": still_console.strangers_agent}
    holds_more = "{agent_id}" in page.path and page.path.count("{") > 1
    for named in ({}, own) if holds_more else ({},):
        path = still_console.path(page, **named)
        form = still_console.form(page) if is_form(page) else {}
        response = await stranger.post(path, form) if is_form(page) else await stranger.get(path)
        assert response.status_code == 404, (path, text_of(response.text))


@those(lambda page: "_id}" in page.path)
async def test_an_id_that_is_none_is_not_here(page: ConsolePage, still_console: OpenConsole) -> None:
    for nonsense in (str(UNKNOWN), "x"):
        await assert_not_here(page, nonsense, still_console)


@every_row("nonsense", ["%00", "..%2f..", "%ff", "x" * 500])
@those(lambda page: page.name in ("gap", "save_settings", "get_picture"))
async def test_an_id_of_odd_characters_is_not_here(
    page: ConsolePage, nonsense: str, still_console: OpenConsole
) -> None:
    """All ids are read by one parser, and all numbers by another."""
    await assert_not_here(page, nonsense, still_console)


@every_row("nonsense", ["abc", "1.5", "%C2%B2", "1e3", "0", "-1", "9223372036854775808", "9" * 5000])
@those(lambda page: "{number}" in page.path)
async def test_a_number_that_is_none_is_not_here(page: ConsolePage, nonsense: str, still_console: OpenConsole) -> None:
    await assert_not_here(page, nonsense, still_console)


async def assert_not_here(page: ConsolePage, nonsense: str, still_console: OpenConsole) -> None:
    for name in (n for n in (*still_console.rooms.ids, "number") if f"{{{n}}}" in page.path):
        path, form = still_console.path(page, **{name: nonsense}), still_console.form(page) if is_form(page) else {}
        browser = still_console.admin
        response = await browser.post(path, form) if is_form(page) else await browser.get(path)
        assert response.status_code in (404, 405), (path, text_of(response.text))


@those(lambda page: is_form(page) and any(f.is_required() for f in page.form.model_fields.values()))
async def test_an_empty_form_is_shown_again_with_what_is_missing(page: ConsolePage, still_console: OpenConsole) -> None:
    browser = still_console.admin if is_guarded(page) else ConsoleBrowser(still_console.house)
    response = await browser.post(still_console.path(page))
    assert response.status_code == 422
    missing = [name for name, declared in page.form.model_fields.items() if declared.is_required()]
    for name in missing:
        assert f'id="{page.name}-{name}-wrong">This is required. Add it.' in response.text, name
        assert f'aria-describedby="{page.name}-{name}-wrong' in response.text
