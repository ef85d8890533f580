"""Pictures of the widget, for eyes: `make screenshots`, or `python -m tests.e2e.screenshots FOLDER [NAME ...]`.

Those on the demonstration site are of real processes; states that a real server rarely shows are scripted. `report` is
an excerpt of the sample of `docent report`.
"""

import sys
import tempfile
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any, Literal

from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

from tests.docs.sample_report import FILE as REPORT
from tests.doubles.fake_openai import Tear
from tests.doubles.scripted_person import ScriptedPerson
from tests.doubles.scripted_widget_api import Hold, ScriptedWidgetApi, citations, done, serve, status, tokens
from tests.e2e.chat import Chat
from tests.e2e.conftest import ARGUMENTS, CHROMIUM, WIDGET_FILES, Site
from tests.e2e.real_docent import PERSON, UNANSWERABLE, WARRANTY, RealDocent, real_docent

SCHOOLS = "Is there a discount for schools?"

DESK, BOX, PHONE, NARROW = (1180, 760), (560, 720), (390, 844), (320, 640)

ARABIC = "يمكنك إرجاع أي منتج خلال **30 يوماً** من التسليم [1].\n\n- افتح *الطلبات*\n- اطبع الملصق"
RICH = """You can return anything within **30 days** of delivery, unworn and in its box [1].

1. Open *Orders* and choose **Return an item**.
2. Print the label, or show the code at any `PostPoint`.
3. Your refund arrives in 3 to 5 working days [2].

| Country | Return fee |
|---|---|
| Germany | free |
| Elsewhere in the EU | 4.90 € |
"""
SOURCES = (
    {"id": 1, "url": "https://shop.example/help/returns#time", "title": "Returns › How long", "as_of": "2026-03-01"},
    {"id": 2, "url": "https://shop.example/help/payment", "title": "Payment", "as_of": None},
)
STARTERS = ["How do returns work?", "What does delivery cost?", "How do I wash linen?"]
FOUND = {
    "pages": [
        {
            "url": "https://shop.example/help/returns",
            "title": [{"text": "Return", "is_match": True}, {"text": "s", "is_match": False}],
            "passages": [
                {
                    "url": "https://shop.example/help/returns#time",
                    "headings": [{"text": "How long", "is_match": False}],
                    "text": [
                        {"text": "You can ", "is_match": False},
                        {"text": "return", "is_match": True},
                        {"text": " anything within 30 days of delivery, unworn and in its box.", "is_match": False},
                    ],
                }
            ],
        },
        {
            "url": "https://shop.example/help/payment",
            "title": [{"text": "Payment", "is_match": False}],
            "passages": [
                {
                    "url": "https://shop.example/help/payment#refunds",
                    "headings": [{"text": "Refunds", "is_match": False}],
                    "text": [
                        {"text": "A ", "is_match": False},
                        {"text": "return", "is_match": True},
                        {"text": " is refunded to the card that you paid with.", "is_match": False},
                    ],
                }
            ],
        },
    ],
    "facets": [],
}
BODY = "<h2>The linen shirt</h2>" + "<p>A light shirt for warm days, woven in Portugal from European flax.</p>" * 6
HOST_CSS = "<style>body{font:16px/1.6 Georgia,serif;max-width:640px;margin:48px;color:#333;background:#fbfaf7}</style>"


@dataclass(frozen=True)
class Shot:
    """`question` None shows what is there before one; `attributes` are the script tag's; `opens` is clicked at last.

    `person` is at the other end of a live chat, of which `awaits` is shown. `typed` is what the search looks for;
    `is_page`: the conversation fills the page."""

    name: str
    question: str | None = None
    path: str = "/"
    size: tuple[int, int] = DESK
    scheme: Literal["light", "dark"] = "light"
    attributes: str = ""
    language: str = "en"
    is_open: bool = True
    has_model: bool = False
    ends_with: str = ".actions"
    opens: str | None = None
    person: ScriptedPerson | None = None
    awaits: str = ".log"
    typed: str = ""
    is_page: bool = False


REAL = (
    Shot("widget-light", SCHOOLS, "/pricing/"),
    Shot("widget-dark", SCHOOLS, "/pricing/", scheme="dark"),
    Shot("widget-phone", SCHOOLS, "/pricing/", PHONE),
    Shot("widget-launcher", is_open=False, attributes='data-label="Ask us"', size=BOX),
    Shot("widget-welcome", size=BOX),
    Shot("welcome-phone-dark", size=PHONE, scheme="dark"),
    Shot("table", "My station is offline", "/help/"),
    Shot("curated", PERSON),
    Shot("widget-no-answer", UNANSWERABLE, size=BOX),
    Shot("widget-form", UNANSWERABLE, size=PHONE, opens="summary"),
    Shot("low-confidence-dark", UNANSWERABLE, scheme="dark"),
    Shot("widget-error", WARRANTY, has_model=True, ends_with=".error", size=BOX),
)
WAITED_FOR = ScriptedPerson(state="waiting")
LATE = ScriptedPerson(state="waiting", is_overdue=True)
ANN = ScriptedPerson()
ANN.takes_over("Ann")
ANN.writes("Hello, this is Ann. Which order is it about?")
ANN.hears("1", "4711, the linen shirt.")
ANN.writes("Thank you, I am looking.\nYou can follow it at https://shop.example/orders/4711.")

SCRIPTED = (
    Shot("widget-waiting", person=WAITED_FOR, awaits=".waiting", size=BOX),
    Shot("waiting-late-phone", person=LATE, awaits=".waiting", size=PHONE),
    Shot("widget-live-chat", person=ANN, awaits=".reply", size=BOX),
    Shot("live-chat-phone-dark", person=ANN, awaits=".reply", size=PHONE, scheme="dark"),
    Shot("live-chat-rtl", person=ANN, awaits=".reply", language="ar"),
    Shot("widget-rtl", "كم مدة الإرجاع؟", language="ar", size=BOX),
    Shot("widget-rich", "How do returns work?", size=BOX),
    Shot("wide", "How do returns work?", attributes='data-wide="true"'),
    Shot("narrow", "How do returns work?", size=NARROW),
    Shot("yellow", "How do returns work?", attributes='data-color="#ffd400"'),
    Shot("widget-search", typed="return"),
    Shot("widget-page", is_page=True),
    Shot("searching", "Still searching?", ends_with=".status"),
)
SCRIPT: Mapping[str, list[Any]] = {
    "How do returns work?": [*tokens(RICH), citations(*SOURCES), done()],
    "كم مدة الإرجاع؟": [*tokens(ARABIC), citations({**SOURCES[0], "title": "الإرجاع"}), done()],
    "Still searching?": [status("searching"), Hold(), done()],
}


def main(folder: Path, names: Collection[str] = ()) -> None:
    """Those of the names, or all."""
    folder.mkdir(parents=True, exist_ok=True)
    real, scripted = ([shot for shot in shots if not names or shot.name in names] for shots in (REAL, SCRIPTED))
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        if not names or "report" in names:
            _take_report(browser, folder)
        if real:
            with tempfile.TemporaryDirectory() as data, real_docent(Path(data)) as docent:
                for shot in real:
                    _take(browser, shot, _on_the_demo_site(docent, shot), folder)
        api = ScriptedWidgetApi(files=WIDGET_FILES)
        port, stop = serve(api.app())
        for shot in scripted:
            _take(browser, shot, _on_a_scripted_site(api, port, shot), folder)
        api.release()
        stop()
        browser.close()


def _take_report(browser: Browser, folder: Path) -> None:
    """From its head to the end of the contradictions."""
    page = browser.new_page(viewport={"width": 960, "height": 600})
    page.goto(REPORT.as_uri())
    shown = page.locator("section:has(#contradictions)").bounding_box()
    assert shown is not None
    height = shown["y"] + shown["height"] + 32
    picture = page.screenshot(full_page=True, clip={"x": 0, "y": 0, "width": 960, "height": height})
    page.close()
    _save(Image.open(BytesIO(picture)), folder / "report.png")


def _on_the_demo_site(docent: RealDocent, shot: Shot) -> str:
    docent.provider.plays(Tear(["The warranty is ", "3 years on "]))
    docent.embed(docent.model_base if shot.has_model else "", shot.attributes)
    return f"{docent.demo.base}{shot.path}#cookies-ok"  # the address at which the cookie note is put away


def _on_a_scripted_site(api: ScriptedWidgetApi, port: int, shot: Shot) -> str:
    greeting = "مرحباً! كيف يمكننا مساعدتك؟" if shot.language == "ar" else "Hello! How can we help?"
    api.agent = {"name": "Linen & Co.", "theme": {"greeting": greeting}, "starter_prompts": []}
    api.agent |= {"live_chat": shot.person is not None, "fallback": {"form": True}}
    api.person = shot.person or ScriptedPerson()
    api.script = dict(SCRIPT)
    site = Site(api, port)
    body, script = BODY, '<script async src="{}/widget/{}.js" data-agent="a1" {}></script>'
    if shot.typed:
        api.found[shot.typed] = FOUND
        body += script.format(site.api_origin, "search", "")
    site.write(attributes=shot.attributes, body=body, lang=shot.language, head=HOST_CSS)
    if shot.is_page:
        api.agent["starter_prompts"] = STARTERS
        tag = script.format(site.api_origin, "inline", 'data-target="main" data-mode="page"')
        api.pages[""] = f"<!doctype html><title>Help</title><style>body {{ margin: 0 }}</style><main></main>{tag}"
    return site.origin


def _take(browser: Browser, shot: Shot, address: str, folder: Path) -> None:
    width, height = shot.size
    page = browser.new_page(
        viewport={"width": width, "height": height}, color_scheme=shot.scheme, reduced_motion="reduce"
    )
    if shot.typed or shot.is_page:
        _show(page, shot, address)
        _keep(page, shot, folder)
        return
    chat = Chat.visit(page, address)
    if shot.is_open:
        chat.launcher.click()
        chat.log.locator(".greeting").wait_for()
    if shot.question:
        field = page.locator("docent-widget textarea")
        field.fill(shot.question)
        field.press("Enter")
        chat.answers.last.locator(shot.ends_with).wait_for()
    if shot.is_open:
        chat.panel.locator(shot.awaits).last.wait_for()
    if shot.opens:
        chat.answers.last.locator(shot.opens).click()
    _keep(page, shot, folder)


def _show(page: Page, shot: Shot, address: str) -> None:
    page.goto(address)
    if shot.is_page:
        page.locator("docent-widget .starters").wait_for()
        return
    page.locator("docent-search").wait_for(state="attached")
    page.locator("docent-widget").wait_for(state="attached")
    page.keyboard.press("Control+k")
    page.locator("docent-search input").fill(shot.typed)
    page.locator("docent-search mark").first.wait_for()


def _keep(page: Page, shot: Shot, folder: Path) -> None:
    page.evaluate("document.fonts.ready")
    _save(Image.open(BytesIO(page.screenshot())), folder / f"{shot.name}.png")
    page.close()


def _save(picture: Image.Image, file: Path) -> None:
    """256 colours are enough for an interface, and weigh a third."""
    picture.convert("RGB").quantize(256, dither=Image.Dither.NONE).save(file, optimize=True)
    print(file)  # noqa: T201 - for whoever runs it


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
