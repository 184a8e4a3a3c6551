"""Distinguishes people: a brother's name does not answer a question about a sister."""

import re

# People and animals by relation; words in one line may mean the same.
_RELATIONS = {
    "mother": r"\b(?:mother|mom|mum|mama)\b|妈|母亲",
    "father": r"\b(?:father|dad|papa)\b|爸|父亲",
    "parents": r"\bparents\b|父母|爸妈",
    "sister": r"\b(?:sister|siblings?)(?!-in)\b|妹妹|姐姐|姐妹",
    "brother": r"\b(?:brother|siblings?)(?!-in)\b|弟弟|哥哥|兄弟",
    "wife": r"\b(?:wife|partner|spouse)\b|老婆|妻子|太太|爱人",
    "husband": r"\b(?:husband|partner|spouse)\b|老公|丈夫|先生|爱人",
    "girlfriend": r"\b(?:girlfriend|partner)\b|女朋友",
    "boyfriend": r"\b(?:boyfriend|partner)\b|男朋友",
    "son": r"\b(?:sons?|child|children|kids?|twins?|boys?)\b|儿子|孩子|双胞胎",
    "daughter": r"\b(?:daughters?|child|children|kids?|twins?|girls?)\b|女儿|孩子|双胞胎",
    "grandmother": r"\b(?:grandmother|grandma|granny|nan|grandparents)\b|奶奶|外婆|姥姥",
    "grandfather": r"\b(?:grandfather|grandpa|grandad|grandparents)\b|爷爷|外公|姥爷",
    "uncle": r"\buncle\b|叔叔|舅舅|伯伯",
    "aunt": r"\b(?:aunt|auntie)\b|阿姨|姑姑|姨妈|舅妈",
    "cousin": r"\bcousin\b|表[哥姐弟妹]|堂[哥姐弟妹]",
    "nephew": r"\bnephew\b|侄子|外甥(?!女)",
    "niece": r"\bniece\b|侄女|外甥女",
    "friend": r"\bfriend\b|(?<![男女])朋友|闺蜜",
    "boss": r"\b(?:boss|manager|supervisor)\b|老板|领导|上司",
    "colleague": r"\b(?:colleague|co-?worker)\b|同事",
    "neighbour": r"\bneighbou?r\b|邻居",
    "landlord": r"\b(?:landlord|landlady)\b|房东",
    "teacher": r"\b(?:teacher|tutor)\b|老师",
    "doctor": r"\b(?:doctor|gp)\b|医生",
    "dentist": r"\bdentist\b|牙医",
    "dog": r"\b(?:dog|puppy|pets?)\b|狗|犬|宠物",
    "cat": r"\b(?:cat|kitten|pets?)\b|猫|宠物",
}
_FAMILY = list(_RELATIONS)[: list(_RELATIONS).index("friend")]
_FAMILY_ASKED = re.compile(r"\b(?:family|relatives?)\b|家人|家里人|亲戚", re.IGNORECASE)
_NAMED = {name: re.compile(words, re.IGNORECASE) for name, words in _RELATIONS.items()}
_OF_SPEAKER = r"(?:\b(?:my|our|the user's|user's)\b[^.,;:!?]{0,30}?|(?:我|我们|我家|用户)的?)"
_RULES = {
    name: re.compile(f"{_OF_SPEAKER}(?:{words})", re.IGNORECASE)
    for name, words in _RELATIONS.items()
}
_ABOUT_THEM = re.compile(
    rf"\A\s{{0,10}}(?:{_OF_SPEAKER})(?:{'|'.join(_RELATIONS.values())})", re.IGNORECASE
)
_NAMES_ONE = re.compile("|".join(_RELATIONS.values()), re.IGNORECASE)
_ABOUT_SELF = re.compile(r"\b(?:i|am i)\b|^我(?!的|家)", re.IGNORECASE)


def is_about_another(question: str, text: str) -> bool:
    """Return whether the question is about the speaker or one of their relatives, and the text is
    about another relative.
    """
    asked, told = _relations(question), _relations(text)
    if asked:
        return bool(told) and not asked & told
    about_self = _ABOUT_SELF.search(question) and not _NAMES_ONE.search(question)
    return bool(about_self and _ABOUT_THEM.match(text))


def asks_for_family(question: str) -> bool:
    """Return whether the question names the family as a whole."""
    return bool(_FAMILY_ASKED.search(question))


def names_people_asked_for(question: str, text: str) -> bool:
    """Return whether the text names one of the people that the question names: "daughter" answers
    a question about children, and any relative one about the family."""
    asked = set(_FAMILY) if asks_for_family(question) else set()
    asked |= {name for name, rule in _NAMED.items() if rule.search(question)}
    return any(_NAMED[name].search(text) for name in asked)


def _relations(text: str) -> set[str]:
    return {name for name, rule in _RULES.items() if rule.search(text)}
