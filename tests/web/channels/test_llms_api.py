"""An agent's pages for programs that read: who gets them, and what stands in them. tests/reach reads them whole."""

from dataclasses import replace
from uuid import UUID

import httpx2

from app.agents.agent import AgentConfig
from app.agents.agents import Agents
from app.core.actor import ASK
from app.sources import kinds
from app.sources.source import UNLINKED, SourceConfig
from app.sources.sources import Sources
from app.workspaces.api_tokens import ApiTokens
from tests.doubles.learnt_pages import learn
from tests.web.house import SITE, House

TITLE = "Prices [new]\n# Ignore the rest <b>"


async def opened(house: House, path_prefix: str = "") -> None:
    def open_to_programs(draft: AgentConfig) -> AgentConfig:
        only = replace(draft.retrieval.filter, path_prefixes=(path_prefix,) if path_prefix else ())
        return replace(draft, open_to_programs=True, retrieval=replace(draft.retrieval, filter=only))

    agents = house.parts.get(Agents)
    await agents.change_draft(house.actor, house.agent.id, open_to_programs)
    await agents.publish(house.actor, house.agent.id)


async def furnish(house: House, more_pages: int = 0) -> list[UUID]:
    """The documents' ids: two pages and a note without an address, then as many pages more."""
    source = await house.parts.get(Sources).create(house.actor, house.agent.id, SourceConfig(kinds.SITE, "S", SITE))
    pages = [
        (f"{SITE}/returns", "Returns", "Send it back **within 30 days**."),
        (f"{SITE}/docs/prices", TITLE, "# Prices\n\nTwelve euros."),
        (f"{UNLINKED}{source.id}", "Notes", "The rebate is internal."),
        *((f"{SITE}/more/{number}", f"Page {number}", f"Text {number}.") for number in range(more_pages)),
    ]
    return [
        await learn(house.record, house.keywords, house.agent.id, source.id, url, title, ("", text))
        for url, title, text in pages
    ]


async def read(house: House, file: str, **headers: str) -> httpx2.Response:
    return await house.http.get(f"/llms/{house.agent.id}/{file}", headers=headers)


async def test_the_list_names_every_page_that_has_an_address(house: House) -> None:
    await opened(house)
    returns, prices, _ = await furnish(house)
    answer = await read(house, "llms.txt")
    files = f"https://api.test/llms/{house.agent.id}"

    assert answer.headers["content-type"] == "text/plain; charset=utf-8"
    head, _, pages = answer.text.partition("## Pages\n\n")
    assert head.startswith("# Docs\n\n> ")
    assert f"{files}/llms-full.txt" in head
    assert pages.splitlines() == [
        f"- [Returns]({files}/pages/{returns}.md): {SITE}/returns",
        f"- [Prices \\[new\\] \\# Ignore the rest \\<b\\>]({files}/pages/{prices}.md): {SITE}/docs/prices",
    ]


async def test_a_page_is_markdown_with_its_address(house: House) -> None:
    await opened(house)
    returns, prices, note = await furnish(house)
    answer = await read(house, f"pages/{returns}.md")

    assert answer.headers["content-type"] == "text/markdown; charset=utf-8"
    assert answer.headers["link"] == f'<{SITE}/returns>; rel="canonical"'
    title, source, text = answer.text.rstrip("\n").split("\n\n")
    assert (title, text) == ("# Returns", "Send it back **within 30 days**.")
    assert source.startswith(f"Source: {SITE}/returns (read on 20")
    assert (await read(house, f"pages/{prices}.md")).text.startswith("# Prices\n\nSource: ")  # its own heading, once
    assert (await read(house, f"pages/{note}.md")).status_code == 404


async def test_the_full_file_holds_every_page_however_many_there_are(house: House) -> None:
    await opened(house)
    await furnish(house, more_pages=45)
    full = (await read(house, "llms-full.txt")).text

    assert full.count("\nSource: ") == 47
    assert all(f"Text {number}.\n" in full for number in range(45))
    assert "internal" not in full
    assert (await read(house, "llms.txt")).text.count("\n- [") == 47


async def test_only_what_the_agent_may_answer_from_is_given(house: House) -> None:
    await opened(house, "/docs/")
    returns, prices, _ = await furnish(house)
    assert str(returns) not in (await read(house, "llms.txt")).text
    assert "30 days" not in (await read(house, "llms-full.txt")).text
    statuses = [(await read(house, f"pages/{page}.md")).status_code for page in (returns, prices)]
    assert statuses == [404, 200]


async def test_an_agent_that_is_not_open_wants_a_token_that_may_ask(house: House) -> None:
    [page, *_] = await furnish(house)
    issued = await house.parts.get(ApiTokens).issue(house.actor, "reader", [ASK])
    for file in ("llms.txt", "llms-full.txt", f"pages/{page}.md"):
        assert (await read(house, file)).status_code == 401
        assert (await read(house, file, Authorization=f"Bearer {house.read}")).status_code == 403
        assert (await read(house, file, Authorization=f"Bearer {house.foreign}")).status_code == 404
        assert (await read(house, file, Authorization=f"Bearer {issued.token}")).status_code == 200


async def test_a_page_of_another_agent_is_absent(house: House) -> None:
    await opened(house)
    agents = house.parts.get(Agents)
    other = await agents.create(house.actor, AgentConfig(name="Other"))
    await agents.publish(house.actor, other.id)
    source = await house.parts.get(Sources).create(house.actor, other.id, SourceConfig(kinds.SITE, "O", SITE))
    page = await learn(house.record, house.keywords, other.id, source.id, f"{SITE}/other", "Other", ("", "Secret."))
    assert (await read(house, f"pages/{page}.md")).status_code == 404
    assert "other" not in (await read(house, "llms.txt")).text
