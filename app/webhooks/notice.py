"""An event for a person: a subject, a few sentences and a page of the console. Contains no words of visitors."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import quote
from uuid import UUID

from app.agents.token_budget import OF_DAY, OF_WORKSPACE
from app.core.webhook_event import NoticeText, WebhookEvent, declared_event, declared_events


@dataclass(frozen=True, slots=True)
class Notice:
    """`path` is that of the console's page to act on, `action` the text of the link to it."""

    subject: str
    paragraphs: tuple[str, ...]
    path: str
    action: str


# The texts of the core's events; others are made by the functions in _MADE.
_TEXTS: Final[Mapping[str, NoticeText]] = {
    WebhookEvent.PERSON_ASKED: NoticeText(
        "a visitor is waiting for a person",
        'On "{agent}" a visitor has asked for a person and waits for an answer.',
        "/console/live/{conversation_id}",
        "Answer them",
    ),
    WebhookEvent.GAP_GROWN: NoticeText(
        "a gap has grown to {count}",
        '"{agent}" was asked {count} times what its knowledge does not answer.',
        "{pages}/gaps",
        "See the gaps",
        ("a new gap", '"{agent}" was asked what its knowledge does not answer, for the first time.'),
    ),
    WebhookEvent.SOURCE_FAILED: NoticeText(
        "a source could not be read",
        'A source of "{agent}" could not be read. {before}',
        "{pages}/sources/{source_id}",
        "See why",
    ),
    WebhookEvent.OPERATOR_MENTIONED: NoticeText(
        "{by} mentioned {mentioned} in a note",
        'On a conversation of "{agent}" {by} has written a note that names {mentioned}.',
        "{pages}/conversations/{conversation_id}#notes",
        "Read it",
    ),
    WebhookEvent.BUDGET_NEAR: NoticeText(
        "the {span}'s tokens are nearly used up",
        "{who} used up {share:.0%} of the tokens that {may} cost in a {span}. "
        "When all are used, visitors are answered without the chat model until {until}.",
        "{pages}/settings/spending",
        "See what it costs",
    ),
    WebhookEvent.BUDGET_SPENT: NoticeText(
        "the {span}'s tokens are used up",
        "{who} used up the tokens that {may} cost in a {span}. "
        "Visitors are answered without the chat model until {until}.",
        "{pages}/settings/spending",
        "See what it costs",
    ),
}
# For a queued event whose feature this process no longer has.
_GONE: Final = NoticeText("something happened", 'Something happened on "{agent}".', "/console", "See the overview")
_BEFORE: Final = {
    True: "Visitors are answered from what was read before.",
    False: "Nothing was read from it before, so visitors get no answers from it.",
}


def notice_of(event: WebhookEvent, agent_id: UUID, agent: str, data: Mapping[str, Any]) -> Notice:
    """The notice for an event in `noticed()`. `agent` is a name, `data` the event's payload in the outbox."""
    pages = f"/console/agents/{agent_id}"
    if event in _MADE:
        return _MADE[event](pages, agent, data)
    texts = _text_of(event) or _GONE
    subject, text = texts.of_one if texts.of_one and data["count"] == 1 else (texts.subject, texts.text)
    words = {**data, "agent": agent, "pages": pages, "before": _BEFORE[bool(data.get("kept_pages"))]}
    words |= _limit(agent, data) if "used_tokens" in data else {}
    subject, text, path = (each.format_map(words) for each in (subject, text, texts.path))
    return Notice(f"{agent}: {subject}", (text,), path, texts.action)


def _limit(agent: str, data: Mapping[str, Any]) -> dict[str, Any]:
    """Values for the texts about a token limit. Rows of an earlier version name no limit: it was the daily one."""
    name = data.get("limit", OF_DAY)
    is_alone, is_of_day = not name.startswith(OF_WORKSPACE), name.endswith(OF_DAY)
    return {
        "share": data["used_tokens"] / data[name],
        "who": f'"{agent}" has' if is_alone else f'The workspace of "{agent}" has',
        "may": "it may" if is_alone else "its agents may",
        "span": "day" if is_of_day else "month",
        "until": "midnight UTC" if is_of_day else "the month ends (UTC)",
    }


def _assigned(pages: str, agent: str, data: Mapping[str, Any]) -> Notice:
    count, assignee = int(data["count"]), data["assignee"]
    given = "a conversation is" if count == 1 else f"{count} conversations are"
    named = data.get("conversation_id")
    return Notice(
        f"{agent}: {given} assigned to {assignee}",
        (f'On "{agent}" {given} assigned to {assignee}.',),
        f"{pages}/conversations/{named}" if named else f"{pages}/conversations?assignee={quote(assignee)}",
        "Read it" if named else "Read them",
    )


def _week(pages: str, agent: str, data: Mapping[str, Any]) -> Notice:
    week = data["week"]
    return Notice(
        f"{agent}: the week of {week['first_day']}",
        (
            f'"{agent}" from {week["first_day"]} to {week["last_day"]}:',
            f"{_shares(data['turns'])}\nThe week before: {_shares(data['turns_before'])}",
            f"Gaps: {data['new']['count']} new, {data['answered']['count']} answered, "
            f"{data['reopened']['count']} reopened.",
        ),
        f"{pages}/gaps",
        "See the gaps",
    )


def _shares(turns: Mapping[str, Any]) -> str:
    if not turns["turns"]:
        return "No questions."
    return f"{turns['turns']} questions, {turns['answered']:.0%} answered, {turns['abstained']:.0%} not answered."


_MADE: Final[Mapping[str, Callable[[str, str, Mapping[str, Any]], Notice]]] = {
    WebhookEvent.CONVERSATION_ASSIGNED: _assigned,
    WebhookEvent.GAPS_WEEKLY: _week,
}


def noticed() -> dict[WebhookEvent, str]:
    """The events for which there are notices, with their names in words, in the order of the list."""
    return {event.name: event.words for event in declared_events() if event.name in _MADE or _text_of(event.name)}


def _text_of(name: WebhookEvent) -> NoticeText | None:
    event = declared_event(name)
    return _TEXTS.get(name) or (event.notice if event else None)
