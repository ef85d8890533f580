"""Pictures of the widget's states, for eyes: `python -m tests.e2e.screenshots FOLDER`."""

import sys
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright

from tests.doubles.scripted_widget_api import Hold, ScriptedWidgetApi, citations, done, error, serve, status, tokens
from tests.e2e.chat import Chat
from tests.e2e.conftest import ARGUMENTS, CHROMIUM, WIDGET_FILES, Site

RICH = """You can return anything within **30 days** of delivery, unworn and in its box [1].

1. Open *Orders* and choose **Return an item**.
2. Print the label, or show the code at any `PostPoint`.
3. Your refund arrives in 3 to 5 working days [2].

| Country | Return fee |
|---|---|
| Germany | free |
| Elsewhere in the EU | 4.90 € |
"""
ARABIC = "يمكنك إرجاع أي منتج خلال **30 يوماً** من التسليم [1].\n\n- افتح *الطلبات*\n- اطبع الملصق"
SOURCES = (
    {
        "id": 1,
        "url": "https://shop.example/help/returns#time",
        "title": "Returns and refunds › How long",
        "as_of": "2026-03-01",
    },
    {"id": 2, "url": "https://shop.example/help/payment", "title": "Payment", "as_of": None},
)
BODY = "<h2>The linen shirt</h2>" + "<p>A light shirt for warm days, woven in Portugal from European flax.</p>" * 6
HOST_CSS = "<style>body{font:16px/1.6 Georgia,serif;max-width:640px;margin:48px;color:#333;background:%s}</style>"
DESK = {"width": 1100, "height": 800}
PHONE = {"width": 390, "height": 844}

SHOTS: dict[str, dict[str, Any]] = {
    "launcher": {"open": False, "label": "Ask us"},
    "welcome": {},
    "light": {"ask": ["How do returns work?"]},
    "dark": {"ask": ["How do returns work?"], "theme": "dark"},
    "phone": {"ask": ["How do returns work?"], "viewport": PHONE},
    "phone-welcome": {"viewport": PHONE, "theme": "dark"},
    "narrow": {"ask": ["How do returns work?"], "viewport": {"width": 320, "height": 640}},
    "rtl": {"ask": ["كم مدة الإرجاع؟"], "lang": "ar"},
    "searching": {"ask": ["Still searching?"]},
    "low-confidence": {"ask": ["Do you ship to the Moon?"]},
    "low-confidence-dark": {"ask": ["Do you ship to the Moon?"], "theme": "dark"},
    "error": {"ask": ["Broken?"]},
    "yellow": {"ask": ["How do returns work?"], "color": "#ffd400"},
}


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    api = ScriptedWidgetApi(files=WIDGET_FILES)
    port, stop = serve(api.app())
    site = Site(api, port)
    api.agent = {
        "name": "Linen & Co.",
        "theme": {"greeting": "Hello! How can we help?"},
        "starter_prompts": ["How do returns work?", "Where is my order?", "Which size fits me?"],
    }
    api.script = {
        "How do returns work?": [*tokens(RICH), citations(*SOURCES), done()],
        "كم مدة الإرجاع؟": [*tokens(ARABIC), citations({**SOURCES[0], "title": "الإرجاع"}), done()],
        "Still searching?": [status("searching"), Hold(), done()],
        "Do you ship to the Moon?": [
            *tokens("The pages name countries in the EU and the UK [1]; nothing is said of the Moon."),
            citations(SOURCES[1] | {"id": 1, "title": "Shipping"}),
            done(low_confidence=True),
        ],
        "Broken?": [*tokens("Orders placed before noon leave on the"), error("model_interrupted")],
    }
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        for name, shot in SHOTS.items():
            theme = shot.get("theme", "light")
            attributes = f'data-theme="{theme}" data-label="{shot.get("label", "")}"'
            if "color" in shot:
                attributes += f' data-color="{shot["color"]}"'
            head = HOST_CSS % ("#fbfaf7" if theme == "light" else "#0e0f11;color:#ccc")
            site.write(attributes=attributes, body=BODY, lang=shot.get("lang", "en"), head=head)
            page = browser.new_page(viewport=shot.get("viewport", DESK), reduced_motion="reduce")
            chat = Chat.visit(page, site)
            if shot.get("open", True):
                chat.launcher.click()
                chat.log.locator(".greeting").wait_for()
            for question in shot.get("ask", []):
                field = page.locator("docent-widget textarea")
                field.fill(question)
                field.press("Enter")
                page.wait_for_timeout(700)
            page.screenshot(path=folder / f"{name}.png")
            page.close()
        browser.close()
    api.release()
    stop()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
