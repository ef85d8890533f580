"""The shipped tokenizer, for what a chunk may hold is counted in its tokens; and the room with its stores."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from app.knowledge.chunk_limits import ChunkLimits
from app.knowledge.chunker import Chunker
from app.providers.onnx_threads import EMBEDDER_FOLDER
from app.providers.token_counter import MarkdownTextSplitter, TokenizersTokenCounter
from tests.knowledge.knowledge_house import KnowledgeHouse, knowledge_house
from tests.office.fixtures import office as office


@pytest.fixture(scope="session")
def counter() -> TokenizersTokenCounter:
    return TokenizersTokenCounter(EMBEDDER_FOLDER)


@pytest.fixture(scope="session")
def chunker(counter: TokenizersTokenCounter) -> Chunker:
    return Chunker(MarkdownTextSplitter(counter), counter, ChunkLimits())


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[KnowledgeHouse]:
    async with knowledge_house(tmp_path) as built:
        yield built
