"""An agent that operators have paused, at the console."""

from app.workspaces.operator import Role
from tests.web.console.browser import an_operator, text_of
from tests.web.house import House


async def test_one_click_pauses_an_agent_each_page_says_so_and_one_click_resumes_it(house: House) -> None:
    editor, viewer, path = (
        await an_operator(house),
        await an_operator(house, Role.VIEWER),
        f"/console/agents/{house.agent.id}/settings",
    )
    assert "Pause agent" in await editor.page(f"{path}/versions")
    assert "Pause agent" not in await viewer.page(f"{path}/versions")
    await editor.post(f"{path}/pause")
    for page in (f"{path}/versions", f"/console/agents/{house.agent.id}/gaps"):
        assert "Docs is paused since" in text_of(await editor.page(page))
        assert f'action="{path}/resume"' in await editor.page(page)
        assert f'action="{path}/resume"' not in await viewer.page(page)
    assert "Pause agent" not in await editor.page(f"{path}/versions")
    overview = text_of(await viewer.page("/console"))
    assert "visitors read that the chat is closed" in overview
    assert "All clear" not in overview
    assert (await viewer.post(f"{path}/resume")).status_code == 403
    assert "Visitors get answers again" in await editor.flash(await editor.post(f"{path}/resume"))
    assert "Docs is paused" not in text_of(await editor.page(f"{path}/versions"))
    assert "All clear" in text_of(await viewer.page("/console"))
