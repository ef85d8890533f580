"""Who answers, and who makes a follow-up whole, by whether a chat model is set."""

from app.answering.brief import AnswerWriter
from app.answering.extractive_writer import ExtractiveWriter
from app.answering.model_writer import ModelWriter
from app.answering.prompt_builder import PromptBuilder
from app.answering.standalone import ModelCompleter, QuestionCompleter, StitchingCompleter
from app.ports.chat_model import ChatModel
from app.ports.reranker import Reranker
from app.ports.token_counter import TokenCounter


def question_completer(model: ChatModel | None) -> QuestionCompleter:
    stitching = StitchingCompleter()
    return ModelCompleter(model, stitching) if model else stitching


def answer_writers(model: ChatModel | None, reranker: Reranker, tokens: TokenCounter) -> tuple[AnswerWriter, ...]:
    """The extractive writer stands behind the model: a provider that is away leaves the pages' own words."""
    extractive = ExtractiveWriter(reranker)
    return (ModelWriter(model, PromptBuilder(tokens)), extractive) if model else (extractive,)
