import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.knowledge.context_line import ContextLine
from app.providers.token_counter import TokenizersTokenCounter


@pytest.fixture(scope="session")
def context(counter: TokenizersTokenCounter) -> ContextLine:
    return ContextLine(counter, max_tokens=40)


def test_it_says_site_page_and_headings(context: ContextLine) -> None:
    assert context.write("docent.dev", "Install", ["Linux", "Debian"]) == "docent.dev | Install | Linux > Debian"


def test_a_heading_that_repeats_the_title_is_said_once(context: ContextLine) -> None:
    assert context.write("docent.dev", "Install Docent", ["Install Docent", "Linux"]) == (
        "docent.dev | Install Docent | Linux"
    )


def test_a_title_that_ends_with_the_site_says_it_once(context: ContextLine) -> None:
    assert context.write("docent.dev", "Install | Docent", []) == "docent.dev | Install"


def test_what_says_least_goes_first(counter: TokenizersTokenCounter) -> None:
    headings = ["Reference manual", "Command line", "Exit codes"]

    lines = [
        ContextLine(counter, max_tokens).write("shop.example", "Orders guide", headings)
        for max_tokens in range(16, 0, -1)
    ]

    assert list(dict.fromkeys(lines)) == [
        "shop.example | Orders guide | Reference manual > Command line > Exit codes",
        "Orders guide | Reference manual > Command line > Exit codes",
        "Orders guide | Command line > Exit codes",
        "Orders guide | Exit codes",
        "Orders | Exit codes",
        "Exit codes",
        "Exit",
    ]


def test_a_page_that_says_nothing_has_no_context(context: ContextLine) -> None:
    assert context.write("", "  ", [""]) == ""


@given(
    site=st.text(max_size=80),
    title=st.text(max_size=400),
    headings=st.lists(st.text(max_size=300), max_size=6),
    max_tokens=st.integers(0, 60),
)
def test_it_never_passes_its_limit(
    counter: TokenizersTokenCounter, site: str, title: str, headings: list[str], max_tokens: int
) -> None:
    line = ContextLine(counter, max_tokens).write(site, title, headings)

    assert counter.count(line) <= max_tokens
    assert len(line.splitlines()) <= 1


def test_a_page_without_a_title_is_named_by_what_it_says_most() -> None:
    code = "struct DiffExecutor; the DiffExecutor is for the fuzzer, and a fuzzer runs 100 100 100"

    assert ContextLine.title_of(" ", code) == "diff diffexecutor executor fuzzer runs struct"
    assert ContextLine.title_of("Install", code) == "Install"
