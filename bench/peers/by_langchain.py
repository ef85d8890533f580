"""LangChain: its vector store in memory or LanceDB, its BM25 retriever (rank_bm25, small letters), in its ensemble.

python -m bench.peers.by_langchain memory|lancedb CANDIDATES CORPUS
"""

import re
import sys
from pathlib import Path

from langchain_classic.retrievers import EnsembleRetriever
from langchain_community.retrievers import BM25Retriever
from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_core.vectorstores import InMemoryVectorStore
from langchain_lancedb import LanceDB

from bench.peers.worker import Corpus, serve

_KEY = "chunk"


class _KnownVectors(Embeddings):
    def __init__(self, vectors: dict[str, list[float]]) -> None:
        self._vectors = vectors

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return [self._vectors[text] for text in texts]

    def embed_query(self, text: str) -> list[float]:
        return self._vectors[text]


def main(store: str, candidates: int, folder: Path) -> None:
    corpus = Corpus.read(folder)
    documents = [Document(page_content=text, metadata={_KEY: key}) for key, text in corpus.texts.items()]
    embedding = _KnownVectors(corpus.vectors)
    vectors = LanceDB(embedding, folder / "langchain") if store == "lancedb" else InMemoryVectorStore(embedding)
    vectors.add_documents(documents, ids=list(corpus.texts))
    keywords = BM25Retriever.from_documents(documents, preprocess_func=_words, k=candidates)
    ensemble = EnsembleRetriever(
        retrievers=[vectors.as_retriever(search_kwargs={"k": candidates}), keywords], weights=[0.5, 0.5], id_key=_KEY
    )
    serve(lambda question: [document.metadata[_KEY] for document in ensemble.invoke(question)])


def _words(text: str) -> list[str]:
    """What it splits by itself are texts at spaces, capitals and commas and all."""
    return re.findall(r"\w+", text.lower())


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), Path(sys.argv[3]))
