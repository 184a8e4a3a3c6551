"""The adjustment of a memory's importance in sentences."""

from typing import Final

from django.utils.translation import ngettext_lazy

from memory.models import Memory
from memory.store.adjustment import adjustment_parts

_SENTENCES: Final = {
    "used": ngettext_lazy("used in %(n)d answer", "used in %(n)d answers", "n"),
    "unused": ngettext_lazy(
        "sent for %(n)d answer that did not use it",
        "sent for %(n)d answers that did not use it",
        "n",
    ),
    "confirmed": ngettext_lazy(
        "confirmed %(n)d time: marked relevant, said again, restored or pinned",
        "confirmed %(n)d times: marked relevant, said again, restored or pinned",
        "n",
    ),
    "objected": ngettext_lazy(
        "rejected %(n)d time: marked irrelevant, corrected or deleted",
        "rejected %(n)d times: marked irrelevant, corrected or deleted",
        "n",
    ),
}


def signed(value: float) -> str:
    """Return a part of an adjustment with its sign, for example "+0.08"."""
    return f"{value:+.2f}"


def sentences_of(memory: Memory) -> list[str]:
    """Return the parts of the memory's adjustment, for example "+0.08: used in 5 answers"."""
    return [
        f"{signed(part.value)}: {_SENTENCES[part.kind] % {'n': part.count}}"
        for part in adjustment_parts(memory)
    ]
