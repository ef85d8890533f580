"""Tickets in help desks, as a guest of the core."""

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
