"""An agent's settings, with their defaults, and its published versions."""

from dataclasses import MISSING, dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Literal
from uuid import UUID
from zoneinfo import ZoneInfo

from app.agents.agent_choices import ContextKind, OnDisconnect, ProofWanted, PublishGate, Quarantine
from app.agents.opening_hours import MAX_LINES, closes_at, opens_at
from app.agents.retrieval_settings import RetrievalSettings
from app.agents.widget_settings import Fallback, Group, Invitation, Theme, Translation
from app.core.field_rules import MAX_ZONE_CHARS
from app.core.setting import at_most, setting


class AnswerCheck(StrEnum):
    """What happens to a sentence of the chat model that is not in the sources."""

    OFF = "off"  # nothing is checked
    MARK = "mark"  # it is marked as not confirmed by the sources
    WITHHOLD = "withhold"  # it is left out
    QUOTE = "quote"  # it is marked, or the pages are quoted instead of an answer whose first statement is not proven


@dataclass(frozen=True, slots=True)
class AgentConfig:
    """Everything an operator sets. A published copy of this, immutable, is an agent version."""

    name: str = setting(
        MISSING, label="Name", meaning="Shown to visitors.", group=Group.IDENTITY, most=100, is_required=True
    )
    persona: str = setting(
        "You are a helpful, precise assistant for the visitors of this website.",
        label="Persona",
        meaning="Instructions for the chat model, if you use one.",
        group=Group.IDENTITY,
        most=2000,
        rows=3,
    )
    tone: str = setting("friendly and plain", label="Tone of the chat model", group=Group.IDENTITY, most=200, rows=2)
    language: str | None = setting(
        None,
        label="Language",
        meaning='A language code, such as "en"; null: the language of the question.',
        hint="For example, en or de. Leave blank to answer in the question's language.",
        group=Group.IDENTITY,
        most=3,
    )
    max_answer_chars: int = setting(
        1500, label="Maximum answer length, in characters", group=Group.IDENTITY, between=(100, 20_000)
    )
    avoid_topics: tuple[str, ...] = setting(
        (), label="Topics to avoid", meaning="One per line.", group=Group.IDENTITY, most=50, most_each=200
    )
    prompt_attributes: tuple[str, ...] = setting(
        (),
        label="Visitor attributes for the chat model",
        meaning="Names of the visitor's attributes that are passed to the chat model.",
        hint="Names of attributes your website sends, one per line. The model sees which ones are signed.",
        group=Group.IDENTITY,
        most=20,
        most_each=64,
    )
    filter_attributes: tuple[str, ...] = setting(
        (),
        label="Visitor attributes that filter pages",
        meaning="Names of the visitor's attributes that pages must have as well. Only signed attributes count.",
        hint="Names of signed attributes, one per line. A visitor gets answers only from pages with the same values.",
        group=Group.IDENTITY,
        most=20,
        most_each=64,
    )
    chat_model: str = setting(
        "",
        label="Chat model",
        meaning="A further chat model of the installation (DOCENT_MODELS); empty: the usual one; none: quotations.",
        hint="A model that your installation offers. Leave blank for its usual one. Enter none to quote the pages.",
        group=Group.IDENTITY,
        most=100,
    )
    custom_prompt: str = setting(
        "",
        label="Your own rules",
        meaning="Added to Docent's rules for the chat model, which still apply.",
        group=Group.IDENTITY,
        most=8000,
        rows=4,
    )
    confidence_threshold: float = setting(
        0.25,
        label="Threshold, in percent",
        meaning="The confidence that a passage needs to be answered from.",
        hint="The confidence an answer needs. Below it, the agent says it does not know and the question becomes a "
        "gap. A lower threshold answers more questions, but more of the answers are wrong.",
        group=Group.CONFIDENCE,
        between=(0, 1),
        is_share=True,
    )
    ask_back: bool = setting(
        True,
        label="Ask back what is meant",
        meaning="Where several products, plans, versions or places answer about equally well and the question names "
        "none of them, the agent asks which is meant. Needs retrieval.follow_ups.",
        group=Group.CONFIDENCE,
    )
    publish_gate: PublishGate = setting(
        PublishGate.WARN,
        label="Before publishing",
        meaning="What publishing does if the draft would lose golden questions: nothing (off), list them (warn), or "
        "refuse (refuse).",
        group=Group.CONFIDENCE,
        words={
            PublishGate.OFF: "Do not run golden questions",
            PublishGate.WARN: "Run golden questions and warn about losses",
            PublishGate.REFUSE: "Refuse a draft that loses golden questions",
        },
    )

    live_chat: bool = setting(
        False,
        label="Let visitors ask for a person",
        meaning="Lets visitors ask for a person, and operators take over conversations: see listLiveChats.",
        hint="They appear on the Live page, where you take over the conversation. After two minutes without an answer, "
        "they are offered the form.",
        group=Group.PEOPLE,
    )
    live_pictures: bool = setting(
        False,
        label="Allow pictures in live chats",
        meaning="Lets visitors and operators send each other pictures in a live chat: see sendPicture.",
        hint="Pictures are re-encoded without metadata and deleted with the conversation.",
        group=Group.PEOPLE,
    )
    opening_hours: tuple[str, ...] = setting(
        (),
        label="Opening hours",
        meaning='When a person may be asked for, as "mon-fri 09:00-17:00"; else `fallback` is offered. Empty: always.',
        hint="One per line, such as mon-fri 09:00-17:00. Leave blank for always. At other times, visitors are offered "
        "the form or the link.",
        group=Group.PEOPLE,
        most=MAX_LINES,
    )
    time_zone: str = setting(
        "UTC",
        label="Time zone",
        meaning="The time zone of opening_hours.",
        hint="Of the opening hours. For example, Europe/Berlin.",
        group=Group.PEOPLE,
        most=MAX_ZONE_CHARS,
        is_required=True,
    )
    open_to_programs: bool = setting(
        False,
        label="Let programs ask without a token",
        meaning="Lets anyone who can reach the server ask over MCP without a token, with the limits of visitors.",
        hint="For assistants that use the Model Context Protocol, at /mcp/ and the agent's id. Programs with an API "
        "token can always ask.",
        group=Group.PEOPLE,
    )
    fallback: Fallback = field(default_factory=Fallback)

    allowed_origins: tuple[str, ...] = setting(
        (),
        label="Websites",
        meaning='Origins that may embed the widget, such as "https://www.example.com", or "https://*.example.com" for '
        "one more label. Empty: none.",
        hint="One per line, such as https://www.example.com or https://*.example.com. The widget works only on these.",
        group=Group.WEBSITES,
        most=100,
        rows=3,
    )
    allowed_link_hosts: tuple[str, ...] = setting(
        (),
        label="Other hosts answers may link to",
        meaning="Pages in the sources are always allowed.",
        hint="One per line. Pages in your sources, and links within text that is quoted, are always allowed.",
        group=Group.WEBSITES,
        most=100,
    )

    theme: Theme = field(default_factory=Theme)
    ai_notice: str | None = setting(
        None,
        label="Notice that an AI system answers",
        meaning="The notice that visitors see before they ask: an AI system writes the answers automatically (EU AI "
        "Act, Art. 50). Null: the widget's own words, in its languages. The notice cannot be removed.",
        hint="Blank: the widget's text, in the visitor's language. Visitors always see one (EU AI Act, Art. 50).",
        group=Group.APPEARANCE,
        most=300,
    )
    starter_prompts: tuple[str, ...] = setting(
        (),
        label="Starter questions",
        meaning="Questions that the open panel offers.",
        hint="Offered by the open panel, one per line.",
        group=Group.APPEARANCE,
        most=8,
        most_each=200,
        rows=3,
    )
    next_questions: bool = setting(
        True,
        label="Suggest further questions below answers",
        meaning="Adds up to three further questions to an answer: headings of the pages that it cites, starter "
        "prompts, and golden questions that an operator wrote. Each is offered only if search finds it answered.",
        group=Group.APPEARANCE,
    )
    translations: Annotated[tuple[Translation, ...], at_most(40)] = ()
    invitations: Annotated[tuple[Invitation, ...], at_most(5)] = ()

    answer_check: AnswerCheck = setting(
        AnswerCheck.QUOTE,
        label="Sentences the sources do not confirm",
        meaning="What happens to a sentence of the chat model whose numbers, dates, prices, versions, names or code "
        "are not in the sources that it cites, or whose meaning is far from them: it is not checked (off), it is "
        "marked (mark), or it is removed (withhold). With quote, an answer is shown once its first statement is "
        "proven; if it is not, visitors get a quotation of the pages if that is likelier, and else the marked answer.",
        hint="Docent checks the chat model's numbers, dates, prices, versions, names and code against its sources.",
        group=Group.SAFETY,
        words={
            AnswerCheck.OFF: "Show without checking",
            AnswerCheck.MARK: "Show and mark as unconfirmed",
            AnswerCheck.WITHHOLD: "Leave out",
            AnswerCheck.QUOTE: "Quote the pages instead",
        },
    )
    quarantine: Quarantine = setting(
        Quarantine.FLAG,
        label="Pages that read like instructions to an assistant",
        meaning="What happens to pages that contain text like instructions to an assistant: nothing (off), they are "
        "listed (flag), or their new text also waits until an operator releases it (hold).",
        hint="Applies to pages read after you publish.",
        group=Group.SAFETY,
        words={
            Quarantine.OFF: "Index without checking",
            Quarantine.FLAG: "Index and list in quarantine",
            Quarantine.HOLD: "Hold back until an operator releases it",
        },
    )
    contextual_chunks: ContextKind = setting(
        ContextKind.STRUCTURAL,
        label="What search reads in front of each passage",
        meaning="The context that chunks are indexed with: their place in the page, or also a description by the chat "
        "model. It applies to pages read after publishing; `docent reindex` applies it to all.",
        group=Group.SAFETY,
        words={
            ContextKind.STRUCTURAL: "Website, page and headings",
            ContextKind.MODEL: "Also a summary by the chat model",
        },
    )

    retention_days: int = setting(
        180,
        label="Days to keep conversations",
        meaning="Days after which what visitors wrote, and the answers to it, are erased.",
        group=Group.DATA,
        between=(1, 3650),
    )
    daily_tokens: int | None = setting(
        None,
        label="Chat model tokens per day",
        meaning="Chat model tokens that visitors may use in a day (UTC), including prompts. Beyond that, answers are "
        "quoted from the pages. Null: no limit.",
        hint="Beyond that, answers are quoted from the pages. Leave blank for no limit.",
        group=Group.DATA,
        between=(0, 1_000_000_000),
    )
    monthly_tokens: int | None = setting(
        None,
        label="Chat model tokens per month",
        meaning="As daily_tokens, in a calendar month (UTC). Null: no limit.",
        hint="In a calendar month, by UTC. Leave blank for no limit.",
        group=Group.DATA,
        between=(0, 100_000_000_000),
    )
    visitor_daily_tokens: int | None = setting(
        None,
        label="Chat model tokens per visitor and day",
        meaning="As daily_tokens, for each visitor. Null: no limit.",
        hint="By UTC. Beyond that, this visitor's answers are quoted from the pages. Leave blank for no limit.",
        group=Group.DATA,
        between=(0, 1_000_000_000),
    )
    on_disconnect: OnDisconnect = setting(
        OnDisconnect.FINISH,
        label="If the visitor leaves during an answer",
        meaning="What happens to an answer when its last reader disconnects: finish it, or stop it after "
        "disconnect_grace_seconds.",
        group=Group.DATA,
        words={
            OnDisconnect.FINISH: "Finish the answer and keep it for the visitor",
            OnDisconnect.STOP: "Stop and keep what was written",
        },
    )
    disconnect_grace_seconds: int = setting(
        10,
        label="Seconds until a visitor counts as gone",
        meaning="From the moment when the last reader of an answer has left; a new reader ends it.",
        group=Group.DATA,
        between=(0, 300),
    )
    visitor_device: bool = setting(
        False,
        label="Store visitors' devices",
        meaning="Stores, with each new conversation, the kind of the visitor's device and the names and major versions "
        "of its operating system and browser: see `device` of getConversation.",
        hint="For each new conversation: phone, tablet or computer, and the system and browser with their major "
        "versions. Mention this in your privacy notice.",
        group=Group.DATA,
    )
    proof_of_work: ProofWanted = setting(
        ProofWanted.OFF,
        label="Require proof of work from visitors' browsers",
        meaning="When a visitor's browser must do a proof of work before its questions are accepted: off, suspicious "
        "(while it or its network sends many) or always.",
        hint="Slows down programs that ask in bulk. Takes under a second, with nothing to read or click. A chat you "
        "build without the npm packages must do it too.",
        group=Group.DATA,
        words={
            ProofWanted.OFF: "Never",
            ProofWanted.SUSPICIOUS: "When traffic from them or their network is high",
            ProofWanted.ALWAYS: "Always",
        },
    )
    retrieval: RetrievalSettings = field(default_factory=RetrievalSettings)

    def in_language(self, language: str) -> "AgentConfig":
        """The configuration with the texts of this language where it has translations."""
        translation = next((each for each in self.translations if each.language == language), Translation(language))
        return replace(
            self,
            theme=replace(self.theme, greeting=translation.greeting or self.theme.greeting),
            ai_notice=translation.ai_notice or self.ai_notice,
            starter_prompts=translation.starter_prompts or self.starter_prompts,
            invitations=tuple(map(translation.of_invitation, self.invitations)),
        )

    def people_come_at(self, now: datetime) -> datetime | None:
        """The next moment at which visitors may ask for a person; None if they may now."""
        return opens_at(self.opening_hours, ZoneInfo(self.time_zone), now)

    def people_go_at(self, now: datetime) -> datetime | None:
        """The moment until which visitors may ask for a person; None if there is no end, or if they may not now."""
        return closes_at(self.opening_hours, ZoneInfo(self.time_zone), now)


Version = Literal["live", "draft"]  # with whose settings an operator asks an agent


@dataclass(frozen=True, slots=True)
class Agent:
    """`generation` is that of the agent's knowledge."""

    id: UUID
    workspace_id: UUID
    draft: AgentConfig
    live_version: Annotated[int | None, "Null before the first publish."]
    paused_at: Annotated[datetime | None, "Since when questions are refused; null unless it is paused."]
    generation: int
    created_at: datetime
    updated_at: datetime

    @property
    def versions(self) -> tuple[Version, ...]:
        """The versions that can be asked: the draft, and the published one if there is one."""
        return ("draft",) if self.live_version is None else ("draft", "live")


@dataclass(frozen=True, slots=True)
class AgentVersion:
    """One published configuration. `number` counts from 1 within the agent."""

    agent_id: UUID
    number: int
    config: AgentConfig
    published_at: datetime
    published_by: Annotated[str, "Empty for versions that were published before this was stored."] = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class LiveAgent:
    """An agent as visitors are answered by it: a published configuration, and the generation of the knowledge.
    `version` is 0 for a draft."""

    id: UUID
    workspace_id: UUID
    version: int
    generation: int
    config: AgentConfig
    is_paused: bool = False
