"""The words of work on a text, in the languages of `requests`."""

import re

_FLAGS = re.IGNORECASE

# Work that authors ask for on their own texts, and people on texts of others.
AUTHORS_WORK = re.compile(
    r"\b(?:translat(?:e|ing|ion)|proof(?:-?read(?:ing)?)?|paraphras(?:e|ing)|rephras(?:e|ing)"
    r"|reword"
    r"|re-?writ(?:e|ing)|polish|shorten|simplify|condense|copy-?edit"
    r"|(?:spell|spelling|grammar)(?:[ -]?check| (?:please|mistakes?|errors?|of)))\b"
    r"|\b(?:fix|correct|check|improve|clean up|edit|mind)\b[^\n]{0,30}"
    r"\b(?:spelling|grammar|typos?|punctuation|mistakes?|errors?|wording|style|flow|commas)\b"
    r"|\b(?:punchier|funnier|darker|shorter|longer|simpler|clearer|nicer|kinder|politer|softer"
    r"|stronger|sharper|angrier|warmer|friendlier|catchier|snappier|better),? (?:please|pls)\b"
    r"|\b(?:once[- ]over|read naturally|sounds? (?:natural|native)|in simple (?:words|language))\b"
    r"|\b(?:is|are) the (?:grammar|spelling|wording)\b|\bgrammatically\b"
    r"|\bmake (?:this|it|that|these|the following)\b[^\n]{0,30}"
    r"\b(?:sound|read|short|shorter|better|more|less|clearer|nicer|funnier|formal|polite|rhyme)\b"
    r"|\b(?:in|into|to) (?:plain|simple|proper|good|better) \w{3,12}\Z|\b(?:tidy"
    r"|clean) (?:\w+ )?up\b"
    r"|übersetz\w{0,4}\b|korrigier\w{0,3}\b|\bkorrekturles\w{0,3}|\bumformulier\w{0,3}"
    r"|\bformulier\w{0,3}\b[^\n]{0,40}\bum\b|\b(?:ver)?kürz\w{0,2}\b|\bverbesser\w{0,2}\b"
    r"|\b(?:höflicher|schöner|besser|flüssiger|lockerer|kürzer|formeller|freundlicher"
    r"|professioneller|verständlicher)\b"
    r"|\bfehler\b|\bin (?:einfacher|leichter|gutem|gutes) \w{4,12}\Z"
    r"|\b(?:rechtschreib|tipp|grammatik|kommas?)\w{0,12}\b|\bumschreib\w{0,3}\b"
    r"|\btradu(?:ce|ces|cir|cirme|zca|zcas|cción|is|ire|isez|isais|ci|rre|z|za|zir)\b"
    r"|\btradúce(?:me|lo)\b|\bcorr[ie]g\w{1,4}\b|\bcorríge(?:me|lo)\b"
    r"|\bcorreggi\w{0,3}\b|\breescrib\w{1,4}\b|\brevis(?:a|ar|e) (?:la|el|este|esta)\b"
    r"|\breformul\w{1,4}\b|\bré-?écri\w{1,4}\b|\braccourci\w{0,3}\b|\bmejora(?:r|me)?\b"
    r"|\bmás (?:corto|formal|educado|claro)\b|\bplus (?:court|poli|formel|clair|simple)\b"
    r"|\bvertaal\b|\bvertalen\b|\bverbeter\b|\bherschrijf\b"
    r"|翻译|譯|译成|润色|改写|改成|校对|改(?:一)?(?:下|得)|修改|缩写|精简|改错|错别字|语病|语法"
    r"|通顺|批改|扩写|续写",
    _FLAGS,
)
# Work that people ask for on texts that they read.
SUMS_UP = re.compile(
    r"\b(?:summari[sz](?:e|ing)|(?:a |short |quick |brief )summary(?: of|\Z)|sum (?:this|it|up)"
    r"|tl;?dr"
    r"|tldr|eli5|gist)\b"
    r"|\b(?:extract|list|find|pull out|pick out|highlight|what are|get)\b[^\n]{0,20}"
    r"\b(?:main|key|important) (?:points?|ideas?|facts?|arguments?|takeaways?|messages?)\b"
    r"|\bfass\w{0,3}\b[^\n]{0,60}\bzusammen|\bzusammenfass\w{0,4}\b|\bstichpunkte\w{0,2}\b"
    r"|\bresum(?:e|ir|en|irme|a|ida|o)\b|\bresúme(?:me|lo)\b|\brésum(?:e|er|é|ez)\b"
    r"|\briassumi\w{0,4}\b|\bvat\b[^\n]{0,40}\bsamen\b"
    r"|(?<!的)(?:总结|概括|摘要|归纳)|提炼|提取|要点",
    _FLAGS,
)
# Questions and small work that also concern other things than texts. Only before a text they tell
# that it follows.
MEANS = re.compile(
    r"\b(?:classify|categori[sz]e|analy[sz]e)\b[^\n]{0,30}\b(?:this|these|the|following"
    r"|sentiment)\b"
    r"|\b(?:tone|sentiment|mood|meaning) (?:of|is|here|in)\b|\btell me the (?:tone|mood|meaning)\b"
    r"|\b(?:what|which) language is\b|\bwhat (?:do|does|is|did)\b[^\n]{0,30}\b(?:this|that|it|they)"
    r"\b[^\n]{0,30}\b(?:mean|about|called|say(?:ing)?)\b|\bmeaning\Z"
    r"|\bis (?:this|that|it) (?:a |an )?(?:scam|spam|fake|legit\w*|phishing|real|correct"
    r"|grammatical)\b"
    r"|\b(?:title|headline|caption|subject line|heading|summary) (?:for|of) (?:this|these|the)\b"
    r"|\b(?:reply|respond|answer|say|write(?: back)?) to (?:her|him|them)\b"
    r"|\b(?:is|are|does|would) the following\b"
    r"|\b(?:who is|who's|who was) (?:right|wrong)\b|\bwhat (?:this|that|it) says?\b"
    r"|\bif (?:this|that|it) is (?:right|correct|good|proper)\b"
    r"|\bis (?:this|that|it) (?:in )?(?:right|good|proper|real)(?: in)? (?:\w+ )?(?:english"
    r"|german|french"
    r"|spanish|sentence)\b|\b(?:es|está|suena) (?:bien|correct[oa])\b|\b(?:est-ce"
    r"|c['’]est) (?:bien|correct)\b"
    r"|\bist das (?:richtig|korrekt)\b"
    r"|\b(?:improve|edit|format|continue|finish|complete|say|put|turn)"
    r" (?:this|these|the following)(?: (?:into|in)\b|\Z)"
    r"|\bwas (?:bedeutet|heißt|steht)\b|\bworum geht|\b(?:qué|que) (?:significa|quiere decir)\b"
    r"|\bque (?:signifie|veut dire)\b|\bde quoi (?:parle|s'agit)\b"
    r"|什么意思|啥意思|这(?:句|段|个句子)[^\n]{0,8}(?:对吗|对不对|正确|怎么改)|讲了什么|说的是什么|什么语言|起个标题",
    _FLAGS,
)
# Requests that need the name of a text: "What do you think of this review:".
WEAK_WORK = re.compile(
    r"\b(?:explain|review|check|read|look(?:ing)? (?:at|over)|comment on|thoughts|opinion|feedback"
    r"|rate|think of|opinion of|feel about|reply to|respond to|answer|answer to|react to|edit|fix"
    r"|improve|correct|compare|adapt|grade|mark|show|shows|express|better|best|good|ok|okay|fine"
    r"|genuine|real|honest|here is|here's"
    r"|here are|below is|this is|there's|saw|see|write|help|need|make|about|from|got|received|has"
    r"|wrote|posted|sent|is|are|the following|below|above)\b"
    r"|\b(?:erklär\w{0,3}|lies|prüf\w{0,2}|schau\w{0,2}|hältst|antwort\w{0,3}|meinst|hier (?:ist"
    r"|sind)"
    r"|findest|besser|gut|beurteil\w{0,2}|vergleich\w{0,2}|bewert\w{0,3}|analysier\w{0,2})\b"
    r"|\b(?:explica\w{0,3}|lee|revisa\w{0,2}|opinas|piensas|parece|responde\w{0,2}|responder|aquí"
    r"|compara|mejor|analiza|contesta\w{0,2})\b"
    r"|\b(?:expliqu\w{1,3}|lis|vérifi\w{1,3}|penses|pensez|réponds|répondre|voici|voilà|mieux"
    r"|compare|analyse|spiega|leggi|pensi|leia|acha)\b"
    r"|(?:下面|以下)(?:是|为)|看看|看一下|看下|解释|分析|怎么样|怎么看|觉得|评价|回复|怎么回|检查|比较|对比|哪个|如何|写得|好不好",
    _FLAGS,
)
