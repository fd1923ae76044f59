"""The games as a server of the Model Context Protocol (MCP): a model plays one seat by calling tools."""
