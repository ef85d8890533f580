"""Drafts an operator's reply in a live chat from what the agent would answer."""

from uuid import UUID

from app.answers.playground import Playground, PlaygroundQuestion
from app.conversations.inbox import ConversationReview
from app.conversations.live_chat import MAX_TEXT_CHARS, Author
from app.core.actor import Actor
from app.core.errors import InvalidInput
from app.core.turn import Exchange
from app.kit.markdown_text import markdown_text
from app.kit.wiring import Wired
from app.live_chat.live_chats import LiveChats


class ReplyDrafts(Wired):
    """Sends and stores nothing."""

    _chats: LiveChats
    _review: ConversationReview
    _playground: Playground

    async def draft(self, actor: Actor, conversation_id: UUID) -> str:
        """The published agent's answer to what the visitor wrote since the last reply, else to their last question, as
        plain text of at most MAX_TEXT_CHARS. The URL of the first cited page is appended, unless it takes up half of
        that. Raises NotFound, InvalidInput if there is no question or the agent has no answer, and the errors of
        Playground."""
        thread = await self._review.thread(actor, conversation_id)
        written: list[str] = []
        for message in (await self._chats.view(actor, conversation_id)).messages:
            if message.author is Author.OPERATOR:
                written.clear()
            elif message.picture is None:
                written.append(message.text)
        turns = thread.turns
        if not written and turns:
            written, turns = [turns[-1].question], turns[:-1]
        if not written:
            raise InvalidInput("", "The visitor has asked nothing yet.")
        question = PlaygroundQuestion(
            "\n".join(written)[-MAX_TEXT_CHARS:],
            thread.turns[-1].page_url if thread.turns else "",
            thread.turns[-1].language if thread.turns else None,
            history=tuple(Exchange(turn.question, turn.answer) for turn in turns),
        )
        conversation = thread.conversation
        answer = await self._playground.ask(actor.workspace_id, conversation.agent_id, question, "live")
        if answer.is_low_confidence or not answer.answer.strip():
            raise InvalidInput("", "The pages do not answer this.")
        source = f"\n{answer.citations[0].page}" if answer.citations else ""
        source = source if len(source) < MAX_TEXT_CHARS // 2 else ""
        text = markdown_text(answer.answer, without={each.id for each in answer.citations})
        return text[: MAX_TEXT_CHARS - len(source)] + source
