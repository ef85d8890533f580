"""An agent with a mailbox."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from app.agents.agent import AgentConfig
from crawler.extract.extraction_pool import ExtractionPool
from tests.doubles.answering_house import answering_house
from tests.doubles.imap_server import running_imap_server
from tests.doubles.mail_server import running_mail_server
from tests.doubles.post_office import PostOffice


@pytest.fixture
async def post(tmp_path: Path) -> AsyncIterator[PostOffice]:
    config = AgentConfig(name="Lamp helper", confidence_threshold=0.5)
    with running_imap_server() as imap, running_mail_server() as smtp:
        async with answering_house(tmp_path, config=config) as house, ExtractionPool() as html:
            yield PostOffice(house, imap, smtp, html)
