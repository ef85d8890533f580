"""At first sight, before anything can be asked, visitors read that an AI system answers (EU AI Act, Art. 50)."""

import json
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from app.core.text.languages import LANGUAGES
from tests.e2e.chat import Chat
from tests.e2e.conftest import Site

_WORDS = Path(__file__).parents[2] / "widget" / "src" / "words"
# How each language calls it.
AI_SYSTEM = {
    "ar": "ذكاء اصطناعي",
    "de": "KI-System",
    "el": "σύστημα ΤΝ",
    "en": "AI system",
    "es": "sistema de IA",
    "fa": "سامانهٔ هوش مصنوعی",
    "fr": "système d’IA",
    "he": "מערכת בינה מלאכותית",
    "hi": "एआई प्रणाली",
    "it": "sistema di IA",
    "ja": "AIシステム",
    "nl": "AI-systeem",
    "pl": "system sztucznej inteligencji",
    "pt": "sistema de IA",
    "ro": "sistem de IA",
    "ru": "система ИИ",
    "th": "ระบบ AI",
    "tr": "yapay zekâ sistemi",
    "ur": "اے آئی نظام",
    "vi": "hệ thống AI",
    "zh": "人工智能系统",
}


def test_every_language_of_the_widget_is_here() -> None:
    assert {path.stem for path in _WORDS.glob("*.json")} == set(AI_SYSTEM) == LANGUAGES


def test_it_is_read_when_the_panel_opens_in_each_language(page: Page, site: Site) -> None:
    root = page.locator("docent-widget .root")
    for language, said in AI_SYSTEM.items():
        site.write(lang=language, attributes='data-open="true"')
        chat = Chat.visit(page, site)
        expect(chat.panel.get_by_text(said)).to_be_in_viewport()
        words = json.loads((_WORDS / f"{language}.json").read_text("utf-8"))
        expect(chat.panel).to_have_accessible_description(words["note"])
        expect(chat.panel.locator("textarea")).to_have_attribute("placeholder", words["placeholder"])
        expect(root).to_have_attribute("lang", language)
        expect(root).to_have_attribute("dir", "rtl" if language in {"ar", "fa", "he", "ur"} else "ltr")
    assert site.api.calls_to("/messages/stream") == []


def test_it_is_there_before_the_server_has_answered_and_where_it_refuses(page: Page, site: Site) -> None:
    page.route("**/v1/widget/init", lambda route: route.abort())
    chat = Chat.opened(page, site)
    expect(chat.panel.get_by_text("AI system")).to_be_in_viewport()


def test_an_operator_may_word_it_otherwise(page: Page, site: Site) -> None:
    site.api.agent = {
        "name": "Ada",
        "disclosure": {"is_ai_system": True, "text": "<b>Ada</b> is an AI, not a person."},
    }
    chat = Chat.opened(page, site)
    expect(chat.panel.get_by_text("<b>Ada</b> is an AI, not a person.")).to_be_in_viewport()
    expect(chat.panel.get_by_text("AI system")).to_have_count(0)


@pytest.mark.parametrize("notice", ["", None])
def test_nothing_that_the_server_says_takes_it_away(notice: str | None, page: Page, site: Site) -> None:
    site.api.agent = {"name": "Ada", "disclosure": {"is_ai_system": True, "text": notice}}
    chat = Chat.opened(page, site)
    expect(chat.panel.get_by_text("AI system")).to_be_in_viewport()
