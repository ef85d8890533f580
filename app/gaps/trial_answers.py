"""What the agent would answer now, for an operator who asks whether a gap is closed."""

from uuid import UUID

from app.agents.agent import Version
from app.answers.playground import Playground, PlaygroundQuestion
from app.gaps.gap import GapAsking, TrialAnswer


class TrialAnswers:
    """A gap's askings in the playground: their visitors' history and what browsers said of their pages are not kept
    with a gap."""

    def __init__(self, playground: Playground) -> None:
        self._playground = playground

    async def answer(self, workspace_id: UUID, agent_id: UUID, asking: GapAsking, version: Version) -> TrialAnswer:
        """Raises NotFound, IndexUnavailable, ModelInterrupted."""
        question = PlaygroundQuestion(asking.question, asking.page_url, asking.language, standalone=asking.standalone)
        tried = await self._playground.ask(workspace_id, agent_id, question, version)
        cited = tuple(dict.fromkeys(citation.url for citation in tried.citations))
        return TrialAnswer(tried.answer, tried.answered_by, tried.confidence, cited, tried.gap)
