"""Input and output of the visitor API."""

import json
import unicodedata
from datetime import datetime
from typing import Annotated, Any, Final, Literal
from uuid import UUID

from pydantic import AfterValidator, Discriminator, Field, Tag

from app.agents.agent import LiveAgent
from app.agents.signed_user import MAX_PROOF_CHARS, MAX_USER_ID_CHARS
from app.agents.widget_settings import Theme
from app.conversations.conversation import MESSAGES_AT_ONCE, Conversation, Message
from app.conversations.visitor_facts import MAX_ATTRIBUTES, MAX_SIGNED_BYTES
from app.core.confirmation import Confirmation, ShownValue
from app.core.errors import InvalidInput
from app.core.field_rules import MAX_QUESTION_CHARS, check_http_url, check_line
from app.core.setting import at_most
from app.core.turn import Citation, Finish
from app.core.turn_events import Done
from app.web.model import Model, example
from app.web.proof_of_work import MAX_PROOF_CHARS as MAX_PROOF_OF_WORK_CHARS
from app.web.proof_of_work import Challenge
from app.web.visitor_tokens import MAX_FILTER_BYTES

MAX_COMMENT_CHARS = 1000
MAX_CONTEXT_BYTES = 8192
CONTEXT: Final = at_most(MAX_CONTEXT_BYTES)
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
    if len(stripped) > MAX_QUESTION_CHARS:
        raise ValueError(f"This has {len(stripped)} characters. Use at most {MAX_QUESTION_CHARS}.")
    return stripped


PageUrl = Annotated[
    str,
    AfterValidator(_http_url),
    Field(description="The URL of the page that the visitor is viewing.", max_length=2048),
]


UserId = Annotated[str, AfterValidator(_one_line), Field(min_length=1, max_length=MAX_USER_ID_CHARS)]


@example(agent_id=_EXAMPLE_ID, page_url=_EXAMPLE_PAGE, locale="en")
class InitIn(Model):
    agent_id: UUID
    page_url: PageUrl
    anon_id: UUID | None = Field(default=None, description="The anonymous_id from an earlier init.")
    conversation_id: Annotated[UUID | None, "The visitor's conversation to resume, instead of their latest."] = None
    new_conversation: Annotated[bool, "Start a new conversation instead of resuming the latest."] = False
    user_id: UserId | None = Field(
        default=None, description="The visitor's id on the website, instead of anon_id. It requires user_hash."
    )
    user_hash: str | None = Field(
        default=None,
        max_length=MAX_PROOF_CHARS,
        description="HMAC-SHA256 of user_id with the agent's user secret, in hexadecimal, computed by the website's "
        "server; or a JSON Web Token from the agent's identity provider whose `sub` is user_id.",
    )
    filter: str | None = Field(
        default=None,
        max_length=MAX_FILTER_BYTES,
        description="Restricts what answers may use: a JSON object as a string, with the fields of the filter of "
        "searchAgent. It applies to every turn of the token and requires filter_hash.",
    )
    filter_hash: str | None = Field(
        default=None,
        max_length=64,
        description='HMAC-SHA256 of "filter", user_id (empty without one) and filter, joined by line feeds, with the '
        "agent's user secret, in hexadecimal, computed by the website's server.",
    )
    attributes: dict[str, str] = Field(
        default={},
        max_length=MAX_ATTRIBUTES,
        description="What the page says about the visitor, such as a plan. It is not verified, and is shown as such.",
    )
    signed_attributes: str | None = Field(
        default=None,
        max_length=MAX_SIGNED_BYTES,
        description="Verified attributes from the website's server: a JSON object of strings, as a string. It "
        "requires attributes_hash.",
    )
    attributes_hash: str | None = Field(
        default=None,
        max_length=64,
        description='HMAC-SHA256 of "attributes", user_id (empty without one) and signed_attributes, joined by line '
        "feeds, with the agent's user secret, in hexadecimal, computed by the website's server.",
    )
    locale: str | None = Field(default=None, max_length=100, description="The language of the page.")
    proof: str | None = Field(
        default=None,
        max_length=MAX_PROOF_OF_WORK_CHARS,
        description="The challenge from an earlier init together with the number that solves it, as JSON in Base64.",
    )


class ThemeOut(
    Model,
    shows=Theme,
    fields="primary_color radius=radius_px position launcher_label launcher_icon opens_wide greeting "
    "picture=picture_fingerprint picture_alt",
):
    radius: Annotated[int | None, "In pixels."]
    opens_wide: Annotated[bool, "Whether the panel is wide until the visitor changes it."]
    picture: Annotated[str | None, "The agent's picture is at /widget/pictures/{agent_id}/{picture}.webp."]


class FallbackOut(Model):
    """What to offer when the site has no clear answer."""

    url: str | None = Field(description="A URL that begins with https:, mailto: or tel:.")
    label: str | None = Field(description="Plain text, never HTML.")
    form: bool = Field(description="Whether visitors can leave a message: leaveLead.")
    consent: str | None = Field(description="What visitors agree to when they leave a message. Plain text, never HTML.")


class DisclosureOut(Model):
    """Information that every visitor must get before the first question (Regulation (EU) 2024/1689, Art. 50)."""

    is_ai_system: Literal[True] = Field(
        default=True, description="Answers are written automatically by an AI system. Clients must tell the visitor."
    )
    text: Annotated[str | None, "The operator's words: plain text, never HTML. Null: use the client's own words."]


class PublicAgentOut(Model):
    """The public facts about an agent."""

    id: UUID
    name: str
    persona: str
    theme: ThemeOut
    disclosure: DisclosureOut
    fallback: FallbackOut
    live_chat: bool = Field(
        description="Whether visitors can ask for a person now, according to the opening hours: askForPerson."
    )
    live_pictures: Annotated[bool, "Whether visitors can send pictures while they talk to a person: sendOwnPicture."]
    people_from: datetime | None = Field(
        description="When visitors can next ask for a person; null if they can now, or if the agent does not offer it."
    )
    people_until: datetime | None = Field(
        description="Until when visitors can ask for a person; null if there is no end, or if they cannot now."
    )
    starter_prompts: tuple[str, ...]
    language: str | None
    is_paused: bool = Field(description="Whether questions are refused for now, with 409 agent_paused.")

    @classmethod
    def showing(cls, agent: LiveAgent, now: datetime, language: str) -> "PublicAgentOut":
        """`language` is that of the visitor's interface, a primary subtag."""
        config = agent.config.in_language(language)
        opens = config.people_come_at(now) if config.live_chat else None
        return super().showing(
            config,
            id=agent.id,
            disclosure=DisclosureOut(text=config.ai_notice),
            live_chat=config.live_chat and opens is None,
            live_pictures=config.live_chat and config.live_pictures,
            people_from=opens,
            people_until=config.people_go_at(now) if config.live_chat else None,
            starter_prompts=() if agent.is_paused else config.starter_prompts,
            is_paused=agent.is_paused,
        )


class CitationOut(Model, shows=Citation, fields="id url title as_of quote passage link"):
    id: int
    url: str
    title: str


class ShownValueOut(Model, shows=ShownValue, fields="name label value"): ...


class ConfirmationOut(Model, shows=Confirmation, fields="id turn_id title summary values state text expires_at"):
    """A change that an answer proposes. It is made only after the visitor has confirmed it."""


class MessageOut(
    Model,
    shows=Message,
    fields="id turn_id role text created_at citations answered_by low_confidence finish error_code next_questions "
    "rating confirmation",
): ...


class ChallengeOut(Model, shows=Challenge, fields="algorithm challenge maxnumber salt signature"):
    """A challenge of ALTCHA's protocol, version 1. Its solution is these fields with `number`, as JSON in Base64."""

    algorithm: Literal["SHA-256"]


class InitOut(Model):
    conversation_id: UUID
    visitor_id: UUID
    anonymous_id: UUID | None = Field(description="To be stored by the browser; null for a signed user.")
    token: str = Field(description="The bearer token for the calls that follow; init renews it.")
    expires_at: datetime
    agent: PublicAgentOut
    messages: tuple[MessageOut, ...] = Field(
        description=f"The latest messages of a resumed conversation, at most {MESSAGES_AT_ONCE}."
    )
    has_earlier: bool = Field(description="Whether listMessages has earlier messages.")
    challenge: ChallengeOut | None = Field(
        description="The challenge to solve if a question is refused with proof_wanted; null if the agent requires "
        "no proof."
    )
    proof_refused: str | None = Field(description="Why the proof was refused; null if it was accepted.")


# Untrusted, like everything from a browser.
@example(title="Pricing", description="What it costs.", headings=["Team plan"])
class PageContext(Model):
    """The allow-listed parts of a page."""

    title: Annotated[str, CONTEXT] = ""
    description: Annotated[str, CONTEXT] = ""
    og: dict[str, str] = Field(default_factory=dict, description="Open Graph properties by name.")
    json_ld: list[Any] | dict[str, Any] = Field(default_factory=list, description="The page's JSON-LD.")
    headings: tuple[str, ...] = ()
    text: Annotated[str, CONTEXT, "The text of the main content."] = ""


# The context comes as an object, or as text that the widget made of it.
AnyPageContext = Annotated[
    Annotated[PageContext, Tag("as-object")] | Annotated[str, Tag("as-text")],
    Discriminator(lambda value: "as-text" if isinstance(value, str) else "as-object"),
]


@example(turn_id=_EXAMPLE_ID, message="What does the team plan cost?", page_url=_EXAMPLE_PAGE)
class QuestionIn(Model):
    turn_id: UUID = Field(description="Generated by the client. Sending it again joins the same turn.")
    message: Annotated[
        str,
        AfterValidator(stripped_message),
        Field(description=f"1 to {MAX_QUESTION_CHARS} characters.", min_length=1),
    ]
    page_url: PageUrl
    page_context: AnyPageContext | None = Field(
        default=None, description="What the page says about itself, at most 8 KB; plain text is accepted as well."
    )


class AnswerOut(
    Model,
    shows=Done,
    fields="turn_id conversation_id message_id answer citations answered_by low_confidence confidence finish "
    "next_questions confirmation",
):
    turn_id: UUID
    conversation_id: UUID
    answer: str
    citations: tuple[CitationOut, ...]
    finish: Finish
    confirmation: ConfirmationOut | None = Field(
        default=None, description="A change that the answer proposes: decideConfirmation confirms or declines it."
    )


@example(rating="down", comment="This is outdated.")
class FeedbackIn(Model):
    rating: Literal["up", "down"]
    comment: str = Field(default="", max_length=MAX_COMMENT_CHARS)


class MessagesQuery(Model):
    before: UUID | None = Field(
        default=None, description="The turn_id of the earliest message that you have, to get the turns before it."
    )


class MessagesOut(Model):
    messages: tuple[MessageOut, ...] = Field(description="Whole turns, oldest first.")
    has_earlier: bool = Field(description="Whether there are earlier messages.")


class OwnConversationOut(Model, shows=Conversation, fields="id first_question created_at last_active_at"):
    """One of the visitor's own conversations."""


def flattened(context: PageContext | str | None) -> str:
    """The context as one text, independent of the order of its keys. Raises InvalidInput above 8 KB."""
    text = _plain(context if isinstance(context, str) else _joined(context or PageContext()))
    size = len(text.encode())
    if size > MAX_CONTEXT_BYTES:
        raise InvalidInput("page_context", f"This has {size} bytes. Use at most {MAX_CONTEXT_BYTES}.")
    return text


def _joined(context: PageContext) -> str:
    parts = [context.title, context.description]
    parts += [f"{name}: {value}" for name, value in sorted(context.og.items())]
    parts += context.headings
    parts.append(context.text)
    if context.json_ld:
        parts.append(json.dumps(context.json_ld, sort_keys=True, ensure_ascii=False, separators=(",", ":")))
    return "\n".join(part.strip() for part in parts if part.strip())


def _plain(text: str) -> str:
    """Without control characters, which no page shows."""
    return "".join(c for c in text if c in "\n\t" or unicodedata.category(c) != "Cc").strip()
