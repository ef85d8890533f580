"""The team at the other end of a visitor's chat: a test says what it does, the visitor's calls change the rest."""

from dataclasses import dataclass, field
from typing import Any


@dataclass(slots=True)
class ScriptedPerson:
    """Polls are quick here, so that no test waits for one."""

    state: str = "none"
    name: str | None = None
    is_overdue: bool = False
    is_typing: bool = False
    is_deaf: bool = False  # as one who leaves in the moment in which the visitor writes
    messages: list[dict[str, Any]] = field(default_factory=list)
    poll_seconds: float = 0.05
    said: list[str] = field(default_factory=list)
    ratings: list[str] = field(default_factory=list)
    pictures: dict[int, bytes] = field(default_factory=dict)
    _ids: set[str] = field(default_factory=set)

    @property
    def listens(self) -> bool:
        return self.is_open and not self.is_deaf

    @property
    def is_open(self) -> bool:
        return self.state in ("waiting", "talking")

    def takes_over(self, name: str = "Ann") -> None:
        self.state, self.name = "talking", name

    def writes(self, text: str, at: str = "2026-03-01T10:05:00Z") -> None:
        self._add("operator", text, at)

    def leaves(self) -> None:
        self.state = "ended"

    def asked(self) -> None:
        if not self.is_open:
            self.state = "waiting"

    def hears(self, message_id: str, text: str, at: str = "2026-03-01T10:06:00Z") -> None:
        if message_id not in self._ids:
            self._ids.add(message_id)
            self.said.append(text)
            self._add("visitor", text, at)

    def answer(self, after: int = 0) -> dict[str, Any]:
        return {
            "state": self.state,
            "operator_name": self.name if self.state == "talking" else None,
            "is_overdue": self.is_overdue and self.state == "waiting",
            "is_typing": self.is_typing,
            "messages": self.messages[after:],
            "poll_seconds": self.poll_seconds if self.is_open else 0,
        }

    def shows(self, body: bytes, at: str = "2026-03-01T10:07:00Z") -> None:
        """A picture of 300 by 200 pixels."""
        self._picture("operator", body, at)

    def sees(self, message_id: str, body: bytes, at: str = "2026-03-01T10:08:00Z") -> None:
        if message_id not in self._ids:
            self._ids.add(message_id)
            self._picture("visitor", body, at)

    def _picture(self, author: str, body: bytes, at: str) -> None:
        self._add(author, "[Picture]", at)
        self.messages[-1]["picture"] = {"width": 300, "height": 200}
        self.pictures[len(self.messages)] = body

    def _add(self, author: str, text: str, at: str) -> None:
        message = {
            "number": len(self.messages) + 1,
            "author": author,
            "name": self.name if author == "operator" else None,
            "text": text,
            "created_at": at,
        }
        self.messages = [*self.messages, message]
