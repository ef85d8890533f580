"""Haystack: its document store in memory with its own BM25, both retrievers in a pipeline, joined by reciprocal ranks.

python -m bench.peers.by_haystack CANDIDATES CORPUS
"""

import sys
from pathlib import Path

from haystack import Document, Pipeline, component
from haystack.components.joiners import DocumentJoiner
from haystack.components.retrievers.in_memory import InMemoryBM25Retriever, InMemoryEmbeddingRetriever
from haystack.document_stores.in_memory import InMemoryDocumentStore

from bench.peers.worker import Corpus, serve


@component
class _KnownVectors:
    def __init__(self, vectors: dict[str, list[float]]) -> None:
        self._vectors = vectors

    @component.output_types(embedding=list[float])
    def run(self, text: str) -> dict[str, list[float]]:
        return {"embedding": self._vectors[text]}


def main(candidates: int, folder: Path) -> None:
    corpus = Corpus.read(folder)
    store = InMemoryDocumentStore(embedding_similarity_function="dot_product")
    store.write_documents(
        [Document(id=key, content=text, embedding=corpus.vectors[text]) for key, text in corpus.texts.items()]
    )
    pipeline = Pipeline()
    pipeline.add_component("embedder", _KnownVectors(corpus.vectors))
    pipeline.add_component("vectors", InMemoryEmbeddingRetriever(store, top_k=candidates))
    pipeline.add_component("keywords", InMemoryBM25Retriever(store, top_k=candidates))
    pipeline.add_component("joined", DocumentJoiner(join_mode="reciprocal_rank_fusion", top_k=candidates))
    pipeline.connect("embedder.embedding", "vectors.query_embedding")
    pipeline.connect("vectors", "joined")
    pipeline.connect("keywords", "joined")

    def retrieve(question: str) -> list[str]:
        done = pipeline.run({"embedder": {"text": question}, "keywords": {"query": question}})
        return [document.id for document in done["joined"]["documents"]]

    serve(retrieve)


if __name__ == "__main__":
    main(int(sys.argv[1]), Path(sys.argv[2]))
