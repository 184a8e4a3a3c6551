"""The endpoint for MCP clients (Model Context Protocol): `/mcp`, streamable HTTP, API keys.

endpoint.py authenticates the caller; server.py answers with the tools of memory/tools and with
resources.py.
"""
