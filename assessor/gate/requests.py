"""Recognises the request with which a person hands over a text: "Can you translate this:".

A request is read clause by clause, in eight languages. Its own words tell whose text it may be.
"""

import re
from enum import StrEnum

from assessor.gate.text_work import AUTHORS_WORK, MEANS, SUMS_UP, WEAK_WORK

# Characters of a clause that are read.
LONGEST_CLAUSE = 160
_FLAGS = re.IGNORECASE


class Whose(StrEnum):
    """The author of a text that a request hands over."""

    OTHERS = "others"
    UNKNOWN = "unknown"
    # Only a text in the first person is one that is handed over.
    GUESSED = "guessed"


_POINTER = re.compile(
    r"\b(?:this|that|these|those|the (?:following|text|two|three)|below|above|it|here|here's"
    r"|which)\b"
    r"|\b(?:den|dem|el|la|le) (?:text|satz|brief|absatz|aushang|zettel|texto|carta|frase|lettre"
    r"|texte"
    r"|phrase)\b"
    r"|\b(?:dies\w{0,2}|folgende\w?|das|unten|oben|hier)\b"
    r"|\b(?:est[aeo]s?|siguientes?|abajo|arriba|lo|ces?|cette|cet|ceci|ça|suivante?s?|ci-dessous"
    r"|voici|voilà"
    r"|ci-dessus|quest[aeo]|seguente|isto|este|dit|deze)\b"
    r"|这|以下|下面|下列|上面|以上|该",
    _FLAGS,
)
_LANGUAGE = re.compile(
    r"\b(?:english|german|french|spanish|italian|portuguese|dutch|polish|russian|chinese|mandarin"
    r"|japanese|korean|arabic|turkish|greek|swedish|norwegian|danish|finnish|hindi|ukrainian"
    r"|deutsche?|englische?|französische?|spanische?|italienische?|chinesische?"
    r"|inglés|alemán|francés|español|italiano|anglais|allemand|français|espagnol|chinois"
    r"|inglese|tedesco|engels|duits)\b|[英中日法德韩俄]文|[英汉日法德韩俄]语|中文|西班牙语",
    _FLAGS,
)
# Texts that people seldom write themselves, and texts that they may have written.
_OTHERS_TEXT = re.compile(
    r"\b(?:(?:web ?)?pages?|web ?sites?|articles?|posts?|posting|tweets?|threads?|(?:re)?views?"
    r"|transcripts?|interviews?|recipes?|adverts?|advertisements?|ads?|listings?|job (?:ad|offer)s?"
    r"|job descriptions?|descriptions?|contracts?|terms|polic(?:y|ies)|abstracts?|papers?|chapters?"
    r"|stor(?:y|ies)|lyrics|songs?|poems?|verses?|excerpts?|passages?|newsletters?|releases?"
    r"|reports?|logs?|stack ?traces?|snippets?|documents?|pdfs?|attachments?|read ?me|comments?"
    r"|quotation|scripts?|speech(?:es)?|minutes|notices?|testimonials?|complaints?"
    r"|profiles?|conversations?|chats?|dialogues?|discussions?|wikipedia|obituar(?:y|ies)|blogs?"
    r"|manuals?|faqs?|reddit|forum|customers?|student|podcasts?|subtitles?|spam|scam|leaflets?"
    r"|flyers?"
    r"|statements?|assertions?|news|voicemails?|diar(?:y|ies)|memoirs?|novels?|books?|code)\b"
    r"|\b(?:seiten?|webseiten?|artikel[ns]?|beitr(?:ag|äge)|bewertung(?:en)?|rezension(?:en)?"
    r"|anzeigen?|\w{3,12}anzeigen?|hausaufgaben?|aufsatz|aufsätze|protokoll\w{0,2}"
    r"|liedtext\w{0,2}|lied|gedicht\w{0,2}|rezept\w{0,2}"
    r"|verträge?|vertrag|geschichten?|interview|forum|kommentare?|berichte?|bericht|gespräch"
    r"|nachricht"
    r"|brief(?:e|es)?|mails?|e-mails?)\b"
    r"|\b(?:artículos?|páginas?|reseñas?|anuncios?|oferta|canci(?:ón|ones)|poemas?|recetas?"
    r"|contratos?|historias?|entrevistas?|foro|comentarios?|noticias?|publicaci(?:ón|ones)"
    r"|correos?)\b"
    r"|\b(?:pages?|avis|annonces?|chansons?|paroles|poèmes?|recettes?|contrats?|histoires?"
    r"|entretiens?|commentaires?|courriels?|article|messages?|articolo|recensione"
    r"|annuncio)\b(?<!message)"
    r"(?<!messages)|文章|帖子?|评论|差评|好评|邮件|网页|新闻|文档|原文|资料|代码|日志|合同|记录|歌词|这首|诗|小说|故事"
    r"|广告|招聘|公告|通知|采访|访谈|论文|报道|说明书|简介|菜谱|微博|推文|朋友圈|作文|短信|来信|这封信|留言|资讯",
    _FLAGS,
)
_ANY_TEXT = re.compile(
    r"\b(?:texts?|paragraphs?|sentences?|messages?|e-?mails?|mails?|letters?|bios?|cvs?|resumes?"
    r"|captions?|essays?|drafts?|apolog(?:y|ies)|homework|monologue|entry|voicemail|(?:this|that"
    r"|the) note|versions?|intro(?:duction)?s?|titles?"
    r"|headlines?|slogans?|lines?|phrases|openings?|endings?|wording|statements?)\b"
    r"|\b(?:textes?|sätze?|satz|absatz|absätze|entwurf|version(?:en)?|lebenslauf|text(?:s|es)?"
    r"|zeilen"
    r"|párrafos?|textos?|frases?|cartas?|mensajes?|phrases?|paragraphes?|lettres?|courrier"
    r"|messages?"
    r"|testo|frase|lettera|texto|zin|tekst)\b|文字|文本|段|句|信|介绍|作文|文案",
    _FLAGS,
)
_PERSON = (
    r"(?:best |old |new |ex-?|step-?|grand-?)?(?:friends?|mother|mum|mom|father|dad|parents|boss"
    r"|sister"
    r"|brother|colleagues?|co-?worker|landlord|landlady|neighbou?rs?|teacher|doctor|lawyer|wife"
    r"|husband|partner|ex|aunt|uncle|cousin|daughter|son|kid|child|manager|room-?mate|flat-?mate"
    r"|clients?|customers?|professor|tutor|students?|pupils?|bank|insurance|insurer|company|team"
    r"|girlfriend|boyfriend|supervisor|employer|grandma|grandpa|niece|nephew|school|provider|date)"
)
# Words that say who wrote the text, as its author or its sender.
_SENT = re.compile(
    r"\b(?:my|our|a|an|the|his|her|this|some|one of my) (?:(?!(?:i|we|to|i['’]ve)\b)\w+ ){1,3}"
    r"\b(?:wrote|writes|written|texted|e-?mailed|sent|posted|messaged|left|put|shared|replied)\b"
    r"|\b(?:he|she|they|someone|somebody|this (?:guy|woman|man|person|user)|(?-i:[A-Z][a-z]{2,12}))"
    r"(?: just)? (?:wrote|writes|texted|e-?mailed|sent|posted|messaged)\b"
    r"|\b(?:someone|somebody)\b[^\n]{0,20}\b(?:put|left|handed|gave|showed)\b"
    r"|\b(?:customer|client|caller|user|guest|tenant|patient) (?:says|said|asks|asked|complains)\b"
    r"|\b(?:wrote|sent|texted|e-?mailed|messaged) (?:me|us)\b"
    r"|\b(?:handed|gave|showed|forwarded) (?:me|us) (?:this|these)\b"
    r"|\b(?:i|we)(?:['’]ve)?(?: just)? (?:found|got|received|read|saw|came across|copied"
    r"|stumbled)\b"
    r"[^\n]{0,20}\b(?:this|these|the following)\b"
    r"|\b(?:found|saw|read|copied|posted|taken) (?:this |it )?(?:on|from|in|at) (?:a |an |the "
    r"|my )?"
    r"(?:reddit|facebook|twitter|instagram|linkedin|forum|\w{1,12} ?(?:site|page|app|group|web))"
    r"|\b(?:schreibt|schrieb|geschrieben|geschickt|gepostet|gesendet|gemailt|bekommen|gefunden)\b"
    r"|\b(?:escribió|escrito|mandó|mandado|envió|enviado|recibí|publicó|encontré)\b"
    r"|\b(?:stand|steht|hing) (?:auf|in|an|bei|am|im)\b|写着|留的"
    r"|\bthis (?:was|is|hung) (?:on|in|from|what)\b|\b(?:puso|colgó|subió)\b"
    r"|(?:有人|网友|群里|楼主|博主)[^\n]{0,6}(?:说|写|问)|学生写"
    r"|\b(?:m['’]a (?:écrit|envoyé)|nous a (?:écrit|envoyé)|m['’]écrit|j['’]ai (?:reçu|trouvé"
    r"|lu))\b"
    r"|\b(?:mi|mon|ma) ha scritto\b"
    r"|(?:我|他|她)?的?(?:朋友|同事|老板|妈妈?|爸爸?|老师|客户|房东|邻居|室友|同学|姐姐?|妹妹?|哥哥?|弟弟?|男友|女友)"
    r"[^\n]{0,8}(?:发|写|留|回)(?:给我|来|了|的|过来)|发给我的?|(?:收到|看到|网上|知乎|小红书|别人)",
    _FLAGS,
)
# A source that a pointer or the name of a text must go with.
_SOURCE = re.compile(
    rf"\b(?:from|by|of) (?:my|our|a|an|the|his|her|some) (?:\w+ ){{0,2}}{_PERSON}\b"
    rf"|\b(?:my|our) (?:\w+ ){{0,2}}{_PERSON}['’]s\b"
    r"|\bthe \w{3,15}['’]s\b",
    _FLAGS,
)
# A text by its source: "Bug report from a tester:", "The guest book entry says:".
_BY_SOMEBODY = re.compile(
    r"\b(?:from|by) (?:an?|the|my|our|his|her|some) \w{2,20}(?: \w{2,20})?\Z"
    r"|\b(?:the|this|that|one|some) (?:\w+ ){1,3}(?:says|reads|writes|states|goes)\Z",
    _FLAGS,
)
_DRAFT = re.compile(
    r"(?:the |a |some |full )?(?:text|draft|letter|report|ad|advert|listing|caption"
    r"|bio|e-?mail|entwurf|borrador|brouillon|草稿)\b"
    r"(?: (?:for|from|of|to|für|von|para|pour)\b|\Z)",
    _FLAGS,
)
_SUBJECT = re.compile(
    r"\b(?:i|we|my|our|ich|wir|mein\w{0,2}|je|yo"
    r"|(?<!for )(?<!tell )(?<!help )(?<!give )(?<!show )me)\b|我",
    _FLAGS,
)
# A use of the text, which says nothing of its author.
_FOR_USE = re.compile(
    rf"\b(?:for|on|in|about) (?:my|our) (?!(?:\w+ ){{0,2}}{_PERSON}\b)\w{{2,20}}", _FLAGS
)
_I_NEED = re.compile(r"\bi(?:['’]d like| need| want)\b", _FLAGS)
_SPEAKS = re.compile(
    r"\b(?:speak|answer|reply|talk|sprich\w{0,3}|hablas?|parle\w{0,2})\b|说|回答", _FLAGS
)
# A text by its name alone: "Passage:".
_LABEL = re.compile(
    r"(?:the |original |source |input |full |customer |student )?(?:passage|text|article|e-?mail"
    r"|mail"
    r"|review|transcript|excerpt|paragraph|lyrics|document|post|tweet|abstract|sentence|letter"
    r"|original|artikel|bewertung|texto|artículo|texte|avis|原文|文章|评论|文本|邮件)(?: \d)?",
    _FLAGS,
)
# The text that is to be made, which is none that is handed over: "Turn this into a poem:".
_MADE = re.compile(
    r"\b(?:write|make|give|draft|create|compose|tell|generate|suggest|into|as|to)(?: me| us)?"
    r" (?:an?|some|two|three|my|\d)(?: (?!of\b|for\b|about\b|from\b|based\b|this\b|the\b"
    r"|in\b)\w+){1,3}",
    _FLAGS,
)
_OWN = re.compile(
    r"\bI had\b|(?:\A|的)总结\Z|\b(?:I|we)(?:['’]ve| have)?(?: just)? (?:wrote|written|drafted|made"
    r"|said|told|posted"
    r"|want to (?:send|post|say|write))\b"
    r"|\b(?:for|to) (?:my|our|a|the) (?:\w+ ){0,2}"
    rf"{_PERSON}\b"
    rf"|\b(?:my|our)\b(?! (?:\w+ ){{0,2}}{_PERSON}\b)|\b(?:mine|about me|of me|your)\b"
    r"|\bcorrect me\b|\bto (?:summari[sz]e|sum up)\Z|\bin (?:summary|short)\Z"
    r"|\b(?:für|an) (?:mein|unser)\w{0,2}\b|\b(?:mein|unser)\w{0,2}\b"
    r"(?! (?:\w+ )?(?:chef|freund|mutter|vater|schwester|bruder|nachbar|kolleg|vermieter|frau|mann"
    r"|lehrer|arzt|bank|tante|onkel|oma|opa|tochter|sohn|mitbewohner|kund|professor|ex))"
    r"|\bich\b[^\n]{0,30}\bgeschrieben\b|\bzusammengefasst\b|\bkurz gesagt\b"
    r"|\b(?:para|a) mis?\b|\bmis?\b(?! (?:jef|amig|madre|padre|herman|vecin|casero|profesor|mujer"
    r"|marido|compañer|client|banco|tí[oa]|abuel|hij|novi))|\ben resumen\b|\bhe escrito\b"
    r"|\bescribí\b"
    r"|\b(?:pour|à) (?:ma|mon|mes)\b|\b(?:ma|mon|mes)\b(?! (?:voisin|ami|mère|père|s[œo]e?ur|frère"
    r"|patron|chef|collègue|propriétaire|prof|femme|mari|client|banque|tante|oncle|fils|fille"
    r"|copain"
    r"|copine|ex))|\ben résumé\b|\bj['’]ai écrit\b"
    r"|(?<![帮给跟请])我(?!们?(?:朋友|同事|老板|妈|爸|老师|客户|房东|邻居|室友|同学|男友|女友))[^\n把这]{0,4}(?:的|日记)"
    r"|我写|我的(?!朋友|同事|老板|妈|爸|老师|客户|房东|邻居|室友|同学|男友|女友)|自我介绍|自己写|我自己|总之"
    r"|[给发](?:我|他|她)?(?:妈|爸|朋友|老板|同事|房东|老师|客户|女友|男友)(?![^\n]{0,3}发)",
    _FLAGS,
)
_I = re.compile(r"(?:i|we)\b", _FLAGS)
# A clause that is about the sender's doings is no request: "I translate novels:".
_OWN_DOING = re.compile(
    r"\b(?:I|we) (?:\w+ ){0,2}(?:translat|summari|proofread|review|correct|read|explain)\w{0,5}\b"
    r"(?<!to translate)|\bich übersetze\b|\bje traduis\b|\b(?:yo )?traduzco\b"
    r"|我(?:是|做)[^\n]{0,6}翻译",
    _FLAGS,
)


def whose_text(clause: str, *, at_colon: bool = False, follows: bool = True) -> Whose | None:
    """Return the author of the text that this clause hands over, or None if it hands over none.

    `at_colon` tells that a colon ends the clause, and not the line; `follows` that the text stands
    after the clause.
    """
    clause = clause.strip(" \t*_#-–—>.?!。？！:：¿¡=→\"'")[-LONGEST_CLAUSE:]
    given = _MADE.sub(" ", clause)
    points = _POINTER.search(clause) is not None
    named = _OTHERS_TEXT.search(given) is not None
    text = named or _ANY_TEXT.search(given) is not None
    if _SENT.search(clause) and (at_colon or points):
        return Whose.OTHERS
    if is_of_sender(clause):
        return None
    if _SOURCE.search(clause) and (points or (text and not _I.match(clause))):
        return Whose.OTHERS
    if _asks_for_work(clause, is_marked=at_colon or points or text, follows=follows or text):
        by_reader = text and not AUTHORS_WORK.search(clause)
        return Whose.OTHERS if named or by_reader else Whose.UNKNOWN
    if text and points and WEAK_WORK.search(clause):
        return Whose.OTHERS if named else Whose.UNKNOWN
    if follows and not _SUBJECT.search(_I_NEED.sub("", clause)):
        is_name = text and points or _DRAFT.match(clause) or _BY_SOMEBODY.search(clause)
        in_language = _LANGUAGE.search(clause) and not _SPEAKS.search(clause)
        if is_name or (at_colon and (in_language or _LABEL.fullmatch(clause))):
            return Whose.GUESSED
    return None


def is_of_sender(clause: str) -> bool:
    """Return whether a clause calls the text the sender's own, or tells of their doings."""
    return bool(_OWN.search(_FOR_USE.sub("", clause)) or _OWN_DOING.search(clause))


def _asks_for_work(clause: str, *, is_marked: bool, follows: bool) -> bool:
    """Return whether a clause asks for work on a text that it marks, or in a few words."""
    works = SUMS_UP.search(clause) or AUTHORS_WORK.search(clause)
    if not works and not (follows and MEANS.search(clause)):
        return False
    is_bare = len(clause.split()) <= 3
    return is_marked or is_bare or _LANGUAGE.search(clause) is not None
