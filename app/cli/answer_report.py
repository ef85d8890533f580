"""One answer as a terminal or a program gets it, gathered from the turn's events as they stand on the wire."""

from dataclasses import dataclass, field
from typing import Any

from rich.console import Console


@dataclass(slots=True)
class AnswerReport:
    question: str
    answer: str = ""
    answered_by: str | None = None
    confidence: float | None = None
    low_confidence: bool | None = None
    citations: list[dict[str, Any]] = field(default_factory=list)
    first_token_ms: int | None = None
    error: str = ""
    note: str = ""

    def take(self, payload: dict[str, Any], seconds: float) -> str:
        """Note an event's data object, which came `seconds` after the question; return the text it brings."""
        name = payload["event"]
        if name == "token":
            if self.first_token_ms is None:
                self.first_token_ms = round(seconds * 1000)
            self.answer += payload["token"]
            return str(payload["token"])
        if name == "citations":
            self.citations = payload["citations"]
        elif name == "done":
            self.answered_by = payload["answered_by"]
            self.confidence, self.low_confidence = payload["confidence"], payload["low_confidence"]
        elif name == "note":
            self.note = f"{self.note} {payload['text']}".strip()
        elif name == "error":
            self.error = payload["message"]
        return ""

    def as_json(self) -> dict[str, Any]:
        report = {
            "question": self.question,
            "answer": self.answer.strip(),
            "answered_by": self.answered_by,
            "confidence": self.confidence,
            "low_confidence": self.low_confidence,
            "citations": self.citations,
            "first_token_ms": self.first_token_ms,
        }
        report |= {"note": self.note} if self.note else {}
        return report | ({"error": self.error} if self.error else {})

    def print_end(self, console: Console) -> None:
        """What comes below the text: sources, and how sure the answer is."""
        console.print()
        if self.note:
            console.print(f"  {self.note}", style="yellow", markup=False, highlight=False, soft_wrap=True)
        for citation in self.citations:
            line = f"  [{citation['id']}] {citation['title']}  {citation['url']}"
            console.print(line, style="dim", markup=False, highlight=False, soft_wrap=True)
        if self.error:
            console.print(f"  {self.error}", style="red", markup=False)
            return
        sure = f"{'not sure, ' if self.low_confidence else ''}confidence {self.confidence:.0%}"
        console.print(f"  {self.answered_by}, {sure}, first word after {self.first_token_ms} ms", style="dim")
