"""Replies of the stub model, which prove which request they answer.

Deterministic, and derived from the request alone. A chat reply quotes the first recalled memory it
finds in the system prompt; a question for JSON gets an assessment read off the user's words.
"""

import json
import re
from typing import Any

# The first pattern that fits decides; the importance is the type's default (seed 002).
TYPES = (
    (r"\bmy name is\b|\bi am an?\b|\bi'm an?\b|我叫|我是", "identity", 1.0),
    (r"\bi want to\b|\bmy goal\b|\bi plan to\b", "goal", 0.9),
    (r"\bi decided\b|\bwe decided\b|\bwe agreed\b", "decision", 0.8),
    (r"\bremind me\b|\bi need to\b|\bi have to\b", "todo", 0.8),
    (r"\bi (really )?(like|love|prefer|hate)\b|\bfavou?rite\b|喜欢|讨厌", "preference", 0.7),
    (r"\byesterday\b|\btomorrow\b|\btoday\b|\blast (week|month|year)\b", "event", 0.4),
    (r"\b(my|our)\b.*\b(is|are|has|have|was)\b", "fact", 0.6),
)
ADD = {"decision": "add", "memory": None, "quote": "", "reasoning": "The stub model adds"}
UNSURE = {"verdict": "unsure", "reasoning": "The stub model cannot say"}
SMALL_TALK = re.compile(r"\W*(hi|hello|hey|thanks|thank you|ok|okay|bye|你好)\b.{0,20}$", re.I)
INTERACTION = re.compile(r"User: (.*?)\n+Assistant:|^Message: (.*)", re.S | re.M)
MEMORY_LINE = re.compile(r"^(?:- \[\d{4}-\d\d-\d\d\] .+|.*对话摘要“.+)$", re.M)


def reply_to(request: dict[str, Any]) -> str:
    """The text that answers a chat completion request."""
    if _asks(request, '"decision": "supersede"'):
        return json.dumps(ADD)
    if _asks(request, '"verdict": "planted"'):
        return json.dumps(UNSURE)
    messages = request.get("messages", [])
    system = "\n".join(_content(m) for m in messages if m["role"] == "system")
    user = next((_content(m) for m in reversed(messages) if m["role"] == "user"), "")
    # An endpoint without a system role gets these words in the user's message.
    told = system or (_content(messages[0]) if messages else "")
    if request.get("response_format") or re.search(r"\bONLY\b.*\bJSON\b", told, re.S):
        return json.dumps(_only_asked_for(assess(user), request), ensure_ascii=False)
    if messages and messages[-1]["role"] == "tool":
        return f"The tool answered: {_content(messages[-1])}"
    memory = MEMORY_LINE.search(system)
    recalled = f" I remember: {memory.group().strip()}" if memory else ""
    return f"You said: {user}{recalled}"


def _asks(request: dict[str, Any], answer: str) -> bool:
    """Return whether the instructions name this answer."""
    system = request.get("messages", [{}])[0].get("content", "")  # or what begins with its words
    return isinstance(system, str) and answer in system


def assess(prompt: str) -> dict[str, Any]:
    """An assessment in the words of seeds 001 and 003, from the user's part of the prompt."""
    interaction = INTERACTION.search(prompt)
    said = ((interaction[1] or interaction[2]) if interaction else prompt).strip()
    memory_type, importance = _type_of(said)
    words = list(dict.fromkeys(re.findall(r"\w{4,}", said.lower()))) or ["chat"]
    facets = {"P": importance, "I": 0.5, "J": importance, "valence": 0.0, "intensity": 0.0}
    return {
        # As llama.cpp's server was seen to answer with a model of 1.5B: the person's own words.
        "facts": []
        if importance < 0.2
        else [{"importance": importance, "type": memory_type, "text": said[:200]}],
        "importance": importance,
        "memory_type": memory_type,
        "summary": f"User: {said}",
        "tags": words[:5],
        "topics": [words[0].capitalize()],
        "reasoning": f"The stub model read this as {memory_type}",
        "facets": facets,
        **facets,
        "E": 0.0,
    }


def _type_of(said: str) -> tuple[str, float]:
    if SMALL_TALK.match(said):
        return "observation", 0.1
    for pattern, memory_type, importance in TYPES:
        if re.search(pattern, said, re.I):
            return memory_type, importance
    return "observation", 0.3


def _only_asked_for(assessment: dict[str, Any], request: dict[str, Any]) -> dict[str, Any]:
    """Keep to the request's JSON schema; without one, to the fields that the prompt names."""
    schema = ((request.get("response_format") or {}).get("json_schema") or {}).get("schema")
    if schema is not None:
        return {key: assessment[key] for key in schema.get("properties", {}) if key in assessment}
    prompt = "\n".join(_content(message) for message in request["messages"])
    return {key: value for key, value in assessment.items() if f'"{key}"' in prompt} or assessment


def _content(message: dict[str, Any]) -> str:
    content = message.get("content") or ""
    if isinstance(content, list):
        return "".join(part.get("text", "") for part in content)
    return str(content)
