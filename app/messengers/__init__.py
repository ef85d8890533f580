"""Slack and Discord: people ask an agent there, and get its answer there."""

from app.feature import Edge, Feature, Job, Work


def _edge() -> Edge:
    from app.messengers.api import AdminMessengers
    from app.messengers.pages import MessengerPages
    from app.webhooks.api import AdminWebhooks

    return Edge({AdminMessengers: AdminWebhooks}, (MessengerPages,))


def _work() -> Work:
    from app.messengers.messenger_answers import MessengerAnswers

    jobs = (
        Job(1, "messengers", MessengerAnswers, MessengerAnswers.deliver),
        Job(3600, "messengers given up", MessengerAnswers, MessengerAnswers.forget),
    )
    return Work(jobs)


FEATURE = Feature(name="messengers", edge=_edge, work=_work)
