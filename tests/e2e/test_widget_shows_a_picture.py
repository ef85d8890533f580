"""The agent's picture stands in the header and on the launcher, under a policy that allows no pictures of ours."""

from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from app.providers.pillow_picture import square_picture
from tests.doubles.sample_files import picture_file
from tests.e2e.chat import Chat
from tests.e2e.conftest import WIDGET_FILES, Site
from tests.e2e.test_widget_is_for_everyone import AXE

PRINT = "0123456789abcdef"
PIXEL = "canvas => [...canvas.getContext('2d').getImageData(64, 64, 1, 1).data]"
BLUE = "#0000ff"


@pytest.fixture
def pictured(site: Site, tmp_path: Path) -> Site:
    """A site whose agent has a blue picture."""
    (tmp_path / "pictures" / "a1").mkdir(parents=True)
    for each in WIDGET_FILES.iterdir():
        (tmp_path / each.name).symlink_to(each)
    (tmp_path / "pictures" / "a1" / f"{PRINT}.webp").write_bytes(square_picture(picture_file(color=BLUE)))
    site.api.files = tmp_path
    site.api.agent |= {"theme": {"picture": PRINT, "launcher_icon": "picture"}}
    return site


def is_blue(canvas: Locator) -> bool:
    canvas.page.wait_for_function(f"canvas => ({PIXEL})(canvas)[3] === 255", arg=canvas.element_handle())
    red, green, blue, _ = canvas.evaluate(PIXEL)
    return bool(blue > 200 > 60 > max(red, green))


def test_it_stands_in_the_header_and_from_then_on_on_the_launcher(page: Page, pictured: Site) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    chat = Chat.visit(page, pictured)
    assert not any("/pictures/" in url for url in asked)
    expect(chat.launcher.locator("svg")).to_have_count(1)
    chat.launcher.click()
    avatar = chat.panel.locator(".avatar")
    assert is_blue(avatar.locator("canvas"))
    expect(avatar).to_have_attribute("aria-hidden", "true")
    page.keyboard.press("Escape")
    assert is_blue(chat.launcher.locator("canvas"))
    page.reload()
    assert is_blue(Chat(page).launcher.locator("canvas"))


def test_the_tag_puts_it_on_the_launcher_of_the_first_page(page: Page, pictured: Site) -> None:
    pictured.write(attributes=f'data-icon="picture" data-picture="{PRINT}"')
    chat = Chat.visit(page, pictured)
    assert is_blue(chat.launcher.locator("canvas"))
    assert pictured.api.calls == []


def test_a_policy_that_allows_no_pictures_of_ours_is_kept(page: Page, pictured: Site) -> None:
    told: list[str] = []
    page.on("console", lambda message: told.append(message.text))
    allowed = f"script-src {pictured.api_origin}; connect-src {pictured.api_origin}"
    pictured.api.page_headers["Content-Security-Policy"] = f"default-src 'none'; {allowed}"
    chat = Chat.opened(page, pictured)
    assert is_blue(chat.panel.locator(".avatar canvas"))
    assert [text for text in told if "Content Security Policy" in text] == []


def test_what_it_shows_is_told_where_the_operator_says_so(page: Page, pictured: Site) -> None:
    pictured.api.agent["theme"]["picture_alt"] = "A folded linen shirt"
    chat = Chat.opened(page, pictured)
    assert is_blue(chat.panel.get_by_role("img", name="A folded linen shirt").locator("canvas"))
    page.add_script_tag(path=AXE)
    assert page.evaluate("axe.run().then((found) => found.violations.map((one) => one.id))") == []


def test_one_that_does_not_come_gives_way_to_the_letter_and_the_drawing(page: Page, pictured: Site) -> None:
    pictured.api.agent["theme"]["picture"] = "f" * 16
    (pictured.api.files / "pictures" / "a1" / f"{'f' * 16}.webp").write_bytes(b"gone")
    chat = Chat.opened(page, pictured)
    expect(chat.panel.locator(".avatar")).to_have_text("A")
    page.keyboard.press("Escape")
    expect(chat.launcher.locator("svg")).to_have_count(1)
