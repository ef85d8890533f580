"""A plain client that knows llms.txt alone finds the pages, and reads them."""

import re

from tests.reach.conftest import Reached
from tests.system.conftest import SITE

_LINK = re.compile(r"^- \[(?P<title>(?:\\.|[^\]\\])+)\]\((?P<url>[^)\s]+)\): (?P<notes>\S+)$", re.MULTILINE)


async def text_of(reached: Reached, file: str) -> str:
    url = file if file.startswith("http") else f"{reached.base}/llms/{reached.agent_id}/{file}"
    answer = await reached.http.get(url, headers={"Authorization": f"Bearer {reached.ask_token}"})
    assert answer.status_code == 200, answer.text
    return answer.text


async def test_the_list_leads_to_every_page(reached: Reached) -> None:
    listed = await text_of(reached, "llms.txt")
    assert re.match(r"# .+\n\n> .+\n\n", listed)
    pages = list(_LINK.finditer(listed))
    assert len(pages) == listed.count("\n- [") >= 1
    for page in pages:
        markdown = await text_of(reached, page["url"])
        assert markdown.startswith("# ")
        assert f"Source: {page['notes']} (read on " in markdown
        assert page["notes"].startswith(SITE)


async def test_all_pages_stand_in_the_full_file(reached: Reached) -> None:
    full = await text_of(reached, "llms-full.txt")
    for page in _LINK.finditer(await text_of(reached, "llms.txt")):
        assert await text_of(reached, page["url"]) in full
    assert "warranty of 3 years" in full


async def test_without_a_token_it_is_refused(reached: Reached) -> None:
    answer = await reached.http.get(f"{reached.base}/llms/{reached.agent_id}/llms.txt")
    assert answer.status_code == 401
    assert 'scope "ask"' in answer.json()["error"]["message"]
