"""Hands conversations over to a help desk, by mail or through its API, with the transcript and the citations."""

from app.feature import Edge, Feature, Job, Work


def _edge() -> Edge:
    from app.webhooks.api import AdminWebhooks
    from app.webhooks.tickets.api import AdminHelpDesks
    from app.webhooks.tickets.pages import HelpDeskPages

    return Edge({AdminHelpDesks: AdminWebhooks}, (HelpDeskPages,))


def _work() -> Work:
    from app.webhooks.tickets.help_desks import TicketDelivery

    return Work((Job(2, "tickets", TicketDelivery, TicketDelivery.deliver),), (TicketDelivery,))


FEATURE = Feature(name="help_desks", edge=_edge, work=_work)
