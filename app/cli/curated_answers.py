"""`docent agent curated`: which of the written answers are given, and which never are."""

from app.answers.curated.records import CuratedAnswerRecords
from app.cli.agents import commands
from app.cli.local_operator import meant_agent, open_installation
from app.cli.terminal import AgentName, AsJson, out, print_json, table


@commands.command("curated")
async def list_(named: AgentName = None, as_json: AsJson = False) -> None:
    """Show the agent's curated answers with their hits, the most given first."""
    async with open_installation() as (base, actor):
        agent = await meant_agent(base, actor, named)
        answers = await base.record.of_workspace(agent.workspace_id).read(
            lambda tx: sorted(CuratedAnswerRecords(tx).of_agent(agent.id), key=lambda answer: -answer.hits)
        )
    if as_json:
        rows = [
            {
                "id": str(answer.id),
                "trigger": answer.trigger.value,
                "pattern": answer.pattern,
                "priority": answer.priority,
                "is_on": answer.is_on,
                "hits": answer.hits,
                "last_hit_at": answer.last_hit_at and answer.last_hit_at.isoformat(),
                "expires_at": answer.expires_at and answer.expires_at.isoformat(),
            }
            for answer in answers
        ]
        print_json({"curated_answers": rows})
        return
    shown = table("trigger", "pattern", "priority", "state", "hits", "last hit")
    for answer in answers:
        last = answer.last_hit_at.strftime("%Y-%m-%d %H:%M") if answer.last_hit_at else "never"
        state = "on" if answer.is_on else "off"
        shown.add_row(answer.trigger.value, answer.pattern, str(answer.priority), state, str(answer.hits), last)
    out.print(shown)
