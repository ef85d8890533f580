"""Drafts that say what they were told to."""

from collections.abc import Sequence
from uuid import UUID

from app.answers.answer_drafter import SuggestedSource, Suggestion, SuggestionState

DRAFTED = Suggestion(
    SuggestionState.DRAFTED,
    "It costs 12 euros a month.",
    (SuggestedSource("https://www.example.com/pricing#monthly", "Pricing", None),),
)


class ScriptedDrafts:
    """`asked` holds the wordings, page and language of every call."""

    def __init__(self, says: Suggestion | Exception = DRAFTED) -> None:
        self.says = says
        self.asked: list[tuple[tuple[str, ...], str, str | None]] = []

    async def draft(
        self, workspace_id: UUID, agent_id: UUID, questions: Sequence[str], page_url: str, language: str | None
    ) -> Suggestion:
        self.asked.append((tuple(questions), page_url, language))
        if isinstance(self.says, Exception):
            raise self.says
        return self.says
