"""A model that an attacker's page has captured writes to the widget, in a real browser with traps: at no prefix of its
answer does anything run, load or lead away."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Dialog, Frame, Page, Request, expect

from tests.cases.case_rows import Row, load_rows
from tests.cases.injection_cases import attack
from tests.doubles.scripted_widget_api import Emit, Step, done
from tests.e2e.chat import Chat
from tests.e2e.conftest import Site

CHECKS = {"output.no_script", "output.no_autofetch", "output.link_hosts"}
ROWS = [row for row in load_rows("injection_pages.jsonl") if CHECKS & set(row["checks"])]

# Every way out that a script has; and a look at all that is drawn, after each drawing, which comes with each token.
TRAPS = """
  window.hits = []; window.looks = 0; window.hosts = new Set();
  for (const name of ['alert', 'confirm', 'prompt', 'open', 'print']) {
    window[name] = (...given) => void hits.push(`${name} ${given}`);
  }
  navigator.sendBeacon = (url) => !hits.push('beacon ' + url);
  const { fetch } = window;
  window.fetch = (url, init) => {
    if (!String(url).startsWith('API_ORIGIN/')) hits.push('fetch ' + url);
    return fetch(url, init);
  };
  XMLHttpRequest.prototype.open = (_, url) => void hits.push('xhr ' + url);
  window.WebSocket = window.EventSource = window.Image = class { constructor(url) { hits.push('made ' + url); } };
  const active = 'script,img,picture,source,video,audio,iframe,object,embed,link,base,meta,style,math,.text form';
  const loading = /^on|^(src|srcset|style|action|formaction|ping|background)$/;
  const look = () => {
    window.looks++;
    const root = document.querySelector('docent-widget')?.shadowRoot;
    for (const bad of root?.querySelectorAll(active) ?? []) hits.push('drawn ' + bad.outerHTML);
    for (const each of root?.querySelectorAll('.text *') ?? []) {
      for (const { name, value } of each.attributes) {
        if (loading.test(name)) hits.push(`attribute ${name}=${value}`);
      }
    }
    for (const link of root?.querySelectorAll('.text a[href]') ?? []) {
      if (!/^https?:$/.test(link.protocol) || link.username || link.password) hits.push('link ' + link.href);
      hosts.add(link.hostname);
    }
  };
  window.requestAnimationFrame = (draw) => { draw(performance.now()); look(); return 0; };
"""


@pytest.fixture
def hits(page: Page, site: Site) -> list[str]:
    """What left the page although no script of it said so."""
    page.add_init_script(TRAPS.replace("API_ORIGIN", site.api_origin))
    caught: list[str] = []

    def dismiss(dialog: Dialog) -> None:
        caught.append(f"dialog {dialog.message}")
        dialog.dismiss()

    def watch(request: Request) -> None:
        if not request.url.startswith((site.origin, site.api_origin)):
            caught.append(f"request {request.url}")

    def left(frame: Frame) -> None:
        if frame.url.rstrip("/") not in (site.origin, "about:blank"):
            caught.append(f"navigation {frame.url}")

    page.on("dialog", dismiss)
    page.on("request", watch)
    page.on("framenavigated", left)
    page.on("popup", lambda popup: caught.append(f"popup {popup.url}"))
    return caught


def converse(page: Page, site: Site, answers: list[str]) -> int:
    """Each answer comes character by character; returns how many characters came."""
    questions = {f"Question {number}?": answer for number, answer in enumerate(answers)}
    site.api.script = {question: [*by_character(answer), done()] for question, answer in questions.items()}
    chat = Chat.opened(page, site)
    for number, question in enumerate(questions):
        chat.ask(question)
        expect(chat.questions).to_have_count(number + 1)
        chat.finish()
    return sum(map(len, answers))


def by_character(text: str) -> list[Step]:
    return [Emit({"event": "token", "token": char}) for char in text]


def guarded(row: Row) -> str:
    """What the server's own guard lets out of the row's answer."""
    with ThreadPoolExecutor(1) as pool:  # the browser's own event loop has this thread
        return pool.submit(lambda: asyncio.run(attack(row).output())[0]).result()


def test_nothing_of_an_obeyed_attack_acts_even_without_the_server_s_guard(
    page: Page, site: Site, hits: list[str]
) -> None:
    assert len(ROWS) >= 15
    characters = converse(page, site, [str(row["obeyed_output"]) for row in ROWS])
    assert page.evaluate("window.looks") >= characters
    assert page.evaluate("window.hits") == []
    assert hits == []


def test_behind_the_guard_links_lead_to_the_sources_alone(page: Page, site: Site, hits: list[str]) -> None:
    rows = [row for row in ROWS if "output.link_hosts" in row["checks"]]
    assert rows
    converse(page, site, [guarded(row) for row in rows])
    known = {urlsplit(source.url).hostname for row in rows for source in attack(row).sources} | {"docs.example"}
    assert set(page.evaluate("[...window.hosts]")) <= known
    assert page.evaluate("window.hits") == []
    assert hits == []


def test_the_traps_catch(page: Page, site: Site, hits: list[str]) -> None:
    """Else their silence would show nothing."""
    Chat.opened(page, site)
    page.evaluate(
        """() => {
          const text = document.createElement('div');
          text.className = 'text';
          const link = Object.assign(document.createElement('a'), { href: 'javascript:alert(1)' });
          const image = Object.assign(document.createElement('img'), { src: 'https://evil.example/p.gif' });
          text.append(link, image);
          document.querySelector('docent-widget').shadowRoot.append(text);
          requestAnimationFrame(() => {});
          alert('x');
          navigator.sendBeacon('https://evil.example/');
        }"""
    )
    kinds = {hit.split(" ")[0] for hit in page.evaluate("window.hits")}
    assert kinds == {"drawn", "attribute", "link", "alert", "beacon"}
    assert hits == ["request https://evil.example/p.gif"]
