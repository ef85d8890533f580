from datetime import date
from uuid import uuid4

from app.core.chunk import Chunk
from app.core.text.markdown.table import Table


def test_a_chunk_gives_its_tables_as_data() -> None:
    text = "Prices:\n\n| Plan | Price |\n| --- | --- |\n| Plus | €3 |"
    chunk = Chunk("c", uuid4(), uuid4(), 0, text, "", "https://a.example/", "A", None, (), date(2026, 11, 21), None)
    assert chunk.tables == (Table(("Plan", "Price"), (("Plus", "€3"),)),)
