"""A new agent's progress up to its first visitor."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Annotated, Final, NamedTuple
from uuid import UUID

from app.agents.agent import Agent, AgentConfig

NEW_FOR: Final = timedelta(days=30)


class Step(StrEnum):
    """In order."""

    READ = "read"  # it has pages to answer from
    TRIED = "tried"  # an operator has tried it with a question
    ALLOWED = "allowed"  # the published version lists a website
    REACHABLE = "reachable"  # the published version has a way to people: a live chat, a form or a link
    SEEN = "seen"  # a visitor's browser has opened the widget on one of them


@dataclass(frozen=True, slots=True)
class Milestones:
    """When an operator first asked the agent a question, and where and when (to the hour) a browser last opened the
    widget on a website other than Docent's own."""

    tried_at: datetime | None = None
    seen_at: datetime | None = None
    seen_on: str = ""


class StepState(NamedTuple):
    step: Step
    is_done: bool


@dataclass(frozen=True, slots=True)
class SetUp:
    agent: Agent
    pages: int
    sites: Sequence[str]
    done: frozenset[Step]

    @property
    def agent_id(self) -> UUID:
        return self.agent.id

    @property
    def name(self) -> Annotated[str, "The name in the draft."]:
        return self.agent.draft.name

    @property
    def steps(self) -> Annotated[list[StepState], "In order."]:
        return [StepState(step, step in self.done) for step in Step]


def is_new(agent: Agent, milestones: Milestones, now: datetime) -> bool:
    """Whether operators still see the progress: until a website has shown the agent, for at most NEW_FOR."""
    return milestones.seen_at is None and now - agent.created_at < NEW_FOR


def set_up(agent: Agent, live: AgentConfig | None, pages: int, milestones: Milestones) -> SetUp:
    """`live` is None before the first publish; `pages` is the number that can be cited."""
    sites = live.allowed_origins if live else ()
    found = {
        Step.READ: pages > 0,
        Step.TRIED: milestones.tried_at is not None,
        Step.ALLOWED: bool(sites),
        Step.REACHABLE: live is not None and bool(live.live_chat or live.fallback.form or live.fallback.url),
        Step.SEEN: milestones.seen_at is not None,
    }
    return SetUp(agent, pages, sites, frozenset(step for step, is_done in found.items() if is_done))
