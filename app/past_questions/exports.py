"""Reads the conversations of an export, in the forms that the vendors document for their files and their APIs.

All but CSV are JSON: one array, one object around it, or an object a line. Notes among the team, messages of bots and
events such as assignments are left out.
"""

import csv
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import StrEnum
from io import StringIO
from itertools import groupby
from typing import Any, Final

from app.core.delimited_text import columns_of, table_of
from app.core.errors import InvalidInput
from app.past_questions.past_conversation import PastConversation, PastMessage
from crawler.errors import ExtractionFailed

MOST_CONVERSATIONS: Final = 5_000  # compared each with each: 100 MB
_QUOTES: Final = "blockquote, .gmail_quote, .gmail_attr, .yahoo_quoted, style, script"
_COLUMNS: Final = ("question", "answer")
_WRITERS: Final = {"user": True, "lead": True, "contact": True, "admin": False}  # Intercom's authors: whether visitors

Row = Mapping[str, Any]
Messages = Iterator[PastMessage]


class Export(StrEnum):
    INTERCOM = "intercom"
    ZENDESK = "zendesk"
    CHATWOOT = "chatwoot"
    CRISP = "crisp"
    HELPSCOUT = "helpscout"
    CSV = "csv"


def conversations(kind: Export, text: str) -> list[PastConversation]:
    """In the order of the file. Raises InvalidInput if it has none of that form, or more than MOST_CONVERSATIONS."""
    try:
        found = list(_csv(text) if kind is Export.CSV else _READERS[kind](_rows(text)))
    except (AttributeError, KeyError, TypeError, ValueError, RecursionError, csv.Error) as error:
        lacking = f'; an object has no "{error.args[0]}"' if isinstance(error, KeyError) else ""
        raise InvalidInput("file", f"This is not an export of {kind.value}{lacking}. {_EXPECTED[kind]}") from error
    found = [each for each in found if each.messages]
    if not found:
        raise InvalidInput("file", f"No conversation of {kind.value} was found. {_EXPECTED[kind]}")
    if len(found) > MOST_CONVERSATIONS:
        raise InvalidInput("file", f"{len(found)} conversations are too many. Take the latest {MOST_CONVERSATIONS}.")
    return found


def _rows(text: str) -> list[Row]:
    try:
        data = json.loads(text)
    except json.JSONDecodeError:
        data = [json.loads(line) for line in StringIO(text, newline=None) if line.strip()]
    return list(_unwrapped(data))


def _unwrapped(data: Any) -> Iterator[Row]:
    """The objects of a list, also of a list of an API's pages."""
    if isinstance(data, list):
        for each in data:
            yield from _unwrapped(each)
        return
    inner = [data[name] for name in ("_embedded", "data", "payload", "conversations", "tickets") if name in data]
    is_wrapper = bool(inner) and "id" not in data and isinstance(inner[0], list | dict)
    yield from _unwrapped(inner[0]) if is_wrapper else [data]


def _intercom(rows: Sequence[Row]) -> Iterator[PastConversation]:
    """https://developers.intercom.com/docs/references/rest-api/api.intercom.io/conversations/conversation"""
    for row in rows:
        parts = (row.get("conversation_parts") or {}).get("conversation_parts") or ()
        written = [row["source"], *(part for part in parts if part["part_type"] in ("comment", "assignment", "open"))]
        yield _conversation(
            row, (PastMessage(_WRITERS[who], _of_html(each.get("body"))) for each, who in _people(written))
        )


def _people(parts: Sequence[Row]) -> Iterator[tuple[Row, str]]:
    for each in parts:
        author = each.get("author") or {}
        if author.get("type") in _WRITERS and not author.get("from_ai_agent"):
            yield each, author["type"]


def _zendesk(rows: Sequence[Row]) -> Iterator[PastConversation]:
    """https://developer.zendesk.com/api-reference/ticketing/tickets/ticket_comments/"""
    for row in rows:
        asker = row.get("requester_id") or row["requester"]["id"]
        public = [each for each in row.get("comments") or () if each.get("public", True)]
        messages = (PastMessage(each.get("author_id") == asker, _plain_or_html(each)) for each in public)
        yield _conversation(row, messages if public else iter([PastMessage(True, row.get("description") or "")]))


def _plain_or_html(comment: Row) -> str:
    if comment.get("html_body"):
        return _of_html(comment["html_body"])
    return str(comment.get("plain_body") or comment.get("body") or "")


def _chatwoot(rows: Sequence[Row]) -> Iterator[PastConversation]:
    """https://developers.chatwoot.com/api-reference/messages/get-messages: type 0 is the visitor's, 1 the team's"""
    for row in rows:
        messages = sorted((each for each in row["messages"] if not each.get("private")), key=lambda each: each["id"])
        wanted = [each for each in messages if each["message_type"] in (0, 1) and not _is_bots(each)]
        yield _conversation(row, (PastMessage(each["message_type"] == 0, each.get("content") or "") for each in wanted))


def _is_bots(message: Row) -> bool:
    return "agent_bot" in (message.get("sender_type"), (message.get("sender") or {}).get("type"))


def _crisp(rows: Sequence[Row]) -> Iterator[PastConversation]:
    """https://docs.crisp.chat/references/rest-api/v1/#get-messages-in-conversation: messages of all conversations, or
    conversations with their `messages`."""
    written = [message for row in rows for message in row.get("messages", [row])]
    written.sort(key=lambda each: (each["session_id"], each["timestamp"]))
    for session, of_session in groupby(written, key=lambda each: each["session_id"]):
        wanted = [each for each in of_session if each["type"] == "text" and not each.get("automated")]
        messages = (PastMessage(each["from"] == "user", each["content"]) for each in wanted)
        yield _conversation({"id": session}, messages)


def _helpscout(rows: Sequence[Row]) -> Iterator[PastConversation]:
    """https://developer.helpscout.com/mailbox-api/endpoints/conversations/list/, with `embed=threads`: latest first"""
    for row in rows:
        threads = sorted(row["_embedded"]["threads"], key=lambda each: each["createdAt"])
        wanted = [each for each in threads if each["type"] in ("customer", "message", "reply", "chat", "phone")]
        messages = (PastMessage(each["createdBy"]["type"] == "customer", _of_html(each.get("body"))) for each in wanted)
        yield _conversation(row, messages)


def _csv(text: str) -> Iterator[PastConversation]:
    reader = table_of(text)
    if "question" not in columns_of(reader):
        raise ValueError
    for number, row in enumerate(reader):
        messages = [PastMessage(name == "question", row.get(name) or "") for name in _COLUMNS]
        yield _conversation({"id": number}, iter(messages))


def _conversation(row: Row, messages: Messages) -> PastConversation:
    return PastConversation(str(row["id"]), tuple(each for each in messages if each.text.strip()))


def _of_html(body: str | None) -> str:
    """The HTML as Markdown, without the mail that it quotes."""
    if not body or "<" not in body:
        return body or ""
    # A server that imports no conversations needs none of these.
    from crawler.extract.html_tree import parse_html
    from crawler.extract.markdown.headings import HeadingAnchors
    from crawler.extract.markdown.writer import write_markdown

    try:
        tree = parse_html(body)
    except ExtractionFailed:
        return ""
    for node in tree.css(_QUOTES):
        node.decompose()
    return write_markdown(tree.body, HeadingAnchors(tree)).markdown if tree.body else ""


_READERS: Final[Mapping[Export, Callable[[Sequence[Row]], Iterator[PastConversation]]]] = {
    Export.INTERCOM: _intercom,
    Export.ZENDESK: _zendesk,
    Export.CHATWOOT: _chatwoot,
    Export.CRISP: _crisp,
    Export.HELPSCOUT: _helpscout,
}
_EXPECTED: Final = {
    Export.INTERCOM: "Give conversations as its API returns them, each with source and conversation_parts.",
    Export.ZENDESK: "Give tickets with requester_id and comments, as its JSON export has them.",
    Export.CHATWOOT: "Give conversations as its API returns them, each with messages.",
    Export.CRISP: "Give messages as its API returns them, each with session_id, from, type, content and timestamp.",
    Export.HELPSCOUT: "Give conversations as its API returns them with embed=threads.",
    Export.CSV: "Name the columns in the first line: question and, if there are replies, answer.",
}
