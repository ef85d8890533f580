"""A colour is typed or picked: the field and the picker beside it show the same."""

from playwright.sync_api import BrowserContext, expect

from tests.console.conftest import ServedConsole


def test_what_is_picked_stands_in_the_field_and_what_is_typed_in_the_picker(
    served: ServedConsole, context: BrowserContext
) -> None:
    served.sign_in(context)
    page = context.new_page()
    page.goto(f"{served.base.rstrip('/')}/console/agents/{served.console.house.agent.id}/settings")
    field, picker = page.get_by_label("Colour", exact=True), page.get_by_label("Pick a colour")
    field.fill("#0a7d55")
    expect(picker).to_have_value("#0a7d55")
    field.fill("teal")
    expect(picker).to_have_value("#0a7d55")
    picker.fill("#3a4bc4")
    expect(field).to_have_value("#3a4bc4")
