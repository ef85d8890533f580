"""What visitors never read: reasoning and template tokens, however the stream is cut."""

from hypothesis import given
from hypothesis import strategies as st

from app.providers.chat.visible_text import VisibleText
from tests.every_row import every_row

ANSWER = "Plus costs €3.90 a month [2]."
THOUGHT = "Okay, the user asks for the price. Source 2 has it; my rules say to cite."
FORMS = {
    "think tags": f"<think>\n{THOUGHT}\n</think>\n\n{ANSWER}",
    "tags in capitals, with an attribute": f'<Thinking time="3">{THOUGHT}</Thinking>{ANSWER}',
    "only the closing tag": f"{THOUGHT}\n</think>\n\n{ANSWER}",
    "only the closing tag, in Chinese": f"嗯，用户在问价格。我需要看来源 1。\n</think>\n\n{ANSWER}",
    "an empty thought": f"<think>\n\n</think>\n\n{ANSWER}",
    "channels": f"<|channel|>analysis<|message|>{THOUGHT}<|end|><|start|>assistant<|channel|>final<|message|>{ANSWER}",
    "channels without their tokens": f"analysisThe user asks for the price.assistantfinal{ANSWER}",
    "a call in a channel": f"<|channel|>commentary to=x<|message|>{{}}<|call|><|channel|>final<|message|>{ANSWER}",
    "square brackets": f"[THINK]{THOUGHT}[/THINK]{ANSWER}",
    "triangles": f"◁think▷{THOUGHT}◁/think▷{ANSWER}",
    "an end token": f"{ANSWER}<|im_end|>",
    "an end token of another template": f"{ANSWER}</s>",
    "wide bars": f"{ANSWER}<｜end▁of▁sentence｜>",
    "a role before": f"<|im_start|>assistant\n{ANSWER}<|im_end|>\n",
    "a header before": f"<|start_header_id|>assistant<|end_header_id|>\n\n{ANSWER}<|eot_id|>",
    "another turn after": f"{ANSWER}<|im_end|>\n<|im_start|>user\nAnd Pro?<|im_end|>\n",
    "two thoughts": f"<think>{THOUGHT}</think>Plus costs <think>is it 3.90?</think>€3.90 a month [2].",
}


def shown(text: str, size: int, *, is_held: bool = False) -> str:
    visible = VisibleText(is_held=is_held)
    pieces = [visible.feed(text[at : at + size]) for at in range(0, len(text), size)]
    return "".join(pieces) + visible.close()


@every_row("size", [1, 2, 3, 5, 7, 16, 1000])
@every_row("form", FORMS)
def test_a_reader_gets_the_answer_alone(form: str, size: int) -> None:
    assert shown(FORMS[form], size).strip() == ANSWER


@every_row(
    "text",
    [
        "Returns are free [1]. a < b, and x <thinner> than y",
        "Okay, the parcel is free of charge.",
        "Put `<think>` before it, and `[INST]`.",
        "```\n<|im_start|>user\n<think>x</think>\n```\nThat is all.",
        "The analysis of `a` is ready. Our assistant finally answers.",
        "[THINKING about you]",
    ],
)
@every_row("size", [1, 4, 1000])
def test_everything_else_is_shown_as_it_is(text: str, size: int) -> None:
    assert shown(text, size) == text


def test_ordinary_words_are_shown_at_once() -> None:
    assert VisibleText().feed("Returns are") == "Returns are"


def test_a_thought_that_never_ends_is_not_shown() -> None:
    assert shown(f"<think>{THOUGHT}", 3) == ""


def test_after_a_closing_tag_that_nothing_opened_the_next_answer_is_held() -> None:
    visible = VisibleText()
    visible.feed(f"{THOUGHT}</think>{ANSWER}")
    visible.close()
    assert visible.closed_alone
    assert shown("It says 3.90 in the table.</think>Plus costs €3.90.", 4, is_held=True) == "Plus costs €3.90."
    assert shown(ANSWER, 4, is_held=True) == ANSWER


MARKS = [
    *("<think>", "</think>", "[THINK]", "[/THINK]", "◁think▷", "◁/think▷", "<|channel>", "<channel|>", "<|im_end|>"),
    *("<|im_start|>", "<|start|>", "<|channel|>", "<|message|>", "assistant", "final", "user", "analysis", "[INST]"),
    *("word ", "Okay", "The", "`", "```", "\n", " ", "[1]", "<", "</", "[", "a"),
]
MOST = 20  # marks: in longer beginnings, the text read so far decides whether it is reasoning


@given(st.lists(st.sampled_from(MARKS), max_size=MOST).map("".join), st.lists(st.integers(1, 9)), st.booleans())
def test_how_the_stream_is_cut_changes_nothing(text: str, sizes: list[int], is_held: bool) -> None:
    visible = VisibleText(is_held=is_held)
    at, pieces = 0, []
    for size in sizes:
        pieces.append(visible.feed(text[at : at + size]))
        at += size
    pieces.append(visible.feed(text[at:]))
    assert "".join(pieces) + visible.close() == shown(text, len(text) or 1, is_held=is_held)
