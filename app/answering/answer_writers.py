"""Who answers, and who makes a follow-up whole, by whether a chat model is set."""

from app.answering.brief import AnswerWriter
from app.answering.closest_sections import ClosestSectionsWriter
from app.answering.extractive_writer import ExtractiveWriter
from app.answering.model_writer import ModelWriter
from app.answering.passage_judge import PassageJudge
from app.answering.prompt_builder import PromptBuilder
from app.answering.standalone import ModelCompleter, QuestionCompleter, StitchingCompleter
from app.ports.chat_model import ChatModel
from app.ports.embedder import Embedder
from app.ports.keyword_index import KeywordIndex
from app.ports.token_counter import TokenCounter


def question_completer(model: ChatModel | None) -> QuestionCompleter:
    stitching = StitchingCompleter()
    return ModelCompleter(model, stitching) if model else stitching


def answer_writers(
    model: ChatModel | None, embedder: Embedder, keywords: KeywordIndex, tokens: TokenCounter
) -> tuple[AnswerWriter, ...]:
    """In the order in which they are asked: a provider that is away leaves the pages' own words, and where none of
    these is sure enough, the closest sections."""
    judge = PassageJudge(embedder, keywords)
    without_model = (ExtractiveWriter(judge), ClosestSectionsWriter(judge))
    return (ModelWriter(model, PromptBuilder(tokens)), *without_model) if model else without_model
