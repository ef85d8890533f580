"""Code in an answer has colours that everybody can read, while it comes and once it is there."""

from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, Route, expect

from tests.doubles.scripted_widget_api import Emit, Hold, done, tokens
from tests.e2e.chat import Chat
from tests.e2e.conftest import Site

QUESTION = "How do I call it?"
CODE = """import os  # a comment

@app.get
def total(prices: list[float]) -> float:
    \"\"\"Adds them up.\"\"\"
    return round(sum(prices) * 1.19, 2)"""
ANSWER = f"Like this:\n\n```python\n{CODE}\n```\n\nThat is all."
COLOURED = "span[class^=code-]"
CONTRASTS = """code => {
  const light = (rgb) => rgb.map((each) => each / 255)
    .map((each) => each <= 0.04045 ? each / 12.92 : ((each + 0.055) / 1.055) ** 2.4)
    .reduce((sum, each, at) => sum + each * [0.2126, 0.7152, 0.0722][at], 0);
  const numbers = (color) => color.match(/[\\d.]+/g).slice(0, 3).map(Number);
  const under = light(numbers(getComputedStyle(code.parentElement).backgroundColor));
  return [...code.children].map((part) => {
    const [dark, bright] = [light(numbers(getComputedStyle(part).color)), under].sort((a, b) => a - b);
    return [part.className, (bright + 0.05) / (dark + 0.05)];
  });
}"""


@pytest.fixture
def manual(site: Site) -> Site:
    site.api.script[QUESTION] = [*tokens(ANSWER, size=7), done()]
    return site


def asked(page: Page, site: Site) -> Chat:
    chat = Chat.opened(page, site)
    chat.ask(QUESTION)
    chat.finish()
    return chat


def code(chat: Chat) -> Locator:
    return chat.answer.locator("pre code")


def test_each_part_has_its_kind_and_the_text_is_the_same(page: Page, manual: Site) -> None:
    chat = asked(page, manual)
    parts = code(chat).locator(COLOURED)
    expect(parts.first).to_have_text("import")
    found = parts.evaluate_all("all => all.map(each => [each.className.slice(5), each.textContent.trim()])")
    assert ["comment", "# a comment"] in found
    assert ["string", '"""Adds them up."""'] in found
    assert ["number", "1.19"] in found
    assert ["name", "sum"] in found
    assert ["keyword", "return"] in found
    assert code(chat).evaluate("code => code.textContent") == CODE
    chat.answer.get_by_role("button", name="Copy: python").click()
    expect(chat.answer.get_by_role("button", name="Copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == CODE


def test_an_answer_without_code_in_a_language_loads_nothing_for_it(page: Page, site: Site) -> None:
    loaded: list[str] = []
    page.on("request", lambda request: loaded.append(request.url))
    site.api.script[QUESTION] = [*tokens("Call `make`:\n\n```\nmake\n```"), done()]
    chat = asked(page, site)
    expect(code(chat)).to_have_text("make")
    assert not any("/widget/code." in url for url in loaded)


def test_it_loads_once_for_all_code_and_not_for_a_language_that_nobody_knows(page: Page, site: Site) -> None:
    loaded: list[str] = []
    page.on("request", lambda request: loaded.append(request.url))
    answer = "```brainfuck\n+[-]\n```\n\n```js\nlet a\n```\n\n```sql\nselect 1\n```"
    site.api.script[QUESTION] = [*tokens(answer), done()]
    chat = asked(page, site)
    expect(chat.answer.locator(COLOURED)).to_have_text(["let", "select", "1"])
    assert sum("/widget/code." in url for url in loaded) == 1


def test_what_a_code_says_is_never_read_as_html(page: Page, site: Site) -> None:
    evil = "<img src=x onerror=\"alert('x')\"><script>alert(1)</script>"
    site.api.script[QUESTION] = [*tokens(f"```html\n{evil}\n```"), done()]
    chat = asked(page, site)
    expect(code(chat).locator(COLOURED).first).to_have_text("<img")
    assert code(chat).evaluate("code => code.textContent") == evil
    assert code(chat).locator("img, script").count() == 0


def test_code_that_is_still_being_written_is_coloured_in_every_frame(page: Page, site: Site) -> None:
    first, rest = ANSWER[:60], ANSWER[60:]
    words: list[Any] = [Emit({"event": "token", "token": char}, 0.004) for char in rest]
    site.api.script[QUESTION] = [*tokens(first), Hold(), *words, done()]
    chat = Chat.opened(page, site)
    chat.ask(QUESTION)
    expect(code(chat).locator(COLOURED).first).to_have_text("import")
    chat.answer.evaluate(
        """text => {
          window.bare = 0;
          window.frames_seen = 0;
          window.heights = [];
          const look = () => {
            const code = text.querySelector("pre code");
            window.bare += Number(!code.querySelector("span"));
            window.frames_seen++;
            if (code.textContent.length < 200) requestAnimationFrame(look);
          };
          requestAnimationFrame(look);
        }"""
    )
    site.api.release()
    chat.finish()
    assert code(chat).evaluate("code => code.textContent") == CODE
    assert page.evaluate("window.bare") == 0
    assert page.evaluate("window.frames_seen") > 5


def test_without_the_colours_all_stands_where_it_stands_with_them(page: Page, manual: Site) -> None:
    tried: list[str] = []

    def refuse(route: Route) -> None:
        tried.append(route.request.url)
        route.abort()

    page.route("**/widget/code.*.js", refuse)
    chat = asked(page, manual)
    plain = chat.answer.locator(".code").bounding_box()
    expect(code(chat).locator("span")).to_have_count(0)
    assert len(tried) == 1, "not with every word"
    page.unroute("**/widget/code.*.js")
    page.reload()
    chat.ask(QUESTION)
    chat.finish()
    expect(code(chat).locator(COLOURED).first).to_be_visible()
    coloured = chat.answer.locator(".code").bounding_box()
    assert plain is not None
    assert coloured is not None
    assert (plain["width"], plain["height"]) == (coloured["width"], coloured["height"])


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_colour_can_be_read(page: Page, manual: Site, theme: str) -> None:
    manual.write(attributes=f'data-theme="{theme}"')
    chat = asked(page, manual)
    expect(code(chat).locator(COLOURED).first).to_be_visible()
    contrasts = code(chat).evaluate(CONTRASTS)
    assert {kind for kind, _ in contrasts} == {
        "code-comment",
        "code-keyword",
        "code-name",
        "code-string",
        "code-number",
    }
    assert [each for each in contrasts if each[1] < 4.5] == []


def test_forced_colours_are_the_systems(browser: Browser, manual: Site) -> None:
    page = browser.new_page(forced_colors="active")
    try:
        chat = Chat.opened(page, manual)
        chat.ask(QUESTION)
        expect(code(chat).locator(COLOURED).first).to_be_visible()
        colours = code(chat).evaluate("code => [code, ...code.children].map((each) => getComputedStyle(each).color)")
        assert len(set(colours)) == 1
    finally:
        page.close()


def test_it_comes_under_a_strict_policy(page: Page, manual: Site) -> None:
    policy = f"default-src 'none'; script-src {manual.api_origin}; connect-src {manual.api_origin}"
    manual.api.page_headers = {"Content-Security-Policy": f"{policy}; require-trusted-types-for 'script'"}
    refused: list[str] = []
    page.on("console", lambda message: refused.append(message.text) if message.type == "error" else None)
    expect(code(asked(page, manual)).locator(COLOURED).first).to_be_visible()
    assert [each for each in refused if "favicon" not in each] == []


def test_blocks_that_waited_for_the_colours_get_them_in_tasks_of_their_own(page: Page, site: Site) -> None:
    said = {"turn_id": "t1", "created_at": "2026-03-01T10:00:00Z"}
    asked = {"id": "m1", "role": "visitor", "text": QUESTION, **said}
    site.api.messages = [asked, {"id": "m2", "role": "agent", "text": f"{ANSWER}\n\n" * 9, **said}]
    page.add_init_script(f"""window.coloured = [];
    let watched;
    const look = () => {{
      const log = document.querySelector("docent-widget")?.shadowRoot.querySelector(".log");
      const count = () => coloured.push(log.querySelectorAll("pre:has({COLOURED})").length);
      if (log) (watched = new MutationObserver(count)).observe(log, {{ childList: true, subtree: true }});
      else requestAnimationFrame(look);
    }};
    requestAnimationFrame(look);""")
    chat = Chat.opened(page, site)
    expect(chat.answer.locator(f"pre:has({COLOURED})")).to_have_count(9)
    counts = page.evaluate("coloured")
    assert set(counts) == set(range(10))
