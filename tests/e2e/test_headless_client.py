"""The client alone, as the documentation's own example uses it, on a strict page and against the real processes."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.doubles.fake_openai import Pause
from tests.e2e.real_docent import PERSON, UNANSWERABLE, WARRANTY, RealDocent

DOCUMENTED = Path(__file__).parents[2] / "docs" / "widget.md"
NONCE = "d0cent"


def example(docent: RealDocent, base: str) -> str:
    """The example of docs/widget.md, for this server and agent; its script carries the page's nonce."""
    found = re.search(r"## Your own interface.*?```html\n(.*?)```", DOCUMENTED.read_text("utf-8"), re.S)
    assert found is not None
    html = found[1].replace("https://chat.example.com", base).replace("AGENT_ID", docent.agent_id)
    return html.replace("<script ", f'<script nonce="{NONCE}" ')


def visit(page: Page, docent: RealDocent, base: str) -> None:
    policy = f"default-src 'none'; script-src {base} 'nonce-{NONCE}'; connect-src {base}"
    headers = {"Content-Security-Policy": f"{policy}; require-trusted-types-for 'script'"}
    docent.host.write(example(docent, base), headers)
    page.add_init_script(
        "addEventListener('securitypolicyviolation', e => (window.violations ??= []).push(e.violatedDirective))"
    )
    page.goto(f"{docent.host.origin}/")
    expect(page.get_by_label("Question")).to_have_attribute("placeholder", re.compile(r"^Ask \w"))


def ask(page: Page, question: str) -> None:
    page.get_by_label("Question").fill(question)
    page.get_by_role("button", name="Ask").click()


def test_the_example_streams_an_answer_with_its_sources_and_rates_it(page: Page, docent: RealDocent) -> None:
    docent.provider.plays(Pause(["It is ", "3 years, "], ["new [1]."]))
    visit(page, docent, docent.model_base)
    ask(page, WARRANTY)
    answer = page.locator("#answer")
    expect(answer).to_have_text("It is 3 years,")
    expect(page.get_by_role("button", name="Helpful")).to_be_hidden()
    docent.provider.go_on()
    expect(answer).to_have_text("It is 3 years, new [1].")
    source = page.locator("#sources a")
    expect(source).to_have_count(1)
    expect(source).to_have_attribute("href", re.compile("^" + re.escape(docent.demo.base)))
    with page.expect_response(re.compile("/feedback$")) as rated:
        page.get_by_role("button", name="Helpful").click()
    assert rated.value.status == 204
    expect(page.get_by_role("button", name="Helpful")).to_be_hidden()
    assert page.evaluate("window.violations ?? []") == []
    assert page.evaluate("localStorage.length + sessionStorage.length + document.cookie.length") == 0
    assert page.locator("docent-widget").count() == 0


@pytest.mark.parametrize("question", [WARRANTY, UNANSWERABLE], ids=["answered", "not answered"])
def test_the_example_hears_of_both_kinds_of_end(page: Page, docent: RealDocent, question: str) -> None:
    visit(page, docent, docent.base)
    ask(page, question)
    expect(page.get_by_role("button", name="Helpful")).to_be_visible()
    expect(page.locator("#answer")).to_contain_text(re.compile(r"\w{3}"))
    assert docent.conversations()[0]["turn_count"] == 1


def test_the_types_describe_every_name_of_the_module(page: Page, docent: RealDocent) -> None:
    page.goto(f"{docent.host.origin}/")
    names = page.evaluate(f"import('{docent.base}/widget/docent-client.js').then((module) => Object.keys(module))")
    types = page.request.get(f"{docent.base}/widget/docent-client.d.ts").text()
    assert sorted(re.findall(r"^export declare (?:class|function) (\w+)", types, re.M)) == sorted(names)


def test_a_visitor_who_returns_sees_the_latest_thirty_messages(page: Page, docent: RealDocent) -> None:
    page.goto(f"{docent.host.origin}/")
    messages = page.evaluate(
        """async ([base, agentId, message]) => {
          const { Client, uuid } = await import(base + '/widget/docent-client.js');
          let id;
          const pageUrl = () => location.href;
          const keepAnonymousId = (given) => (id = given);
          const visit = () => new Client({ base, agentId, pageUrl, anonymousId: () => id, keepAnonymousId });
          const first = visit();
          const never = new AbortController().signal;
          for (let number = 0; number < 16; number++) {
            const question = { turn_id: uuid(), message: message + '?'.repeat(number), page_url: pageUrl() };
            await first.ask(question, () => {}, never);
          }
          return (await visit().open()).messages;
        }""",
        [docent.base, docent.agent_id, PERSON],
    )
    assert [message["text"] for message in messages[::2]] == [PERSON + "?" * number for number in range(1, 16)]
    assert {message["role"] for message in messages[1::2]} == {"agent"}
    assert len(messages) == 30
