"""The arguments of an action are written in rows, of which there is always a blank one; no script is needed."""

import pytest
from playwright.sync_api import Browser, expect

from tests.console.conftest import ServedConsole
from tests.doubles.shop_api import SHOP


@pytest.mark.parametrize("has_scripts", [True, False], ids=["with scripts", "without"])
def test_rows_come_as_they_are_needed(has_scripts: bool, browser: Browser, served: ServedConsole) -> None:
    context = browser.new_context(java_script_enabled=has_scripts)
    served.sign_in(context)
    page = context.new_page()
    page.goto(f"{served.base.rstrip('/')}/console/agents/{served.console.house.agent.id}/actions")
    page.get_by_text("Add an action").click()
    rows = page.locator(".argument:visible")
    expect(rows).to_have_count(1)
    page.locator("[name=name]").fill(f"stock_{has_scripts}".lower())
    page.get_by_label("Title").fill("In stock")
    page.get_by_label("When to call it").fill("How many are left.")
    page.locator("[name=url]").fill(f"{SHOP}/stock/{{item}}")
    rows.nth(0).get_by_label("Name").fill("item")
    expect(rows).to_have_count(2)
    rows.nth(1).get_by_label("Name").fill("size")
    rows.nth(1).get_by_text("Label, choices and limits").click()
    rows.nth(1).get_by_label("Choices").fill("S\nM")
    rows.nth(1).get_by_label("Required").uncheck()
    expect(rows).to_have_count(3)
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("In stock")
    expect(rows).to_have_count(3)
    expect(rows.nth(1).get_by_label("Required")).not_to_be_checked()
    expect(page.get_by_role("combobox", name="size (optional)")).to_contain_text("M")
    context.close()
