"""Real consent managers add the widget by the recipes: not before a visitor has agreed, and then at once."""

from playwright.sync_api import Page, expect

from tests.e2e.chat import Chat
from tests.e2e.real_docent import WARRANTY, RealDocent
from tests.recipes.recipe_blocks import snippet
from tests.recipes.tools import npm_project
from tests.recipes.website import Website

COOKIE_CONSENT = """
CookieConsent.run({
  hideFromBots: false,
  categories: { necessary: { enabled: true, readOnly: true }, chat: {} },
  language: { default: "en", translations: { en: {
    consentModal: { title: "Cookies?", description: "Ours.", acceptAllBtn: "Accept all" },
    preferencesModal: { title: "Which?", acceptAllBtn: "All", savePreferencesBtn: "Save", sections: [] },
  } } },
});
"""
KLARO = """
window.klaroConfig = {
  version: 1, lang: "en", acceptAll: true,
  services: [{ name: "docent", title: "Chat", purposes: ["support"] }],
  translations: { en: { purposes: { support: "Support" } } },
};
"""


def write(site: Website, head: str, recipe: str) -> None:
    title = "<meta charset=utf-8><title>Lamps</title>"
    site.write(f"<!doctype html><html lang=en>{title}{head}<body><h1>Lamps</h1>{recipe}</body></html>")


def agree(page: Page, site: Website, docent: RealDocent, button: str) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(f"{site.origin}/")
    accept = page.get_by_role("button", name=button)
    expect(accept).to_be_visible()
    assert not any(url.startswith(docent.base) for url in asked)
    accept.click()
    chat = Chat(page)
    chat.launcher.click()
    chat.ask(WARRANTY)
    chat.finish()
    expect(chat.answer).to_contain_text("3 years")


def test_cookie_consent(page: Page, site: Website, docent: RealDocent, complaints: list[str]) -> None:
    with npm_project("vanilla-cookieconsent@3.1.0") as project:
        script = (project.parent / "node_modules/vanilla-cookieconsent/dist/cookieconsent.umd.js").read_text("utf-8")
    body = f"{snippet(docent, 'Cookie Consent')}<script>{script}</script><script>{COOKIE_CONSENT}</script>"
    write(site, "", body)
    agree(page, site, docent, "Accept all")
    assert complaints == []


def test_klaro(page: Page, site: Website, docent: RealDocent, complaints: list[str]) -> None:
    with npm_project("klaro@0.7.22") as project:
        script = (project.parent / "node_modules/klaro/dist/klaro.js").read_text("utf-8")
    (site.folder / "klaro.js").write_text(script, "utf-8")
    head = f"<script>{KLARO}</script><script defer src=/klaro.js></script>"
    write(site, head, snippet(docent, "Klaro"))
    agree(page, site, docent, "That's ok")
    assert complaints == []


def test_any_other(page: Page, site: Website, docent: RealDocent, complaints: list[str]) -> None:
    recipe = f"<button onclick=onConsent()>I agree</button><script>{snippet(docent, 'Any other')}</script>"
    write(site, "", recipe)
    agree(page, site, docent, "I agree")
    assert complaints == []
