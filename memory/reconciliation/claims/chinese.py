"""Claims of a Chinese statement. The words are in chinese.toml."""

import re
import tomllib
from collections.abc import Iterator
from importlib import resources

from memory.reconciliation.claims.base import Claim, Doing, topic
from memory.text.lexemes import unspaced
from memory.text.text_similarity import meaning

_W = tomllib.loads(resources.files(__package__).joinpath("chinese.toml").read_text("utf-8"))


def _pattern(words: str) -> re.Pattern[str]:
    return re.compile(words, re.IGNORECASE)


_OPENING = _pattern("^(?:其实|原来|更正|更新|对了|顺便说一下|请|帮我|记住|记得|[：:，, ])+")
_PIECES = _pattern("[。；;！!，,]|而且|同时|但是?|并且?(?!不)")
_LIKES, _DISLIKES, _NEGATIONS = (_pattern(_W[name]) for name in ("likes", "dislikes", "negations"))
_DENIED = _pattern(f"(?:{_W['negations']})$")
_ASIDES, _LIGHT, _MEASURES = (_pattern(_W[name]) for name in ("asides", "light_verbs", "measures"))
_OPPOSITES = _pattern(f"(?:{'|'.join(sorted(_W['opposites'], key=len, reverse=True))})(?=人?$)")
_ORDERS = [_pattern(order) for order in _W["orders"]]
_HABIT_ENDINGS = _pattern("放弃|戒|不再")
_TIMES = _pattern(_W["times"])
_NOT_TODAY, _ENDINGS = _pattern(_W["not_today"]), _pattern(_W["endings"])
_SUBJECT = _pattern(f"^(?:用户|我)?的?(?P<kin>(?:{_W['kin']}))")
_OWNED = _pattern(
    f"^(?:用户|我)?的?(?P<kin>(?:{_W['kin']})的?)??(?:新|现在的)?(?P<what>{_W['one_value']})"
    f"(?:现在|已经)?(?:是|叫|为|换成了?|改成了?|变成了?)(?!一?个|因为|在)(?P<value>.*[^的])$"
)
# Anything else that has a name. Only 现在 ("now") shows that the older name is outdated.
_CALLED = _pattern("^(?:用户|我)的(?P<what>[^，。叫是的]{1,6}?)(?:现在)?叫(?P<value>[^什么谁]+)$")
_NOW = _pattern("现在(?!的)")
_STATES = {group: [_pattern(state) for state in states] for group, states in _W["states"].items()}
_SLOTS = {slot: _pattern(words) for slot, words in _W["slots"].items()}
_FAMILIES = {name: _pattern("|".join(members)) for name, members in _W["families"].items()}
_SAME = {one: _pattern(words) for one, words in _W["same"].items()}
# Denies a habit, regardless of when and how often it was done.
_GENERALLY = _pattern(_W["generally"])
_PLANS, _OFTEN = _pattern("打算|计划|准备|希望|想要?"), _pattern(_W["often"])
_MOVES = _pattern("搬(?:来|走|去|到|回|出|进)")
_LIVES = _pattern("住(?!院)")
_REPLACED, _BESIDE = _pattern(_W["replacing"]), _pattern(_W["beside"])
_RENEWED = _pattern("越来越|现在|重新|又|开始|终于|了$")
_FAVOURITE = _pattern(
    "最(?:喜欢|爱)(?P<what>[吃喝看听玩去用读])的?(?P<kind>\\w{0,3})?(?:是)(?P<value>.+)|最(?:喜欢|爱)(?P<do>[吃喝看听玩去用读])(?P<thing>.+)"
)
_USER, _MINE = _pattern("用户|我"), _pattern("(?:用户|我)的")
_SURNAME = _pattern(
    rf"^(?:用户|我)的(?P<what>(?!(?:{_W['several']}))[^，。]{{2,8}}?)姓(?P<value>\w)$"
)
_BY_MAKER = ("phone", "car")
_CHANGE = _pattern("换|改|新|转|现在|不再用|升级|了$")
_SLOW = ("kept", "supports", "way")
_RESULT = _pattern(r"把(\w{1,6}?)(?:剪|染|涂|刷|漆|调)(?:成|得)?(\w{1,2})了?$")
_WIDE = frozenset(_W["wide_places"].split())
_CITIES = frozenset(_W["cities"].split())
_FLOORS = ("楼", "层", "栋", "室")
_NOT_A_NAME = frozenset(_W["not_a_name"].split())
# Numbers, clock times and dates. A weekday counts if something is on that day, not if it happens
# then.
_NUMBER = _pattern(
    r"(?:(?<![第\d.:])[\d.:]+|(?<![第一二三四五六七八九十])[一二三四五六七八九十百千万两半]+)[月号日点刻分]?|上午|下午|早上|晚上|中午"
    r"|(?:下|这|本)?(?:周|星期|礼拜)[一二三四五六日天末]"
)
_MOVED = _pattern("改到|搬到|移到|挪到|换到|调到|转到|推迟到|提前到|定在|改为|在|于|涨到|降到|变成")
_HAPPENED = _pattern(
    "[^已养有带]了(?!\\w{1,3}年)(?=[^，。])|(?<![是在到于])(?:周|星期|礼拜)[一二三四五六日天末](?!$)"
)


def claims(text: str) -> list[Claim]:
    """Return what the text claims about the present."""
    found: list[Claim] = []
    for piece in _pieces(text):
        if not _NOT_TODAY.search(piece):
            found += [*_stance(piece), *_states(piece), *_slots(piece)]
            found += [*_owned(piece), *_numbers(piece), *_dwelling(piece)]
    return found + [order for sentence in re.split("[。；;]", text) for order in _orders(sentence)]


def doings(text: str) -> Iterator[Doing]:
    """Return what someone does, plans or likes, and what someone no longer does at all."""
    for piece in _pieces(text):
        said, denied = _affirmed(_OFTEN.sub("", _PLANS.sub("", piece)))
        generally = bool(_GENERALLY.search(piece))
        planned = "plan" if _PLANS.search(piece) else ""
        about = said.replace("♥", "")
        if len(about) > 1 and (planned or not _NOT_TODAY.search(piece)):
            whole, renewed = frozenset({about}), not denied and bool(_RENEWED.search(piece))
            yield Doing(planned, whole, about, whole, denied, generally or bool(planned), renewed)


def ended(text: str) -> frozenset[str]:
    """Return the characters of the thing that ended according to the text; none if nothing did."""
    for piece in _pieces(text):
        if match := _ENDINGS.search(piece):
            subject = _subject(piece) - frozenset(match[0])
            return thing(next(one for one in match.groups() if one)) | subject
    return frozenset()


def thing(text: str) -> frozenset[str]:
    """Return the characters of the thing that a text is about; none if the text has a negation."""
    if _NEGATIONS.search(text):
        return frozenset()
    return frozenset(meaning(_LIGHT.sub("", _MEASURES.sub("", _content(text)))))


def changed(text: str) -> frozenset[str]:
    """Return the characters of a piece that says that something was replaced; none if no piece
    does.
    """
    for piece in _pieces(text):
        if _REPLACED.search(piece) and not _BESIDE.search(piece):
            return frozenset(meaning(_LIGHT.sub("", _content(_REPLACED.sub("", piece)))))
    return frozenset()


def same_subject(new: str, old: str) -> bool:
    """Return true if both texts are about the same relative, or both about none."""
    first, second = next(_pieces(new), ""), next(_pieces(old), "")
    alike = bool(_USER.match(first)) == bool(_USER.match(second))
    return alike and _subject(first) == _subject(second)


def ends_habit(new: str, old: str) -> bool:
    """Return true if the text says that a habit of the same person ended. The details of the habit
    may differ.
    """
    return bool(_HABIT_ENDINGS.search(new)) and _subject(new) == _subject(old)


def ends_by_name(new: str, old: str) -> bool:
    """Return true if the old text contains the ended thing, in the new text's words."""
    for piece in _pieces(new):
        if match := _ENDINGS.search(piece):
            named = _content(next(one for one in match.groups() if one))
            return len(named) > 1 and named in old and _subject(piece) == _subject(old)
    return False


def _pieces(text: str) -> Iterator[str]:
    """Return the parts of a statement, each with its subject. Questions claim nothing."""
    subject = ""
    for part in _PIECES.split(text.strip(" 。.！!")):
        piece = _OPENING.sub("", part)
        if match := _SUBJECT.match(piece):
            subject = match[0]
        elif re.match("用户|我", piece):
            subject = ""
        else:
            piece = subject + piece
        if piece:
            yield piece


def _content(piece: str) -> str:
    return _ASIDES.sub("", re.sub(r"[^\w@.]", "", piece))


def _subject(piece: str) -> frozenset[str]:
    """Return the relative that the piece is about; none for the user."""
    match = _SUBJECT.match(piece)
    return frozenset(match["kin"]) if match else frozenset()


def _before(piece: str, place: int) -> frozenset[str]:
    """Return the subject before a place in the piece; none for the user, alone or with someone."""
    before = re.sub("从.*", "", piece[:place])  # not the place that is left
    if re.match("(?:用户|我们?)[和跟与]", before):
        return frozenset()
    return frozenset(
        re.sub(
            "在.*|[我从于就一家还]|恢复",
            "",
            _ASIDES.sub("", _OFTEN.sub("", _TIMES.sub("", before))),
        )
    )


def _stance(piece: str) -> Iterator[Claim]:
    """Return whether the user does, likes or is what the piece says."""
    about, denied = _affirmed(_RESULT.sub(r"\1\2", piece))
    about = _LIGHT.sub("", about)
    if opposite := _OPPOSITES.search(about):
        about = _OPPOSITES.sub(_W["opposites"][opposite[0]], about)
        denied = not denied
    if about:
        yield Claim(("stance", about), frozenset({"no" if denied else "yes"}))


def _affirmed(piece: str) -> tuple[str, bool]:
    """Return what the piece is about without its negations, and whether they deny it."""
    for one, others in _SAME.items():
        piece = others.sub(one, piece)
    plain = _LIKES.sub("♥", _DISLIKES.sub("不♥", piece))
    about = _ASIDES.sub("", re.sub(r"[^\w@.♥]", "", _NEGATIONS.sub("", plain)))
    about = _MEASURES.sub("", re.sub("正?在", "", about))
    return about, len(_NEGATIONS.findall(plain)) % 2 == 1


def _orders(sentence: str) -> list[Claim]:
    """Return which of two things comes first: 喜欢咖啡胜过茶, 姐姐比哥哥高."""
    for order in _ORDERS:
        if match := order.search(sentence):
            about = frozenset(unspaced(_content(sentence[: match.end()])))
            return [Claim(topic("order", about), frozenset(unspaced(_content(match["a"]))))]
    return []


def _states(piece: str) -> Iterator[Claim]:
    for group, states in _STATES.items():
        for name, state in enumerate(states):
            match = state.search(piece)
            if match and not _DENIED.search(piece[: match.start()]):
                subject = _before(piece, match.start())
                yield Claim(topic(group, subject), frozenset({str(name)}))
                yield Claim(topic(group, subject, str(name)), frozenset({"yes"}))
                break
    yield from _denied_states(piece)


def _denied_states(piece: str) -> Iterator[Claim]:
    """Return the states that the piece says someone is no longer in: 不再吃素."""
    said = _NEGATIONS.sub("", piece)
    for group in _W["deniable"] if len(_NEGATIONS.findall(piece)) == 1 else []:
        for name, state in enumerate(_STATES[group]):
            if match := state.search(said):
                subject = _before(said, match.start())
                yield Claim(topic(group, subject, str(name)), frozenset({"no"}))


def _dwelling(piece: str) -> Iterator[Claim]:
    """Return whether someone lives anywhere, and whether someone has moved: 妈妈搬来和我住."""
    if match := _MOVES.search(piece) or _LIVES.search(piece):
        moved = frozenset({match[0]}) if match[0].startswith("搬") else frozenset({"住"})
        subject = _before(piece, match.start())
        yield Claim(topic("dwelling", subject), moved, match[0] != "住")


def _slots(piece: str) -> Iterator[Claim]:
    changed, piece = bool(_CHANGE.search(piece)), _NOW.sub("", piece)
    for slot, pattern in _SLOTS.items():
        if match := pattern.search(piece):
            value = next(one for one in match.groups() if one)
            kind = "wide" if value in _WIDE else "city" if value in _CITIES else ""
            kind = "" if slot == "home" and kind == "city" else kind
            if value not in _NOT_A_NAME and not (slot == "home" and value.endswith(_FLOORS)):
                about = topic(slot, _before(piece, match.start()), kind)
                yield Claim(about, frozenset(value), changed or slot not in _SLOW)
    # Someone who works at 华为 may have any phone.
    things = _SLOTS["employer"].sub("", piece)
    for name, members in _FAMILIES.items():
        if name == "occupation" and _MINE.match(piece):
            continue  # not the user's own: 我的医生是…
        if found := members.findall(things if name in _BY_MAKER else piece):
            value = frozenset(meaning(found[-1]))
            yield Claim(topic(name, _subject(piece)), value, changed)


def _owned(piece: str) -> Iterator[Claim]:
    """Return the value of one of the user's properties (我的邮箱是…)."""
    if match := _OWNED.match(piece):
        owner = frozenset({(match["kin"] or "").rstrip("的"), match["what"].rstrip("号码")})
        if value := frozenset(meaning(_content(match["value"]))):
            yield Claim(topic("owned", owner), value)
    elif match := _FAVOURITE.search(piece):
        about = _subject(piece) | frozenset(match["what"] or match["do"])
        liked = frozenset(meaning(_content(match["value"] or match["thing"])))
        yield Claim(topic("favourite", about), liked)
    elif match := _SURNAME.match(piece):
        yield Claim(topic("surname", frozenset({match["what"]})), frozenset(match["value"]))
    elif match := _CALLED.match(piece):
        value, firm = frozenset(match["value"]), bool(_NOW.search(piece))
        yield Claim(topic("called", frozenset({match["what"]})), value, firm)


def _numbers(piece: str) -> Iterator[Claim]:
    """Return the numbers and dates of a statement about a state, beside its other characters."""
    if _HAPPENED.search(piece):
        return
    about = _content(_MOVED.sub("", _NUMBER.sub("", _NOW.sub("", piece))))
    if about and (found := _NUMBER.findall(piece)):
        yield Claim(("number", about), frozenset(found))
