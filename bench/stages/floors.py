"""The bare libraries doing what a stage of an answer does: no thread hand-over, no record, no checks."""

import json
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from uuid import UUID

import numpy as np
import tantivy
from tokenizers import Tokenizer

from app.providers.indexes.keyword_analysis import analysis_of
from app.providers.onnx_session import load_onnxruntime
from app.providers.onnx_threads import EMBEDDER_FOLDER, RERANKER_FOLDER


class RawModel:
    """An ONNX session and its tokenizer, on the calling thread."""

    def __init__(self, folder: Path, threads: int) -> None:
        self._config = json.loads((folder / "config.json").read_text("utf-8"))
        self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.enable_truncation(self._config["max_length"])
        self._tokenizer.enable_padding()
        onnxruntime = load_onnxruntime()
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        self._session = onnxruntime.InferenceSession(
            str(folder / self._config["file"]), options, providers=["CPUExecutionProvider"]
        )

    def run(self, inputs: Sequence[str] | Sequence[tuple[str, str]]) -> np.ndarray:
        encoded = self._tokenizer.encode_batch(list(inputs))
        feeds = {
            "input_ids": np.array([row.ids for row in encoded], dtype=np.int64),
            "attention_mask": np.array([row.attention_mask for row in encoded], dtype=np.int64),
            "token_type_ids": np.array([row.type_ids for row in encoded], dtype=np.int64),
        }
        output: np.ndarray = self._session.run([self._config["output"]], feeds)[0]
        return output


class RawEmbedder(RawModel):
    def __init__(self, threads: int) -> None:
        super().__init__(EMBEDDER_FOLDER, threads)


class RawReranker(RawModel):
    def __init__(self, threads: int) -> None:
        super().__init__(RERANKER_FOLDER, threads)

    def score(self, question: str, texts: Sequence[str]) -> None:
        """As the product does: a pair at a time."""
        for text in texts:
            self.run([(question, text)])


class RawMatrix:
    """All vectors of an agent in memory."""

    def __init__(self, vectors: np.ndarray) -> None:
        self._vectors = vectors

    def nearest(self, vector: Sequence[float], limit: int) -> np.ndarray:
        scores = self._vectors @ np.asarray(vector, dtype=np.float32)
        best = np.argpartition(-scores, min(limit, len(scores) - 1))[:limit]
        return best[np.argsort(-scores[best])]


class RawKeywords:
    """tantivy on an index that is open already, with the terms as they come out of the analysis."""

    def __init__(self, directory: Path) -> None:
        index = tantivy.Index.open(str(directory))
        index.reload()
        self._schema = index.schema
        self._searcher = index.searcher()

    def search(self, question: str, limit: int) -> list[str]:
        """The ids of the chunks, best first."""
        terms = analysis_of("en").question_terms(question)
        clauses = [
            (tantivy.Occur.Should, tantivy.Query.term_query(self._schema, "text", term, index_option="freq"))
            for term in terms
        ]
        found = self._searcher.search(tantivy.Query.boolean_query(clauses), limit=limit, count=False)
        return [self._searcher.doc(address)["chunk_id"][0] for _, address in found.hits]


class RawRecord:
    """sqlite3 on the file itself."""

    def __init__(self, file: Path) -> None:
        self._connection = sqlite3.connect(f"file:{file}?mode=ro", uri=True)
        tables = {row[0] for row in self._connection.execute("select name from sqlite_master where type = 'table'")}
        self._table = next(name for name in sorted(tables) if name in {"chunks", "chunk"})

    def read(self, chunk_ids: Sequence[str]) -> int:
        places = ",".join("?" * len(chunk_ids))
        return len(
            self._connection.execute(f"select * from {self._table} where id in ({places})", chunk_ids).fetchall()
        )

    def close(self) -> None:
        self._connection.close()


async def agent_matrix(uri: str, agent_id: UUID) -> RawMatrix:
    """The vectors that LanceDB holds of the agent."""
    import lancedb

    connection = await lancedb.connect_async(uri)
    [name] = (await connection.list_tables()).tables
    table = await connection.open_table(name)
    found = await table.query().where(f"agent_id = '{agent_id}'").select(["vector"]).to_arrow()
    flat = found["vector"].combine_chunks().flatten().to_numpy(zero_copy_only=False)
    return RawMatrix(np.ascontiguousarray(flat.reshape(found.num_rows, -1), dtype=np.float32))
