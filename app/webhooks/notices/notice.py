"""An event for a person: a subject, a few sentences and a page of the console. Contains no words of visitors."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import quote
from uuid import UUID

from app.agents.token_budget import OF_DAY, OF_WORKSPACE
from app.core.webhook_event import WebhookEvent

NOTICED: Final[Mapping[WebhookEvent, str]] = {
    WebhookEvent.PERSON_ASKED: "a visitor is waiting for a person",
    WebhookEvent.GAP_GROWN: "a gap is new, or was asked 5, 20 or 100 times",
    WebhookEvent.LEAD_LEFT: "a visitor left a message",
    WebhookEvent.CONVERSATION_ASSIGNED: "a conversation is assigned",
    WebhookEvent.OPERATOR_MENTIONED: "a note mentions an operator",
    WebhookEvent.ANSWERS_STALE: "a page no longer supports its answers",
    WebhookEvent.SOURCE_FAILED: "a source could not be read",
    WebhookEvent.BUDGET_NEAR: "four fifths of a day's or a month's tokens are used",
    WebhookEvent.BUDGET_SPENT: "all of a day's or a month's tokens are used",
    WebhookEvent.ACTION_LIMIT_NEAR: "four fifths of an action's daily calls are made",
    WebhookEvent.GAPS_WEEKLY: "a week ends, with a summary of its gaps",
}
"""The events that people may be told of, in words."""


@dataclass(frozen=True, slots=True)
class Notice:
    """`path` is that of the page where something can be done about it, `action` the text of its link."""

    subject: str
    paragraphs: tuple[str, ...]
    path: str
    action: str


# Subject, text, page and link by event; those in `_OF_ONE` apply if the event is about one thing alone. Braces contain
# the agent's name, the path of its pages, and the outbox's values.
_TEXTS: Final[Mapping[WebhookEvent, tuple[str, str, str, str]]] = {
    WebhookEvent.PERSON_ASKED: (
        "a visitor is waiting for a person",
        'On "{agent}" a visitor has asked for a person and waits for an answer.',
        "/console/live/{conversation_id}",
        "Answer them",
    ),
    WebhookEvent.GAP_GROWN: (
        "a gap has grown to {count}",
        '"{agent}" was asked {count} times what its knowledge does not answer.',
        "{pages}/gaps",
        "See the gaps",
    ),
    WebhookEvent.SOURCE_FAILED: (
        "a source could not be read",
        'A source of "{agent}" could not be read. {before}',
        "{pages}/sources/{source_id}",
        "See why",
    ),
    WebhookEvent.LEAD_LEFT: (
        "a visitor left a message",
        'On "{agent}" a visitor has left a message, with an address to answer to.',
        "{pages}/leads",
        "Read it",
    ),
    WebhookEvent.OPERATOR_MENTIONED: (
        "{by} mentioned {mentioned} in a note",
        'On a conversation of "{agent}" {by} has written a note that names {mentioned}.',
        "{pages}/conversations/{conversation_id}#notes",
        "Read it",
    ),
    WebhookEvent.BUDGET_NEAR: (
        "the {span}'s tokens are nearly used up",
        "{who} used up {share:.0%} of the tokens that {may} cost in a {span}. "
        "When all are used, visitors are answered without the chat model until {until}.",
        "{pages}/settings/spending",
        "See what it costs",
    ),
    WebhookEvent.BUDGET_SPENT: (
        "the {span}'s tokens are used up",
        "{who} used up the tokens that {may} cost in a {span}. "
        "Visitors are answered without the chat model until {until}.",
        "{pages}/settings/spending",
        "See what it costs",
    ),
    WebhookEvent.ACTION_LIMIT_NEAR: (
        "an action is nearly used up",
        '"{agent}" has made four fifths of the {daily_calls} calls that its action "{title}" may make in 24 hours. '
        "When all are made, visitors are answered without it.",
        "{pages}/actions/{action_id}",
        "See the action",
    ),
    WebhookEvent.ANSWERS_STALE: (
        "{count} stale answers",
        'A page that "{agent}" answers from has changed. {count} answers tell what it said before.',
        "{pages}/stale-answers",
        "Compare the old words with the new ones",
    ),
}
_OF_ONE: Final[Mapping[WebhookEvent, tuple[str, str]]] = {
    WebhookEvent.GAP_GROWN: (
        "a new gap",
        '"{agent}" was asked what its knowledge does not answer, for the first time.',
    ),
    WebhookEvent.ANSWERS_STALE: (
        "1 stale answer",
        'A page that "{agent}" answers from has changed. One answer still tells what it said before.',
    ),
}


_BEFORE: Final = {
    True: "Visitors are answered from what was read before.",
    False: "Nothing was read from it before, so visitors get no answers from it.",
}


def notice_of(event: WebhookEvent, agent_id: UUID, agent: str, told: Mapping[str, Any]) -> Notice:
    """`agent` is its name, `told` the outbox's values of the event, which is one of NOTICED."""
    pages = f"/console/agents/{agent_id}"
    if event is WebhookEvent.CONVERSATION_ASSIGNED:
        return _assigned(pages, agent, told)
    if event is WebhookEvent.GAPS_WEEKLY:
        return _week(pages, agent, told)
    subject, text, path, action = _TEXTS[event]
    if event in _OF_ONE and told["count"] == 1:
        subject, text = _OF_ONE[event]
    words = {**told, "agent": agent, "pages": pages, "before": _BEFORE[bool(told.get("kept_pages"))]}
    words |= _limit(agent, told) if "used_tokens" in told else {}
    return Notice(f"{agent}: {subject.format_map(words)}", (text.format_map(words),), path.format_map(words), action)


def _limit(agent: str, told: Mapping[str, Any]) -> dict[str, Any]:
    """The words for a limit of tokens; rows of an earlier version name none."""
    name = told.get("limit", OF_DAY)
    is_alone, is_of_day = not name.startswith(OF_WORKSPACE), name.endswith(OF_DAY)
    return {
        "share": told["used_tokens"] / told[name],
        "who": f'"{agent}" has' if is_alone else f'The workspace of "{agent}" has',
        "may": "it may" if is_alone else "its agents may",
        "span": "day" if is_of_day else "month",
        "until": "midnight UTC" if is_of_day else "the month ends (UTC)",
    }


def _assigned(pages: str, agent: str, told: Mapping[str, Any]) -> Notice:
    count, assignee = int(told["count"]), told["assignee"]
    given = "a conversation is" if count == 1 else f"{count} conversations are"
    named = told.get("conversation_id")
    return Notice(
        f"{agent}: {given} assigned to {assignee}",
        (f'On "{agent}" {given} assigned to {assignee}.',),
        f"{pages}/conversations/{named}" if named else f"{pages}/conversations?assignee={quote(assignee)}",
        "Read it" if named else "Read them",
    )


def _week(pages: str, agent: str, told: Mapping[str, Any]) -> Notice:
    week = told["week"]
    return Notice(
        f"{agent}: the week of {week['first_day']}",
        (
            f'"{agent}" from {week["first_day"]} to {week["last_day"]}:',
            f"{_shares(told['turns'])}\nThe week before: {_shares(told['turns_before'])}",
            f"Gaps: {told['new']['count']} new, {told['answered']['count']} answered, "
            f"{told['reopened']['count']} reopened.",
        ),
        f"{pages}/gaps",
        "See the gaps",
    )


def _shares(turns: Mapping[str, Any]) -> str:
    if not turns["turns"]:
        return "No questions."
    return f"{turns['turns']} questions, {turns['answered']:.0%} answered, {turns['abstained']:.0%} not answered."
