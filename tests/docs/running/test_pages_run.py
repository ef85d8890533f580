"""The tutorial leads where it says, and the guides' calls are taken by a real server. Needs curl and openssl."""

import pytest

from tests.docs.fenced_blocks import Block, blocks
from tests.docs.running.conftest import SURE, UNANSWERED, Walk, shell_blocks
from tests.doubles.sample_files import a_pdf

WITH_CALLS = [
    block
    for page in (
        "site-report",  # before the source is read again
        "import-conversations",
        "better-answers",
        "sources",
        "help-centres-and-wikis",
        "webhooks",
        "openai",
        "mcp",
        "slack-discord",
        "page-search",
        "llms-txt",
        "use-the-api",
    )  # the last makes another agent
    for block in shell_blocks(f"docs/how-to/{page}.md")
    if "curl" in block.code and block.is_checked
]
PROGRAMS = [
    block
    for block in blocks()
    if block.page in ("docs/how-to/openai.md", "docs/how-to/mcp.md") and block.language == "python"
]
ON_COMMAND_LINE = [
    block
    for block in shell_blocks("docs/quickstart.md")
    if block.code.startswith("docent") and "serve" not in block.code and "operator" not in block.code
]


def printed(walk: Walk, beginning: str) -> str:
    return next(text for code, text in walk.printed.items() if code.startswith(beginning))


def test_the_crawl_reads_the_three_pages(walk: Walk) -> None:
    assert "3 indexed" in printed(walk, "docent crawl")


def test_the_first_answer_is_the_passage_with_its_page_and_confidence(walk: Walk) -> None:
    answer = printed(walk, "docent ask")
    assert "an E27 base" in answer
    assert f"{walk.site}/care.html" in answer
    assert "confidence" in answer


def test_a_visitor_is_answered_and_what_the_shop_does_not_say_is_a_gap(walk: Walk) -> None:
    assert walk.answers[SURE]["low_confidence"] is False
    assert walk.answers[UNANSWERED]["low_confidence"] is True


def test_the_gap_is_proposed_once_the_page_is_there_and_closed_with_proof(walk: Walk) -> None:
    assert "15 euros" in printed(walk, "docent crawl http://127.0.0.1:8701/ --allow 127.0.0.1:8701\ndocent ask")
    assert walk.gap_states == ["open", "proposed", "answered"]


@pytest.mark.parametrize("block", ON_COMMAND_LINE, ids=str)
def test_a_command_of_the_quickstart_runs(walk: Walk, block: Block) -> None:
    code = block.code.replace("https://www.example.com", walk.site)
    assert walk.run(f"export DOCENT_CRAWL_ALLOW={walk.site.removeprefix('http://')}\n{code}")


@pytest.mark.parametrize("block", WITH_CALLS, ids=str)
def test_a_guides_calls_are_taken(walk: Walk, block: Block) -> None:
    agent = f"/v1/agents/{walk.agent_id}"
    site = walk.client.get(f"{agent}/sources")["items"][0]["id"]
    kind = {"kind": "documents", "name": f"For {block}"}
    source = walk.client.post(f"{agent}/sources", kind)["id"] if "/documents" in block.code else site
    secret = walk.client.post(f"/v1/sources/{source}/hook")["secret"] if "/hooks/" in block.code else ""
    if "/golden-questions/run" in block.code:
        walk.client.post(f"{agent}/golden-questions", {"question": SURE, "pages": [f"{walk.site}/delivery.html"]})
    (walk.folder / "manual.pdf").write_bytes(a_pdf([["A manual", "Turn the switch to the left."]]))
    code = block.code.replace('"https://www.example.com"', f'"{walk.site}"').replace(
        "https://www.example.com/news", f"{walk.site}/"
    )
    variables = {
        "DOCENT": walk.base,
        "TOKEN": walk.token,
        "AGENT": walk.agent_id,
        "SOURCE": source,
        "GAP": walk.gap()["id"],
        "SECRET": secret,
    }
    given = "".join(f"{name}={value}\n" for name, value in variables.items())
    said = walk.run(f"{given}{code}")
    assert "{" in said or ".csv" in code or "/llms/" in code
    assert '"error":' not in said


@pytest.mark.parametrize("block", PROGRAMS, ids=str)
def test_a_guides_program_prints_an_answer_and_its_pages(walk: Walk, block: Block) -> None:
    token = "$(docent token create programs --scope ask 2>/dev/null)"
    given = f"export DOCENT={walk.base} KEY={token} AGENT={walk.agent_id}"
    said = walk.run(f"{given}\npython - <<'PROGRAM'\n{block.code}\nPROGRAM")
    assert "within 30 days" in said
    assert f"{walk.site}/" in said
