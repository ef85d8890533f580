"""The console's page for an agent's settings: its draft as one form, its picture, and its texts in other languages."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Final

from pydantic import Field

from app.agents.agent import AgentConfig
from app.agents.agents import MAX_UPLOAD_BYTES, AgentPictures, Agents
from app.agents.widget_settings import Fallback, Group, Invitation, InvitationText, Theme, Translation
from app.core.errors import InvalidInput
from app.web.console.forms import SettingView, blocks, form_fields
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
from app.web.model import Language
from app.web.request_body import FORM_BYTES, FilePart

_PARTS = ("theme", "fallback")  # of a configuration: their fields begin with the part's name


class SettingsForm(
    Form,
    adds={
        **form_fields(AgentConfig),
        **form_fields(Theme, "theme_"),
        **form_fields(Fallback, "fallback_"),
    },
):
    """The fields of a configuration by name; those of its parts begin with `theme_` and `fallback_`."""

    def onto(self, config: AgentConfig) -> AgentConfig:
        """Settings that are not in the form stay unchanged, such as those of search."""
        given: dict[str, Any] = dict(self)
        for part in _PARTS:
            names = [name for name in given if name.startswith(f"{part}_")]
            inside = {name.removeprefix(f"{part}_"): given.pop(name) for name in names}
            given[part] = replace(getattr(config, part), **inside)
        return replace(config, **given)


class AgentSettingsPages(Pages):
    _agents: Agents

    @page(
        "/console/agents/{agent_id}/settings",
        access=read,
        menu=MenuEntry("Agent settings", "Set-up", 0, "settings"),
    )
    async def agent_settings(self, visit: Visit[NoForm]) -> Shown:
        config = visit.agent.draft
        groups = [(group.value, _IDS.get(group, _slug(group)), _blocks(config, group)) for group in Group]
        contents = [*((id_, title) for title, id_, _ in groups), ("picture", "Picture")]
        return Shown("agents/pages/agent_settings.html", {"config": config, "groups": groups, "contents": contents})

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
    _pictures: AgentPictures

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


# Addresses of other pages end in these.
_IDS: Final = {Group.PEOPLE: "people", Group.SAFETY: "safety"}


def _slug(group: Group) -> str:
    return group.value.lower().replace(" ", "-")


def _blocks(config: AgentConfig, group: Group) -> Sequence[Sequence[SettingView]]:
    return [
        *blocks(config, group),
        *blocks(config.theme, group, "theme_"),
        *blocks(config.fallback, group, "fallback_"),
    ]


class TranslationForm(Form):
    language: Language = Field(min_length=2)
    greeting: str | None = None
    ai_notice: str | None = None
    starter_prompts: tuple[str, ...] = ()

    def onto(self, config: AgentConfig) -> AgentConfig:
        """Replaces the one for this language, whose invitations stay, or is appended."""
        return _with_translation(config, self.language, lambda before: replace(before, **dict(self)))


def _with_translation(config: AgentConfig, language: str, change: Callable[[Translation], Translation]) -> AgentConfig:
    before = next((each for each in config.translations if each.language == language), None)
    after = change(before or Translation(language))
    kept = tuple(after if each is before else each for each in config.translations)
    return replace(config, translations=kept if before else (*kept, after))


class LanguageForm(Form):
    language: Language = ""


class TranslationPages(Pages):
    _agents: Agents

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

    async def _changed(self, visit: Visit[Form], change: Callable[[AgentConfig], AgentConfig], outcome: str) -> Go:
        await _change(self._agents, visit, change)
        return Go(visit.url("translations"), f"{outcome} Publish the draft to apply it.")


async def _change(agents: Agents, visit: Visit[Any], change: Callable[[AgentConfig], AgentConfig]) -> None:
    """Raises InvalidInput with the field's name in the form: text for "translations.0.invitations.text"."""
    try:
        await agents.change_draft(visit.actor, visit.agent.id, change)
    except InvalidInput as error:
        named = [part for part in error.field.split(".")[1:] if not part.isdigit() and part != "invitations"]
        raise InvalidInput(named[0] if named else "", error.message) from None


class InvitationForm(Form, takes=Invitation, fields="name text question pages after_seconds"):
    name: str

    def onto(self, config: AgentConfig) -> AgentConfig:
        """Replaces the one of this name, or is appended."""
        mine = self.made(Invitation)
        kept = tuple(mine if each.name == mine.name else each for each in config.invitations)
        return replace(config, invitations=kept if mine in kept else (*kept, mine))


class InvitationTextForm(Form, takes=InvitationText, fields="name text question"):
    name: str
    language: Language = Field(min_length=2)

    def onto(self, config: AgentConfig) -> AgentConfig:
        mine = self.made(InvitationText)
        return _with_translation(
            config,
            self.language,
            lambda before: replace(before, invitations=(*_others(before.invitations, mine.name), mine)),
        )


class InvitationNameForm(Form):
    name: str = ""

    def without(self, config: AgentConfig) -> AgentConfig:
        """Removes it in all languages."""
        translations = (replace(each, invitations=_others(each.invitations, self.name)) for each in config.translations)
        return replace(
            config,
            invitations=tuple(each for each in config.invitations if each.name != self.name),
            translations=tuple(each for each in translations if each != Translation(each.language)),
        )


def _others(texts: Sequence[InvitationText], name: str) -> tuple[InvitationText, ...]:
    return tuple(each for each in texts if each.name != name)


class InvitationPages(Pages):
    _agents: Agents

    @page("/console/agents/{agent_id}/settings/invitations", access=read, under="agent_settings")
    async def invitations(self, visit: Visit[InvitationNameForm]) -> Shown:
        """The named one is in the form, to be edited."""
        config = visit.agent.draft
        named = next((each for each in config.invitations if each.name == visit.input.name), Invitation("", ""))
        translations = {
            each.name: [(one.language, one.of_invitation(each)) for one in config.translations if _says(one, each.name)]
            for each in config.invitations
        }
        options = [(each.name, each.name) for each in config.invitations]
        values = {"config": config, "translations": translations, "names": options, "named": named}
        return Shown("agents/pages/invitations.html", values)

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

    async def _changed(self, visit: Visit[Any], change: Callable[[AgentConfig], AgentConfig], outcome: str) -> Go:
        await _change(self._agents, visit, change)
        return Go(visit.url("invitations"), f"{outcome} Publish the draft to apply it.")


def _says(one: Translation, name: str) -> bool:
    return any(each.name == name for each in one.invitations)
