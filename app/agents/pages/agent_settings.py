"""The console's page for an agent's settings: its draft as one form, its picture, and its texts in other languages."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from pydantic import Field

from app.agents import agent_rules as rules
from app.agents.agent import (
    LAUNCHER_ICONS,
    AgentConfig,
    AnswerCheck,
    ContextKind,
    Invitation,
    InvitationText,
    OnDisconnect,
    ProofWanted,
    PublishGate,
    Quarantine,
    Translation,
)
from app.agents.agents import MAX_UPLOAD_BYTES, AgentPictures, Agents
from app.core.errors import InvalidInput
from app.core.time_zone import MAX_ZONE_CHARS
from app.web.console.forms import Lines, Percent
from app.web.console.page import (
    ConsolePage,
    Form,
    Go,
    MenuEntry,
    NoForm,
    Pages,
    Shown,
    Visit,
    action,
    page,
    read,
    write,
)
from app.web.request_body import FORM_BYTES, FilePart

_CONFIG = AgentConfig(name="?")
_PARTS = ("theme", "fallback")  # of a configuration: their fields begin with the part's name


class SettingsForm(Form):
    """The fields of a configuration by name; those of its parts begin with `theme_` and `fallback_`."""

    name: str = Field(max_length=rules.MAX_NAME_CHARS)
    persona: str = Field(default="", max_length=rules.MAX_PERSONA_CHARS)
    tone: str = Field(default="", max_length=rules.MAX_TONE_CHARS)
    avoid_topics: Lines = ()
    prompt_attributes: Lines = ()
    filter_attributes: Lines = ()
    max_answer_chars: int = Field(ge=rules.MIN_ANSWER_CHARS, le=rules.MAX_ANSWER_CHARS)
    custom_prompt: str = Field(default="", max_length=rules.MAX_CUSTOM_PROMPT_CHARS)
    language: str | None = Field(default=None, max_length=3)
    confidence_threshold: Percent
    allowed_origins: Lines = ()
    allowed_link_hosts: Lines = ()
    starter_prompts: Lines = ()
    retention_days: int = Field(ge=1, le=rules.MAX_RETENTION_DAYS)
    visitor_device: bool = False
    daily_tokens: int | None = Field(default=None, ge=0, le=rules.MAX_DAILY_TOKENS)
    publish_gate: PublishGate = PublishGate.WARN
    quarantine: Quarantine = Quarantine.FLAG
    answer_check: AnswerCheck = AnswerCheck.MARK
    contextual_chunks: ContextKind = ContextKind.STRUCTURAL
    on_disconnect: OnDisconnect = OnDisconnect.FINISH
    proof_of_work: ProofWanted = ProofWanted.OFF
    disconnect_grace_seconds: int = Field(
        default=AgentConfig(name="?").disconnect_grace_seconds, ge=0, le=rules.MAX_DISCONNECT_GRACE_SECONDS
    )
    theme_primary_color: str | None = Field(default=None, max_length=7)
    theme_radius_px: int | None = Field(default=None, ge=0, le=40)
    theme_position: str = "right"
    theme_launcher_label: str | None = Field(default=None, max_length=rules.MAX_LAUNCHER_LABEL_CHARS)
    theme_launcher_icon: str = _CONFIG.theme.launcher_icon
    theme_opens_itself: bool = False
    theme_opens_wide: bool = False
    theme_picture_alt: str | None = Field(default=None, max_length=rules.MAX_PICTURE_ALT_CHARS)
    theme_greeting: str | None = Field(default=None, max_length=rules.MAX_GREETING_CHARS)
    ai_notice: str | None = Field(default=None, max_length=rules.MAX_AI_NOTICE_CHARS)
    fallback_url: str | None = Field(default=None, max_length=2048)
    fallback_label: str | None = Field(default=None, max_length=rules.MAX_FALLBACK_LABEL_CHARS)
    fallback_form: bool = False
    live_chat: bool = False
    live_pictures: bool = False
    opening_hours: Lines = ()
    time_zone: str = Field(default=_CONFIG.time_zone, max_length=MAX_ZONE_CHARS)
    next_questions: bool = False
    open_to_programs: bool = False
    fallback_consent: str | None = Field(default=None, max_length=rules.MAX_CONSENT_CHARS)

    def onto(self, config: AgentConfig) -> AgentConfig:
        """Settings that are not in the form stay unchanged, such as those of search."""
        given: dict[str, Any] = dict(self)
        for part in _PARTS:
            names = [name for name in given if name.startswith(f"{part}_")]
            inside = {name.removeprefix(f"{part}_"): given.pop(name) for name in names}
            given[part] = replace(getattr(config, part), **inside)
        return replace(config, **given)


class AgentSettingsPages(Pages):
    def __init__(self, agents: Agents) -> None:
        self._agents = agents

    @page("/console/agents/{agent_id}/settings", access=read, menu=MenuEntry("Agent settings", 80, "settings"))
    async def agent_settings(self, visit: Visit[NoForm]) -> Shown:
        gates = [(gate.value, words) for gate, words in _GATES.items()]
        checks = [(policy.value, words) for policy, words in _CHECKS.items()]
        lints = [(policy.value, words) for policy, words in _LINTS.items()]
        told = {"config": visit.agent.draft, "gates": gates, "lints": lints, "checks": checks, "positions": _POSITIONS}
        told |= {"icons": _ICONS, "contexts": _CONTEXTS, "endings": _ENDINGS, "proofs": _PROOFS}
        return Shown("agents/pages/agent_settings.html", told)

    @action("/console/agents/{agent_id}/settings", access=write, shown_on="agent_settings")
    async def save_settings(self, visit: Visit[SettingsForm]) -> Go:
        try:
            await self._agents.change_draft(visit.actor, visit.agent.id, visit.input.onto)
        except InvalidInput as error:
            part, dot, name = error.field.partition(".")
            name = f"{part}_{name}" if part in _PARTS and dot else error.field
            raise InvalidInput(name, error.message) from None
        return Go(visit.url("agent_settings"), "Draft saved. Publish it to apply your changes.")


class PictureForm(Form):
    file: FilePart


class AgentPicturePages(Pages):
    def __init__(self, pictures: AgentPictures) -> None:
        self._pictures = pictures

    def pages(self) -> Sequence[ConsolePage]:
        """Larger than other forms."""
        return [replace(each, max_body_bytes=MAX_UPLOAD_BYTES + FORM_BYTES) for each in super().pages()]

    @action("/console/agents/{agent_id}/settings/picture", access=write, shown_on="agent_settings")
    async def set_agent_picture(self, visit: Visit[PictureForm]) -> Go:
        await self._pictures.set(visit.actor, visit.agent.id, visit.input.file)
        return Go(visit.url("agent_settings"), "Picture saved to the draft. Publish it to apply the change.")

    @action("/console/agents/{agent_id}/settings/picture/remove", access=write, shown_on="agent_settings")
    async def remove_agent_picture(self, visit: Visit[NoForm]) -> Go:
        await self._pictures.remove(visit.actor, visit.agent.id)
        return Go(visit.url("agent_settings"), "Picture removed from the draft. Publish it to apply the change.")


_GATES = {
    PublishGate.OFF: "Do not run golden questions",
    PublishGate.WARN: "Run golden questions and warn about losses",
    PublishGate.REFUSE: "Refuse a draft that loses golden questions",
}
_CHECKS = {
    AnswerCheck.OFF: "Show without checking",
    AnswerCheck.MARK: "Show and mark as unconfirmed",
    AnswerCheck.WITHHOLD: "Leave out",
}
_LINTS = {
    Quarantine.OFF: "Index without checking",
    Quarantine.FLAG: "Index and list in quarantine",
    Quarantine.HOLD: "Hold back until an operator releases it",
}
_POSITIONS = (("right", "Right"), ("left", "Left"))
_ICONS = [(icon, icon.capitalize()) for icon in LAUNCHER_ICONS]
_CONTEXTS = (
    (ContextKind.STRUCTURAL.value, "Website, page and headings"),
    (ContextKind.MODEL.value, "Also a summary by the chat model"),
)
_PROOFS = (
    (ProofWanted.OFF.value, "Never"),
    (ProofWanted.SUSPICIOUS.value, "When traffic from them or their network is high"),
    (ProofWanted.ALWAYS.value, "Always"),
)
_ENDINGS = (
    (OnDisconnect.FINISH.value, "Finish the answer and keep it for the visitor"),
    (OnDisconnect.STOP.value, "Stop and keep what was written"),
)


class TranslationForm(Form):
    language: str = Field(min_length=2, max_length=3)
    greeting: str | None = Field(default=None, max_length=rules.MAX_GREETING_CHARS)
    ai_notice: str | None = Field(default=None, max_length=rules.MAX_AI_NOTICE_CHARS)
    starter_prompts: Lines = ()

    def onto(self, config: AgentConfig) -> AgentConfig:
        """Replaces the one for this language, whose invitations stay, or is appended."""
        return _told_in(config, self.language, lambda before: replace(before, **dict(self)))


def _told_in(config: AgentConfig, language: str, change: Callable[[Translation], Translation]) -> AgentConfig:
    before = next((each for each in config.translations if each.language == language), None)
    after = change(before or Translation(language))
    kept = tuple(after if each is before else each for each in config.translations)
    return replace(config, translations=kept if before else (*kept, after))


class LanguageForm(Form):
    language: str = Field(default="", max_length=3)


class TranslationPages(Pages):
    def __init__(self, agents: Agents) -> None:
        self._agents = agents

    @page("/console/agents/{agent_id}/settings/languages", access=read, under="agent_settings")
    async def translations(self, visit: Visit[NoForm]) -> Shown:
        return Shown("agents/pages/translations.html", {"config": visit.agent.draft})

    @action("/console/agents/{agent_id}/settings/languages", access=write, shown_on="translations")
    async def save_translation(self, visit: Visit[TranslationForm]) -> Go:
        return await self._changed(visit, visit.input.onto, f'Language "{visit.input.language}" saved to the draft.')

    @action("/console/agents/{agent_id}/settings/languages/delete", access=write, shown_on="translations")
    async def delete_translation(self, visit: Visit[LanguageForm]) -> Go:
        language = visit.input.language

        def without(config: AgentConfig) -> AgentConfig:
            return replace(
                config, translations=tuple(each for each in config.translations if each.language != language)
            )

        return await self._changed(visit, without, f'The draft has no texts in "{language}" any more.')

    async def _changed(self, visit: Visit[Form], change: Callable[[AgentConfig], AgentConfig], told: str) -> Go:
        await _change(self._agents, visit, change)
        return Go(visit.url("translations"), f"{told} Publish the draft to apply it.")


async def _change(agents: Agents, visit: Visit[Any], change: Callable[[AgentConfig], AgentConfig]) -> None:
    """Raises InvalidInput with the field's name in the form: text for "translations.0.invitations.text"."""
    try:
        await agents.change_draft(visit.actor, visit.agent.id, change)
    except InvalidInput as error:
        named = [part for part in error.field.split(".")[1:] if not part.isdigit() and part != "invitations"]
        raise InvalidInput(named[0] if named else "", error.message) from None


class InvitationForm(Form):
    name: str = Field(min_length=1, max_length=rules.MAX_INVITATION_NAME_CHARS)
    text: str = Field(min_length=1, max_length=rules.MAX_INVITATION_CHARS)
    question: str | None = Field(default=None, max_length=rules.MAX_STARTER_PROMPT_CHARS)
    pages: Lines = ()
    after_seconds: int = Field(default=Invitation("", "").after_seconds, ge=0, le=rules.MAX_AFTER_SECONDS)

    def onto(self, config: AgentConfig) -> AgentConfig:
        """Replaces the one of this name, or is appended."""
        mine = Invitation(**dict(self))
        kept = tuple(mine if each.name == mine.name else each for each in config.invitations)
        return replace(config, invitations=kept if mine in kept else (*kept, mine))


class InvitationTextForm(Form):
    name: str = Field(max_length=rules.MAX_INVITATION_NAME_CHARS)
    language: str = Field(min_length=2, max_length=3)
    text: str = Field(min_length=1, max_length=rules.MAX_INVITATION_CHARS)
    question: str | None = Field(default=None, max_length=rules.MAX_STARTER_PROMPT_CHARS)

    def onto(self, config: AgentConfig) -> AgentConfig:
        mine = InvitationText(self.name, self.text, self.question)
        return _told_in(
            config,
            self.language,
            lambda before: replace(before, invitations=(*_others(before.invitations, self.name), mine)),
        )


class InvitationNameForm(Form):
    name: str = Field(default="", max_length=rules.MAX_INVITATION_NAME_CHARS)

    def without(self, config: AgentConfig) -> AgentConfig:
        """Removes it in all languages."""
        told = (replace(each, invitations=_others(each.invitations, self.name)) for each in config.translations)
        return replace(
            config,
            invitations=tuple(each for each in config.invitations if each.name != self.name),
            translations=tuple(each for each in told if each != Translation(each.language)),
        )


def _others(texts: Sequence[InvitationText], name: str) -> tuple[InvitationText, ...]:
    return tuple(each for each in texts if each.name != name)


class InvitationPages(Pages):
    def __init__(self, agents: Agents) -> None:
        self._agents = agents

    @page("/console/agents/{agent_id}/settings/invitations", access=read, under="agent_settings")
    async def invitations(self, visit: Visit[InvitationNameForm]) -> Shown:
        """The named one is in the form, to be edited."""
        config = visit.agent.draft
        named = next((each for each in config.invitations if each.name == visit.input.name), Invitation("", ""))
        told = {
            each.name: [(one.language, one.of_invitation(each)) for one in config.translations if _says(one, each.name)]
            for each in config.invitations
        }
        options = [(each.name, each.name) for each in config.invitations]
        return Shown(
            "agents/pages/invitations.html", {"config": config, "told": told, "names": options, "named": named}
        )

    @action("/console/agents/{agent_id}/settings/invitations", access=write, shown_on="invitations")
    async def save_invitation(self, visit: Visit[InvitationForm]) -> Go:
        return await self._changed(visit, visit.input.onto, f'The draft has the invitation "{visit.input.name}".')

    @action("/console/agents/{agent_id}/settings/invitations/language", access=write, shown_on="invitations")
    async def save_invitation_text(self, visit: Visit[InvitationTextForm]) -> Go:
        given = visit.input
        return await self._changed(visit, given.onto, f'The draft has "{given.name}" in "{given.language}".')

    @action("/console/agents/{agent_id}/settings/invitations/delete", access=write, shown_on="invitations")
    async def delete_invitation(self, visit: Visit[InvitationNameForm]) -> Go:
        return await self._changed(visit, visit.input.without, f'The draft no longer has "{visit.input.name}".')

    async def _changed(self, visit: Visit[Any], change: Callable[[AgentConfig], AgentConfig], told: str) -> Go:
        await _change(self._agents, visit, change)
        return Go(visit.url("invitations"), f"{told} Publish the draft to apply it.")


def _says(one: Translation, name: str) -> bool:
    return any(each.name == name for each in one.invitations)
