"""Each page of the console is declared on its handler; routes, menu and checks are derived from that."""

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
"""Chosen in a list at once."""

Query = Annotated[str, at_most(2000)]
"""Of the list from which a form was sent."""

WrittenDay = Annotated[date, Field(ge=date(2000, 1, 1), lt=date(3000, 1, 1))]
AGENT = "{agent_id}"  # in the path of a page that is about one
InputOut = TypeVar("InputOut", covariant=True)
Value = TypeVar("Value")
Waiting = Callable[[Transaction, UUID, datetime], int]
"""Counts items at a time: an agent's by its id, or a workspace's for a page whose path has no agent."""


class Form(Body):
    """The content of a form or a query: texts, which pydantic converts. A blank field gets its default.

    A form that takes the input of an API call inherits the fields of that call: `RepositoryForm(RepositoryIn, Form)`.
    It redefines those that are written differently, or mean something else when blank.
    """

    model_config = ConfigDict(strict=False, extra="ignore", frozen=True, allow_inf_nan=False, defer_build=True)


class NoForm(Form):
    """For pages without input."""


class ListWanted(Form):
    """For pages with a list, after `cursor`, which is the page before's."""

    cursor: Cursor | None = None

    def part(self, limit: int) -> PageRequest:
        return PageRequest(limit, self.cursor)


class UndoWanted(ListWanted):
    """For pages with a list of which forms change many. `undo` are those that the last form has changed, to be changed
    back; `was` has the previous assignees."""

    undo: Annotated[tuple[UUID, ...], MANY] = ()
    was: Annotated[dict[UUID, str], MANY] = Field(default_factory=dict)

    @property
    def kept(self) -> dict[str, Any]:
        """What narrows the list, for addresses, without defaults."""
        undo = {name for name in type(self).model_fields if name.startswith("undo")}
        return self.model_dump(mode="json", exclude={"cursor", "was", *undo}, exclude_defaults=True)


def moments(since: date | None, until: date | None) -> dict[str, datetime | None]:
    """From the one day on, before the end of the other, in UTC."""
    return {
        "since": None if since is None else begin_of(since),
        "until": None if until is None else begin_of(until + timedelta(days=1)),
    }


@dataclass(frozen=True, slots=True)
class Rejected:
    """A form as it was sent, and the error of each field; "" is the whole form."""

    page: str
    values: Mapping[str, tuple[str, ...]]
    errors: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Shown:
    """A template, by its path in `app`, to render with these values. `form` has values of its form in addition to the
    visit's."""

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
    """An event stream. `response` may write pages into its events: it receives a function that renders one as HTML."""

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
        """On pages that need a scope."""
        return _there(self.operator_or_none)

    @property
    def actor(self) -> Actor:
        """On pages that need a scope."""
        return _there(self.caller)

    @property
    def agent(self) -> Agent:
        """On pages whose path has {agent_id}: the actor's own."""
        return _there(self.agent_or_none)

    @property
    def root_path(self) -> str:
        """The prefix of all our paths, or ""."""
        return root_path_of(self.request)

    def url(self, name: str, query: Mapping[str, object] | None = None, **ids: object) -> str:
        """The address of a page; {agent_id} is this visit's agent unless given. None and "" are left out of the
        query.
        """
        if self.agent_or_none is not None:
            ids.setdefault("agent_id", self.agent_or_none.id)
        path = self.root_path + self.pages[name].path.format(**ids)
        asked = [(key, str(value)) for key, value in (query or {}).items() if value not in (None, "")]
        return f"{path}?{urlencode(asked)}" if asked else path

    def again(self, rejected: Rejected) -> "Visit[Any]":
        """The visit of the page with the refused form."""
        shown_on = self.pages[self.page.shown_on]
        visit: Visit[Any] = self
        return replace(visit, page=shown_on, input=shown_on.form.model_validate({}), rejected=rejected)


def _there(value: Value | None) -> Value:
    if value is None:
        raise TypeError("this page is declared without what its handler asks for")
    return value


Section = Literal["Work", "Knowledge", "Set-up", "Workspace"]
"""A group of the menu, in their order."""


@dataclass(frozen=True, slots=True)
class MenuEntry:
    """`place` is the entry's in its section, from 0."""

    label: str
    section: Section
    place: int
    icon: str


@dataclass(frozen=True, slots=True)
class Link:
    """A link to this page on the page that `on` names. `place` is among the links there, from 0."""

    on: str
    label: str
    place: int = 0
    icon: str = ""


class Details(TypedDict, total=False):
    """The declaration of a page besides its path, its access and the type of its form.

    `shown_on` names the page with an action's form, which is shown again if the form is refused. `under` names the page
    whose menu entry is highlighted, by default `shown_on`. `waiting` counts what waits there for an operator. `is_file`
    marks downloads, `is_stream` endless event streams.
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


class Pages:
    """The pages of one subject: methods decorated with `page` or `action`, in order."""

    def pages(self) -> Sequence[ConsolePage]:
        return declarations(self)


Handler = TypeVar("Handler", bound=Callable[..., Awaitable[Answer]])


class _Verb:
    """Decorates a handler as the page at a path. The type of its form comes from the handler's annotation, its name
    from the handler's."""

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
