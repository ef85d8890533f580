"""The requests, responses and errors of OpenAI's Chat Completions API, as far as agents support it.

https://platform.openai.com/docs/api-reference/chat. Parameters that tune a model, such as `temperature`, are accepted
and ignored; those that request another kind of answer are refused by name.
"""

from datetime import datetime
from typing import Annotated, Any, Final, Literal
from uuid import UUID

from pydantic import ConfigDict, Discriminator, Field, Tag
from starlette.responses import JSONResponse, Response

from app.agents.agent import LiveAgent
from app.agents.api.retrieval_models import SearchFilterModel
from app.agents.signed_user import MAX_PROOF_CHARS, MAX_USER_ID_CHARS
from app.conversations.api.widget_models import stripped_message
from app.conversations.history import TURNS
from app.core.errors import InvalidInput
from app.core.search_filter import SearchFilter
from app.core.turn import AnsweredBy, Exchange
from app.web.errors import STATUS_OF_CODE, Problem
from app.web.operation import Model, RefusalShape

MAX_MESSAGES = 1000
_MAX_TOLD_CHARS = 4000  # of one side of an earlier exchange
_OTHER_FILTERS: Final = frozenset(
    {"filters", "retrieval_options", "search_filter", "search_filters", "time_range", "time_window"}
)
Role = Literal["system", "developer", "user", "assistant", "tool", "function"]


class Lenient(Model):
    """A body whose unknown fields are ignored, because clients send whatever their own settings contain."""

    model_config = ConfigDict(extra="ignore")


class ContentPartIn(Lenient):
    type: str
    text: str | None = None


def _shape(value: object) -> str:
    return "as-text" if isinstance(value, str) else "as-list"


Content = Annotated[
    Annotated[str, Tag("as-text")] | Annotated[tuple[ContentPartIn, ...], Tag("as-list")], Discriminator(_shape)
]


class ChatMessageIn(Lenient):
    role: Role
    content: Content | None = None

    @property
    def text(self) -> str:
        """The text, without other parts such as pictures."""
        if isinstance(self.content, str):
            return self.content
        return "\n".join(part.text for part in self.content or () if part.type == "text" and part.text)

    @property
    def is_text_alone(self) -> bool:
        return isinstance(self.content, str) or all(part.type == "text" for part in self.content or ())


class StreamOptionsIn(Lenient):
    include_usage: bool | None = None


class ResponseFormatIn(Lenient):
    type: Literal["text"]


class ChatCompletionIn(Lenient):
    model_config = ConfigDict(
        extra="allow",
        json_schema_extra={
            "examples": [
                {"model": "Helper", "messages": [{"role": "user", "content": "What does the team plan cost?"}]}
            ]
        },
    )

    model: str = Field(
        min_length=1, max_length=200, description="The id of an agent, or its name if no other agent has it."
    )
    messages: tuple[ChatMessageIn, ...] = Field(
        min_length=1,
        max_length=MAX_MESSAGES,
        description="The last message is the question; earlier messages of the user and the assistant are the "
        "history. System, developer and tool messages are ignored.",
    )
    stream: bool | None = None
    stream_options: StreamOptionsIn | None = None
    n: Literal[1] | None = None
    user: str | None = Field(
        default=None,
        min_length=1,
        max_length=MAX_USER_ID_CHARS,
        pattern=r"^[^\x00-\x1f\x7f]*$",
        description="The user's id on the website, as for signed users of the widget. Without user_hash, nothing that "
        "the website has signed for them is used.",
    )
    user_hash: str | None = Field(
        default=None,
        min_length=1,
        max_length=MAX_PROOF_CHARS,
        description="The website's proof of user: HMAC-SHA256 by the agent's user secret, or a token of its identity "
        "provider. Actions that need to know who asks are offered only with it.",
    )
    filter: SearchFilterModel = Field(
        default_factory=SearchFilterModel,
        description="Which pages to answer from, in addition to the agent's own filter: by source, path, language, "
        "date and attributes. Not of OpenAI's API.",
    )
    response_format: ResponseFormatIn | None = None
    modalities: tuple[Literal["text"], ...] | None = Field(default=None, max_length=1)

    def only(self) -> SearchFilter:
        """The filter of the pages to answer from. Raises InvalidInput, also for filter parameters of other APIs: other
        unknown parameters are ignored, but ignoring a filter would answer from pages that were excluded."""
        for name in sorted(_OTHER_FILTERS & (self.model_extra or {}).keys()):
            raise InvalidInput(
                name, "This is not supported. Use filter, which takes sources, paths, languages and days."
            )
        return self.filter.checked()

    def exchange(self) -> tuple[str, tuple[Exchange, ...]]:
        """The question and the conversation before it: the latest questions with the answers that followed them. Raises
        InvalidInput."""
        spoken = [(n, each) for n, each in enumerate(self.messages) if each.role in ("user", "assistant")]
        if not spoken or spoken[-1][1].role != "user":
            raise InvalidInput("messages", "The last message must be the user's question.")
        number, last = spoken[-1]
        if not last.is_text_alone:
            raise InvalidInput(
                f"messages.{number}.content", "Send text only: pictures, sound and files are not supported."
            )
        try:
            question = stripped_message(last.text)
        except ValueError as error:
            raise InvalidInput(f"messages.{number}.content", str(error)) from None
        return question, _exchanges([each for _, each in spoken[:-1]])


def _exchanges(messages: list[ChatMessageIn]) -> tuple[Exchange, ...]:
    past: list[Exchange] = []
    question = ""
    for message in messages:
        text = message.text.strip()[:_MAX_TOLD_CHARS]
        if message.role == "user":
            question = text
        elif question and text:
            past.append(Exchange(question, text))
            question = ""
    return tuple(past[-TURNS:])


class UrlCitationOut(Model):
    start_index: int
    end_index: int
    url: str
    title: str


class AnnotationOut(Model):
    type: Literal["url_citation"] = "url_citation"
    url_citation: UrlCitationOut


class CompletionMessageOut(Model):
    role: Literal["assistant"] = "assistant"
    content: Annotated[str, "The answer with its source numbers, such as [1], followed by the numbered sources."]
    refusal: None = None
    annotations: tuple[AnnotationOut, ...] = Field(description="One for each source number that links to a page.")


FinishReason = Literal["stop", "length", "content_filter"]


class ChoiceOut(Model):
    index: Literal[0] = 0
    message: CompletionMessageOut
    logprobs: None = None
    finish_reason: FinishReason


class CompletionUsageOut(Model):
    """Of all chat model calls of the turn; zeros if there were none."""

    prompt_tokens: int
    completion_tokens: int
    total_tokens: int


class TurnAboutOut(Model):
    """Facts about the turn that have no place in OpenAI's API."""

    conversation_id: UUID
    answered_by: AnsweredBy
    confidence: float
    low_confidence: bool


class ChatCompletionOut(Model):
    id: str
    object: Literal["chat.completion"] = "chat.completion"
    created: int
    model: str = Field(description="The agent's id.")
    choices: tuple[ChoiceOut]
    usage: CompletionUsageOut
    docent: TurnAboutOut


class OpenAiModelOut(Model):
    id: str = Field(description="The agent's id.")
    object: Literal["model"] = "model"
    created: int
    owned_by: Literal["docent"] = "docent"
    name: str = Field(description="The agent's name, which can be used as a model name as well.")

    @classmethod
    def showing(cls, agent: LiveAgent, made_at: datetime) -> "OpenAiModelOut":
        return cls(id=str(agent.id), created=int(made_at.timestamp()), name=agent.config.name)


class OpenAiModelsOut(Model):
    object: Literal["list"] = "list"
    data: tuple[OpenAiModelOut, ...]


class OpenAiErrorDetails(Model):
    message: str
    type: Literal["invalid_request_error", "rate_limit_error", "server_error"]
    param: str | None
    code: str


class OpenAiErrorOut(Model):
    error: OpenAiErrorDetails


def chunk(about: dict[str, Any], delta: dict[str, Any], finish_reason: FinishReason | None = None) -> dict[str, Any]:
    """One chunk of a stream; `about` has the fields that all of them share."""
    choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish_reason}
    return {**about, "choices": [choice]}


# Our error codes and the names that OpenAI's clients expect for them.
_CODES: Final = {
    "unauthorized": "invalid_api_key",
    "not_found": "model_not_found",
    "rate_limited": "rate_limit_exceeded",
}


def openai_status(code: str) -> int:
    return 400 if code == "invalid_request" else STATUS_OF_CODE[code]


def openai_code(code: str) -> str:
    return _CODES.get(code, code)


def openai_error(problem: Problem) -> dict[str, object]:
    status = openai_status(problem.code)
    kind = "rate_limit_error" if status == 429 else "invalid_request_error" if status < 500 else "server_error"
    param = problem.field_name or ("model" if problem.code == "not_found" else None)
    error = {"message": problem.message, "type": kind, "param": param, "code": openai_code(problem.code)}
    return {"error": error}


def _response(problem: Problem) -> Response:
    headers = {"Cache-Control": "no-store", **problem.headers}
    return JSONResponse(openai_error(problem), openai_status(problem.code), headers)


OPENAI_REFUSALS: Final = RefusalShape(_response, openai_status, openai_code, OpenAiErrorOut)
