"""The ways to write a time in each language that the encoder knows, as patterns.

The words are those of the Unicode CLDR, from Babel, and the numbers those of num2words. `_ALSO`,
`_LOOSER` and the forms of English and Chinese add what they lack.
"""

import functools
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal, NamedTuple

Unit = Literal["day", "week", "month", "year"]
LANGUAGES = frozenset(
    ("ar", "de", "en", "es", "fr", "it", "ja", "ko", "nl", "pl", "pt", "ru", "th", "tr", "zh")
)
HAN = "一二三四五六七八九十"
_UNSPACED = ("zh", "ja", "th")
_YEAR_FIRST = ("zh", "ja", "ko")
_DAYS_OF_WEEK = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_MOST_IN_WORDS = 31
# Such a weekday is one of the week that is named: 上周五, "Friday next week".
WEEK_NAMED = re.compile("week|[周週]|星期|礼拜")
_IN = "in|since|during|around|from"
_YEAR = r"(?P<year>(?:19|20)\d\d)(?!\d)"
_NUMBERED = rf"(?<![\d{HAN}])(?P<month>\d{{1,2}}|[{HAN}]{{1,2}})\s*[月월](?!前)"
_ALSO: Mapping[str, Mapping[str, int]] = {
    "en": {"day before yesterday": -2, "day after tomorrow": 2, "tonight": 0, "this morning": 0,
           "this afternoon": 0, "this evening": 0, "last night": -1},
    "zh": {"大前天": -3, "大后天": 3, "昨日": -1, "昨晚": -1, "今早": 0, "今晚": 0, "明早": 1,
           "明晚": 1},
    "es": {"antes de ayer": -2},
    "ar": {"غدا": 1, "بعد غد": 2},
}  # fmt: skip
_COUNTS: Mapping[str, Mapping[str, int]] = {"en": {"a": 1, "an": 1, "a couple of": 2}}
_LOOSER: Mapping[str, Mapping[str, str]] = {
    "en": {"last": "(?:last|this past)"},
    "zh": {"周": "(?:周|个?星期|个?礼拜)", "本": "[这本]个?", "个": "个?"},
}  # fmt: skip
# "la mañana" and "de morgen" are mornings; 以前天天 and 前天气 do not say 前天.
_NOT_AFTER = {"es": "(?<!la )(?<!esta )(?<!cada )(?<!una )(?<!buena )", "zh": "(?<![以目])",
              "nl": "(?<!de )(?<!deze )(?<!elke )(?<!een )"}  # fmt: skip
_NOT_BEFORE = {"zh": "(?<![前后]天(?=[气天]))"}
# English verbs and words of addresses, unless they begin with a capital letter.
_VERBS = ("may", "march", "mar")


class Form(NamedTuple):
    """A way to write a time: with the time's parts as groups, or relative to a day. Then it is
    `offset` units later, or as many as its group `count` times `sign`. `weekday` 0 is Monday."""

    pattern: re.Pattern[str]
    unit: Unit
    offset: int | None = None
    sign: int = 0
    weekday: int | None = None


class Words(NamedTuple):
    """The forms of a language, the most exact first; its months, weekdays and numbers."""

    forms: list[Form]
    months: Mapping[str, int]
    weekdays: Mapping[str, int]
    counts: Mapping[str, int]


@functools.cache
def words_of(language: str) -> Words:
    """Return the words of a language. The first call takes about 50 ms."""
    from babel import Locale  # most processes read no dates

    locale = Locale.parse(language)
    fields, counts = locale._data["date_fields"], _counts(language)  # noqa: SLF001 - not shown
    months = _names_of_months(language, locale)
    weekdays = {name: number for number, name in locale.days["format"]["wide"].items()}
    near = functools.partial(_near, language, fields)
    counted = functools.partial(_counted, language, fields, counts)
    forms = [*_written(language, fields, months), *near("day"), *counted("day")]
    forms += [*_weekdays(language, fields, weekdays), *_months(language, months)]
    forms += [*counted("month"), *near("month"), *counted("week"), *near("week")]
    forms += [*_years(language), *counted("year"), *near("year")]
    return Words(forms, months, weekdays, counts)


def _names_of_months(language: str, locale: Any) -> dict[str, int]:
    """Return the names of months with their numbers, with small and with capital letters."""
    return {
        spelling: number
        for width in ("abbreviated", "wide")
        for style in ("stand-alone", "format")
        for number, name in locale.months[style][width].items()
        for spelling in (name.strip("."), name.strip(".").capitalize(), name.strip(".").lower())
        if language != "en" or spelling not in _VERBS
    }


def _any(words: Iterable[str]) -> str:
    """Return a pattern for any of the words, the longest first."""
    return "|".join(sorted(map(re.escape, words), key=len, reverse=True))


def _whole(language: str, pattern: str) -> re.Pattern[str]:
    """Return the pattern for whole words. Korean words end in particles."""
    left = "" if language in _UNSPACED else r"(?<!\w)"
    return re.compile(left + pattern + ("" if language in (*_UNSPACED, "ko") else r"(?!\w)"))


def _plain(language: str, text: str) -> str:
    """Return a pattern for words with any apostrophe, in small or capital letters. In German, they
    have a capital letter only where a sentence begins: "der Morgen" is a morning."""
    for word, pattern in _LOOSER.get(language, {}).items():
        text = text.replace(word, pattern)
    text = re.sub("['’]", "['’]", text.replace(" ", r"\s*" if language in _UNSPACED else r"\s+"))
    if language != "de":
        return f"(?i:{text})"
    return rf"(?:{text[0]}|(?<![\w,]\s){text[0].upper()}){text[1:]}"


def _near(language: str, fields: Any, unit: Unit) -> Iterator[Form]:
    """Return the forms of "tomorrow" and "next month", the longest first."""
    words = {word: offset for offset, word in fields[unit].get("relative", {}).items()}
    words |= _ALSO.get(language, {}) if unit == "day" else {}
    for word, offset in sorted(words.items(), key=lambda one: -len(one[0])):
        said = _NOT_AFTER.get(language, "") + _plain(language, word)
        yield Form(_whole(language, said + _NOT_BEFORE.get(language, "")), unit, offset)


def _counts(language: str) -> Mapping[str, int]:
    """Return the numbers that are written in words. Chinese ones are read by `number_of`."""
    from num2words import num2words

    if language in ("zh", "ja"):
        return {}
    numbers = {num2words(one, lang=language): one for one in range(1, _MOST_IN_WORDS + 1)}
    return {**numbers, **_COUNTS.get(language, {})}


def _counted(language: str, fields: Any, counts: Mapping[str, int], unit: Unit) -> Iterator[Form]:
    """Return the forms of "in ten days" and "ten days ago"."""
    count = rf"(?P<count>\d{{1,3}}|(?i:{_any(counts) or f'[两{HAN}]{{1,3}}'}))"
    for side, sign in (("future", 1), ("past", -1)):
        for said in dict.fromkeys(fields[unit].get(side, {}).values()):
            if "{0}" in said:
                text = re.sub("[前后]", r"[以之]?\g<0>", _plain(language, said))
                yield Form(_whole(language, text.replace("{0}", count)), unit, sign=sign)


def _weekdays(language: str, fields: Any, names: Mapping[str, int]) -> Iterator[Form]:
    """Return the forms of "last Friday" and, in English, of "on Friday"."""
    for number, day in enumerate(_DAYS_OF_WEEK):
        for offset, said in fields.get(day, {}).get("relative", {}).items():
            pattern = _whole(language, _plain(language, said))
            yield Form(pattern, "day", offset, weekday=number)
    if language == "en":
        named = f"(?P<weekday>{_any(names)})"
        for offset, word in fields["week"]["relative"].items():
            yield Form(_whole("en", f"{named} {word}"), "week", offset)
        not_each = r"(?! (?:morning|afternoon|evening|night)s\b)"
        yield Form(_whole("en", f"(?i:on|by|for) {named}{not_each}"), "day", 0)


def _written(language: str, fields: Any, months: Mapping[str, int]) -> Iterator[Form]:
    """Return the forms of dates with a day: "14. Dezember 2026", 去年三月三号."""
    yield Form(re.compile(rf"(?<!\d){_YEAR}-(?P<month>\d\d)-(?P<day>\d\d)(?!\d)"), "day")
    if language != "en":  # some write the month first
        numbers = rf"(?P<day>\d{{1,2}})(?P<by>[./])(?P<month>\d{{1,2}})(?P=by){_YEAR}"
        yield Form(re.compile(rf"(?<![\d./]){numbers}"), "day")
    if language in _YEAR_FIRST:
        month, day = _NUMBERED, rf"(?P<day>\d{{1,2}}|[{HAN}]{{1,3}})\s*[日号號일]"
        for offset, word in fields["month"]["relative"].items():
            yield Form(_whole(language, rf"{_plain(language, word)}\s*{day}"), "month", offset)
        for offset, word in fields["year"]["relative"].items():
            yield Form(_whole(language, rf"{word}的?\s*{month}(?:\s*{day})?"), "year", offset)
        yield Form(re.compile(rf"(?:{_YEAR}\s*[年년]\s*)?{month}\s*{day}"), "day")
        return
    day = r"(?<![\d.,:])(?P<day>\d{1,2})(?:st|nd|rd|th|er|[.ºª°])?"
    year = rf"(?:,?\s+(?:del?\s+)?{_YEAR})?"
    yield Form(re.compile(rf"{day}\s+(?:of\s+|de\s+)?{_named(months)}{year}"), "day")
    if language == "en":
        yield Form(re.compile(rf"{_named(months)}\s+(?:the\s+)?{day}(?![\d:]){year}"), "day")


def _named(months: Mapping[str, int]) -> str:
    return rf"\b(?P<month>{_any(months)})\b\.?(?<!\b\w\w\w(?=\s[A-Z]\w))"


def _months(language: str, months: Mapping[str, int]) -> Iterator[Form]:
    """Return the forms of months with a year, and of those without one that are no other words."""
    yield Form(re.compile(rf"(?<!\d){_YEAR}-(?P<month>0[1-9]|1[0-2])(?![\d-])"), "month")
    if language in _YEAR_FIRST:
        yield Form(re.compile(rf"(?:{_YEAR}\s*[年년]\s*)?{_NUMBERED}"), "month")
    else:
        yield Form(re.compile(rf"{_named(months)},?\s+(?:of\s+|del?\s+)?{_YEAR}"), "month")
    if language == "en":
        part = r"(?:(?:early|late|mid)[- ]+)?"
        before = rf"\b(?i:{_IN}|last|this|next|early|late) {part}"
        yield Form(re.compile(before + _named(months)), "month")


def _years(language: str) -> Iterator[Form]:
    if language in _YEAR_FIRST:
        yield Form(re.compile(rf"(?<!\d){_YEAR}\s*[年년]"), "year")
    elif language == "en":
        yield Form(re.compile(rf"\b(?i:{_IN}|early|late|of) {_YEAR}"), "year")


def number_of(text: str) -> int:
    """Return the number written in digits, or in Chinese up to 99; 0 for no text."""
    if text.isdecimal():
        return int(text)
    tens, ten, units = text.rpartition("十")
    value = HAN.find(units) + 1 if units else 0
    return value + (10 * (HAN.find(tens) + 1 if tens else 1) if ten else 0)
