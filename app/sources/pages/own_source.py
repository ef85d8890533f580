"""The source in a page's path."""

from app.core.errors import NotFound
from app.sources.source import Source
from app.sources.sources import Sources
from app.web.console.page import Form, Visit


async def own_source(sources: Sources, visit: Visit[Form]) -> Source:
    """If it belongs to the path's agent. Raises NotFound."""
    source = await sources.source(visit.actor, visit.path_id("source_id"))
    if source.agent_id != visit.agent.id:
        raise NotFound("source")
    return source
