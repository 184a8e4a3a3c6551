"""The door for MCP clients (Model Context Protocol): `/mcp`, streamable HTTP, with the API's keys.

endpoint.py says who calls, server.py answers with the tools of memory/tools and with resources.py.
"""
