"""Serves tools with the official SDK of the Model Context Protocol, over HTTP and over standard input and output.

Imported with the first call: the SDK takes most of a second.
"""

from importlib.metadata import version
from typing import Any

import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.types import Receive, Scope, Send

from app.channels.agent_tools import Caller, Tool, ToolRefused


def tool_server(name: str, instructions: str, tools: list[Tool[Caller]], caller: Caller) -> Any:
    """A server of the tools, which it calls as `caller`."""
    by_name = {tool.name: tool for tool in tools}

    async def list_tools(context: Any, params: Any) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[_listed(tool) for tool in tools])

    async def call_tool(context: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        tool = by_name.get(params.name)
        if tool is None:
            return _refused(f"There is no tool {params.name[:60]!r}. tools/list names them.")
        try:
            result = await tool.result(caller, params.arguments or {})
        except ToolRefused as error:
            return _refused(str(error))
        return types.CallToolResult(
            content=[types.TextContent(type="text", text=result.text)], structured_content=result.value
        )

    return Server(
        name, version=version("docent"), instructions=instructions, on_list_tools=list_tools, on_call_tool=call_tool
    )


async def serve_http(server: Any, max_bytes: int, scope: Scope, receive: Receive, send: Send) -> None:
    """Serve one request, without a session, so that any process can serve the next one."""
    manager = StreamableHTTPSessionManager(server, stateless=True, json_response=True, max_request_body_size=max_bytes)
    async with manager.run():
        await manager.handle_request(scope, receive, send)


async def serve_stdio(server: Any) -> None:
    """Serve until standard input ends."""
    async with stdio_server() as (reading, writing):
        await server.run(reading, writing, server.create_initialization_options())


def _listed(tool: Tool[Any]) -> types.Tool:
    return types.Tool(
        name=tool.name,
        description=tool.description,
        input_schema=tool.takes.model_json_schema(),
        annotations=types.ToolAnnotations(read_only_hint=tool.is_read_only, destructive_hint=False),
    )


def _refused(message: str) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(type="text", text=message)], is_error=True)
