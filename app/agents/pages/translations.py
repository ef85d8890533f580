"""What visitors read first, in other languages than the agent's own: a form for each language."""

from collections.abc import Callable
from dataclasses import replace

from pydantic import Field

from app.agents import agent_rules as rules
from app.agents.agent import AgentConfig, Translation
from app.agents.agents import Agents
from app.core.errors import InvalidInput
from app.web.console.forms import Lines
from app.web.console.page import Form, Go, NoForm, Pages, Shown, Visit, action, page, read, write


class TranslationForm(Form):
    language: str = Field(min_length=2, max_length=3)
    greeting: str | None = Field(default=None, max_length=rules.MAX_GREETING_CHARS)
    ai_notice: str | None = Field(default=None, max_length=rules.MAX_AI_NOTICE_CHARS)
    starter_prompts: Lines = ()

    def onto(self, config: AgentConfig) -> AgentConfig:
        """In the place of the one for this language, or at the end."""
        mine = Translation(**dict(self))
        there = any(each.language == mine.language for each in config.translations)
        kept = tuple(mine if each.language == mine.language else each for each in config.translations)
        return replace(config, translations=kept if there else (*kept, mine))


class LanguageForm(Form):
    language: str = Field(default="", max_length=3)


class TranslationPages(Pages):
    def __init__(self, agents: Agents) -> None:
        self._agents = agents

    @page("/console/agents/{agent_id}/settings/languages", access=read, under="agent_settings")
    async def translations(self, visit: Visit[NoForm]) -> Shown:
        return Shown("translations.html", {"config": visit.agent.draft})

    @action("/console/agents/{agent_id}/settings/languages", access=write, shown_on="translations")
    async def save_translation(self, visit: Visit[TranslationForm]) -> Go:
        return await self._changed(visit, visit.input.onto, f'The draft speaks "{visit.input.language}".')

    @action("/console/agents/{agent_id}/settings/languages/delete", access=write, shown_on="translations")
    async def delete_translation(self, visit: Visit[LanguageForm]) -> Go:
        language = visit.input.language

        def without(config: AgentConfig) -> AgentConfig:
            return replace(
                config, translations=tuple(each for each in config.translations if each.language != language)
            )

        return await self._changed(visit, without, f'The draft has no texts in "{language}" any more.')

    async def _changed(self, visit: Visit[Form], change: Callable[[AgentConfig], AgentConfig], told: str) -> Go:
        try:
            await self._agents.change_draft(visit.actor, visit.agent.id, change)
        except InvalidInput as error:
            name = error.field.split(".")[2] if error.field.startswith("translations.") else ""
            raise InvalidInput(name, error.message) from None
        return Go(visit.url("translations"), f"{told} Visitors get it when you publish it.")
