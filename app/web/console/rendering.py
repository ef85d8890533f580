"""Renders pages as HTML, with their menu and security headers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial
from itertools import groupby
from pathlib import Path
from typing import Any, Final, get_args

from jinja2 import ChoiceLoader, Environment, FileSystemLoader, PrefixLoader, StrictUndefined
from markupsafe import escape
from starlette.responses import HTMLResponse

from app.agents.agent import Agent
from app.providers.chat.model_health import ModelAlert
from app.web.console.filters import FILTERS, ago
from app.web.console.page import AGENT, HOME, ConsolePage, Rejected, Section, Shown, Visit
from app.web.console.session_cookie import csrf_token
from app.web.static_files import StaticFiles

_APP = Path(__file__).parents[2]
# No inline script or style anywhere, so a visitor's text can never become either.
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS: Mapping[str, str] = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": _POLICY,
    "Cross-Origin-Opener-Policy": "same-origin",
    "Referrer-Policy": "same-origin",
}


_FOLDED: Final = ("Set-up", "Workspace")  # seldom needed


@dataclass(frozen=True, slots=True)
class FormView:
    """The values of a template's fields: the input if it was refused, else the template's defaults.

    Operators who may not send the form see values instead of fields."""

    name: str
    values: Mapping[str, Sequence[str]] = field(default_factory=dict)
    errors: Mapping[str, str] = field(default_factory=dict)
    is_rejected: bool = False
    is_open: bool = True

    def value(self, name: str, default: object = "") -> str:
        if self.is_rejected:
            return "\n".join(self.values.get(name, ()))
        return "" if default is None else str(default)

    def holds(self, name: str, value: object, default: bool = False) -> bool:
        """Whether a box is ticked or an option is selected."""
        return str(value) in self.values.get(name, ()) if self.is_rejected else default

    def error(self, name: str) -> str:
        return self.errors.get(name, "")


class Rendering:
    """`folders` has the folders of templates outside of `app`, by the first part of the templates' names."""

    def __init__(self, files: StaticFiles, version: str, folders: Mapping[str, Path] | None = None) -> None:
        self._files = files
        self._templates = _templates(tuple((folders or {}).items()))
        self._version = version

    def page(
        self,
        visit: Visit[Any],
        shown: Shown,
        agents: Sequence[Agent],
        flash: tuple[str, str] | None,
        waiting: Mapping[str, int],
        model_alert: ModelAlert | None,
    ) -> HTMLResponse:
        """Render a page. The agent picker offers `agents`; `waiting` is the number of waiting items by the page's name.
        Signed-in operators see `model_alert` on every page."""
        rejected = shown.form or visit.rejected
        menu = menu_of(visit, agents, waiting)
        context = {
            "visit": visit,
            "operator": visit.operator_or_none,
            "agent": visit.agent_or_none,
            "agents": agents,
            "menu": menu,
            "waiting": waiting,
            "helped": next((item.name for group in menu for item in group.items if item.is_current), ""),
            "version": self._version,
            "in_line": waiting.get("live", 0),
            "flash": flash,
            "model_alert": model_alert,
            "picks": lambda each: picked(visit, each),
            "csrf_token": csrf_token(visit.secret),
            "url": visit.url,
            "links": partial(links_on, visit, waiting),
            "static": lambda name: visit.root_path + self._files.url(name),
            "may": lambda scope: visit.caller is not None and visit.actor.may(scope),
            "ago": lambda then: ago(then, visit.now),
            **shown.values,
        }

        def drawn(rejected: Rejected | None, refused: str = "") -> str:
            form = partial(_form_view, rejected=rejected)
            return self._templates.get_template(shown.template).render({**context, "form": form, "refused": refused})

        text = drawn(rejected)
        if rejected and (unsaid := _unshown_errors(rejected, text)):
            # Some errors belong to no field of the page, perhaps because it no longer shows the form.
            text = drawn(replace(rejected, errors={**rejected.errors, "": unsaid}))
            if str(escape(unsaid)) not in text:
                text = drawn(rejected, unsaid)
        return HTMLResponse(text, shown.status, HEADERS)


def rendered(template: str, **values: Any) -> str:
    """Render a document that is no page of the console. `template` is a path in `app`, as in `Shown`."""
    return _templates(()).get_template(template).render(values)


@cache
def _templates(folders: tuple[tuple[str, Path], ...]) -> Environment:
    """One environment per process, because compiling a template takes much longer than rendering it.

    A template's name is its path in `app`, like a module's: it tells where the template is, and is unique."""
    environment = Environment(
        loader=ChoiceLoader(
            [FileSystemLoader(_APP), PrefixLoader({name: FileSystemLoader(path) for name, path in folders})]
        ),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(FILTERS)
    return environment


def _unshown_errors(rejected: Rejected, text: str) -> str:
    """The errors that the rendered `text` does not show."""
    return " ".join(
        dict.fromkeys(
            message
            for name, message in rejected.errors.items()
            if (f'id="{rejected.page}-{name}-wrong"' if name else str(escape(message))) not in text
        )
    )


def _form_view(name: str, is_open: bool = True, *, rejected: Rejected | None) -> FormView:
    if rejected is None or rejected.page != name:
        return FormView(name, is_open=is_open)
    return FormView(name, rejected.values, rejected.errors, is_rejected=True)


@dataclass(frozen=True, slots=True)
class MenuItem:
    """`count` is the number of waiting items on the page."""

    name: str  # of the page
    label: str
    icon: str
    url: str
    is_current: bool
    count: int


@dataclass(frozen=True, slots=True)
class MenuGroup:
    name: str
    is_open: bool
    items: Sequence[MenuItem]


def menu_of(visit: Visit[Any], agents: Sequence[Agent], waiting: Mapping[str, int]) -> list[MenuGroup]:
    """The entries that this operator may open, by section. Entries for an agent lead to the page's agent, or to the
    first one if the page has none. `waiting` is the number of waiting items by the page's name."""
    if visit.caller is None:
        return []
    agent = visit.agent_or_none or next(iter(agents), None)
    marked = visit.under or visit.page.name
    groups = []
    for section, pages in groupby(sorted(filter(_is_in_menu, visit.pages.values()), key=_place), _section):
        items = [
            MenuItem(
                page.name,
                page.menu.label,
                page.menu.icon,
                visit.root_path + page.path.replace(AGENT, str(agent.id) if agent else ""),
                page.name == marked,
                waiting.get(page.name, 0),
            )
            for page in pages
            if page.menu and page.scope and visit.actor.may(page.scope) and (agent or AGENT not in page.path)
        ]
        if items:
            is_open = section not in _FOLDED or any(item.is_current for item in items)
            groups.append(MenuGroup(section, is_open, items))
    return groups


def links_on(visit: Visit[Any], waiting: Mapping[str, int], on: str, **ids: object) -> list[MenuItem]:
    """The links to other pages that are declared for the page with the name `on`."""
    pages = [page for page in visit.pages.values() if page.link and page.link.on == on]
    return [
        MenuItem(
            page.name,
            link.label,
            link.icon,
            visit.url(page.name, None, **ids),
            page.name in (visit.page.name, visit.page.shown_on),
            waiting.get(page.name, 0),
        )
        for page in sorted(pages, key=lambda page: page.link.place if page.link else 0)
        if (link := page.link)
    ]


def picked(visit: Visit[Any], agent: Agent) -> str:
    """The picker's link to `agent`: the same page for that agent, the page above it, or the agent's first page."""
    of_agents = [page for page in visit.pages.values() if _is_in_menu(page) and AGENT in page.path]
    first = min(of_agents, key=_place, default=visit.page)
    for page in (visit.page, visit.pages.get(visit.under, first), first):
        if page.method == "GET" and page.path.count("{") == 1 and AGENT in page.path:
            return visit.root_path + page.path.replace(AGENT, str(agent.id))
    return visit.root_path + HOME


def _is_in_menu(page: ConsolePage) -> bool:
    return page.menu is not None


def _section(page: ConsolePage) -> Section:
    return page.menu.section if page.menu else "Work"


def _place(page: ConsolePage) -> tuple[int, int]:
    return get_args(Section).index(_section(page)), page.menu.place if page.menu else 0
