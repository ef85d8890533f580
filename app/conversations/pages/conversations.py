"""The console's inbox: visitors' questions and answers, filtered by outcome, and handled one by one or in bulk."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Annotated, Any, Final, Literal
from urllib.parse import urlencode
from uuid import UUID

from pydantic import Field
from starlette.responses import Response

from app.conversations.api.conversations import conversations_file
from app.conversations.conversation import (
    LABEL,
    NOBODY,
    ConversationChange,
    ConversationFilter,
    ConversationState,
    InboxEntry,
    Outcome,
    by_assignee,
)
from app.conversations.inbox import ConversationReview, Inbox
from app.conversations.saved_filter import FilteredList
from app.conversations.saved_filters import SavedFilters
from app.core.errors import InvalidInput
from app.core.turn import AnsweredBy
from app.web.console.filters import WRITERS, plural
from app.web.console.forms import form_of, parse_fields
from app.web.console.page import (
    MANY,
    Form,
    Go,
    MenuEntry,
    Pages,
    Query,
    Shown,
    UndoWanted,
    Visit,
    WrittenDay,
    action,
    moments,
    page,
    read,
    write,
)
from app.web.file_export import ExportFormat
from app.web.model import Email
from app.workspaces.operators import Assignees

_SHOWN: Final = 50
Act = Literal["close", "open", "assign", "mine", "label", "unlabel", "reassign"]


class InboxWanted(
    UndoWanted,
    takes=ConversationFilter,
    fields="state q=text outcome low rating answered_by page_url language since until visitor=visitor_id "
    "user_id assignee label",
):
    """The state in the address of the list, and of a conversation opened from it. `undo_as` reverts the last change,
    with `undo_label` if it is a label."""

    state: Literal["open", "closed", "all"] = "open"
    low: Literal["yes", "no", "unconfirmed"] | None = None
    since: WrittenDay | None = None
    until: WrittenDay | None = None
    undo_as: Act = "open"
    undo_label: Annotated[str, LABEL] = ""

    @property
    def only(self) -> ConversationFilter:
        return self.made(
            ConversationFilter,
            is_low={"yes": True, "no": False}.get(self.low or ""),
            is_unconfirmed=self.low == "unconfirmed" or None,
            state=None if self.state == "all" else ConversationState(self.state),
            **moments(self.since, self.until),
        )

    @property
    def to_save(self) -> str:
        """The query of the filters to save. It names no visitor, because a saved filter outlives their erasure."""
        return urlencode({name: value for name, value in self.kept.items() if name not in ("visitor", "user_id")})


class ExportWanted(InboxWanted):
    format: ExportFormat = "csv"


class EditForm(Form):
    """`do` is the button that was pressed, `back` the query of the list."""

    do: Act | None = None
    assignee: Email = ""
    label: Annotated[str, LABEL] = ""
    back: Query = ""

    @property
    def wanted(self) -> InboxWanted:
        """The list from which the form was sent."""
        return form_of(InboxWanted, parse_fields(self.back))

    def change(self, me: str) -> ConversationChange:
        """Raises InvalidInput."""
        match self.do:
            case "close":
                return ConversationChange(state=ConversationState.CLOSED)
            case "open":
                return ConversationChange(state=ConversationState.OPEN)
            case "assign":
                return ConversationChange(assignee="" if self.assignee == NOBODY else self.assignee)
            case "mine":
                return ConversationChange(assignee=me)
            case "label":
                return ConversationChange(add_labels=(self._named,))
            case "unlabel":
                return ConversationChange(remove_labels=(self._named,))
        raise InvalidInput("", "Choose an action with one of the buttons.")

    @property
    def _named(self) -> str:
        if not self.label.strip():
            raise InvalidInput("label", "Enter a label.")
        return self.label


class ManyForm(EditForm):
    conversation_ids: Annotated[tuple[UUID, ...], MANY] = ()
    was: Annotated[dict[UUID, str], MANY] = Field(default_factory=dict)


class InboxPages(Pages):
    _review: ConversationReview
    _inbox: Inbox
    _assignees: Assignees
    _filters: SavedFilters

    @page(
        "/console/agents/{agent_id}/conversations",
        access=read,
        menu=MenuEntry("Conversations", "Work", 3, "talk"),
    )
    async def conversations(self, visit: Visit[InboxWanted]) -> Shown:
        wanted = visit.input
        page = await self._review.conversations(visit.actor, visit.agent.id, wanted.part(_SHOWN), wanted.only)
        labels = [each.label for each in await self._review.labels(visit.actor, visit.agent.id)]
        kept = wanted.kept
        return Shown(
            "conversations/pages/conversations.html",
            {
                "page": page,
                "wanted": wanted,
                "kept": kept,
                "back": visit.url("conversations", kept).partition("?")[2],
                "is_narrowed": bool(kept.keys() - {"state"}),
                "has_rare": bool(kept.keys() - {"state", "q", "outcome", "assignee", "label"}),
                "tabs": [
                    (label, visit.url("conversations", {**kept, "state": state}), state == wanted.state)
                    for state, label in _TABS
                ],
                "outcomes": OUTCOMES,
                "outcome_options": [("", "Any"), *((each.value, OUTCOMES[each][0].capitalize()) for each in Outcome)],
                "writer_options": [("", "Anybody"), *((each.value, WRITERS[each]) for each in AnsweredBy)],
                "saved": await self._filters.of_list(visit.actor, FilteredList.CONVERSATIONS),
                "to_save": wanted.to_save,
                "labels": labels,
                "label_options": [("", "Any"), *((each, each) for each in labels)],
                "people": await self._assignees.of_workspace(visit.actor),
            },
        )

    @page("/console/agents/{agent_id}/conversations/export", access=read, under="conversations", is_file=True)
    async def export_conversations(self, visit: Visit[ExportWanted]) -> Response:
        found = await self._review.all_of_agent(visit.actor, visit.agent.id, visit.input.only)
        return conversations_file(found, visit.input.format)

    @action("/console/agents/{agent_id}/conversations/edit", access=write, shown_on="conversations")
    async def edit_conversations(self, visit: Visit[ManyForm]) -> Go:
        given = visit.input
        if given.do == "reassign" and given.was:
            return await self._assigned_as_before(visit)
        if not given.conversation_ids:
            raise InvalidInput("", "Select at least one conversation first.")
        change = given.change(visit.actor.address)
        with label_errors():
            were, changed = await self._inbox.change(visit.actor, visit.agent.id, given.conversation_ids, change)
        return gone_to(visit, given.wanted, were, changed, change)

    async def _assigned_as_before(self, visit: Visit[ManyForm]) -> Go:
        was = visit.input.was
        for assignee, ids in by_assignee(was).items():
            await self._inbox.change(visit.actor, visit.agent.id, ids, ConversationChange(assignee=assignee))
        outcome = f"{plural(len(was), 'conversation')} reassigned as before."
        return Go(visit.url("conversations", visit.input.wanted.kept), outcome)


@contextmanager
def label_errors() -> Iterator[None]:
    """Shows errors about a label beside the form's field."""
    try:
        yield
    except InvalidInput as error:
        field, _, message = str(error).partition(": ")
        if field not in ("add_labels", "remove_labels"):
            raise
        raise InvalidInput("label", message) from None


def gone_to(
    visit: Visit[Any],
    wanted: InboxWanted,
    were: Sequence[InboxEntry],
    changed: Sequence[InboxEntry],
    change: ConversationChange,
    shown: UUID | None = None,
) -> Go:
    """The redirect after a change: to the list, or to the conversation `shown`, with an offer to undo."""
    name, ids = ("conversations", {}) if shown is None else ("conversation", {"conversation_id": shown})
    query = [*wanted.kept.items(), *_undo(were, changed, change)]
    return Go(f"{visit.url(name, None, **ids)}?{urlencode(query)}", _summary(changed, change))


def _undo(
    were: Sequence[InboxEntry], changed: Sequence[InboxEntry], change: ConversationChange
) -> Iterator[tuple[str, str]]:
    """The query that reverts a change to these conversations."""
    if change.state is not None:
        yield "undo_as", "open" if change.state is ConversationState.CLOSED else "close"
        yield from (("undo", str(each.conversation.id)) for each in changed)
    pairs = [(was, now) for was in were for now in changed if was.conversation.id == now.conversation.id]
    given = [was.conversation for was, now in pairs if was.conversation.assignee != now.conversation.assignee]
    if given:
        yield "undo_as", "reassign"
        yield from ((f"was.{each.id}", each.assignee or NOBODY) for each in given)
    for was, now in pairs:
        for label in {*was.labels} ^ {*now.labels}:
            yield "undo_as", "label" if label in was.labels else "unlabel"
            yield "undo_label", label
            yield "undo", str(now.conversation.id)


def _summary(changed: Sequence[InboxEntry], change: ConversationChange) -> str:
    many = plural(len(changed), "conversation")
    if change.state is not None:
        return f"{many} {'closed' if change.state is ConversationState.CLOSED else 'reopened'}."
    if change.assignee is not None:
        return f"{many} assigned to {changed[0].conversation.assignee or 'nobody'}."
    return f"{many} labelled." if change.add_labels else f"Label removed from {many}."


_TABS: Final = (("open", "Open"), ("closed", "Closed"), ("all", "All"))
_TONES: Final = {
    Outcome.ANSWERED: "plain",  # most are: only what needs work should stand out
    Outcome.UNANSWERED: "warn",
    Outcome.HANDED_OVER: "accent",
    Outcome.FAILED: "bad",
}
OUTCOMES: Final = {outcome: (outcome.in_words, tone) for outcome, tone in _TONES.items()}
