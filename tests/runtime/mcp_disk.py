"""A small MCP server over stdio, made with the official package: started by test_mcp_toolkits.py."""

from __future__ import annotations

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.mcpserver.utilities.types import Image
from mcp_types import BlobResourceContents, EmbeddedResource, TextResourceContents, ToolAnnotations

SERVER = MCPServer("disk", instructions="Paths are absolute.", log_level="CRITICAL")


@SERVER.tool()
def read_file(path: str) -> str:
    """Read a file."""
    return f"the text of {path}"


@SERVER.tool(annotations=ToolAnnotations(destructive_hint=True, title="Erase a file"))
def erase(path: str) -> str:
    """Erase a file."""
    raise ToolError(f"{path} is locked")


@SERVER.tool(structured_output=False)
def picture(name: str) -> list[object]:
    """Show a picture."""
    return [f"This is {name}:", Image(data=b"\x89PNG", format="png")]


@SERVER.tool(structured_output=False)
def look(path: str) -> list[EmbeddedResource]:
    """Return a file and its scan."""
    text = TextResourceContents(uri=f"file://{path}", mime_type="text/plain", text="two lines")
    scan = BlobResourceContents(uri=f"file://{path}.pdf", mime_type="application/pdf", blob="JVBERg==")
    return [
        EmbeddedResource(type="resource", resource=text),
        EmbeddedResource(type="resource", resource=scan),
    ]


@SERVER.tool()
def size(path: str) -> dict[str, int]:
    """Measure a file."""
    return {"bytes": len(path)}


if __name__ == "__main__":
    SERVER.run("stdio")
