"""The menu, made of the pages that declare an entry."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from app.agents.agent import Agent
from app.web.console.page import HOME, ConsolePage, Visit

_AGENT = "{agent_id}"


@dataclass(frozen=True, slots=True)
class MenuItem:
    name: str  # of the page
    label: str
    icon: str
    url: str
    is_current: bool
    is_of_agent: bool
    count: int = 0  # of what waits there


def menu_of(visit: Visit[Any], agents: Sequence[Agent], waiting: Mapping[str, int] | None = None) -> list[MenuItem]:
    """What this operator may open: first what belongs to the agent at hand, which is the first one where the page has
    none. `waiting` is how much waits on a page, by its name."""
    if visit.caller is None:
        return []
    agent = visit.agent_or_none or next(iter(agents), None)
    marked = visit.page.under or visit.page.name
    items = []
    for page in sorted((p for p in visit.pages.values() if p.menu), key=_place):
        is_of_agent = _AGENT in page.path
        if page.menu is None or page.scope is None or not visit.actor.may(page.scope) or (is_of_agent and not agent):
            continue
        path = page.path.replace(_AGENT, str(agent.id)) if agent else page.path
        count = (waiting or {}).get(page.name, 0)
        items.append(
            MenuItem(
                page.name,
                page.menu.label,
                page.menu.icon,
                visit.root_path + path,
                page.name == marked,
                is_of_agent,
                count,
            )
        )
    return items


def picked(visit: Visit[Any], agent: Agent) -> str:
    """Where the agent picker leads: to the same page of that agent, to the one above, or to where one begins."""
    first = min((p for p in visit.pages.values() if p.menu and _AGENT in p.path), key=_place, default=visit.page)
    for page in (visit.page, visit.pages.get(visit.page.under, first), first):
        if page.method == "GET" and page.path.count("{") == 1 and _AGENT in page.path:
            return visit.root_path + page.path.replace(_AGENT, str(agent.id))
    return visit.root_path + HOME


def _place(page: ConsolePage) -> tuple[bool, int, str]:
    place = page.menu.place if page.menu else 0
    return place >= 0 and _AGENT not in page.path, place, page.name
