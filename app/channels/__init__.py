"""Access for programs, besides the widget. They ask as visitors do, and their turns record the channel."""

from app.feature import Edge, Feature


def _edge() -> Edge:
    from app.channels.llms_api import LlmsApi
    from app.channels.mcp_api import McpApi
    from app.channels.oauth.oauth_api import OAuthApi
    from app.channels.oauth.oauth_pages import OAuthPages
    from app.channels.openai_api import OpenAiApi
    from app.workspaces.api import AdminTokens

    return Edge(dict.fromkeys((OpenAiApi, McpApi, OAuthApi, LlmsApi), AdminTokens), (OAuthPages,))


FEATURE = Feature(name="channels", edge=_edge)
