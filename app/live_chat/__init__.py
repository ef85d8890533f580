"""Live chats: a visitor asks for a person, and operators answer instead of the agent."""

from contextlib import suppress

from app.conversations.records.live_chats import LiveChatRecords
from app.core.errors import NotFound
from app.core.turn import AnsweredBy, TurnEnd, TurnState
from app.feature import Edge, Feature
from app.store.transaction import Transaction, TurnIds


def ask_for_person(tx: Transaction, turn: TurnIds, end: TurnEnd) -> None:
    """Let a visitor who was handed over wait for a person, unless they have cleared the conversation meanwhile."""
    if end.answered_by is AnsweredBy.HANDOFF and end.state is TurnState.DONE:
        with suppress(NotFound):
            LiveChatRecords(tx).ask(turn)


def _edge() -> Edge:
    from app.conversations.privacy.api import WidgetTranscripts
    from app.gaps.api.saved_filters import AdminSavedFilters
    from app.live_chat.api.live_chats import AdminLiveChats, AdminSavedReplies
    from app.live_chat.api.live_pictures import AdminLivePictures, WidgetPictures
    from app.live_chat.api.widget_person import WidgetPerson
    from app.live_chat.pages.live import LivePages, NewsPages, SavedReplyPages

    in_admin = (AdminLiveChats, AdminLivePictures, WidgetPictures, AdminSavedReplies)
    apis = {WidgetPerson: WidgetTranscripts, **dict.fromkeys(in_admin, AdminSavedFilters)}
    return Edge(apis, (LivePages, SavedReplyPages, NewsPages))


FEATURE = Feature(name="live_chat", edge=_edge, on_turn_end=(ask_for_person,))
