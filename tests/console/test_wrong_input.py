"""The focus goes to what is wrong, and what was typed stays, with scripts and without."""

import pytest
from playwright.sync_api import Browser, expect

from tests.console.conftest import ServedConsole
from tests.console.test_pages_are_for_everyone import AXE, LOOK, RULES


@pytest.mark.parametrize("has_scripts", [True, False], ids=["with scripts", "without"])
def test_the_focus_goes_to_the_wrong_field(has_scripts: bool, browser: Browser, served: ServedConsole) -> None:
    context = browser.new_context(java_script_enabled=has_scripts)
    served.sign_in(context)
    page = context.new_page()
    page.goto(f"{served.base.rstrip('/')}/console/agents/{served.console.house.agent.id}/sources")
    page.get_by_text("Help centre, wiki, API or repository").click()
    page.get_by_label("Type", exact=True).select_option("discourse")
    address = page.get_by_role("textbox", name="Address")
    address.fill("not a website")
    page.get_by_role("button", name="Add source").click()
    wrong = page.locator("[aria-invalid]")
    expect(wrong).to_be_focused()
    expect(wrong).to_have_value("not a website")
    expect(wrong).to_be_in_viewport()
    expect(page.get_by_label("Type", exact=True)).to_have_value("discourse")
    if has_scripts:
        page.evaluate(AXE.read_text("utf-8"))
        violations = page.evaluate(LOOK, RULES)
        assert violations == [], "\n".join(violations)
    context.close()


OVERLAPPING = """[...document.querySelectorAll('.field')].filter((field) => {
  const parts = [...field.children].map((part) => part.getBoundingClientRect()).filter((part) => part.height);
  return parts.some((part, at) => at && part.top < parts[at - 1].bottom - 1 && part.left < parts[at - 1].right - 1);
}).map((field) => field.textContent.trim())"""


@pytest.mark.parametrize("width", [390, 1280])
def test_what_is_wrong_covers_no_hint(width: int, browser: Browser, served: ServedConsole) -> None:
    """Where fields stand beside each other too."""
    context = browser.new_context(viewport={"width": width, "height": 900})
    served.sign_in(context)
    page = context.new_page()
    page.goto(f"{served.base.rstrip('/')}/console/agents/{served.console.house.agent.id}/actions")
    page.get_by_text("Add an action").click()
    page.get_by_role("button", name="Save").click()
    expect(page.locator(".row .wrong + .hint")).not_to_have_count(0)
    assert page.evaluate(OVERLAPPING) == []
    context.close()
