"""The workspaces of the installation."""

from collections.abc import Sequence

from pydantic import Field

from app.operating.actor import MANAGE
from app.operating.operators import MAX_EMAIL_CHARS, MAX_PASSWORD_CHARS, MIN_PASSWORD_CHARS
from app.operating.workspaces import MAX_NAME_CHARS
from app.web.console.page import AnyPage, ConsolePage, Form, Go, MenuEntry, NoForm, Shown, Visit
from app.web.services import WebServices

_LIST = "/console/workspaces"


class NewWorkspace(Form):
    name: str = Field(max_length=MAX_NAME_CHARS)
    email: str = Field(max_length=MAX_EMAIL_CHARS)
    password: str = Field(min_length=MIN_PASSWORD_CHARS, max_length=MAX_PASSWORD_CHARS)


class WorkspacePages:
    def __init__(self, services: WebServices) -> None:
        self._workspaces = services.workspaces

    def pages(self) -> Sequence[AnyPage]:
        entry = MenuEntry("Workspaces", 40, "people")
        return (
            ConsolePage("GET", _LIST, "workspaces", MANAGE, self.list, menu=entry),
            ConsolePage("POST", _LIST, "add_workspace", MANAGE, self.add, form=NewWorkspace, shown_on="workspaces"),
        )

    async def list(self, visit: Visit[NoForm]) -> Shown:
        found = await self._workspaces.known(visit.actor)
        may_add = await self._workspaces.is_first(visit.actor)
        return Shown("workspaces.html", {"found": found, "may_add": may_add, "least": MIN_PASSWORD_CHARS})

    async def add(self, visit: Visit[NewWorkspace]) -> Go:
        given = visit.given
        made = await self._workspaces.create(visit.actor, given.name, given.email, given.password)
        return Go(visit.url("workspaces"), f"{given.email} may sign in to {made.name} now.")
