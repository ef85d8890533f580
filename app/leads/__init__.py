"""Leads: messages that visitors leave for people to answer."""

from app.feature import Edge, Feature
from app.leads.lead import LEAD_LEFT


def _edge() -> Edge:
    from app.conversations.privacy.api import WidgetMe
    from app.gaps.api.saved_filters import AdminSavedFilters
    from app.leads.api import AdminLeads, WidgetLeads
    from app.leads.pages import LeadPages

    return Edge({WidgetLeads: WidgetMe, AdminLeads: AdminSavedFilters}, (LeadPages,))


FEATURE = Feature(name="leads", edge=_edge, events=(LEAD_LEFT,))
