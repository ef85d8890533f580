"""Input and output of the visitor API."""

from datetime import date, datetime
from typing import Annotated, Literal
from uuid import UUID

from pydantic import AfterValidator, ConfigDict, Field

from app.agents.agent import AgentConfig, LiveAgent
from app.agents.signed_user import MAX_PROOF_CHARS, MAX_USER_ID_CHARS
from app.conversations.api.page_context import AnyPageContext
from app.conversations.conversation import MESSAGES_AT_ONCE, Role
from app.conversations.visitor_attributes import MAX_ATTRIBUTES, MAX_SIGNED_BYTES
from app.core.confirmation import ConfirmationState
from app.core.errors import InvalidInput
from app.core.field_rules import check_http_url, check_line
from app.core.turn import AnsweredBy, Finish
from app.web.model import Model
from app.web.proof_of_work import MAX_PROOF_CHARS as MAX_PROOF_OF_WORK_CHARS
from app.web.visitor_tokens import MAX_FILTER_BYTES

MAX_MESSAGE_CHARS = 4000
MAX_COMMENT_CHARS = 1000
_EXAMPLE_ID = "2f1c8a34-6c55-4b0e-9a3e-0d8f4f1f2a11"
_EXAMPLE_PAGE = "https://www.example.com/pricing"


def _http_url(url: str) -> str:
    try:
        check_http_url("", url)
    except InvalidInput as error:
        raise ValueError(str(error)) from None
    return url


def _one_line(text: str) -> str:
    try:
        check_line("", text, len(text))
    except InvalidInput as error:
        raise ValueError(str(error)) from None
    return text


def stripped_message(message: str) -> str:
    stripped = message.strip()
    if not stripped:
        raise ValueError("This is empty. Enter a question.")
    if len(stripped) > MAX_MESSAGE_CHARS:
        raise ValueError(f"This has {len(stripped)} characters. Use at most {MAX_MESSAGE_CHARS}.")
    return stripped


PageUrl = Annotated[
    str, AfterValidator(_http_url), Field(description="The http(s) address of the visitor's page.", max_length=2048)
]


UserId = Annotated[str, AfterValidator(_one_line), Field(min_length=1, max_length=MAX_USER_ID_CHARS)]


class InitIn(Model):
    model_config = ConfigDict(
        json_schema_extra={"examples": [{"agent_id": _EXAMPLE_ID, "page_url": _EXAMPLE_PAGE, "locale": "en"}]}
    )

    agent_id: UUID
    page_url: PageUrl
    anon_id: UUID | None = Field(default=None, description="The anonymous_id of an earlier init.")
    conversation_id: UUID | None = Field(
        default=None, description="One of the visitor's conversations, to go on with it in place of their latest."
    )
    new_conversation: bool = Field(default=False, description="Starts another in place of resuming the latest.")
    user_id: UserId | None = Field(
        default=None, description="Who the visitor is on the website, in place of anon_id; user_hash proves it."
    )
    user_hash: str | None = Field(
        default=None,
        max_length=MAX_PROOF_CHARS,
        description="HMAC-SHA256 of user_id by the agent's user secret, hexadecimal, made by the website's server; or "
        "a JSON Web Token of the agent's identity provider, whose sub is user_id.",
    )
    filter: str | None = Field(
        default=None,
        max_length=MAX_FILTER_BYTES,
        description="What answers may be made from: a JSON object as a text, with fields as in the filter of "
        "searchAgent. It narrows every turn of the token; filter_hash proves it.",
    )
    filter_hash: str | None = Field(
        default=None,
        max_length=64,
        description='HMAC-SHA256 of "filter", user_id (empty without one) and filter, joined by line feeds, by the '
        "agent's user secret, hexadecimal, made by the website's server.",
    )
    attributes: dict[str, str] = Field(
        default={},
        max_length=MAX_ATTRIBUTES,
        description="What the page says of the visitor, such as a plan: unproven, and shown as that.",
    )
    signed_attributes: str | None = Field(
        default=None,
        max_length=MAX_SIGNED_BYTES,
        description="The same by the website's server: a JSON object of texts as a text; attributes_hash proves it.",
    )
    attributes_hash: str | None = Field(
        default=None,
        max_length=64,
        description='HMAC-SHA256 of "attributes", user_id (empty without one) and signed_attributes, joined by line '
        "feeds, by the agent's user secret, hexadecimal, made by the website's server.",
    )
    locale: str | None = Field(default=None, max_length=100, description="What the page says of its language.")
    proof: str | None = Field(
        default=None,
        max_length=MAX_PROOF_OF_WORK_CHARS,
        description="The challenge of an earlier init with the number that it asks for, as JSON in Base64.",
    )


class ThemeOut(Model):
    primary_color: str | None
    radius: int | None = Field(description="Pixels.")
    position: str
    launcher_label: str | None
    launcher_icon: str
    opens_wide: bool = Field(description="Whether the panel is wide until the visitor says otherwise.")
    greeting: str | None
    picture: str | None = Field(description="The agent's picture is at /widget/pictures/{agent_id}/{picture}.webp.")
    picture_alt: str | None


class FallbackOut(Model):
    """What to offer if the site has no clear answer."""

    url: str | None = Field(description="https:, mailto: or tel:.")
    label: str | None = Field(description="A text, never HTML.")
    form: bool = Field(description="Whether a message may be left: leaveLead.")
    consent: str | None = Field(description="What its writer agrees to; a text, never HTML.")


class DisclosureOut(Model):
    """Information that every visitor must get before the first question (Regulation (EU) 2024/1689, Art. 50)."""

    is_ai_system: Literal[True] = Field(
        default=True, description="Answers are written automatically by an AI system. Whoever shows them has to say so."
    )
    text: str | None = Field(
        description="In the operator's words, a text, never HTML; null: in the client's own words."
    )


class PublicAgentOut(Model):
    """What anyone may know about an agent."""

    id: UUID
    name: str
    persona: str
    theme: ThemeOut
    disclosure: DisclosureOut
    fallback: FallbackOut
    live_chat: bool = Field(description="Whether a person may be asked for now, by the opening hours: askForPerson.")
    live_pictures: bool = Field(description="Whether pictures may be sent while a person talks: sendOwnPicture.")
    people_from: datetime | None = Field(
        description="When a person may next be asked for; null while one may be, or where the agent offers none."
    )
    people_until: datetime | None = Field(
        description="Until when a person may be asked for; null where that has no end, or where none may be now."
    )
    starter_prompts: tuple[str, ...]
    language: str | None

    @classmethod
    def of(cls, agent: LiveAgent, now: datetime, language: str) -> "PublicAgentOut":
        """`language` is that of the visitor's interface, a primary subtag."""
        config = agent.config.in_language(language)
        opens = config.people_come_at(now) if config.live_chat else None
        return super().of(
            config,
            id=agent.id,
            theme=_theme(config),
            disclosure=DisclosureOut(text=config.ai_notice),
            live_chat=config.live_chat and opens is None,
            live_pictures=config.live_chat and config.live_pictures,
            people_from=opens,
            people_until=config.people_go_at(now) if config.live_chat else None,
        )


class CitationOut(Model):
    id: int
    url: str
    title: str
    as_of: date | None
    quote: str | None = Field(
        description="The words of the page that the answer rests on, with newlines between blocks and tabs between "
        "cells; null where none were found."
    )
    passage: str | None = Field(
        description="What else stands there that may answer, and is not quoted, in the same form; null where nothing "
        "is known to. An answer by a model has none."
    )
    link: str = Field(description="The URL that opens the page at these words, by a text fragment.")


class ShownValueOut(Model):
    name: str
    label: str = Field(description="The operator's word for it.")
    value: str = Field(description="As it is sent. A text, never HTML.")


class ConfirmationOut(Model):
    """A change that an answer proposes. It is only made once the visitor has confirmed it."""

    id: UUID
    turn_id: UUID
    title: str
    summary: str = Field(description="What the visitor is asked, by the operator's template. A text, never HTML.")
    values: tuple[ShownValueOut, ...] = Field(description="All that the model has given, to be shown beside it.")
    state: ConfirmationState = Field(
        description="confirmed: the call is under way; void: something else was proposed since, or the operator has "
        "changed the action; unknown: it was called, and nobody knows whether it was done."
    )
    text: str = Field(description="What came of it, by the operator's template; empty: tell the state in your words.")
    expires_at: datetime


class MessageOut(Model):
    id: UUID
    turn_id: UUID
    role: Role
    text: str
    created_at: datetime
    citations: tuple[CitationOut, ...]
    answered_by: AnsweredBy | None
    low_confidence: bool
    next_questions: tuple[str, ...] = Field(description="Offered below the answer, at most three.")
    rating: Literal["up", "down"] | None = Field(description="What the visitor has said of the answer.")
    confirmation: ConfirmationOut | None = Field(description="What the answer asks the visitor to confirm.")


class ChallengeOut(Model):
    """A puzzle by ALTCHA's protocol, version 1. Its answer is these fields with `number`, as JSON in Base64."""

    algorithm: Literal["SHA-256"]
    challenge: str = Field(description="SHA-256 of the salt and the number in decimal digits, hexadecimal.")
    maxnumber: int = Field(description="The number is not above it.")
    salt: str
    signature: str


class InitOut(Model):
    conversation_id: UUID
    visitor_id: UUID
    anonymous_id: UUID | None = Field(description="For the browser to keep; null for a signed user.")
    token: str = Field(description="Bearer token of the calls that follow; init renews it.")
    expires_at: datetime
    agent: PublicAgentOut
    messages: tuple[MessageOut, ...] = Field(
        description=f"The latest {MESSAGES_AT_ONCE} at most, when the conversation was resumed."
    )
    has_earlier: bool = Field(description="Whether listMessages has some before them.")
    challenge: ChallengeOut | None = Field(
        description="What a question that is refused as proof_wanted asks for; null where the agent never does."
    )
    proof_refused: str | None = Field(description="Why the proof that was sent was not taken; null where it was.")


class QuestionIn(Model):
    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {"turn_id": _EXAMPLE_ID, "message": "What does the team plan cost?", "page_url": _EXAMPLE_PAGE}
            ]
        }
    )

    turn_id: UUID = Field(description="Made by the client: sending it again joins the same turn.")
    message: Annotated[
        str,
        AfterValidator(stripped_message),
        Field(description=f"1 to {MAX_MESSAGE_CHARS} characters.", min_length=1),
    ]
    page_url: PageUrl
    page_context: AnyPageContext | None = Field(
        default=None, description="What the page says of itself, at most 8 KB; a text stands for its own flattening."
    )


class AnswerOut(Model):
    turn_id: UUID
    conversation_id: UUID
    message_id: UUID
    answer: str
    citations: tuple[CitationOut, ...]
    answered_by: AnsweredBy
    low_confidence: bool
    confidence: float
    finish: Finish
    next_questions: tuple[str, ...] = Field(description="To offer below the answer, at most three.")
    confirmation: ConfirmationOut | None = Field(
        default=None, description="A change that the answer proposes: decideConfirmation makes it, or does not."
    )


class FeedbackIn(Model):
    model_config = ConfigDict(json_schema_extra={"examples": [{"rating": "down", "comment": "This is outdated."}]})

    rating: Literal["up", "down"]
    comment: str = Field(default="", max_length=MAX_COMMENT_CHARS)


class MessagesQuery(Model):
    before: UUID | None = Field(
        default=None, description="The turn_id of the oldest message at hand, for those of the turns before it."
    )


class MessagesOut(Model):
    messages: tuple[MessageOut, ...] = Field(description="Of whole turns, oldest first.")
    has_earlier: bool = Field(description="Whether there are some before them.")


class OwnConversationOut(Model):
    """One of the visitor's own conversations."""

    id: UUID
    first_question: str
    created_at: datetime
    last_active_at: datetime


def _theme(config: AgentConfig) -> ThemeOut:
    theme = config.theme
    return ThemeOut.of(theme, radius=theme.radius_px, picture=theme.picture_fingerprint)
