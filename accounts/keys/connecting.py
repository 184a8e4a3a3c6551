"""Texts to copy that connect programs to Ebb, with the address and the key filled in."""

from dataclasses import dataclass
from pathlib import Path

from django.utils.functional import Promise
from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _

PLACEHOLDER = "ebb_…"
"""Stands for the key until one is created."""
_FIRST = ("curl", "python", "typescript", "claude-code")
"""The programs whose texts are shown with each new key."""
_TEXTS = Path(__file__).parent / "hosts"


@dataclass(frozen=True)
class Host:
    """A program that can use Ebb, and where to put its text."""

    name: str
    title: str
    place: str | Promise

    def filled(self, url: str, key: str) -> str:
        """Return the text with Ebb's address (no slash at its end) and the key."""
        text = (_TEXTS / f"{self.name}.txt").read_text("utf-8").rstrip("\n")
        return text.replace("EBB_URL", url).replace("EBB_KEY", key)


def _install(packages: str) -> Promise:
    """Return the install command for adapters of Ebb's Python client, which is not in a package
    registry.
    """
    return format_lazy(_("In Ebb's folder, run: pip install {packages}"), packages=packages)


def _adapter(name: str, title: str) -> Host:
    """Return a framework with an adapter in Ebb's Python client."""
    return Host(name, title, _install(f'"./clients/python[{name}]"'))


HOSTS = (
    Host("curl", "curl", _("Run in a terminal:")),
    Host("python", "Python", _install("./clients/python")),
    Host(
        "typescript", "TypeScript",
        _("With Ebb's client, from the folder clients/typescript:"),
    ),
    Host(
        "ai-sdk", "Vercel AI SDK",
        _("With the middleware of Ebb's client, from the folder clients/typescript:"),
    ),
    Host("claude-code", "Claude Code", _("Run in a terminal:")),
    Host(
        "claude-desktop", "Claude Desktop",
        _("Settings → Developer → Edit config (claude_desktop_config.json; needs Node.js):"),
    ),
    Host("cursor", "Cursor", _("In ~/.cursor/mcp.json:")),
    Host("vs-code", "VS Code", _("In .vscode/mcp.json:")),
    Host(
        "open-webui", "Open WebUI",
        _(
            "In the environment of Open WebUI. The last line tells Ebb who writes. Then choose the "
            "model ebb:"
        ),
    ),
    _adapter("langgraph", "LangGraph"),
    _adapter("langchain", "LangChain"),
    _adapter("openai-agents", "OpenAI Agents SDK"),
    _adapter("pydantic-ai", "pydantic-ai"),
    _adapter("llamaindex", "LlamaIndex"),
    _adapter("crewai", "CrewAI"),
    Host("mem0", "mem0", _("With mem0's own client (pip install mem0ai):")),
)  # fmt: skip


def first_texts(url: str, key: str) -> list[tuple[Host, str]]:
    """Return the programs shown first, each with its text."""
    return [(host, host.filled(url, key)) for host in HOSTS if host.name in _FIRST]
