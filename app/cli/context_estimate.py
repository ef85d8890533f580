"""What contexts by the chat model would cost."""

from dataclasses import asdict

from app.bootstrap.infrastructure import open_infrastructure
from app.bootstrap.knowledge import open_knowledge
from app.cli.local_operator import known_agents, local_operator, meant_agent
from app.cli.terminal import out, print_json, table
from app.knowledge.chunk_contexts import ContextEstimate
from app.settings import Settings

_MILLION = 1_000_000


async def estimate_contexts(settings: Settings, named: str | None, as_json: bool) -> None:
    """Of one agent, or of all; nothing is asked of the model."""
    found: dict[str, ContextEstimate] = {}
    async with open_infrastructure(settings) as base, open_knowledge(base) as knowledge:
        actor = await local_operator(base)
        agents = await known_agents(base, actor) if named is None else [await meant_agent(base, actor, named)]
        for agent in agents:
            found[str(agent.id)] = await knowledge.contexts.estimate(agent.id)
    total = sum(found.values(), start=ContextEstimate())
    if as_json:
        shown = {name: asdict(estimate) | {"price": _price(settings, estimate)} for name, estimate in found.items()}
        print_json({"agents": shown, "total": asdict(total) | {"price": _price(settings, total)}})
        return
    estimates = table("agent", "documents", "chunks", "to write", "prompt tokens", "of them cached", "answer tokens")
    for name, estimate in found.items():
        estimates.add_row(name, *(f"{number}" for number in asdict(estimate).values()))
    out.print(estimates)
    price = _price(settings, total)
    out.print("Set DOCENT_MODEL_PRICE_PROMPT for a price." if price is None else f"At most {price:.2f} in all.")


def _price(settings: Settings, estimate: ContextEstimate) -> float | None:
    """In the currency of the settings; None where no price is set. Cached tokens cost what others do unless they have
    a price of their own."""
    if not settings.model_price_prompt and not settings.model_price_answer:
        return None
    cached = settings.model_price_cached or settings.model_price_prompt
    fresh_tokens = estimate.prompt_tokens - estimate.cached_tokens
    cost = (
        fresh_tokens * settings.model_price_prompt
        + estimate.cached_tokens * cached
        + estimate.answer_tokens * settings.model_price_answer
    )
    return round(cost / _MILLION, 4)
