"""The console's live chats: who waits for a person, a chat with each of them, and saved replies; and for all pages a
stream of news, an event `news` at once, then whenever something has changed."""

import json
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import aclosing, suppress
from dataclasses import replace
from typing import Annotated, Any, Final
from uuid import UUID, uuid4

import anyio
from starlette.responses import Response

from app.agents.agents import Agents
from app.answers.hand_over_summaries import HandOverSummaries
from app.conversations.hand_over import hand_over_of
from app.conversations.inbox import ConversationReview
from app.conversations.live_chat import TEXT, LiveState, OpenChat, shown_name
from app.conversations.pages.conversations import OUTCOMES
from app.core.errors import ChatAlreadyTaken, InvalidInput, NoActiveChat, Unavailable
from app.core.list_page import PageRequest
from app.kit.clock import Clock
from app.live_chat.api.live_chats import SavedReplyCreate, TakeIn, TransferIn
from app.live_chat.api.live_pictures import picture_response
from app.live_chat.api.widget_person import NUMBER
from app.live_chat.live_chats import LiveChats, LiveSigns, News, OperatorNews, waiting_visitors
from app.live_chat.live_pictures import MAX_UPLOAD_BYTES, LivePictures
from app.live_chat.reply_drafts import ReplyDrafts
from app.live_chat.saved_replies import SavedReplies
from app.live_chat.saved_reply import VARIABLES, SavedReply
from app.web.console.page import (
    ConsolePage,
    Form,
    Go,
    MenuEntry,
    NoForm,
    Pages,
    Rejected,
    Shown,
    Visit,
    action,
    page,
    read,
    write,
)
from app.web.limits_policy import StreamPolicy
from app.web.request_body import FORM_BYTES, FilePart
from app.web.sse import event_stream
from app.workspaces.operators import Assignees
from app.workspaces.sign_in import SignIn

_LOOKED_AT: Final = 200


class ChatWanted(Form):
    after: Annotated[int | None, NUMBER] = None


class TakeForm(TakeIn, Form): ...


class ReplyForm(Form):
    """`message_id` comes from the page: the same form sent twice is one message."""

    message_id: UUID | None = None
    text: Annotated[str, TEXT]


class LiveWanted(Form):
    """`first` leads on to the visitor who has waited longest; `shown` is the chat that the list stands beside."""

    first: bool = False
    shown: UUID | None = None


class HalfWrittenForm(ReplyForm):
    """The same, at the moment at which a saved reply or a draft is inserted."""

    text: Annotated[str, TEXT] = ""
    saved_reply: UUID | None = None


class TransferForm(TransferIn, Form): ...


class PictureForm(Form):
    message_id: UUID | None = None
    file: FilePart


class LivePages(Pages):
    _chats: LiveChats
    _pictures: LivePictures
    _replies: SavedReplies
    _drafts: ReplyDrafts
    _summaries: HandOverSummaries
    _assignees: Assignees
    _review: ConversationReview
    _agents: Agents
    _clock: Clock

    def pages(self) -> Sequence[ConsolePage]:
        """A picture is larger than other forms."""
        of = {"send_picture": MAX_UPLOAD_BYTES + FORM_BYTES}
        return [replace(each, max_body_bytes=of.get(each.name, each.max_body_bytes)) for each in super().pages()]

    @page("/console/live", access=read, menu=MenuEntry("Live", "Work", 1, "live"), waiting=waiting_visitors)
    async def live(self, visit: Visit[LiveWanted]) -> Shown | Go:
        listed = await self._listed(visit, visit.input.shown)
        chats: Sequence[OpenChat] = listed["chats"]
        if visit.input.first and chats and chats[0].chat.state is LiveState.WAITING:
            return Go(visit.url("live_chat", conversation_id=chats[0].chat.conversation_id))
        agents = (await self._agents.page(visit.actor, PageRequest(_LOOKED_AT))).items
        return Shown(
            "live_chat/pages/live.html", {**listed, "is_offered": any(agent.draft.live_chat for agent in agents)}
        )

    async def _listed(self, visit: Visit[Any], shown: UUID | None) -> dict[str, Any]:
        """Those who wait, longest first, then the operator's own chats, then others'; `neighbours` of the one that is
        shown are those before and after it."""
        found = await self._chats.open_chats(visit.actor)
        chats = sorted(
            found, key=lambda each: each.chat.state is LiveState.TALKING and not each.chat.is_with(visit.actor)
        )
        ids = [each.chat.conversation_id for each in chats]
        at = ids.index(shown) if shown in ids else -1
        before = ids[at - 1 : at] if at > 0 else ()
        now = self._clock.now()
        return {
            "chats": chats,
            "overdue": {each.chat.conversation_id for each in chats if each.chat.is_overdue(now)},
            "shown": shown,
            "neighbours": dict.fromkeys(ids[at + 1 : at + 2], "next") | dict.fromkeys(before, "prev"),
        }

    @page("/console/live/{conversation_id}", access=read, under="live")
    async def live_chat(self, visit: Visit[ChatWanted]) -> Shown:
        """A request for new messages leaves out the earlier ones."""
        return await self._chat(visit, visit.input.after)

    async def _chat(self, visit: Visit[Form], after: int | None = None) -> Shown:
        conversation_id = visit.path_id("conversation_id")
        view = await self._chats.view(visit.actor, conversation_id, after)
        thread = await self._review.thread(visit.actor, conversation_id) if after is None else None
        facts = await self._review.visitor(visit.actor, thread.conversation.visitor_id) if thread else None
        seen = view.messages[-1].number if view.messages else after or 0
        is_mine = view.chat.state is LiveState.TALKING and view.chat.is_with(visit.actor)
        replies = await self._replies.for_conversation(visit.actor, conversation_id) if is_mine else []
        people = await self._assignees.of_workspace(visit.actor) if view.chat.state is LiveState.TALKING else []
        taken_by = view.chat.taken_by if view.chat.taken_by_id else ""
        return Shown(
            "live_chat/pages/live_chat.html",
            {
                **(await self._listed(visit, conversation_id) if after is None else {}),
                "chat": view.chat,
                "their_agent": await self._agents.agent(visit.actor, view.chat.agent_id),
                "messages": view.messages,
                "is_overdue": view.is_overdue,
                "is_typing": view.is_typing,
                "is_mine": is_mine,
                "replies": replies,
                "reply_options": [("", "Choose"), *((str(each.reply.id), each.reply.title) for each in replies)],
                "others": [each for each in people if each.address != taken_by],
                "facts": facts,
                "entry": thread and thread.entry,
                "turns": thread.turns if thread else (),
                "hand_over": hand_over_of(thread.turns) if thread else None,
                "outcomes": OUTCOMES,
                "has_model": self._summaries.has_model,
                "notes": thread.notes if thread else (),
                "is_newer": after is not None,
                "newer": visit.url("live_chat", {"after": seen}, conversation_id=conversation_id),
                "my_name": shown_name(visit.actor),
                "message_id": uuid4(),
            },
        )

    @action("/console/live/{conversation_id}/summary", access=write, under="live")
    async def sum_up_live(self, visit: Visit[NoForm]) -> Go:
        """Asks a chat model, which takes some seconds."""
        conversation = (await self._review.thread(visit.actor, visit.path_id("conversation_id"))).conversation
        await self._summaries.sum_up(visit.actor.workspace_id, conversation.id)
        return Go(visit.url("live_chat", conversation_id=conversation.id) + "#hand-over")

    @action("/console/live/{conversation_id}/take", access=write, shown_on="live_chat")
    async def take_live(self, visit: Visit[TakeForm]) -> Go:
        try:
            await self._chats.take_over(visit.actor, visit.path_id("conversation_id"), visit.input.name)
        except (ChatAlreadyTaken, NoActiveChat) as error:
            raise InvalidInput("", str(error)) from None
        return self._back(visit, "You have taken over. The agent stays silent until you hand back.")

    @action("/console/live/{conversation_id}/typing", access=write, under="live")
    async def type_live(self, visit: Visit[NoForm]) -> Response:
        """Sent by a script while the operator writes. If the chat is over, sending the message reports it."""
        with suppress(ChatAlreadyTaken, NoActiveChat):
            await self._chats.operator_types(visit.actor, visit.path_id("conversation_id"))
        return Response(status_code=204)

    @action("/console/live/{conversation_id}/reply", access=write, shown_on="live_chat")
    async def reply_live(self, visit: Visit[ReplyForm]) -> Go:
        """If it comes too late, the text stays in the form."""
        given = visit.input
        try:
            await self._chats.reply(
                visit.actor, visit.path_id("conversation_id"), given.message_id or uuid4(), given.text
            )
        except (ChatAlreadyTaken, NoActiveChat) as error:
            raise InvalidInput("", str(error)) from None
        return self._back(visit)

    @action("/console/live/{conversation_id}/insert", access=write, shown_on="live_chat")
    async def insert_saved_reply(self, visit: Visit[HalfWrittenForm]) -> Shown:
        """Sends nothing: the form returns with the reply after the typed text, to be edited."""
        replies = await self._replies.for_conversation(visit.actor, visit.path_id("conversation_id"))
        chosen = next((each for each in replies if each.reply.id == visit.input.saved_reply), None)
        if chosen is None:
            return await self._half_written(visit, wrong={"saved_reply": "Choose a saved reply first."})
        return await self._half_written(visit, chosen.text, saved_reply=str(chosen.reply.id))

    @action("/console/live/{conversation_id}/draft", access=write, shown_on="live_chat")
    async def draft_reply(self, visit: Visit[HalfWrittenForm]) -> Shown:
        """The same with what the agent would answer."""
        try:
            drafted = await self._drafts.draft(visit.actor, visit.path_id("conversation_id"))
        except (InvalidInput, Unavailable) as error:
            return await self._half_written(visit, wrong={"text": str(error)})
        return await self._half_written(visit, drafted)

    async def _half_written(
        self, visit: Visit[HalfWrittenForm], added: str = "", wrong: Mapping[str, str] | None = None, **chosen: str
    ) -> Shown:
        given = visit.input
        text = "\n".join(part for part in (given.text.rstrip(), added) if part)
        typed = {"message_id": str(given.message_id or uuid4()), "text": text, "added": added, **chosen}
        values = {name: (value,) for name, value in typed.items()}
        return replace(await self._chat(visit), form=Rejected("reply_live", values, wrong or {}))

    @action("/console/live/{conversation_id}/pictures", access=write, shown_on="live_chat")
    async def send_picture(self, visit: Visit[PictureForm]) -> Go:
        given = visit.input
        try:
            await self._pictures.send(
                visit.actor, visit.path_id("conversation_id"), given.message_id or uuid4(), given.file.body
            )
        except (ChatAlreadyTaken, NoActiveChat) as error:
            raise InvalidInput("file", str(error)) from None
        except InvalidInput as error:
            raise InvalidInput("file", error.message) from None
        return self._back(visit)

    @page("/console/live/{conversation_id}/pictures/{number}", access=read, under="live", is_file=True)
    async def get_picture(self, visit: Visit[NoForm]) -> Response:
        conversation_id = visit.path_id("conversation_id")
        return picture_response(
            await self._pictures.of_conversation(visit.actor, conversation_id, visit.path_number("number", "picture"))
        )

    @action("/console/live/{conversation_id}/transfer", access=write, shown_on="live_chat")
    async def transfer_live(self, visit: Visit[TransferForm]) -> Go:
        try:
            view = await self._chats.transfer(visit.actor, visit.path_id("conversation_id"), visit.input.assignee)
        except (ChatAlreadyTaken, NoActiveChat) as error:
            raise InvalidInput("", str(error)) from None
        return self._back(visit, f"Transferred to {view.chat.taken_by}.")

    @action("/console/live/{conversation_id}/hand-back", access=write, under="live")
    async def hand_back_live(self, visit: Visit[NoForm]) -> Go:
        await self._chats.hand_back(visit.actor, visit.path_id("conversation_id"))
        return Go(visit.url("live"), "Handed back. The agent answers again.")

    def _back(self, visit: Visit[Form], message: str = "") -> Go:
        return Go(visit.url("live_chat", conversation_id=visit.path_id("conversation_id")) + "#write", message)


_AGENTS: Final = 200


class SavedReplyForm(SavedReplyCreate, Form): ...


class SavedReplyPages(Pages):
    _replies: SavedReplies
    _agents: Agents

    @page("/console/saved-replies", access=read, under="live")
    async def saved_replies(self, visit: Visit[NoForm]) -> Shown:
        replies = await self._replies.of_workspace(visit.actor)
        return await self._shown(visit, "live_chat/pages/saved_replies.html", {"replies": replies})

    @action("/console/saved-replies", access=write, shown_on="saved_replies")
    async def add_saved_reply(self, visit: Visit[SavedReplyForm]) -> Go:
        reply = visit.input.made(SavedReply, id=uuid4(), workspace_id=visit.actor.workspace_id)
        await self._replies.create(visit.actor, reply)
        return Go(visit.url("saved_replies"), "Saved reply saved.")

    @page("/console/saved-replies/{reply_id}", access=read, under="live")
    async def saved_reply(self, visit: Visit[NoForm]) -> Shown:
        reply = await self._replies.reply(visit.actor, visit.path_id("reply_id"))
        return await self._shown(visit, "live_chat/pages/saved_reply.html", {"reply": reply})

    @action("/console/saved-replies/{reply_id}", access=write, shown_on="saved_reply")
    async def save_saved_reply(self, visit: Visit[SavedReplyForm]) -> Go:
        await self._replies.change(visit.actor, visit.path_id("reply_id"), visit.input.applied_to)
        return Go(visit.url("saved_replies"), "Saved reply saved.")

    @action("/console/saved-replies/{reply_id}/delete", access=write, shown_on="saved_reply")
    async def delete_saved_reply(self, visit: Visit[NoForm]) -> Go:
        await self._replies.delete(visit.actor, visit.path_id("reply_id"))
        return Go(visit.url("saved_replies"), "Saved reply deleted.")

    async def _shown(self, visit: Visit[NoForm], template: str, values: dict[str, Any]) -> Shown:
        agents = (await self._agents.page(visit.actor, PageRequest(_AGENTS))).items
        names: Sequence[tuple[str, str]] = [(str(agent.id), agent.draft.name) for agent in agents]
        context = {"agent_options": [("", "All agents"), *names], "agent_names": dict(names), "variables": VARIABLES}
        return Shown(template, {**context, **values})


class NewsPages(Pages):
    _news: OperatorNews
    _sign_in: SignIn
    _signs: LiveSigns
    _assignees: Assignees
    _policy: StreamPolicy

    @page("/console/news", access=read, is_stream=True)
    async def news(self, visit: Visit[NoForm]) -> Response:
        """Ends with the session, which it does not keep alive."""
        stopping = anyio.Event()  # the library sets it when the server has to stop
        return event_stream(self._frames(visit, stopping), self._policy, stopping, grace_seconds=1)

    async def _frames(self, visit: Visit[NoForm], stopping: anyio.Event) -> AsyncIterator[bytes]:
        async def is_here() -> None:
            await self._signs.operator_is_here(visit.actor.workspace_id)
            await self._assignees.is_online(visit.actor)

        async def pause() -> bool:
            with anyio.move_on_after(self._policy.news_look_seconds):
                await stopping.wait()
            if stopping.is_set() or not await self._sign_in.is_signed_in(visit.secret):
                return False
            await is_here()
            return True

        await is_here()

        async with aclosing(self._news.watch(visit.actor, pause)) as looks:
            async for look in looks:
                yield _frame(look)


def _frame(news: News) -> bytes:
    data = {
        "waiting": news.waiting,
        "asked_at": news.asked_at.isoformat() if news.asked_at else None,
        "moved_at": news.moved_at.isoformat() if news.moved_at else None,
    }
    return f"event: news\ndata: {json.dumps(data, separators=(',', ':'))}\n\n".encode("ascii")
