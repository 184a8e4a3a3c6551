"""Decides who speaks in an exchange, before its assessment and before its memories are written.

    machine_text  removes recalled memories, system prompts, tool results and quotations
    gate          recognises prompts of programs, which teach nothing
    steering      finds attempts to steer and others' words, which wait for review
    masking       masks keys, passwords and card numbers (memory.text.secrets)

What is formal is a pattern. Everything else says the reader, by its voices.
"""

from assessor.screening.gate import GATE_HEADER, GateReason, gate_of, gate_reason, why_ignored
from assessor.screening.machine_text import assessed_part
from assessor.screening.masking import mask_exchange, mask_result, texts_of
from assessor.screening.steering import steering, why_held

__all__ = [
    "GATE_HEADER",
    "GateReason",
    "assessed_part",
    "gate_of",
    "gate_reason",
    "mask_exchange",
    "mask_result",
    "steering",
    "texts_of",
    "why_held",
    "why_ignored",
]
