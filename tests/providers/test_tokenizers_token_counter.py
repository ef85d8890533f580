import pytest

from app.providers.onnx_threads import EMBEDDER_FOLDER
from app.providers.token_counter import TokenizersTokenCounter


@pytest.mark.parametrize("text", ["", "Refunds within 30 days.", "lone \ud800 surrogate", "日本語"])
def test_a_text_has_as_many_tokens_the_second_time(text: str) -> None:
    counter = TokenizersTokenCounter(EMBEDDER_FOLDER)
    tokens = len(counter.encode(text, has_special_tokens=False))
    assert [counter.count(text), counter.count(text)] == [tokens, tokens]


def test_counters_of_one_file_share_its_tokenizer() -> None:
    counter, another = TokenizersTokenCounter(EMBEDDER_FOLDER), TokenizersTokenCounter(EMBEDDER_FOLDER)
    assert counter.tokenizer is another.tokenizer
