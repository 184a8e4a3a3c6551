"""The gate before the assessor: recognises requests that teach nothing, because a program wrote
them.

    own_words  tells a person's own words from documents, transcripts, code and templates
    pasted     recognises pasted text by its form: mails, posts, reviews, logs
    handed     finds the text that a request hands over: "Can you translate this: …"
    requests   recognises such a request by its words
    wording    compiles the words, which words/*.toml lists
    handing    recognises other requests by their vector
    signals    the marks of a program's prompt, and their weights
    frames     recognises a template by its labels and its end
    likeness   tells a program's prompt from a person's message, by a trained classifier
    systems    tells the system prompt of a task from that of a conversation
    prompts    names the reason why a message teaches nothing
    exchanges  applies the gate to exchanges, and counts refused requests

The gate decides by the shape of the text only. It does not list the templates of any product.
"""

from assessor.gate.own_words import own_words
from assessor.gate.prompts import GateReason, gate_reason

# The response header with the reason why a request taught nothing.
GATE_HEADER = "X-Ebb-Gate"

__all__ = ["GATE_HEADER", "GateReason", "gate_reason", "own_words"]
