"""Long forms: their parts are found, and fields beside each other stand in a line."""

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.console.conftest import ServedConsole


@pytest.fixture(params=["", "/search"], ids=["settings", "search"])
def form(request: pytest.FixtureRequest, context: BrowserContext, served: ServedConsole) -> Page:
    served.sign_in(context)
    page = context.new_page()
    agent = served.console.rooms.ids["agent_id"]
    page.set_viewport_size({"width": 1280, "height": 900})
    page.goto(f"{served.base.rstrip('/')}/console/agents/{agent}/settings{request.param}")
    return page


def test_a_wide_screen_lists_the_parts_beside_them(form: Page) -> None:
    contents = form.get_by_role("navigation", name="On this page")
    parts = contents.get_by_role("link").all()
    assert len(parts) > 4
    for part in parts:
        part.click()
        heading = form.locator(f"h2{part.get_attribute('href')}")
        expect(heading).to_have_text(part.inner_text())
        expect(heading).to_be_in_viewport()
        expect(part, "they stay in sight").to_be_in_viewport()
    form.set_viewport_size({"width": 1200, "height": 900})
    expect(contents).to_be_hidden()


def test_inputs_beside_each_other_stand_in_a_line(form: Page) -> None:
    tops = """rows => rows.flatMap((row) => {
        const lines = new Map();
        for (const field of row.children) {
            const at = Math.round(field.getBoundingClientRect().top);
            const input = field.querySelector("input,textarea,select").getBoundingClientRect();
            if (input.height) lines.set(at, [...(lines.get(at) ?? []), Math.round(input.top)]);
        }
        return [...lines.values()].filter((line) => line.length > 1);
    })"""
    lines = form.locator(".row:not(:has(> :not(.field)))").evaluate_all(tops)
    assert len(lines) >= 3
    for line in lines:
        assert max(line) - min(line) <= 1, lines
