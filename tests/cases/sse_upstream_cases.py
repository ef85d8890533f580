"""Runs the `upstream` rows of sse_cases.jsonl: a provider's bytes, read by the chat model's adapter."""

import base64

from app.core.errors import ModelInterrupted, ModelUnavailable
from app.providers.chat.chat_model import ChatEnd, ChatMessage, TextDelta
from app.providers.chat.openai_chat_model import OpenAIChatModel
from app.providers.provider_events import MAX_EVENT_BYTES
from tests.cases.case_rows import Row, require_known
from tests.doubles.fake_openai import FakeOpenAI, Raw, Refuse

FIELDS = frozenset(
    {"id", "kind", "chunks_b64", "expected_text", "expected_any", "expected_outcome", "why", "note"}
    | {"fail_first_connects", "repeat_last_chunk_b64", "repeat_times", "max_buffer_bytes"}
)
OUTCOMES = {
    "complete": {"complete"},
    "length": {"length"},
    "content_filter": {"content_filter"},
    "truncated": {"error"},  # the visitor is told, and keeps the text so far
    "error": {"error"},
    "complete_or_error": {"complete", "error"},
}


async def run_upstream_row(row: Row, fake: FakeOpenAI) -> None:
    """Assert the text that was read and how the reading ended."""
    require_known(row, FIELDS)
    chunks = [base64.b64decode(chunk) for chunk in row["chunks_b64"]]
    repeated = base64.b64decode(row.get("repeat_last_chunk_b64", ""))
    answer = Raw([*chunks, repeated], row.get("repeat_times", 1) - 1) if repeated else Raw(chunks)
    fake.plays(*[Refuse(503)] * row.get("fail_first_connects", 0), answer)
    text, outcome = await _read(fake, row.get("max_buffer_bytes", MAX_EVENT_BYTES))
    assert text in {row["expected_text"], *row.get("expected_any", ())}
    assert outcome in OUTCOMES[row["expected_outcome"]]


async def _read(fake: FakeOpenAI, max_event_bytes: int) -> tuple[str, str]:
    model = OpenAIChatModel(base_url=fake.url, model="m", max_event_bytes=max_event_bytes)
    text, outcome = "", "error"
    try:
        async with model.stream([ChatMessage("user", "Hi?")], max_tokens=50) as items:
            async for item in items:
                match item:
                    case TextDelta(more):
                        text += more
                    case ChatEnd(finish=finish):
                        outcome = finish.value
    except (ModelInterrupted, ModelUnavailable):
        pass
    finally:
        await model.close()
    return text, outcome
