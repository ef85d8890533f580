"""A mail as it was received: who wrote what, and whether a program may answer it. It is opened in a process that may be
killed: what a parser makes of a hostile mail can take minutes.
"""

import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from email import message_from_bytes
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import default
from multiprocessing.connection import Connection
from typing import Final

from app.core.field_rules import MAX_QUESTION_CHARS
from app.mail.mail import checked_mail_address, one_line
from crawler.worker_processes import limit_memory, serve_requests

HtmlReader = Callable[[bytes], Awaitable[str]]
"""The text of an HTML document in UTF-8."""

_MESSAGE_ID: Final = re.compile(r"<([\x21-\x3b=\x3f-\x7e]{1,250})>")
_MAX_REFERENCES: Final = 20
_MEMORY_BYTES: Final = 1024**3  # of a process
# What no person writes from (RFC 2142, 5), and what mail servers report from.
_PROGRAMS: Final = re.compile(r"(?:mailer-daemon|postmaster|(?:do[-_.]?not|no)[-_.]?reply)(?:[-_.+].*)?", re.IGNORECASE)
_BULK: Final = frozenset(("bulk", "list", "junk", "auto_reply"))
_OF_LISTS: Final = ("List-Id", "List-Post", "List-Unsubscribe")
_OF_PROGRAMS: Final = ("X-Autoreply", "X-Autorespond", "X-Failed-Recipients", "Feedback-ID")
_SIGNATURE: Final = re.compile(r"^--[ \xa0]?$", re.MULTILINE)  # RFC 3676, 4.3
# What mail programs put between an answer and the mail that it answers: a rule, or the head of that mail.
_RULE: Final = re.compile(r"^[ \t]*+(?:-{3,}+[^-\n][^\n]{0,59}?-{3,}+|-{6,}+|_{10,}+)[ \t]*+$", re.MULTILINE)
_HEAD: Final = re.compile(r"^(?:[*>]{0,2}[^\W\d][^\n:]{0,20}:[*]{0,2}[ \t][^\n]*\n){3,}", re.MULTILINE)
_QUOTED: Final = re.compile(r"^>[^\n]*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class ReceivedMail:
    """`question` is what its writer wrote without the mails before it and the signature; "" for nothing. `thread` are
    the ids of the mails before it, the latest first."""

    address: str
    subject: str
    question: str
    message_id: str = ""
    thread: tuple[str, ...] = ()
    attachments: int = 0

    @property
    def reference_ids(self) -> str:
        """For the header of an answer."""
        named = [*reversed(self.thread), self.message_id]
        return " ".join(f"<{each}>" for each in named if each)


@dataclass(frozen=True, slots=True)
class NotAnswered:
    """`reason` why no program may answer it."""

    reason: str


@dataclass(frozen=True, slots=True)
class OpenedMail:
    """`mail` without its question, and the text that holds it."""

    mail: ReceivedMail
    text: str
    is_html: bool


def serve_mails(pipe: Connection) -> None:
    """Entry point of the process. A request is the arguments of `opened_mail`."""
    limit_memory(_MEMORY_BYTES)
    serve_requests(pipe, lambda request: opened_mail(*request))


def opened_mail(raw: bytes, own: str) -> OpenedMail | NotAnswered:
    """`own` is the mailbox's address. Never raises for what a mail contains."""
    try:
        message = message_from_bytes(raw, policy=default)
        if reason := _reason_to_be_silent(message, own):
            return NotAnswered(reason)
        return _opened(message)
    except Exception as error:  # whatever the parser stumbles over
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
    """RFC 3834, 2; "" for none."""
    said = {name: str(message.get(name, "")).strip().lower() for name in ("Auto-Submitted", "Precedence")}
    if said["Auto-Submitted"].partition(";")[0].strip() not in ("", "no"):
        return "auto-submitted"
    if said["Precedence"] in _BULK or any(name in message for name in _OF_LISTS):
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
    ids = _ids(message, "Message-ID")
    mail = ReceivedMail(
        checked_mail_address("From", writer.addr_spec.lower() if writer else ""),
        one_line(str(message.get("Subject", ""))),
        "",
        ids[0] if ids else "",
        tuple(dict.fromkeys((*answered, *before)))[: _MAX_REFERENCES - 1],
        sum(1 for _ in message.iter_attachments()) if message.is_multipart() else 0,
    )
    body = message.get_body(("plain", "html"))
    text = "" if body is None else str(body.get_content())
    storable = text.encode("utf-8", "replace").decode()  # some charsets have halves of surrogate pairs
    return OpenedMail(mail, storable, body is not None and body.get_content_type() != "text/plain")


def _written(text: str, *, is_reply: bool) -> str:
    """Without the signature, and the mails that an answer repeats."""
    text = "\n".join(text.replace("\x00", "").splitlines())
    if is_reply:
        cuts = [found.start() for pattern in (_RULE, _HEAD) if (found := pattern.search(text + "\n"))]
        text = text[: min(cuts)] if cuts else text
        quoted = _QUOTED.search(text)
        if quoted:
            above = text[: quoted.start()].rstrip()
            if above.endswith(":"):  # "Ann wrote:", in whatever language, and on as many lines as it takes
                above = above[: max(above.rfind("\n\n"), 0)]
            text = f"{above}\n{_QUOTED.sub('', text[quoted.start() :])}"
    signature = _SIGNATURE.search(text)
    return (text[: signature.start()] if signature else text).strip()


def _address(message: EmailMessage, name: str) -> Address | None:
    """The header's, if it names exactly one."""
    found: Sequence[Address] = getattr(message.get(name), "addresses", ())
    return found[0] if len(found) == 1 and found[0].username and found[0].domain else None


def _ids(message: EmailMessage, name: str) -> tuple[str, ...]:
    return tuple(_MESSAGE_ID.findall(str(message.get(name, ""))))
