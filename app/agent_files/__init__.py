"""An agent as one file: exported, compared with an agent, and applied to one."""

from app.feature import Edge, Feature


def _edge() -> Edge:
    from app.agent_files.api.agent_files import AdminAgentFiles
    from app.agent_files.pages import AgentFilePages
    from app.agents.api.agents import AdminStarterSuggestions

    return Edge({AdminAgentFiles: AdminStarterSuggestions}, (AgentFilePages,))


FEATURE = Feature(name="agent_files", edge=_edge)
