"""A history that notes in which conversations people wrote."""

from uuid import UUID


class RecordingHistory:
    """Implements `HistoryCache`. `wrote` has the conversations in the order of the calls."""

    def __init__(self) -> None:
        self.wrote: list[UUID] = []

    async def people_wrote(self, conversation_id: UUID) -> None:
        self.wrote.append(conversation_id)
