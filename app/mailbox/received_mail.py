"""Parses a received mail, and decides whether a program may answer it. Parsing runs in a process of its own that can be
killed, because a hostile mail can keep the parser busy for minutes.
"""

import re
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from email import message_from_bytes
from email.headerregistry import Address
from email.message import EmailMessage, MIMEPart
from email.policy import default
from multiprocessing.connection import Connection
from typing import Any, Final

from app.core.field_rules import MAX_QUESTION_CHARS
from app.core.text.untrusted_text import one_line
from app.mail.mail import checked_mail_address
from crawler.decoding import decode_html
from crawler.worker_processes import limit_memory, serve_requests

HtmlReader = Callable[[bytes], Awaitable[str]]
"""The text of an HTML document in UTF-8."""

_MESSAGE_ID: Final = re.compile(r"<([\x21-\x3b=\x3f-\x7e]{1,250})>")
_MAX_REFERENCES: Final = 20
_MEMORY_BYTES: Final = 1024**3  # of a process
# Local parts of addresses that no person writes from (RFC 2142, 5).
_PROGRAMS: Final = re.compile(r"(?:mailer-daemon|postmaster|(?:do[-_.]?not|no)[-_.]?reply)(?:[-_.+].*)?", re.IGNORECASE)
_BULK: Final = frozenset(("bulk", "list", "junk", "auto_reply"))
_OF_LISTS: Final = ("List-Id", "List-Post", "List-Unsubscribe")
_OF_PROGRAMS: Final = ("X-Autoreply", "X-Autorespond", "X-Failed-Recipients", "Feedback-ID")
_SIGNATURE: Final = re.compile(r"^--[ \xa0]?$", re.MULTILINE)  # RFC 3676, 4.3
# Mail programs separate an answer from the quoted mail by a line of dashes, or by the headers of that mail.
_RULE: Final = re.compile(r"^[ \t]*+(?:-{3,}+[^-\n][^\n]{0,59}?-{3,}+|-{6,}+|_{10,}+)[ \t]*+$", re.MULTILINE)
_HEAD: Final = re.compile(r"^(?:[*>]{0,2}[^\W\d][^\n:]{0,20}:[*]{0,2}[ \t][^\n]*\n){3,}", re.MULTILINE)
_QUOTED: Final = re.compile(r"^>[^\n]*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class ReceivedMail:
    """`question` is the text without quoted mails and signature; it may be empty. `thread` has the Message-IDs of the
    earlier mails, latest first."""

    address: str
    subject: str
    question: str
    message_id: str = ""
    thread: tuple[str, ...] = ()
    attachments: int = 0

    @property
    def reference_ids(self) -> str:
        """The References header of an answer."""
        named = [*reversed(self.thread), self.message_id]
        return " ".join(f"<{each}>" for each in named if each)


@dataclass(frozen=True, slots=True)
class NotAnswered:
    """A mail that must not be answered automatically, for this reason."""

    reason: str


@dataclass(frozen=True, slots=True)
class OpenedMail:
    """`mail` has an empty question, which is read from `text` later."""

    mail: ReceivedMail
    text: str
    is_html: bool


def serve_mails(pipe: Connection) -> None:
    """Entry point of the process. A request is the arguments of `opened_mail`."""
    limit_memory(_MEMORY_BYTES)
    serve_requests(pipe, lambda request: opened_mail(*request))


def opened_mail(raw: bytes, own: str) -> OpenedMail | NotAnswered:
    """Parse a raw mail; `own` is the mailbox's address. Never raises: a mail that cannot be parsed is NotAnswered."""
    try:
        message = message_from_bytes(raw, policy=default)
        if reason := _reason_to_be_silent(message, own):
            return NotAnswered(reason)
        return _opened(message)
    except Exception as error:  # the parser raises many types
        return NotAnswered(f"unreadable: {type(error).__name__}")


async def received_mail(opened: OpenedMail, read_html: HtmlReader) -> ReceivedMail | NotAnswered:
    try:
        text = await read_html(opened.text.encode()) if opened.is_html else opened.text
    except ValueError as error:
        return NotAnswered(f"unreadable: {error}")
    mail = opened.mail
    written = _written(text, is_reply=bool(mail.thread))
    is_whole = mail.thread or mail.subject.lower() in written.lower()
    question = written if is_whole else f"{mail.subject}\n\n{written}"
    return replace(mail, question=question.strip()[:MAX_QUESTION_CHARS])


def _reason_to_be_silent(message: EmailMessage, own: str) -> str:
    """Why the mail must not be answered automatically (RFC 3834, 2); "" if it may be."""
    headers = {name: str(message.get(name, "")).strip().lower() for name in ("Auto-Submitted", "Precedence")}
    if headers["Auto-Submitted"].partition(";")[0].strip() not in ("", "no"):
        return "auto-submitted"
    if headers["Precedence"] in _BULK or any(name in message for name in _OF_LISTS):
        return "of a list"
    suppressed = str(message.get("X-Auto-Response-Suppress", "")).lower()
    if any(name in message for name in _OF_PROGRAMS) or any(word in suppressed for word in ("all", "autoreply")):
        return "of a program"
    if message.get_content_type() == "multipart/report" or str(message.get("Return-Path", "")).strip() == "<>":
        return "a report of a mail server"
    writers = [_address(message, "From"), _address(message, "Reply-To") or _address(message, "From")]
    if None in writers:
        return "of nobody"
    if any(each and _PROGRAMS.fullmatch(each.username) for each in writers):
        return "of a program"
    return "its own" if any(each and each.addr_spec.lower() == own.lower() for each in writers) else ""


def _opened(message: EmailMessage) -> OpenedMail:
    writer = _address(message, "Reply-To") or _address(message, "From")
    answered, before = _ids(message, "In-Reply-To"), _ids(message, "References")[::-1]
    ids, parts = _ids(message, "Message-ID"), list(_shown_parts(message))
    mail = ReceivedMail(
        checked_mail_address("From", writer.addr_spec.lower() if writer else ""),
        one_line(str(message.get("Subject", ""))),
        "",
        ids[0] if ids else "",
        tuple(dict.fromkeys((*answered, *before)))[: _MAX_REFERENCES - 1],
        sum(each not in parts for each in message.iter_attachments()) if message.is_multipart() else 0,
    )
    plain, html = (_text(parts, f"text/{kind}") for kind in ("plain", "html"))
    is_html = not plain.strip() and bool(html)
    return OpenedMail(mail, html if is_html else plain, is_html)


def _shown_parts(part: MIMEPart) -> Iterator[MIMEPart]:
    """The texts of the mail, of which programs write several around pictures, without files and forwarded mails."""
    if part.get_content_maintype() == "multipart":
        for each in part.iter_parts():
            if not each.get_filename():
                yield from _shown_parts(each)
    elif part.get_content_maintype() == "text" and not part.is_attachment():
        yield part


def _text(parts: Iterable[MIMEPart], kind: str) -> str:
    """Decoded as pages are: many forms on websites name no charset, or one that only browsers know."""
    bodies: Iterable[tuple[Any, str | None]] = (  # bytes and charset
        (each.get_payload(decode=True), each.get_content_charset()) for each in parts if each.get_content_type() == kind
    )
    return "\n".join(decode_html(body, charset) for body, charset in bodies)


def _written(text: str, *, is_reply: bool) -> str:
    """The text without the signature and, in a reply, without the quoted mails."""
    text = "\n".join(text.replace("\x00", "").splitlines())
    if is_reply:
        cuts = [found.start() for pattern in (_RULE, _HEAD) if (found := pattern.search(text + "\n"))]
        text = text[: min(cuts)] if cuts else text
        quoted = _QUOTED.search(text)
        if quoted:
            above = text[: quoted.start()].rstrip()
            if above.endswith(":"):  # such as "Ann wrote:", in any language, on one or more lines
                above = above[: max(above.rfind("\n\n"), 0)]
            text = f"{above}\n{_QUOTED.sub('', text[quoted.start() :])}"
    signature = _SIGNATURE.search(text)
    return (text[: signature.start()] if signature else text).strip()


def _address(message: EmailMessage, name: str) -> Address | None:
    """The address in this header, if it has exactly one; "Lee, Ann <ann@example.com>" names one."""
    listed: Sequence[Address] = getattr(message.get(name), "addresses", ())
    found = [each for each in listed if each.username and each.domain]
    return found[0] if len(found) == 1 else None


def _ids(message: EmailMessage, name: str) -> tuple[str, ...]:
    return tuple(_MESSAGE_ID.findall(str(message.get(name, ""))))
