"""The template library `ebb`: what partials draw with."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from django.conf import settings
from django.template import Context, Template
from django.template.loader import render_to_string
from django.test import override_settings
from django.utils import timezone, translation

from accounts.models import Space
from memory.models import Memory
from memory.models.choices import MemoryType
from memory.policy import PolicyDocument
from memory.retention.lifetime_bar import lifetime_bar
from memory.templatetags.ebb import age_in_words, ago, icon, icon_url, percent, score, thickness

NOW = datetime(2026, 2, 18, 12, 0, tzinfo=UTC)


@pytest.fixture(autouse=True)
def _plain_static_names() -> Iterator[None]:
    """These tests are about markup; hashed names need `collectstatic` first."""
    plain = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    with override_settings(STORAGES={**settings.STORAGES, "staticfiles": plain}):
        icon.cache_clear()
        icon_url.cache_clear()
        yield
    icon.cache_clear()
    icon_url.cache_clear()


@pytest.mark.parametrize(
    ("fraction", "text"),
    [(0.634, "63.4%"), (0.0, "0.0%"), (1.0, "100.0%"), (0.9999, "100.0%"), (-0.2, "0.0%")]
    + [(1.7, "100.0%")],
)
def test_percent_is_an_svg_length_between_0_and_100(fraction: float, text: str) -> None:
    assert percent(fraction) == text


@pytest.mark.parametrize("language", ["en", "de", "zh-hans"])
def test_percent_keeps_its_dot_in_every_language(language: str) -> None:
    template = Template("{% load ebb %}{{ life|percent }} {{ life|score }} {{ life|thickness }}")
    with translation.override(language):
        assert template.render(Context({"life": 0.5})) == "50.0% 0.50 2.00"


def test_score_has_two_decimals() -> None:
    assert [score(value) for value in (0.7149, 0.715001, 1, 0)] == ["0.71", "0.72", "1.00", "0.00"]


def test_thickness_grows_with_importance_and_stops_at_its_ends() -> None:
    assert [thickness(value) for value in (-1, 0, 0.5, 1, 2)] == [
        "1.00",
        "1.00",
        "2.00",
        "3.00",
        "3.00",
    ]


# seed 003, section 6: <1 day 今天, 1 to 29 {d}天前, 30 to 364 {d/30}个月前, from 365 {d/365}年前
@pytest.mark.parametrize(
    ("days", "chinese", "english"),
    [
        (-3, "今天", "today"),
        (0, "今天", "today"),
        (1, "1天前", "1 day ago"),
        (3, "3天前", "3 days ago"),
        (29, "29天前", "29 days ago"),
        (30, "1个月前", "1 month ago"),
        (59, "1个月前", "1 month ago"),
        (60, "2个月前", "2 months ago"),
        (364, "12个月前", "12 months ago"),
        (365, "1年前", "1 year ago"),
        (800, "2年前", "2 years ago"),
    ],
)
def test_age_is_said_as_seed_003_says_it(days: int, chinese: str, english: str) -> None:
    with translation.override("zh-hans"):
        assert age_in_words(days) == chinese
    with translation.override("en"):
        assert age_in_words(days) == english


@pytest.mark.parametrize(
    ("zone", "said", "words"),
    [
        ("UTC", "2026-11-26T23:50+00:00", "1 day ago"),
        ("UTC", "2026-11-27T00:01+00:00", "today"),
        ("UTC", "2026-11-25T23:50+00:00", "2 days ago"),
        ("America/New_York", "2026-11-26T23:50+00:00", "today"),  # 18:50 and 19:05
        ("Asia/Shanghai", "2026-11-26T15:50+00:00", "1 day ago"),  # 23:50 and 08:05
    ],
)
def test_ago_counts_calendar_days_of_the_reader(zone: str, said: str, words: str) -> None:
    now = datetime(2026, 11, 27, 0, 5, tzinfo=UTC)
    with translation.override("en"), timezone.override(ZoneInfo(zone)):
        assert f">{words}<" in ago(datetime.fromisoformat(said), now)


def test_ago_carries_the_exact_time() -> None:
    with translation.override("en"):
        html = ago(NOW - timedelta(days=3), NOW)
    assert html == (
        '<time datetime="2026-02-15T12:00:00+00:00" title="Feb. 15, 2026, 12:00">3 days ago</time>'
    )


def test_icon_points_into_the_sprite_and_is_hidden_from_screen_readers() -> None:
    html = icon("anchor", "big")
    assert 'class="icon big"' in html
    assert 'aria-hidden="true"' in html
    assert "#anchor" in html


def test_every_icon_named_in_a_template_is_in_the_sprite() -> None:
    sprite = (settings.BASE_DIR / "static/ebb/icons.svg").read_text()
    drawn = set(re.findall(r'<symbol id="([a-z]+)"', sprite))
    named = {
        name
        for page in (settings.BASE_DIR / "templates").rglob("*.html")
        for name in re.findall(r'{% icon "([a-z]+)"', page.read_text())
    }
    assert "anchor" in named
    assert named | set(MemoryType.values) <= drawn


def a_memory(**changes: object) -> Memory:
    """Half of its ten days are over."""
    fields: dict[str, object] = {
        "memory_type": "fact",
        "content": "<script>alert(1)</script>",
        "importance": 0.71,
        "tags": ["health"],
        "core": True,
        "created_at": NOW,
        "clock_started_at": NOW,
        "expires_at": NOW + timedelta(days=10),
        "use_count": 4,
    }
    return Memory(**fields | changes)


def bar_of(memory: Memory) -> str:
    bar = lifetime_bar(memory, PolicyDocument(), NOW + timedelta(days=5))
    return render_to_string("_lifetime_bar.html", {"bar": bar})


def test_tide_line_is_as_long_as_the_life_left_and_says_it_in_words() -> None:
    html = bar_of(a_memory())
    assert 'x2="50.0%"' in html
    assert 'stroke-opacity="71.0%"' in html
    assert 'aria-label="important (0.71 now), kept until Feb. 28, 2026, used 4 times"' in html
    assert "#anchor" not in html


def test_tide_line_of_a_permanent_memory_is_whole_and_anchored() -> None:
    html = bar_of(a_memory(pinned=True))
    assert "tide permanent" in html
    assert 'x2="100%"' in html
    assert "#anchor" in html


def test_tide_line_of_a_memory_about_to_go_ebbs() -> None:
    html = bar_of(a_memory(expires_at=NOW + timedelta(days=5, hours=12)))
    assert "tide ebbing" in html
    assert '<svg width="9.1%">' in html
    assert "#tide-wave" in html


@pytest.mark.parametrize("compact", [True, False])
def test_memory_card_shows_content_harmlessly_and_without_inline_style(compact: bool) -> None:
    html = render_to_string(
        "_memory_card.html",
        {
            "memory": a_memory(),
            "policy": PolicyDocument(),
            "space": Space(slug="demo"),
            "match": "92% match",
            "compact": compact,
        },
    )
    assert "<script" not in html
    assert "style=" not in html
    assert "92% match" in html
    assert "0.71 now" in html
    assert ("health" in html) is not compact


@pytest.mark.parametrize("state", ["queued", "running", "retrying", "done", "ignored", "failed"])
def test_each_assessment_state_has_a_chip(state: str) -> None:
    assert 'class="chip' in render_to_string("_assessment_state.html", {"state": state})


def test_importance_is_said_with_the_current_one_only_when_it_has_faded() -> None:
    fresh, later = NOW, NOW + timedelta(days=60)
    words = [
        lifetime_bar(a_memory(core=False), PolicyDocument(), at).importance_words
        for at in (fresh, later)
    ]
    assert words[0] == "importance 0.71"
    assert words[1] == "importance 0.71 (now 0.63)"
