"""A model can choose a tool by its description: requests are nearest to the right tool's text."""

import re

import numpy as np

from memory.embeddings import get_embedder
from memory.tools import TOOLS

REQUESTS = {
    "remember": (
        "Remember that my sister's name is Clara.",
        "Please keep in mind that I don't eat meat.",
        "I decided to take the job in Hamburg, note that down.",
        "Don't forget that I prefer short answers.",
        "I'm planning to run a marathon next spring, remember this.",
        "My new hobby is pottery, save that for next time.",
        "The user just said that she is afraid of flying; keep it for later conversations.",
        "For the future: I always work from home on Fridays.",
        "I like my coffee black, remember it.",
        "Please note that I am allergic to cats.",
        "Remember: our anniversary is on the 12th of June.",
    ),
    "search_memories": (
        "What did I tell you about my brother?",
        "Do you remember where I live?",
        "Which restaurant did I say I liked?",
        "When is my mother's birthday again? I told you once.",
        "What was the name of the book I mentioned last week?",
        "Have I ever said what I am allergic to?",
        "Look up what we discussed about the holiday in our earlier chats.",
        "What do you know about my work from previous conversations?",
        "Did I mention which car I drive?",
        "What's my favourite colour, as I told you?",
        "Where did I say I went to school?",
    ),
    "update_memory": (
        "The address you have saved is wrong, correct it.",
        "That memory is outdated: I no longer work there, please fix it.",
        "Change the date in that memory to the 4th of May.",
        "You noted my dog's name wrongly; correct the saved text.",
        "Add the tag travel to that memory.",
        "What you saved about my phone is incomplete, complete it.",
        "The saved note says 2023 but it should be 2024, edit it.",
        "Update the memory about my address, the street is wrong.",
        "My job title in that memory is wrong, fix it.",
        "The memory about my flat is no longer right, correct it.",
    ),
    "forget": (
        "Forget what I said about my ex.",
        "Delete the memory about my salary.",
        "Please forget my old phone number.",
        "I don't want you to keep that, delete it.",
        "Remove everything you know about my illness.",
        "Throw that memory away.",
        "Erase the note about the party from your memory.",
        "Move that memory to the bin.",
        "You should forget that I ever smoked.",
        "Delete everything about my former landlord.",
    ),
    "memory_write": (
        "Save this as a decision with importance 0.9.",
        "Store a memory of type goal with importance 0.7: learn Portuguese.",
        "Write this down as a fact, importance 0.3.",
        "Save it with the type preference and importance 0.8.",
        "Record this as an identity memory with the highest importance.",
        "Save a todo memory with low importance: water the plants.",
        "Keep this as an event with importance 0.5.",
        "Create a memory with type observation and set its importance to 0.2.",
        "Save this with type event and importance 0.4.",
        "Store it as a preference of importance 1.",
    ),
    "memory_read": (
        "Show me memory 3f2a91bc.",
        "Read the memory with the id 7d01ff2e.",
        "What does memory a1b2c3d4 say?",
        "Open the memory with this id: 9e8d7c6b.",
        "Which type does the memory with id 0c9f12aa have?",
        "I have an id, 55aa10ff; read me that one memory.",
        "How important is memory 4be7c210?",
        "Get the memory by its id 12ab34cd.",
        "Read me memory ff00aa11.",
        "What is in the memory with the id 31415926?",
    ),
    "memory_search": (
        "List the memories about food with their scores.",
        "Rank my memories about work by importance.",
        "Which memories have the highest importance? List them.",
        "Compare the scores of the memories about travel.",
        "Show a list of memories with their types, best first.",
        "List all goal memories, sorted by importance.",
        "Give me the best matching memories together with score and type.",
        "Which saved decisions rank highest? Show type and score.",
        "Show the top memories on health with type, importance and score.",
        "Sort the memories on music by their score.",
        "Which memories about family score best?",
        "List the memories on money by importance.",
    ),
}
RIGHT = 0.9
"""The share of the requests whose tool has to be found."""


def sentences(description: str) -> list[str]:
    """Return a tool's purpose, its use and its examples; an embedding cannot tell what it is not
    for."""
    said = re.split(r"(?<=\.) (?=[A-Z])", description)
    said = [sentence for sentence in said if not sentence.startswith("Do not")]
    return [part for sentence in said for part in (sentence, *re.findall("“([^”]+)”", sentence))]


def test_each_tool_says_when_to_use_it_and_when_not() -> None:
    for tool in TOOLS.values():
        assert " Use it when " in tool.description, tool.name
        assert " Do not use it " in tool.description, tool.name


def test_a_request_leads_to_its_tool() -> None:
    embedder = get_embedder("local", "all-MiniLM-L6-v2", 384)
    names = list(TOOLS)
    asked = [(name, request) for name, requests in REQUESTS.items() for request in requests]
    assert len(asked) >= 60
    assert set(REQUESTS) == set(names)

    means = [embedder.embed(sentences(TOOLS[name].description)).mean(axis=0) for name in names]
    known = np.array([mean / np.linalg.norm(mean) for mean in means])
    found = embedder.embed([request for _name, request in asked]) @ known.T
    chosen = [names[int(best)] for best in np.argmax(found, axis=1)]
    wrong = [(*one, took) for one, took in zip(asked, chosen, strict=True) if took != one[0]]
    assert len(wrong) <= (1 - RIGHT) * len(asked), wrong
