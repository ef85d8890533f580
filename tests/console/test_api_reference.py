"""The API as a page, in a real browser under its real policy."""

from urllib.parse import urlsplit

from playwright.sync_api import BrowserContext, Page, expect

from tests.console.conftest import ServedConsole


def opened(context: BrowserContext, served: ServedConsole, at: str) -> tuple[Page, list[str], set[str]]:
    """The page, what the browser complains of, and the hosts that were asked, both to be filled further."""
    page, complaints, asked = context.new_page(), list[str](), set[str]()
    page.on("console", lambda said: complaints.append(said.text) if said.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("request", lambda request: asked.add(urlsplit(request.url).netloc))
    page.goto(f"{served.base}/docs{at}")
    return page, complaints, asked


def test_it_lists_calls_and_the_browser_has_nothing_to_complain_of(
    context: BrowserContext, served: ServedConsole
) -> None:
    page, complaints, asked = opened(context, served, "#/Agents")
    expect(page.get_by_role("heading", name="Docent")).to_be_visible()
    expect(page.locator("#operations-Agents-createAgent")).to_contain_text("/v1/agents")
    assert (complaints, asked) == ([], {urlsplit(served.base).netloc})


def test_a_call_is_shown_with_an_example_and_can_be_tried(context: BrowserContext, served: ServedConsole) -> None:
    page, complaints, asked = opened(context, served, "#/Health/getHealth")
    call = page.locator("#operations-Health-getHealth")
    expect(call).to_contain_text('"status": "string"')
    call.get_by_role("button", name="Try it out").click()
    call.get_by_role("button", name="Execute").click()
    expect(call.locator(".live-responses-table")).to_contain_text('"status": "ok"')
    assert (complaints, asked) == ([], {urlsplit(served.base).netloc})


def test_an_address_cannot_have_it_show_somebody_elses_document(context: BrowserContext, served: ServedConsole) -> None:
    """What is tried there goes to the server that the document names."""
    theirs = "url=https://stranger.example/a.json&configUrl=https://stranger.example/b.json"
    page, complaints, asked = opened(context, served, f"?{theirs}#/Agents")
    expect(page.locator("#operations-Agents-createAgent")).to_contain_text("/v1/agents")
    assert (complaints, asked) == ([], {urlsplit(served.base).netloc})
