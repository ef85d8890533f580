"""A visitor of an agent that wants work proven first, with Docent's real processes: nothing to read, or to click."""

from playwright.sync_api import Page, expect

from tests.e2e.chat import Chat
from tests.e2e.real_docent import WARRANTY, RealDocent


def asked_of(page: Page) -> list[str]:
    """The paths of what the page asks the server from now on, with the status of each answer."""
    asked: list[str] = []
    page.on("response", lambda response: asked.append(f"{response.status} {response.url.split('/', 3)[3]}"))
    return asked


def loaded(asked: list[str], name: str) -> bool:
    return any(f"widget/{name}." in each for each in asked)


def test_a_question_is_answered_after_work_in_a_worker(page: Page, wary: RealDocent) -> None:
    asked = asked_of(page)
    chat = Chat.opened(page, wary.demo.base)
    assert not loaded(asked, "proof")
    with page.expect_worker():
        chat.ask(WARRANTY)
    chat.finish()
    expect(chat.answer).to_contain_text("3 years")
    expect(chat.questions).to_have_count(1)
    assert loaded(asked, "proof")
    assert asked.count("428 v1/widget/messages/stream") == 1
    expect(chat.panel).not_to_contain_text("proof")


def test_a_proof_is_renewed_when_it_is_used_up(page: Page, wary: RealDocent) -> None:
    asked = asked_of(page)
    chat = Chat.opened(page, wary.demo.base)
    for number in range(6):
        chat.ask(f"{WARRANTY} {number}")
        expect(chat.questions).to_have_count(number + 1)
        chat.finish()
    assert asked.count("428 v1/widget/messages/stream") == 2


def test_a_page_that_allows_no_worker_works_by_itself(page: Page, wary: RealDocent) -> None:
    policy = (
        f"default-src 'none'; script-src {wary.base}; connect-src {wary.base}; style-src 'unsafe-inline'; "
        "trusted-types docent; require-trusted-types-for 'script'"
    )
    wary.host.write(wary.embed(), {"Content-Security-Policy": policy})
    workers: list[str] = []
    page.on("worker", lambda worker: workers.append(worker.url))
    chat = Chat.opened(page, wary.host.origin)
    chat.ask(WARRANTY)
    chat.finish()
    expect(chat.answer).to_contain_text("3 years")
    assert not workers


def test_an_agent_that_wants_none_loads_nothing_for_it(page: Page, docent: RealDocent) -> None:
    asked = asked_of(page)
    chat = Chat.opened(page, docent.demo.base)
    chat.ask(WARRANTY)
    chat.finish()
    assert not loaded(asked, "proof")
    assert not loaded(asked, "people")


def test_who_does_not_do_the_work_is_told_so(page: Page, wary: RealDocent) -> None:
    page.route("**/widget/proof.*", lambda route: route.abort())
    chat = Chat.opened(page, wary.demo.base)
    chat.ask(WARRANTY)
    expect(chat.retry).to_be_visible()
