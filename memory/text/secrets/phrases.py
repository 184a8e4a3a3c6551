"""Secrets of several words: passphrases, recovery phrases, setup keys, security answers."""

from memory.text.secrets import labels

# The beginning of a remark about a passphrase.
_OPINION = (
    r"(?:too|so|very|not|never|always|on|in|at|written|stored|saved|under|the|a|an|my|our|what|easy"
    r"|hard|being|only|just|still|no)\b"
)
PASSPHRASE = (
    rf"\b(?:pass ?phrase|master password)(?:{labels.FOR}{labels.IS}|:? (?=(?-i:[A-Z])))"
    rf"(?P<value>(?!{_OPINION})[^\s\n.,;!?\"'“]{{2,20}}(?: [^\s.,;!?]{{1,20}}){{2,9}})"
)
# Words that occur in sentences, but not in recovery phrases.
_PLAIN = (
    r"(?:(?:and|the|you|your|they|them|their|are|was|were|has|have|had|that|with|this|from|not|but"
    r"|for|und|die|der|das|ich|ist|sind|nicht|mein|meine|les|des|une|est|sont|pas|mon|los|las|que|una|por"
    r"|para|con|son|wörter|words|mots|palabras|phrase|typing)\b)"
)
PHRASE = (
    rf"{labels.words('wallet')}[^\n.]{{0,60}}?(?:[\s:：\"'“]|(?<=[词詞]))"
    rf"(?P<value>(?:(?!{_PLAIN})[^\W\d_]{{3,12}}[ ,]{{1,2}}){{11,23}}(?!{_PLAIN})[^\W\d_]{{3,12}})"
    r"(?![^\W\d_])"
    r"|(?:助记词|助記詞)[^\n。]{0,8}?(?P<signs>(?:[\u4e00-\u9fff] ){11,23}[\u4e00-\u9fff])"
)
SETUP_KEY = (
    rf"(?i:{labels.words('authenticator')})"
    r"[^\n]{0,50}?[\s:=](?P<value>(?=[A-Za-z\d ]{0,40}[2-7])"
    r"(?:[A-Z2-7]{16,64}|[A-Z2-7]{4}(?: [A-Z2-7]{4}){3,15}"
    r"|[a-z2-7]{4}(?: [a-z2-7]{4}){3,15}))(?!\w)"
)
_ANSWERED = rf"{labels.words('answered')}(?:[:=]| is| ist| est| es| è| to)?\s?"
_SAYS = r"[:：=→] ?|-> | (?:is|ist|est|es|è) "
ANSWER = (
    rf"{labels.words('security_question')}(?:[^\n]{{0,80}}?{_ANSWERED}|[^\n]{{0,60}}?(?:{_SAYS}))"
    r"(?P<value>(?!mother's maiden|(?:too|so|not|always|never|the|easy|hard)\b)"
    r"[^\s\d\n,.;:!?，。；][^\n,.;:!?，。；]{1,59})(?!\?)"
)
