"""Known providers of models, as data for the form of a new connection."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Preset:
    """A provider: its OpenAI-compatible address, and where a person creates a key.

    `small_model` is a small model that is able to assess, "" if the provider has no models of its
    own. A server of this machine names an `owner` of its models. `pages` are the provider's pages
    with these facts, read in November 2026.
    """

    name: str
    label: str
    base_url: str
    pages: tuple[str, ...]
    needs_key: bool = True
    key_page: str = ""
    small_model: str = ""
    owner: str = ""


_PRESETS = (
    Preset(
        "openai",
        "OpenAI",
        "https://api.openai.com/v1",
        # gpt-4.1-nano is deprecated.
        pages=("https://developers.openai.com/api/docs/models/gpt-4.1-nano",),
        key_page="https://platform.openai.com/api-keys",
        small_model="gpt-5.4-nano",
    ),
    Preset(
        "azure",
        "Azure OpenAI",
        # Its models are the customer's own deployments, under names that the customer chose.
        "https://YOUR-RESOURCE-NAME.openai.azure.com/openai/v1",
        pages=("https://learn.microsoft.com/azure/foundry/openai/api-version-lifecycle",),
        key_page="https://portal.azure.com/",
    ),
    Preset(
        "anthropic",
        "Anthropic",
        "https://api.anthropic.com/v1",
        pages=(
            "https://platform.claude.com/docs/en/api/openai-sdk",
            "https://platform.claude.com/docs/en/models/haiku-5-5/overview.md",
        ),
        key_page="https://console.anthropic.com/settings/keys",
        small_model="claude-haiku-5-5",
    ),
    Preset(
        "gemini",
        "Gemini",
        "https://generativelanguage.googleapis.com/v1beta/openai",
        pages=(
            "https://ai.google.dev/gemini-api/docs/openai",
            "https://ai.google.dev/gemini-api/docs/deprecations",
        ),
        key_page="https://aistudio.google.com/apikey",
        small_model="gemini-3.5-flash-lite",
    ),
    Preset(
        "ollama",
        "Ollama",
        "http://localhost:11434/v1",
        pages=("https://docs.ollama.com/api/openai-compatibility",),
        needs_key=False,
        small_model="qwen3:1.7b",
        owner="library",
    ),
    Preset(
        "lmstudio",
        "LM Studio",
        "http://localhost:1234/v1",
        pages=("https://lmstudio.ai/docs/api/openai-api",),
        needs_key=False,
        owner="organization_owner",
    ),
    Preset(
        "vllm",
        "vLLM",
        "http://localhost:8000/v1",
        pages=("https://docs.vllm.ai/en/latest/serving/openai_compatible_server.html",),
        needs_key=False,
        owner="vllm",
    ),
    Preset(
        "llamacpp",
        "llama.cpp",
        "http://localhost:8080/v1",
        pages=("https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md",),
        needs_key=False,
        owner="llamacpp",
    ),
    Preset(
        "jan",
        "Jan",
        "http://localhost:1337/v1",
        pages=("https://github.com/janhq/jan",),
        needs_key=False,
    ),
    Preset(
        "localai",
        "LocalAI",
        "http://localhost:8080/v1",
        # Its list names no owner.
        pages=("https://github.com/mudler/LocalAI/blob/master/core/schema/openai.go",),
        needs_key=False,
    ),
    Preset(
        "koboldcpp",
        "KoboldCpp",
        "http://localhost:5001/v1",
        pages=("https://github.com/LostRuins/koboldcpp/blob/concedo/koboldcpp.py",),
        needs_key=False,
        owner="koboldcpp",
    ),
    Preset(
        "deepseek",
        "DeepSeek",
        "https://api.deepseek.com",
        # deepseek-chat was retired in July 2026.
        pages=("https://api-docs.deepseek.com/quick_start/your_first_api_call",),
        key_page="https://platform.deepseek.com/api_keys",
        small_model="deepseek-flash",
    ),
    Preset(
        "groq",
        "Groq",
        "https://api.groq.com/openai/v1",
        pages=("https://console.groq.com/docs/openai", "https://console.groq.com/docs/models"),
        key_page="https://console.groq.com/keys",
        small_model="openai/gpt-oss-20b",
    ),
    Preset(
        "mistral",
        "Mistral",
        "https://api.mistral.ai/v1",
        pages=("https://docs.mistral.ai/getting-started/models/",),
        key_page="https://console.mistral.ai/api-keys",
        small_model="ministral-3b-latest",
    ),
    Preset(
        "openrouter",
        "OpenRouter",
        "https://openrouter.ai/api/v1",
        pages=(
            "https://openrouter.ai/docs/quickstart",
            "https://openrouter.ai/openai/gpt-5.4-nano",
        ),
        key_page="https://openrouter.ai/settings/keys",
        small_model="openai/gpt-5.4-nano",
    ),
)
PRESETS: Mapping[str, Preset] = {preset.name: preset for preset in _PRESETS}
