"""What a person is told of an event: a subject, a few sentences and a page of the console. No word of a visitor's."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import quote
from uuid import UUID

from app.core.webhook_event import WebhookEvent

NOTICED: Final[Mapping[WebhookEvent, str]] = {
    WebhookEvent.PERSON_ASKED: "a visitor waits for a person",
    WebhookEvent.GAP_GROWN: "a new gap, and one that was asked for 5, 20 or 100 times",
    WebhookEvent.LEAD_LEFT: "a visitor left a message",
    WebhookEvent.CONVERSATION_ASSIGNED: "a conversation is given to somebody (by mail: to you)",
    WebhookEvent.OPERATOR_MENTIONED: "a note names somebody after an @ (by mail: you)",
    WebhookEvent.ANSWERS_STALE: "a page no longer says what answers told",
    WebhookEvent.SOURCE_FAILED: "a source could not be read",
    WebhookEvent.BUDGET_NEAR: "four fifths of a day's tokens are spent",
    WebhookEvent.GAPS_WEEKLY: "a week is over: what became of the gaps in it",
}
"""The events that people may be told of, in words."""


@dataclass(frozen=True, slots=True)
class Notice:
    """`path` is that of the page where something can be done about it, `action` what its link says."""

    subject: str
    paragraphs: tuple[str, ...]
    path: str
    action: str


def notice_of(event: WebhookEvent, agent_id: UUID, agent: str, told: Mapping[str, Any]) -> Notice:
    """`agent` is its name, `told` what the outbox keeps of the event, which is one of NOTICED."""
    pages = f"/console/agents/{agent_id}"
    if event is WebhookEvent.PERSON_ASKED:
        return Notice(
            f"{agent}: a visitor waits for a person",
            (f'On "{agent}" a visitor has asked for a person and waits for an answer.',),
            f"/console/live/{told['conversation_id']}",
            "Answer them",
        )
    if event is WebhookEvent.GAP_GROWN:
        count = int(told["count"])
        if count == 1:
            subject, said = "a new gap", "was asked what its knowledge does not answer, for the first time"
        else:
            subject, said = f"a gap has grown to {count}", f"was asked {count} times what its knowledge does not answer"
        return Notice(f"{agent}: {subject}", (f'"{agent}" {said}.',), f"{pages}/gaps", "See the gaps")
    if event is WebhookEvent.SOURCE_FAILED:
        return Notice(
            f"{agent}: a source could not be read",
            (f'A source of "{agent}" could not be read. Visitors are answered from what was read before.',),
            f"{pages}/sources/{told['source_id']}",
            "See why",
        )
    if event is WebhookEvent.LEAD_LEFT:
        said = f'On "{agent}" a visitor has left a message, with an address to answer to.'
        return Notice(f"{agent}: a visitor left a message", (said,), f"{pages}/leads", "Read it")
    if event is WebhookEvent.CONVERSATION_ASSIGNED:
        return _assigned(pages, agent, told)
    if event is WebhookEvent.OPERATOR_MENTIONED:
        who, by = told["mentioned"], told["by"]
        return Notice(
            f"{agent}: {by} has named {who} in a note",
            (f'On a conversation of "{agent}" {by} has written a note that names {who}.',),
            f"{pages}/conversations/{told['conversation_id']}#notes",
            "Read it",
        )
    if event is WebhookEvent.BUDGET_NEAR:
        share = told["used_tokens"] / told["daily_tokens"]
        return Notice(
            f"{agent}: the day's tokens are nearly spent",
            (
                f'"{agent}" has used up {share:.0%} of the tokens that it may cost in a day. '
                "Once all are spent it answers without its chat model until midnight UTC.",
            ),
            f"{pages}/settings/spending",
            "See what it costs",
        )
    if event is WebhookEvent.ANSWERS_STALE:
        count = int(told["count"])
        return Notice(
            f"{agent}: {count} stale {'answer' if count == 1 else 'answers'}",
            (f'A page that "{agent}" answers from has changed. {_told(count)} what it said before.',),
            f"{pages}/stale-answers",
            "Compare the old words with the new ones",
        )
    week = told["week"]
    return Notice(
        f"{agent}: the week of {week['first_day']}",
        (
            f'"{agent}" from {week["first_day"]} to {week["last_day"]}:',
            f"{_shares(told['turns'])}\nThe week before: {_shares(told['turns_before'])}",
            f"Gaps: {told['new']['count']} new, {told['answered']['count']} answered, "
            f"{told['reopened']['count']} opened again.",
        ),
        f"{pages}/gaps",
        "See the gaps",
    )


def _assigned(pages: str, agent: str, told: Mapping[str, Any]) -> Notice:
    count, assignee = int(told["count"]), told["assignee"]
    given = "a conversation is" if count == 1 else f"{count} conversations are"
    named = told.get("conversation_id")
    return Notice(
        f"{agent}: {given} given to {assignee}",
        (f'On "{agent}" {given} given to {assignee}.',),
        f"{pages}/conversations/{named}" if named else f"{pages}/conversations?assignee={quote(assignee)}",
        "Read it" if named else "Read them",
    )


def _told(count: int) -> str:
    return "One answer still tells" if count == 1 else f"{count} answers tell"


def _shares(turns: Mapping[str, Any]) -> str:
    if not turns["turns"]:
        return "Nobody asked anything."
    return f"{turns['turns']} questions, {turns['answered']:.0%} with a sure answer, {turns['abstained']:.0%} without."
