"""Conversations of other help desks, imported: their questions are asked again, of an agent here."""

from app.feature import Edge, Feature, Job, Work


def _edge() -> Edge:
    from app.past_questions.api import AdminPastConversations
    from app.past_questions.pages import PastConversationPages
    from app.quality.api.quality import AdminQuality

    return Edge({AdminPastConversations: AdminQuality}, (PastConversationPages,))


def _work() -> Work:
    from app.past_questions.past_imports import PastReplays

    return Work((Job(5, "past conversations", PastReplays, PastReplays.make_due),))


FEATURE = Feature(name="past_questions", edge=_edge, work=_work)
