"""An agent's settings, with their defaults, and its published versions."""

import hashlib
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from typing import Final, Literal
from uuid import UUID
from zoneinfo import ZoneInfo

from app.agents.opening_hours import closes_at, opens_at
from app.agents.retrieval_settings import RetrievalSettings

LAUNCHER_ICONS: Final = ("chat", "help", "spark", "picture")


class PublishGate(StrEnum):
    """What publishing does if the draft would lose golden questions."""

    OFF = "off"  # they are not asked
    WARN = "warn"  # they are named
    REFUSE = "refuse"  # the draft is not published


class Quarantine(StrEnum):
    """What happens to pages with findings: nothing is checked, they are listed, or they also wait for an operator."""

    OFF = "off"
    FLAG = "flag"
    HOLD = "hold"


class ContextKind(StrEnum):
    """What precedes a chunk for embedding and keyword indexing."""

    STRUCTURAL = "structural"  # one line: site, page, headings
    MODEL = "model"  # that line, and a sentence or two about the chunk from the chat model


class OnDisconnect(StrEnum):
    """What happens to an answer that nobody reads any more."""

    FINISH = "finish"  # it is written to its end, and waits for the visitor
    STOP = "stop"  # after a grace period; what was written is kept


class ProofWanted(StrEnum):
    """When a browser must prove work before its questions are accepted."""

    OFF = "off"
    SUSPICIOUS = "suspicious"  # while it or its network sends more than people do
    ALWAYS = "always"


class AnswerCheck(StrEnum):
    """What happens to a sentence of the chat model that is not in the sources."""

    OFF = "off"  # nothing is checked
    MARK = "mark"  # it is marked as not confirmed by the sources
    WITHHOLD = "withhold"  # it is left out


@dataclass(frozen=True, slots=True)
class Theme:
    """The widget's appearance. Colours are "#rrggbb"; None leaves the widget's own default. `picture` is a small WebP
    in base64, shown in the panel's header, and on the launcher if its icon is "picture"; `picture_alt` describes it, if
    that says more than the agent's name beside it."""

    primary_color: str | None = None
    radius_px: int | None = None
    position: str = "right"  # right | left
    launcher_label: str | None = None
    launcher_icon: str = "chat"  # one of LAUNCHER_ICONS
    opens_itself: bool = False  # on every page, without taking the focus
    opens_wide: bool = False  # until the visitor changes it
    greeting: str | None = None
    picture: str | None = field(default=None, repr=False)
    picture_alt: str | None = None

    @property
    def picture_fingerprint(self) -> str | None:
        """Part of the picture's address, which changes with its bytes."""
        return None if self.picture is None else hashlib.sha256(self.picture.encode("ascii")).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class Fallback:
    """What a visitor is offered if the site had no clear answer: a link (https, mailto or tel), a form whose messages
    are stored as leads, or both. Without a `label`, or the `consent` that the form's writer gives, the widget uses its
    own words."""

    url: str | None = None
    label: str | None = None
    form: bool = False
    consent: str | None = None


@dataclass(frozen=True, slots=True)
class Invitation:
    """A short message that the closed widget shows by itself, once per visitor: on pages whose whole path and query
    match one of `pages`, where `*` is any run of characters (on every page without patterns), after that many seconds.
    A tap on it opens the panel and asks `question`, if there is one. Browsers remember by its `name` that it was shown.
    """

    name: str
    text: str
    question: str | None = None
    pages: tuple[str, ...] = ()
    after_seconds: int = 10


@dataclass(frozen=True, slots=True)
class InvitationText:
    """The invitation of that name in another language."""

    name: str
    text: str
    question: str | None = None


@dataclass(frozen=True, slots=True)
class Translation:
    """The first texts for visitors in one language (a BCP 47 primary subtag); missing ones are as for all languages."""

    language: str
    greeting: str | None = None
    ai_notice: str | None = None
    starter_prompts: tuple[str, ...] = ()
    invitations: tuple[InvitationText, ...] = ()

    def of_invitation(self, given: Invitation) -> Invitation:
        told = next((each for each in self.invitations if each.name == given.name), None)
        return replace(given, text=told.text, question=told.question or given.question) if told else given


@dataclass(frozen=True, slots=True)
class AgentConfig:
    """Everything an operator sets. A published copy of this, immutable, is an agent version.

    `language` is a BCP 47 primary subtag that pins the answer's language, or None to follow the question.
    `confidence_threshold` lies in [0, 1] on the calibrated scale of `confidence.py`.
    `contextual_chunks` applies to pages that are learnt from now on, and to all of them after a re-index.
    `disconnect_grace_seconds` counts from the moment when the last reader of an answer has left; a new reader ends it.
    `answer_check`: what happens to sentences of the chat model that no source supports.
    `next_questions`: answers offer up to three further questions that the pages answer.
    `quarantine` applies to pages that are learnt from now on.
    `ai_notice` is the notice to visitors, shown at first, that an AI system writes the answers automatically
    (Regulation (EU) 2024/1689, Art. 50). None means the widget's own words, in its languages; it cannot be empty.
    `translations` are the theme's greeting, `ai_notice`, `starter_prompts` and `invitations` in other languages.
    `invitations`: messages that the closed widget shows by itself; the first one that fits the page.
    `open_to_programs`: whoever can reach the server may ask by MCP without a token.
    `live_chat`: visitors may ask for a person, and operators may take conversations over.
    `live_pictures`: visitors and operators may send each other pictures there.
    `opening_hours` are when visitors may ask for a person, each like "mon-fri 09:00-17:00" in `time_zone` (IANA);
    always if there are none.
    `visitor_device`: new conversations store the kind of device, system and browser of the visitor.
    `retention_days` is how long visitors' questions and answers are stored.
    `daily_tokens` is the number of tokens that the chat model may read and write for visitors in a day (UTC), None
    without a limit.
    `publish_gate`: what publishing does if the draft would lose golden questions.
    `allowed_origins` are "scheme://host[:port]" or "scheme://*.host"; an empty list admits nobody.
    """

    name: str
    persona: str = "You are a helpful, precise assistant for the visitors of this website."
    tone: str = "friendly and plain"
    avoid_topics: tuple[str, ...] = ()
    max_answer_chars: int = 1500
    custom_prompt: str = ""
    language: str | None = None
    confidence_threshold: float = 0.25
    allowed_origins: tuple[str, ...] = ()
    allowed_link_hosts: tuple[str, ...] = ()
    theme: Theme = field(default_factory=Theme)
    fallback: Fallback = field(default_factory=Fallback)
    live_chat: bool = False
    live_pictures: bool = False
    opening_hours: tuple[str, ...] = ()
    time_zone: str = "UTC"
    open_to_programs: bool = False
    prompt_attributes: tuple[str, ...] = ()
    filter_attributes: tuple[str, ...] = ()
    starter_prompts: tuple[str, ...] = ()
    ai_notice: str | None = None
    translations: tuple[Translation, ...] = ()
    invitations: tuple[Invitation, ...] = ()
    contextual_chunks: ContextKind = ContextKind.STRUCTURAL
    on_disconnect: OnDisconnect = OnDisconnect.FINISH
    disconnect_grace_seconds: int = 10
    retention_days: int = 180
    visitor_device: bool = False
    daily_tokens: int | None = None
    proof_of_work: ProofWanted = ProofWanted.OFF
    publish_gate: PublishGate = PublishGate.WARN
    quarantine: Quarantine = Quarantine.FLAG
    answer_check: AnswerCheck = AnswerCheck.MARK
    next_questions: bool = True
    retrieval: RetrievalSettings = field(default_factory=RetrievalSettings)

    def in_language(self, language: str) -> "AgentConfig":
        """With the texts of that language, as far as there are any."""
        told = next((each for each in self.translations if each.language == language), Translation(language))
        return replace(
            self,
            theme=replace(self.theme, greeting=told.greeting or self.theme.greeting),
            ai_notice=told.ai_notice or self.ai_notice,
            starter_prompts=told.starter_prompts or self.starter_prompts,
            invitations=tuple(map(told.of_invitation, self.invitations)),
        )

    def people_come_at(self, now: datetime) -> datetime | None:
        """None while visitors may ask for a person, by the opening hours; else when they next may."""
        return opens_at(self.opening_hours, ZoneInfo(self.time_zone), now)

    def people_go_at(self, now: datetime) -> datetime | None:
        """Until when visitors may ask for a person; None if there is no end, or if they may not now."""
        return closes_at(self.opening_hours, ZoneInfo(self.time_zone), now)


Version = Literal["live", "draft"]  # with whose settings an operator asks an agent


@dataclass(frozen=True, slots=True)
class Agent:
    """An agent as its operator sees it. `live_version` is None until the first publish; `generation` rises whenever the
    knowledge that the agent may answer from changes."""

    id: UUID
    workspace_id: UUID
    draft: AgentConfig
    live_version: int | None
    generation: int
    created_at: datetime
    updated_at: datetime

    @property
    def versions(self) -> tuple[Version, ...]:
        """The versions that can be asked: its draft, and the published one if there is one."""
        return ("draft",) if self.live_version is None else ("draft", "live")


@dataclass(frozen=True, slots=True)
class AgentVersion:
    """One published configuration. `number` counts from 1 within the agent."""

    agent_id: UUID
    number: int
    config: AgentConfig
    published_at: datetime


@dataclass(frozen=True, slots=True)
class LiveAgent:
    """What answers visitors: an agent's published configuration and the generation of its knowledge. `version` is 0 if
    an operator asks the draft."""

    id: UUID
    workspace_id: UUID
    version: int
    generation: int
    config: AgentConfig
