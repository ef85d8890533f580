"""An answer is drawn below its field while it is being written."""

from playwright.sync_api import BrowserContext, expect

from tests.console.conftest import ServedConsole


def test_markdown_is_drawn_as_it_is_typed(context: BrowserContext, served: ServedConsole) -> None:
    served.sign_in(context)
    page = context.new_page()
    page.goto(f"{served.base.rstrip('/')}/console/live")
    page.get_by_role("link", name="Curated answers", exact=True).click()
    page.get_by_role("link", name="Write an answer").click()
    field, preview = page.get_by_label("Answer"), page.locator("#preview")
    expect(preview).to_be_empty()
    field.press_sequentially("**12 euros** a month.")
    expect(preview.locator("strong")).to_have_text("12 euros")
    expect(field, "typing goes on").to_be_focused()
    field.fill("- one\n- two\n\n1. first\n\n* [ ] open")
    marks = "(items) => items.map((item) => getComputedStyle(item).listStyleType)"
    expect(preview.locator("li")).to_have_count(4)
    assert preview.locator("li").evaluate_all(marks) == ["disc", "disc", "decimal", "none"]
    field.fill("")
    expect(preview).to_be_empty()
