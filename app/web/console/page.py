"""Declares pages of the console on their handlers; routes, menu and checks are derived from the declarations."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta
from typing import Annotated, Any, Final, Literal, TypedDict, TypeVar, Unpack, get_args, get_type_hints
from urllib.parse import urlencode
from uuid import UUID

from pydantic import ConfigDict, Field
from starlette.responses import Response

from app.agents.agent import Agent
from app.core.actor import Actor
from app.core.list_page import PageRequest
from app.core.setting import at_most
from app.kit.clock import begin_of
from app.kit.wiring import Wired
from app.store.system_of_record import Transaction
from app.web.access import Everyone, ScopedAccess
from app.web.access import everyone as everyone
from app.web.access import manage as manage
from app.web.access import read as read
from app.web.access import write as write
from app.web.endpoint import Call, declarations, declare
from app.web.middleware.public_url import root_path_of
from app.web.model import Body, Cursor
from app.workspaces.operator import Operator

HOME = "/console"
MANY: Final = at_most(200)
"""Limit of the items that a form may change at once."""

Query = Annotated[str, at_most(2000)]
"""The query of the list from which a form was sent."""

WrittenDay = Annotated[date, Field(ge=date(2000, 1, 1), lt=date(3000, 1, 1))]
AGENT = "{agent_id}"  # in the path of a page that is about one
InputOut = TypeVar("InputOut", covariant=True)
Value = TypeVar("Value")
Waiting = Callable[[Transaction, UUID, datetime], int]
"""Counts the items that wait at a moment, of the agent with this id, or of the workspace for a page without agent."""


class Form(Body):
    """The content of a form or a query: texts, which pydantic converts. Blank fields get their defaults.

    A form with the input of an API call inherits that call's fields: `RepositoryForm(RepositoryIn, Form)`. It redefines
    fields that have another format in forms, or another meaning when blank.
    """

    model_config = ConfigDict(strict=False, extra="ignore", frozen=True, allow_inf_nan=False, defer_build=True)


class NoForm(Form):
    """For pages without input."""


class ListWanted(Form):
    """For pages with a list. `cursor` is the `next_cursor` of the previous part."""

    cursor: Cursor | None = None

    def part(self, limit: int) -> PageRequest:
        return PageRequest(limit, self.cursor)


class UndoWanted(ListWanted):
    """For pages whose forms change many items of a list. `undo` are the items that the last form has changed, so that
    this can be undone; `was` has their previous assignees."""

    undo: Annotated[tuple[UUID, ...], MANY] = ()
    was: Annotated[dict[UUID, str], MANY] = Field(default_factory=dict)

    @property
    def kept(self) -> dict[str, Any]:
        """The filters of the list that are not defaults, for links to the page."""
        undo = {name for name in type(self).model_fields if name.startswith("undo")}
        return self.model_dump(mode="json", exclude={"cursor", "was", *undo}, exclude_defaults=True)


def moments(since: date | None, until: date | None) -> dict[str, datetime | None]:
    """The range from the beginning of the day `since` to the end of the day `until`, in UTC."""
    return {
        "since": None if since is None else begin_of(since),
        "until": None if until is None else begin_of(until + timedelta(days=1)),
    }


@dataclass(frozen=True, slots=True)
class Rejected:
    """A refused form as it was sent, and the error of each field; "" is the whole form."""

    page: str
    values: Mapping[str, tuple[str, ...]]
    errors: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Shown:
    """A template to render, by its path in `app`, with its values. `form` replaces the refused form of the visit."""

    template: str
    values: Mapping[str, Any] = field(default_factory=dict)
    status: int = 200
    form: Rejected | None = None


@dataclass(frozen=True, slots=True)
class Go:
    """Redirect to another page, where `message` is shown once. `tone` is "good" or "bad"."""

    to: str
    message: str = ""
    tone: str = "good"


Drawn = Callable[[Shown], Awaitable[str]]


@dataclass(frozen=True, slots=True)
class Streamed:
    """An event stream. `response` receives a function that renders a page as HTML, for use in its events."""

    response: Callable[[Drawn], Response]


Answer = Shown | Go | Streamed | Response


@dataclass(frozen=True)
class Visit(Call[Actor | None, InputOut]):
    """An admitted call of a page: the caller, with the form of a POST or the query of a GET."""

    page: "ConsolePage"
    pages: Mapping[str, "ConsolePage"]  # every page by its name
    secret: str  # of the session
    now: datetime
    operator_or_none: Operator | None = None
    agent_or_none: Agent | None = None
    rejected: Rejected | None = None

    @property
    def operator(self) -> Operator:
        """The signed-in operator. Only for pages that need a scope."""
        return _present(self.operator_or_none)

    @property
    def actor(self) -> Actor:
        """The caller. Only for pages that need a scope."""
        return _present(self.caller)

    @property
    def agent(self) -> Agent:
        """The agent in the path, which belongs to the actor. Only for pages whose path has {agent_id}."""
        return _present(self.agent_or_none)

    @property
    def root_path(self) -> str:
        """The prefix of all our paths, or ""."""
        return root_path_of(self.request)

    @property
    def under(self) -> str:
        """The page whose menu entry is highlighted. An action belongs to the page with its form."""
        form = self.pages.get(self.page.shown_on)
        return self.page.under or (form.under or form.name if form else "")

    def url(self, name: str, query: Mapping[str, object] | None = None, **ids: object) -> str:
        """The address of a page; {agent_id} is this visit's agent unless given. The query omits None and ""."""
        if self.agent_or_none is not None:
            ids.setdefault("agent_id", self.agent_or_none.id)
        path = self.root_path + self.pages[name].path.format(**ids)
        parameters = [(key, str(value)) for key, value in (query or {}).items() if value not in (None, "")]
        return f"{path}?{urlencode(parameters)}" if parameters else path

    def again(self, rejected: Rejected) -> "Visit[Any]":
        """A visit of the page that shows the refused form again."""
        shown_on = self.pages[self.page.shown_on]
        visit: Visit[Any] = self
        return replace(visit, page=shown_on, input=shown_on.form.model_validate({}), rejected=rejected)


def _present(value: Value | None) -> Value:
    if value is None:
        raise TypeError("this page is declared without what its handler asks for")
    return value


Section = Literal["Work", "Knowledge", "Set-up", "Workspace"]
"""The groups of the menu, in their order."""


@dataclass(frozen=True, slots=True)
class MenuEntry:
    """`place` orders the entries of a section, from 0."""

    label: str
    section: Section
    place: int
    icon: str


@dataclass(frozen=True, slots=True)
class Link:
    """A link to this page on the page with the name `on`. `place` orders the links there, from 0."""

    on: str
    label: str
    place: int = 0
    icon: str = ""


class Details(TypedDict, total=False):
    """The options of a page's declaration besides its path and access.

    `shown_on` names the page with an action's form, which is shown again if the form is refused. `under` names the page
    whose menu entry is highlighted, by default `shown_on`. `waiting` counts items on the page that wait for an
    operator. `is_file` marks downloads, `is_stream` endless event streams.
    """

    shown_on: str
    menu: MenuEntry
    link: Link
    under: str
    is_file: bool
    is_stream: bool
    max_body_bytes: int
    waiting: Waiting


@dataclass(frozen=True)
class ConsolePage:
    """`form` is read from the query of a GET and from the body of a POST. For the other fields, see `Details`."""

    method: str
    path: str
    name: str
    access: ScopedAccess | Everyone
    handler: Callable[..., Awaitable[Answer]]
    form: type[Form] = NoForm
    shown_on: str = ""
    menu: MenuEntry | None = None
    link: Link | None = None
    under: str = ""
    is_file: bool = False
    is_stream: bool = False
    max_body_bytes: int = 256 * 1024
    waiting: Waiting | None = None
    holding: Callable[[Any], AbstractContextManager[None]] | None = None  # as in `Endpoint`; for pages with a scope

    @property
    def scope(self) -> str | None:
        """The scope that an operator's role must include; None opens the page to everyone."""
        return self.access.scope if isinstance(self.access, ScopedAccess) else None


class Pages(Wired):
    """The pages of one subject: methods decorated with `page` or `action`, in order."""

    def pages(self) -> Sequence[ConsolePage]:
        return declarations(self)


Handler = TypeVar("Handler", bound=Callable[..., Awaitable[Answer]])


class _Verb:
    """Declares a handler as the page at a path. The page's form comes from the handler's annotation, its name from the
    handler's name."""

    def __init__(self, method: str) -> None:
        self._method = method

    def __call__(
        self, path: str, *, access: ScopedAccess | Everyone, **details: Unpack[Details]
    ) -> Callable[[Handler], Handler]:
        def mark(handler: Handler) -> Handler:
            (form,) = get_args(get_type_hints(handler)["visit"])
            declared = ConsolePage(self._method, path, handler.__name__, access, handler, form, **details)
            return declare(handler, declared)

        return mark


page, action = _Verb("GET"), _Verb("POST")
