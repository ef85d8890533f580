"""LlamaIndex: its vector store in memory or LanceDB, its BM25 retriever (bm25s, stemmed), fused by reciprocal ranks.

python -m bench.peers.by_llamaindex memory|lancedb CANDIDATES CORPUS
"""

import sys
from pathlib import Path

from llama_index.core import Settings, StorageContext, VectorStoreIndex
from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.llms import MockLLM
from llama_index.core.retrievers import QueryFusionRetriever
from llama_index.core.schema import TextNode
from llama_index.retrievers.bm25 import BM25Retriever
from llama_index.vector_stores.lancedb import LanceDBVectorStore

from bench.peers.worker import Corpus, serve

_VECTORS: dict[str, list[float]] = {}  # here and not in the embedding, whose fields would be copied


class _KnownVectors(BaseEmbedding):
    def _get_query_embedding(self, query: str) -> list[float]:
        return _VECTORS[query]

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return _VECTORS[query]

    def _get_text_embedding(self, text: str) -> list[float]:
        return _VECTORS[text]


def main(store: str, candidates: int, folder: Path) -> None:
    corpus = Corpus.read(folder)
    _VECTORS.update(corpus.vectors)
    Settings.embed_model = _KnownVectors(model_name="known")
    Settings.llm = MockLLM()  # asked nothing, with one query a question
    nodes = [TextNode(id_=key, text=text, embedding=_VECTORS[text]) for key, text in corpus.texts.items()]
    if store == "lancedb":
        stored = LanceDBVectorStore(uri=str(folder / "llamaindex"), table_name="chunks", mode="overwrite")
        index = VectorStoreIndex(nodes, storage_context=StorageContext.from_defaults(vector_store=stored))
    else:
        index = VectorStoreIndex(nodes)
    fusion = QueryFusionRetriever(
        [
            index.as_retriever(similarity_top_k=candidates),
            BM25Retriever.from_defaults(nodes=nodes, similarity_top_k=candidates),
        ],
        mode="reciprocal_rerank",
        similarity_top_k=candidates,
        num_queries=1,
        use_async=False,
    )
    serve(lambda question: [found.node.node_id for found in fusion.retrieve(question)])


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), Path(sys.argv[3]))
