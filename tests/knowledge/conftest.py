"""The shipped tokenizer: what a chunk may hold is counted in its tokens."""

import pytest

from app.adapters.markdown_text_splitter import MarkdownTextSplitter
from app.adapters.shipped_weights import EMBEDDER_FOLDER
from app.adapters.tokenizers_token_counter import TokenizersTokenCounter
from app.knowledge.chunk_limits import ChunkLimits
from app.knowledge.chunker import Chunker


@pytest.fixture(scope="session")
def counter() -> TokenizersTokenCounter:
    return TokenizersTokenCounter(EMBEDDER_FOLDER)


@pytest.fixture(scope="session")
def chunker(counter: TokenizersTokenCounter) -> Chunker:
    return Chunker(MarkdownTextSplitter(counter), counter, ChunkLimits())
