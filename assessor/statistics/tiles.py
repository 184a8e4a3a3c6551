"""The figures of assessor.statistics.inspection for the Assessments page, each with its target.

A space has tiles, and each model has a table row.
"""

from collections.abc import Callable
from dataclasses import dataclass

from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from assessor.statistics.inspection import (
    TARGET_COST_USD,
    TARGET_LATENCY_MS,
    TARGET_SUCCESS,
    Figures,
    ModelFigures,
)
from assessor.templatetags.assessments import duration, usd


@dataclass(frozen=True)
class Tile:
    """One figure; `reached` is None without a target or without a value to compare."""

    label: str
    value: str
    details: tuple[str, ...] = ()
    aim: str = ""
    reached: bool | None = None


@dataclass(frozen=True)
class Column:
    """A column of the table by model, with the target of seed 001."""

    label: str
    aim: str


@dataclass(frozen=True)
class Cell:
    """A figure of one model; `reached` is None without a value to compare."""

    value: str
    reached: bool | None


@dataclass(frozen=True)
class ModelRow:
    """One model's row: its figures in the order of `columns`."""

    figures: ModelFigures
    count: str
    cells: tuple[Cell, ...]

    @property
    def labelled(self) -> list[tuple[str, Cell]]:
        """The cells with the labels of their columns."""
        labels = [column.label for column in columns()]
        return list(zip(labels, self.cells, strict=True))


def columns() -> list[Column]:
    """Return the columns of the table by model."""
    quick = _("under %(time)s") % {"time": duration(TARGET_LATENCY_MS)}
    return [
        Column(_("Success rate"), _("more than %(share)s") % {"share": _percent(TARGET_SUCCESS)}),
        Column(_("Median latency"), quick),
        Column(_("95th percentile"), quick),
        Column(_("Cost per assessment"), _("about %(price)s") % {"price": usd(TARGET_COST_USD)}),
    ]


def model_row(figures: ModelFigures) -> ModelRow:
    """Return a model's figures as the cells of `columns`."""
    cells = [_cell(figures.success, _percent, reached=figures.is_reliable)]
    median, slow = figures.latency or (None, None)
    is_quick = median is not None and median < TARGET_LATENCY_MS
    cells += [
        _cell(median, duration, reached=is_quick),
        _cell(slow, duration, reached=figures.is_quick),
        _cell(figures.cost_each, usd, reached=figures.is_cheap),
    ]
    return ModelRow(figures, _count(figures.finished), tuple(cells))


def _cell(value: float | None, said: Callable[[float], str], *, reached: bool) -> Cell:
    return Cell("–", None) if value is None else Cell(said(value), reached)


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
        _("Success rate"),
        _percent(success),
        (
            _("%(assessed)s assessed, %(failed)s failed")
            % {"assessed": _count(figures.assessed), "failed": _count(figures.failed)},
        ),
        _("more than %(share)s") % {"share": _percent(TARGET_SUCCESS)},
        figures.is_reliable,
    )


def _latency(figures: Figures, latency: list[float]) -> Tile:
    details = [_("median; 95%% within %(time)s") % {"time": duration(latency[1])}]
    if figures.model_latency and figures.by_model < figures.assessed:
        middle, slow = map(duration, figures.model_latency)
        details.append(
            _("with a model: %(middle)s, 95%% within %(slow)s") % {"middle": middle, "slow": slow}
        )
    aim = _("95%% within %(time)s") % {"time": duration(TARGET_LATENCY_MS)}
    return Tile(_("Latency"), duration(latency[0]), tuple(details), aim, figures.is_quick)


def _cost(figures: Figures) -> Tile:
    aim = _("about %(price)s") % {"price": usd(TARGET_COST_USD)}
    if figures.cost_each is None or figures.cost is None:
        return Tile(
            _("Cost per assessment"), _("unknown"), (_("no price set, or no tokens reported"),), aim
        )
    details = [_("%(sum)s in total") % {"sum": usd(figures.cost)}]
    if figures.unpriced:
        details.append(
            ngettext("%(n)s with unknown cost", "%(n)s with unknown cost", figures.unpriced)
            % {"n": _count(figures.unpriced)}
        )
    return Tile(
        _("Cost per assessment"), usd(figures.cost_each), tuple(details), aim, figures.is_cheap
    )


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
