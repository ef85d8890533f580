"""An agent's answer as a chat completion, whole or in chunks."""

import json
import re
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Sequence
from contextlib import aclosing
from typing import Any, Final
from uuid import UUID

from app.channels import openai_models as wire
from app.channels.program_questions import ProgramTurn
from app.conversations.api.widget_models import AnswerOut, CitationOut
from app.core.text.answer_words import MARK
from app.core.turn import Finish, TokenUsage
from app.core.turn_events import Citations, Done, Error, NumberedEvent, Start, Token
from app.turns.api.visitor_turns import refusal_of

_MARKDOWN: Final = re.compile(r"([\\`\[\]<>])")
_IN_LINKS: Final = {" ": "%20", "(": "%28", ")": "%29", "<": "%3C", ">": "%3E"}
_FINISH: Final[dict[Finish, wire.FinishReason]] = {
    Finish.COMPLETE: "stop",
    Finish.STOPPED: "stop",
    Finish.LENGTH: "length",
    Finish.CONTENT_FILTER: "content_filter",
}
_END: Final = b"data: [DONE]\n\n"


def completion(answer: AnswerOut, agent_id: UUID, created: int, usage: TokenUsage) -> wire.ChatCompletionOut:
    message = wire.CompletionMessageOut(
        content=answer.answer + source_list(answer.citations),
        annotations=tuple(annotations(answer.answer, answer.citations)),
    )
    return wire.ChatCompletionOut(
        id=_completion_id(answer.turn_id),
        created=created,
        model=str(agent_id),
        choices=(wire.ChoiceOut(message=message, finish_reason=_FINISH[answer.finish]),),
        usage=_usage(usage),
        docent=wire.TurnAboutOut.showing(answer),
    )


def source_list(citations: Sequence[CitationOut]) -> str:
    """The numbered Markdown list after the answer, "" without citations. Sources without a link, such as internal
    documents, are listed by title."""
    return "".join(["\n\n", "\n".join(map(_source, citations))]) if citations else ""


def _source(citation: CitationOut) -> str:
    title = _MARKDOWN.sub(r"\\\1", " ".join(citation.title.split()) or citation.url)
    if not _is_link(citation):
        return f"{citation.id}. {title}"
    url = "".join(_IN_LINKS.get(character, character) for character in citation.url)
    return f"{citation.id}. [{title}]({url})"


def annotations(answer: str, citations: Sequence[CitationOut]) -> list[wire.AnnotationOut]:
    """An annotation for each citation mark of the answer that has a link, in order; indices count characters."""
    by_id = {citation.id: citation for citation in citations if _is_link(citation)}
    return [
        wire.AnnotationOut(
            url_citation=wire.UrlCitationOut(
                start_index=mark.start(), end_index=mark.end(), url=cited.url, title=cited.title
            )
        )
        for mark in MARK.finditer(answer)
        if (cited := by_id.get(int(mark[1])))
    ]


def _is_link(citation: CitationOut) -> bool:
    return citation.url.startswith(("https://", "http://"))


async def completion_frames(
    turn: ProgramTurn,
    events: AsyncGenerator[NumberedEvent, None],
    agent_id: UUID,
    created: int,
    usage: Callable[[UUID], Awaitable[TokenUsage]] | None,
) -> AsyncIterator[bytes]:
    """The chunks of a stream as Server-Sent Events, with `usage` in a chunk of its own if it is requested. A turn that
    ends with an error ends with an error frame, as OpenAI's streams do."""
    about = {"id": _completion_id(turn.feed.turn_id), "object": "chat.completion.chunk", "created": created}
    about |= {"model": str(agent_id)}
    text: list[str] = []
    cited: tuple[CitationOut, ...] = ()
    async with aclosing(events):
        async for numbered in events:
            match numbered.event:
                case Start():
                    yield _frame(wire.chunk(about, {"role": "assistant", "content": ""}))
                case Token() as token:
                    text.append(token.token)
                    yield _frame(wire.chunk(about, {"content": token.token}))
                case Citations() as citations:
                    cited = tuple(CitationOut.showing(citation) for citation in citations.citations)
                    marks = annotations("".join(text), cited)
                    chips = [mark.model_dump() for mark in marks]
                    yield _frame(wire.chunk(about, {"content": source_list(cited), "annotations": chips}))
                case Done() as done:
                    yield _frame({**wire.chunk(about, {}, _FINISH[done.finish]), "docent": _about(turn, done)})
                    if usage is not None:
                        spent = _usage(await usage(done.turn_id)).model_dump()
                        yield _frame({**about, "choices": [], "usage": spent})
                    yield _END
                case Error() as error:
                    yield _frame(wire.openai_error(refusal_of(error).problem))


def _about(turn: ProgramTurn, done: Done) -> dict[str, Any]:
    return wire.TurnAboutOut.showing(done, conversation_id=turn.conversation_id).model_dump(mode="json")


def _usage(usage: TokenUsage) -> wire.CompletionUsageOut:
    return wire.CompletionUsageOut(
        prompt_tokens=usage.prompt_tokens, completion_tokens=usage.completion_tokens, total_tokens=usage.tokens
    )


def _completion_id(turn_id: UUID) -> str:
    return f"chatcmpl-{turn_id}"


def _frame(data: dict[str, Any]) -> bytes:
    return f"data: {json.dumps(data, ensure_ascii=True, separators=(',', ':'))}\n\n".encode("ascii")
