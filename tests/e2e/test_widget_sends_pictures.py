"""In a chat with a person the visitor chooses, pastes or drops a picture, and sees those of either side."""

import re
from base64 import b64decode, b64encode
from io import BytesIO

import pytest
from PIL import Image
from playwright.sync_api import FilePayload, Locator, Page, expect

from tests.doubles.sample_files import picture_file
from tests.e2e.conftest import Site
from tests.e2e.live_chat import opened, talking

LARGE = FilePayload(name="IMG_1.jpg", mimeType="image/jpeg", buffer=picture_file("JPEG", (3200, 1600)))


@pytest.fixture
def picture_site(live_site: Site) -> Site:
    live_site.api.agent["live_pictures"] = True
    return live_site


def sent(site: Site) -> list[Image.Image]:
    calls = [call for call in site.api.calls_to("/person/pictures") if call.method == "POST"]
    return [Image.open(BytesIO(b64decode(call.body["picture"]))) for call in calls]


def button(page: Page) -> Locator:
    return page.get_by_role("button", name="Send a picture")


def colour(page: Page, place: int) -> list[int]:
    """Of the middle of a picture that is shown."""
    shown = page.locator("docent-widget .photo canvas").nth(place)
    expect(shown).to_have_js_property("width", 300)
    read = "one => [...one.getContext('2d').getImageData(150, 100, 1, 1).data.slice(0, 3)]"
    page.wait_for_function(f"one => ({read})(one).some(Boolean)", arg=shown.element_handle())
    return [round(part / 16) for part in shown.evaluate(read)]


def test_one_is_chosen_made_smaller_and_shown(page: Page, picture_site: Site) -> None:
    chat = talking(page, picture_site)
    with page.expect_file_chooser() as chooser:
        button(page).click()
    chooser.value.set_files(LARGE)
    expect(page.locator("docent-widget .own .photo")).to_have_count(1)
    expect(chat.unsent).to_have_count(0)
    [picture] = sent(picture_site)
    assert (picture.format, picture.size) == ("WEBP", (1600, 800))
    assert [call.method for call in picture_site.api.calls_to("/person/messages")] == []
    assert page.evaluate("'unsent' in JSON.parse(localStorage['docent:a1'])") is False


def test_one_may_be_pasted_and_dropped(page: Page, picture_site: Site) -> None:
    talking(page, picture_site)
    hand_over = """(field, [kind, body]) => {
      const files = new DataTransfer();
      const bytes = Uint8Array.from(atob(body), (each) => each.charCodeAt());
      files.items.add(new File([bytes], "a.png", { type: "image/png" }));
      const more = kind === "drop" ? { dataTransfer: files } : { clipboardData: files };
      const Event = kind === "drop" ? DragEvent : ClipboardEvent;
      return field.dispatchEvent(new Event(kind, { bubbles: true, cancelable: true, composed: true, ...more }));
    }"""
    body = b64encode(picture_file()).decode()
    for count, kind in enumerate(("paste", "drop"), 1):
        went_on = page.locator("docent-widget .composer textarea").evaluate(hand_over, [kind, body])
        assert went_on is False, "the browser does nothing of its own with it"
        expect(page.locator("docent-widget .own .photo")).to_have_count(count)
    assert [picture.size for picture in sent(picture_site)] == [(300, 200), (300, 200)]


def test_a_picture_of_the_person_is_shown_named_and_enlarged(page: Page, picture_site: Site) -> None:
    api = picture_site.api_origin
    policy = f"default-src 'none'; script-src {api}; connect-src {api}; require-trusted-types-for 'script'"
    picture_site.api.page_headers = {"Content-Security-Policy": policy}
    page.add_init_script(
        "addEventListener('securitypolicyviolation', e => (window.violations ??= []).push(e.violatedDirective))"
    )
    talking(page, picture_site)
    picture_site.api.person.shows(picture_file("WEBP", color="#c02040"))
    picture = page.get_by_role("button", name="Picture", exact=True)
    expect(picture).to_be_visible()
    assert colour(page, 0) == [12, 2, 4]
    spoken = page.locator("docent-widget .root > [aria-live=polite]:not([role])")
    expect(spoken).to_contain_text("Ann: Picture")
    picture.press("Enter")
    large = page.get_by_role("dialog", name="Picture")
    expect(large.locator("canvas")).to_be_visible()
    page.keyboard.press("Escape")
    expect(large).to_be_hidden()
    expect(picture).to_be_focused()
    expect(picture.locator("canvas")).to_be_visible()
    expect(page.get_by_role("dialog"), "the panel is still open").to_be_visible()
    assert page.evaluate("window.violations ?? []") == []


def test_what_is_no_picture_is_told_and_not_sent(page: Page, picture_site: Site) -> None:
    chat = talking(page, picture_site)
    with page.expect_file_chooser() as chooser:
        button(page).click()
    chooser.value.set_files(FilePayload(name="a.png", mimeType="image/png", buffer=b"<svg/>"))
    expect(chat.panel).to_contain_text("Something went wrong.")
    assert sent(picture_site) == []


def test_one_that_is_refused_is_said_to_be_and_asked_of_nobody(page: Page, picture_site: Site) -> None:
    chat = talking(page, picture_site)
    picture_site.api.person.is_deaf = True
    with page.expect_file_chooser() as chooser:
        button(page).click()
    chooser.value.set_files(LARGE)
    expect(chat.unsent).to_contain_text(re.compile("Picture.*Not sent", re.DOTALL))
    expect(chat.unsent.get_by_role("button")).to_have_count(0)


def test_they_are_offered_while_a_person_is_there_and_the_agent_takes_them(page: Page, picture_site: Site) -> None:
    chat = opened(page, picture_site)
    expect(button(page)).to_have_count(0)
    chat.call.click()
    expect(chat.waiting).to_be_visible()
    expect(button(page)).to_be_hidden()
    picture_site.api.person.takes_over()
    expect(button(page)).to_be_visible()
    picture_site.api.person.leaves()
    expect(button(page)).to_be_hidden()


def test_an_agent_that_takes_none_offers_none(page: Page, live_site: Site) -> None:
    talking(page, live_site)
    expect(button(page)).to_have_count(0)
