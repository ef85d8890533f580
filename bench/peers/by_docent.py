"""Docent: its search as visitors get it without a reranker, over what it has learnt. No ranking is remembered; the
vectors of questions are, so that the model runs for each once, in the round that is not counted.

python -m bench.peers.by_docent CORPUS
"""

import asyncio
import sys
from pathlib import Path
from time import process_time
from uuid import UUID

from app.agents.records import AgentRecords
from app.bootstrap.answering import search_parts
from app.bootstrap.infrastructure import open_infrastructure
from app.cli.terminal import configure_logging
from app.search.retrieval import SearchQuery
from app.settings import read_settings
from bench.peers.preparation import AGENT, DATA
from bench.peers.worker import questions, say


async def main(folder: Path) -> None:
    settings = read_settings(data=folder / DATA, log_level="error")
    configure_logging(settings)
    async with open_infrastructure(settings) as base:
        search = search_parts(base, None).fresh()
        agent_id = UUID((folder / AGENT).read_text("utf-8"))
        agent = await base.record.read(lambda tx: AgentRecords(tx).live(agent_id))
        say(ready=True)
        for question in questions():
            began = process_time()
            found = await search.retrieve(agent, SearchQuery(question))
            say(found=[item.chunk.id for item in found.ranked], seconds=process_time() - began)


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1])))
