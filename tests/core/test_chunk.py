from dataclasses import replace
from datetime import date
from uuid import uuid4

from app.core.chunk import Chunk
from app.core.text.markdown.table import Table

DAY = date(2026, 11, 21)


def test_a_chunk_gives_its_tables_as_data() -> None:
    text = "Prices:\n\n| Plan | Price |\n| --- | --- |\n| Plus | €3 |"
    chunk = Chunk("c", uuid4(), uuid4(), 0, text, "", "https://a.example/", "A", None, (), date(2026, 11, 21), None)
    assert chunk.tables == (Table(("Plan", "Price"), (("Plus", "€3"),)),)


def test_a_reranker_reads_the_context_that_a_model_wrote() -> None:
    chunk = Chunk("c", uuid4(), uuid4(), 0, "It is 3 years.", "x", "https://a.example/", "Lamps", None, (), DAY, None)
    assert chunk.read_text == "Lamps\nIt is 3 years."
    written = replace(chunk, written_context="The warranty of desk lamps.")
    assert written.read_text == "Lamps\nThe warranty of desk lamps.\nIt is 3 years."
