"""The languages of keyword search, for people to choose."""

from typing import Final

from django.utils.translation import gettext_lazy as _

LANGUAGES: Final = {
    "ar": _("Arabic"),
    "zh": _("Chinese"),
    "da": _("Danish"),
    "nl": _("Dutch"),
    "en": _("English"),
    "fi": _("Finnish"),
    "fr": _("French"),
    "de": _("German"),
    "el": _("Greek"),
    "hu": _("Hungarian"),
    "it": _("Italian"),
    "ja": _("Japanese"),
    "ko": _("Korean"),
    "no": _("Norwegian"),
    "pt": _("Portuguese"),
    "ro": _("Romanian"),
    "ru": _("Russian"),
    "es": _("Spanish"),
    "sv": _("Swedish"),
    "th": _("Thai"),
    "tr": _("Turkish"),
}
"""The languages that keyword search knows. Others get no word forms; the API accepts them too."""
