"""The figures of assessor.inspection as tiles for the Assessments page, each with its target."""

from dataclasses import dataclass

from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from assessor.inspection import TARGET_COST_USD, TARGET_LATENCY_MS, TARGET_SUCCESS, Figures
from assessor.templatetags.assessments import duration, usd


@dataclass(frozen=True)
class Tile:
    """One figure; `reached` is None without a target or without a value to compare."""

    label: str
    value: str
    details: tuple[str, ...] = ()
    aim: str = ""
    reached: bool | None = None


def tiles(figures: Figures) -> list[Tile]:
    """Return the tiles that have a value; none before the first assessment."""
    if figures.success is None:
        return []
    shown = [_success(figures, figures.success)]
    if figures.latency is not None:
        shown += [_latency(figures, figures.latency), _cost(figures), _tokens(figures)]
    if figures.saved is not None:
        shown.append(_cascade(figures, figures.saved))
    return shown


def _success(figures: Figures, success: float) -> Tile:
    return Tile(
        _("Success"),
        _percent(success),
        (
            _("%(judged)s assessed, %(failed)s failed")
            % {"judged": _count(figures.judged), "failed": _count(figures.failed)},
        ),
        _("more than %(share)s") % {"share": _percent(TARGET_SUCCESS)},
        figures.is_reliable,
    )


def _latency(figures: Figures, latency: list[float]) -> Tile:
    details = [_("median; 95%% within %(time)s") % {"time": duration(latency[1])}]
    if figures.model_latency and figures.by_model < figures.judged:
        middle, slow = map(duration, figures.model_latency)
        details.append(
            _("with a model: %(middle)s, 95%% within %(slow)s") % {"middle": middle, "slow": slow}
        )
    aim = _("95%% within %(time)s") % {"time": duration(TARGET_LATENCY_MS)}
    return Tile(_("Time"), duration(latency[0]), tuple(details), aim, figures.is_quick)


def _cost(figures: Figures) -> Tile:
    aim = _("about %(price)s each") % {"price": usd(TARGET_COST_USD)}
    if figures.cost_each is None or figures.cost is None:
        return Tile(_("Cost"), _("unknown"), (_("no price set, or no tokens reported"),), aim)
    details = [_("each; %(sum)s in total") % {"sum": usd(figures.cost)}]
    if figures.unpriced:
        details.append(
            ngettext("%(n)s without a price", "%(n)s without a price", figures.unpriced)
            % {"n": _count(figures.unpriced)}
        )
    return Tile(_("Cost"), usd(figures.cost_each), tuple(details), aim, figures.is_cheap)


def _tokens(figures: Figures) -> Tile:
    if figures.all_tokens is None or figures.tokens_each is None:
        return Tile(_("Tokens"), "0", (_("no model has reported any"),))
    return Tile(
        _("Tokens"),
        _count(figures.all_tokens),
        (_("%(n)s per model answer") % {"n": _count(round(figures.tokens_each))},),
    )


def _cascade(figures: Figures, saved: float) -> Tile:
    details = [
        _("the model was asked about %(asked)s of %(all)s")
        % {"asked": _count(figures.asked_model), "all": _count(figures.cascaded)}
    ]
    if figures.agreement is not None:
        details.append(
            _("both assessors agreed on %(share)s of these")
            % {"share": _percent(figures.agreement)}
        )
    return Tile(_("Model calls avoided"), _percent(saved), tuple(details))


def _percent(share: float) -> str:
    return f"{share:.1%}".replace(".0%", "%")


def _count(number: int) -> str:
    return str(number_format(number, use_l10n=True, force_grouping=True))
