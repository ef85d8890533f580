"""The tabs of the documentation's website: one task in the console and with the API."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.docs.built_site import build


@pytest.fixture(scope="module")
def guide(tmp_path_factory: pytest.TempPathFactory) -> str:
    return build(tmp_path_factory.mktemp("built")).as_uri()


@pytest.fixture
def without_scripts(browser: Browser) -> Iterator[Page]:
    context = browser.new_context(java_script_enabled=False)
    yield context.new_page()
    context.close()


def expect_shown(page: Page, shown: str, hidden: str) -> None:
    expect(page.locator(shown)).to_be_visible()
    expect(page.locator(hidden)).to_be_hidden()


def test_a_click_on_a_tab_shows_it_without_a_script(without_scripts: Page, guide: str) -> None:
    without_scripts.goto(guide)
    expect_shown(without_scripts, "#in-the-console", "#with-the-api")
    without_scripts.get_by_text("With the API", exact=True).first.click()
    expect_shown(without_scripts, "#with-the-api", "#in-the-console")


def test_a_link_to_a_tab_shows_it_without_a_script(without_scripts: Page, guide: str) -> None:
    without_scripts.goto(f"{guide}#with-the-api")
    expect(without_scripts.locator("#with-the-api")).to_be_visible()


def test_the_arrow_keys_choose_a_tab_and_the_next_page_remembers_it(page: Page, guide: str) -> None:
    page.goto(guide)
    page.get_by_role("radio", name="In the console").focus()
    page.keyboard.press("ArrowRight")
    expect_shown(page, "#with-the-api", "#in-the-console")
    page.reload()
    expect_shown(page, "#with-the-api", "#in-the-console")


def test_a_link_on_the_page_opens_the_tab_and_the_other_one_can_be_chosen_after_it(page: Page, guide: str) -> None:
    page.goto(guide)
    page.get_by_role("link", name="there").click()
    expect_shown(page, "#with-the-api", "#in-the-console")
    page.get_by_text("In the console", exact=True).first.click()
    expect_shown(page, "#in-the-console", "#with-the-api")


def test_all_of_it_is_printed(page: Page, guide: str) -> None:
    page.goto(guide)
    page.emulate_media(media="print")
    expect(page.locator("#in-the-console")).to_be_visible()
    expect(page.locator("#with-the-api")).to_be_visible()
