"""Stale answers in a real browser: old words beside new words, and what an operator does about them, by forms alone."""

from playwright.sync_api import BrowserContext, expect

from tests.console.conftest import ServedConsole


def test_an_old_opening_hour_is_seen_dismissed_opened_again_and_put_right(
    context: BrowserContext, served: ServedConsole
) -> None:
    served.sign_in(context, "editor")
    page = context.new_page()
    page.goto(f"{served.base}/console/agents/{served.console.house.agent.id}/stale-answers")
    old = page.get_by_role("link", name="From 9 to 17.")
    expect(page.get_by_role("row", name="From 9 to 17.")).to_contain_text("Contradicted We are open from 10 to 17.")

    page.get_by_label("Select: From 9 to 17.").check()
    page.get_by_role("button", name="Dismiss selected").click()
    expect(page.get_by_text("1 dismissed.")).to_be_visible()
    expect(page.get_by_text("No stale answers")).to_be_visible()
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_text("1 reopened.")).to_be_visible()

    page.get_by_role("link", name="Contradicted").click()
    page.get_by_label("Select: From 9 to 17.").check()
    page.get_by_role("button", name="Dismiss selected").click()
    expect(page.get_by_role("link", name="Contradicted"), "the list stays narrowed").to_have_attribute(
        "aria-current", "true"
    )
    page.get_by_role("link", name="Dismissed").click()
    page.get_by_label("Select: From 9 to 17.").check()
    page.get_by_role("button", name="Reopen selected").click()
    page.get_by_role("link", name="Open", exact=True).click()
    old.click()
    expect(page.get_by_text("Asked again, without the curated answer")).to_be_visible()
    page.get_by_role("textbox", name="Answer", exact=False).first.fill("From 10 to 17.")
    page.get_by_role("button", name="Save and settle").click()
    expect(page.get_by_text("Curated answer saved")).to_be_visible()
    expect(old).to_have_count(0)

    page.get_by_role("link", name="Settled").click()
    expect(old).to_be_visible()
