"""Recognises what the built-in responder is asked to do, in English and Chinese: list its memories,
forget one, or say what it is."""

import re
from enum import Enum, auto


class Command(Enum):
    """A request of a message to the responder."""

    LIST = auto()  # all memories
    TODAY = auto()  # the memories saved today
    FORGET = auto()
    WHO_ARE_YOU = auto()


LISTS = frozenset({Command.LIST, Command.TODAY})
"""Answered with a list, which is no use of the memories."""

# The first match decides.
_PATTERNS = {
    Command.TODAY: r"^what (have|did) i (told|tell|said|say)( to)?( you)? today\s*\??$"
    r"|^我今天(都)?(跟|对|和)?(告诉|你说|你讲|说)(了|过)?(你)?(些)?(什么|哪些事)[？?]*$",
    Command.LIST: r"^what (do|can) you (know|remember|recall)( about me)?\s*\??$"
    r"|^what have i told you\s*\??$|^(tell|show) me (everything|what) you (know|remember)"
    r"( about me)?[.?]?$|^你(都)?(知道|记得)(关于)?(我的?|我都?)?(什么|哪些|些什么)"
    r"(事|事情)?[吗？?]*$"
    r"|^你对我(都)?(了解|知道)(多少|什么|些什么)[？?]*$|^你(都)?(了解|知道|记得)我(多少|些什么)[？?]*$",
    Command.WHO_ARE_YOU: r"^(who|what) are you\b|^what(.s| is) your name\b|^what can you do\b"
    r"|^are you (a|an|chat|gpt|claude|real|human)|^can you help( me)?\s*\?*$|^help\W*$"
    r"|^how do you work\b|^你是(谁|什么|不是|人|机器|一个|.{0,6}(GPT|AI|模型))"
    r"|^你叫什么|^你(是)?怎么(工作|运作)|^你会(什么|做什么)|^你能(做什么|干什么|帮我吗)",
    Command.FORGET: r"^(please |can you |could you )*forget\b"
    r"|^(请|你|帮我|把)*(忘掉|忘了|忘记|删掉|删除)",
}
_COMMANDS = {command: re.compile(rule, re.IGNORECASE) for command, rule in _PATTERNS.items()}
_ENDS = " \t\n.!?。！？"
# The thing to forget, after the words that ask to forget it. `_ENDS` are already removed.
_FORGOTTEN = re.compile(
    r"^(?:please |can you |could you )*forget\b(?: about\b)?"
    r"(?: (?:the fact that|that|what i (?:said|told you) about|everything about|all about)\b)?"
    r"(?P<en>.*)$"
    r"|^(?:请|你|帮我|把)*(?:忘掉|忘了|忘记|删掉|删除)掉?(?:关于)?(?P<zh>.*?)(?:的?这?件?事情?)?吧?$",
    re.IGNORECASE | re.DOTALL,
)
# Words that do not name anything to forget.
_NOTHING = re.compile(
    r"^(?:it|this|that|these|them|me|everything|all|all of it|all of this|what i said"
    r"|全部|所有|一切|这个|那个|它|我|我说的|这|那)?$",
    re.IGNORECASE,
)


def command_in(text: str) -> Command | None:
    """Return what the message asks the responder to do; None for any other message."""
    said = text.strip()
    return next((command for command, rule in _COMMANDS.items() if rule.search(said)), None)


def forget_what(text: str) -> str:
    """Return what the user wants forgotten: "forget that I moved" gives "I moved"; "" if the text
    names nothing."""
    found = _FORGOTTEN.match(text.strip().rstrip(_ENDS))
    named = (found["en"] or found["zh"] or "").strip() if found else ""
    return "" if _NOTHING.match(named) else named
