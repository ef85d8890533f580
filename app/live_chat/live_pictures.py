"""Pictures in live chats. Each is re-encoded, and visible only to its visitor and the workspace's operators."""

from collections.abc import Callable
from typing import Final
from uuid import UUID

import anyio.to_thread

from app.conversations.live_chat import Author, LiveChat
from app.conversations.records.live_chats import LiveChatRecords
from app.core.actor import Actor
from app.core.errors import InvalidInput
from app.core.turn import VisitorSession
from app.live_chat.live_chats import LiveChats, LiveView, check_takes_picture
from app.providers.pillow_picture import DrawnPicture, chat_picture
from app.store.system_of_record import SystemOfRecord, Transaction, reads

MAX_UPLOAD_BYTES: Final = 5 * 1024 * 1024
_AT_ONCE: Final = 2  # each may take 200 MB while it is decoded


class LivePictures:
    """Sending raises InvalidInput for a file that is no picture or too large, for too many pictures, or if the agent
    accepts none; NoActiveChat unless an operator has the chat; and the errors of `LiveChats`."""

    def __init__(self, chats: LiveChats, records: SystemOfRecord) -> None:
        self._chats = chats
        self._records = records
        self._drawing = anyio.CapacityLimiter(_AT_ONCE)

    async def send_own(self, session: VisitorSession, message_id: UUID, body: bytes) -> LiveView:
        """Send a picture from the visitor. Repeating a `message_id` has no effect."""

        def own(tx: Transaction) -> LiveChat:
            return LiveChatRecords(tx).own(session)

        drawn = await self._drawn(session.workspace_id, own, Author.VISITOR, body)
        return await self._chats.say(session, message_id, drawn)

    async def send(self, actor: Actor, conversation_id: UUID, message_id: UUID, body: bytes) -> LiveView:
        """Send a picture from an operator. Repeating a `message_id` has no effect."""

        def theirs(tx: Transaction) -> LiveChat:
            chat = LiveChatRecords(tx).live_chat(actor.workspace_id, conversation_id)
            chat.check_talks(actor)
            return chat

        drawn = await self._drawn(actor.workspace_id, theirs, Author.OPERATOR, body)
        return await self._chats.reply(actor, conversation_id, message_id, drawn)

    @reads
    def own(self, tx: Transaction, session: VisitorSession, number: int) -> bytes:
        """The WebP of a message in the visitor's own conversation. Raises NotFound if the message has none."""
        return LiveChatRecords(tx).picture(LiveChatRecords(tx).own(session).conversation_id, number)

    @reads
    def of_conversation(self, tx: Transaction, actor: Actor, conversation_id: UUID, number: int) -> bytes:
        """Like `own`, for an operator. Raises NotFound also for another workspace's conversation."""
        chat = LiveChatRecords(tx).live_chat(actor.workspace_id, conversation_id)
        return LiveChatRecords(tx).picture(chat.conversation_id, number)

    async def _drawn(
        self, workspace_id: UUID, chat_of: Callable[[Transaction], LiveChat], author: Author, body: bytes
    ) -> DrawnPicture:
        """Re-encode the picture, once it is certain that the chat accepts it, because that is costly."""
        if len(body) > MAX_UPLOAD_BYTES:
            raise InvalidInput("picture", f"This is too large. Send at most {MAX_UPLOAD_BYTES // 1024 // 1024} MB.")
        await self._records.of_workspace(workspace_id).read(lambda tx: check_takes_picture(tx, chat_of(tx), author))
        try:
            return await anyio.to_thread.run_sync(chat_picture, body, limiter=self._drawing)
        except InvalidInput as error:
            raise InvalidInput("picture", error.message) from None
