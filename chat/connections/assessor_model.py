"""Facts about the assessor model for the models page: its cost, and a smaller model to suggest.

Seed 001 asks for a weak model. Without EBB_ASSESSOR_MODEL the chat's model assesses.
"""

from datetime import datetime
from urllib.parse import SplitResult, urlsplit

from django.conf import settings
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from accounts.models import Space
from assessor.statistics.inspection import figures_by_model
from assessor.templatetags.assessments import usd
from memory.model_connections.choosing import ChosenModel
from memory.model_connections.presets import PRESETS, Preset


def small_model() -> str:
    """Return a small model of the configured provider; "" if none is known, or the assessor model
    was chosen by its own variable."""
    if "EBB_ASSESSOR_MODEL" in settings.MODEL_VARIABLES:
        return ""
    try:
        address = urlsplit(settings.OPENAI_BASE_URL or "https://api.openai.com/v1")
        names = [preset.small_model for preset in PRESETS.values() if _is_at(preset, address)]
    except ValueError:
        return ""
    return "" if settings.EBB_ASSESSOR_MODEL in names else next(iter(names), "")


def _is_at(preset: Preset, address: SplitResult) -> bool:
    """Return whether an address belongs to the provider, judged by its host or by the port of a
    local server.
    """
    own = urlsplit(preset.base_url)
    if own.hostname == "localhost":
        return own.port == address.port
    return own.hostname == address.hostname


def cost(space: Space, chosen: ChosenModel, now: datetime) -> str:
    """Return the cost of an assessment in words: measured in this space, or otherwise the
    prices.
    """
    for figures in figures_by_model(space=space, now=now):
        # Endpoints return the full name of the version.
        if figures.model.startswith(chosen.model) and figures.cost_each is not None:
            said = ngettext(
                "%(cost)s per assessment (%(n)d in the last 30 days)",
                "%(cost)s per assessment (%(n)d in the last 30 days)",
                figures.priced,
            )
            return said % {"cost": usd(figures.cost_each), "n": figures.priced}
    prompt, answer = chosen.prices
    if prompt is None or answer is None:
        if chosen.connection:
            return _("Unknown: set the prices of the connection.")
        return _("Unknown: set EBB_PRICES.")
    prices = {"prompt": usd(prompt), "answer": usd(answer)}
    return _("%(prompt)s per million prompt tokens, %(answer)s per million answer tokens") % prices
