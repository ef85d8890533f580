"""Who answers, and who makes a follow-up whole, by whether a chat model is set."""

from app.answers.query_contextualizer import ModelContextualizer, QueryContextualizer, StitchingContextualizer
from app.answers.writing.answer_context import AnswerWriter
from app.answers.writing.closest_sections import ClosestSectionsWriter
from app.answers.writing.extractive_writer import ExtractiveWriter
from app.answers.writing.model_writer import ModelWriter
from app.answers.writing.passage_judge import PassageJudge
from app.answers.writing.prompt_builder import PromptBuilder
from app.providers.chat.chat_model import ChatModel
from app.providers.token_counter import TokenCounter


def question_completer(model: ChatModel | None) -> QueryContextualizer:
    stitching = StitchingContextualizer()
    return ModelContextualizer(model, stitching) if model else stitching


def answer_writers(model: ChatModel | None, judge: PassageJudge, tokens: TokenCounter) -> tuple[AnswerWriter, ...]:
    """In the order in which they are asked: a provider that is away leaves the pages' own words, and where none of
    these is sure enough, the closest sections."""
    without_model = (ExtractiveWriter(judge), ClosestSectionsWriter(judge))
    return (ModelWriter(model, PromptBuilder(tokens)), *without_model) if model else without_model
