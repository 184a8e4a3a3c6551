"""The marks of a program's prompt. Each counts once, with its weight."""

import re

_FLAGS = re.IGNORECASE | re.MULTILINE

TASK_SIGNALS: dict[str, tuple[int, re.Pattern[str]]] = {
    name: (weight, re.compile(pattern, _FLAGS))
    for name, weight, pattern in (
        (
            "output",
            2,
            r"\b(?:only|just|strictly|exclusively) (?:return|respond|reply|output|answer|provide"
            r"|write|emit|list|select"
            r"|include|extract|use|give|in)\b"
            r"|\b(?:return|respond|reply|output|answer|provide|write|give)\b[^.\n]{0,40}"
            r"\b(?:only|exclusively|nothing else|exactly)\b"
            r"|\bno (?:extra|additional|other|further|preamble|explanations?|commentary"
            r"|punctuation)\b"
            r"|\bwithout (?:any )?(?:additional|extra|further|other|quot|punctuation|explanation)"
            r"|\b(?:do not|don't|never|must not|shouldn't|should not) (?:include|add|prepend"
            r"|append|wrap"
            r"|edit|mention|output|return|repeat|explain|answer|use|provide|respond|make up"
            r"|invent)\b"
            r"|\bnothing else\b|\b(?:JSON|YAML|XML|CSV) (?:format|object|array|list|schema"
            r"|instance|"
            r"blob|output|response|structure|string)|\b(?:valid|in|as|raw|this|following) JSON\b"
            r"|\bdo not (?:number|translate)|\bseparat\w+ (?:\w+ )?(?:with|by) commas"
            r"|\bformatted (?:as|in)\b|\b(?:comma|newline|line)[- ]separated\b"
            r"|\bseparated by (?:a )?"
            r"(?:newline|comma)|\bmarkdown (?:code )?(?:block|snippet|table)|\b(?:the|this"
            r"|following|"
            r"output|response|same) (?:output |response |exact )?(?:format|schema|template)\b"
            r"|\bsingle (?:letter|word|number|digit|character)\b|\blist of strings\b"
            r"|(?:只|仅|仅需|只需|直接)(?:需要)?(?:返回|输出|回答|回复|给出|保留)"
            r"|(?:不要|无需|不需要|请勿|不得|禁止|切勿)(?:输出|添加|包含|解释|回答|使用|附加|返回|有|任何)"
            r"|(?:输出|返回|回复)(?:的)?(?:格式|结果|JSON)|以\s*(?:JSON|json|列表|数组)|JSON ?格式"
            r"|格式(?:如下|为|要求)|(?:没有|无)(?:任何)?(?:多余|额外|其他)",
        ),
        (
            "role",
            1,
            r"\byou(?: are|['’]re) (?:an? |the |now |given |tasked|provided|going)"
            r"|\byour (?:\w+ )?(?:task|job|goal|role|objective|purpose|aim|responsibility) (?:is"
            r"|in)\b"
            r"|\byou (?:will|have|should|must|can|need)(?: be| been)? \w+"
            r"|\byour (?:response|answer|reply|output)s?\b|\bact as\b|\b(?:assistant|agent"
            r"|system|AI) (?:that|who|which|is|tasked|designed)\b"
            r"|你(?:是|将|需要|要|必须|的(?:任务|工作|职责|目标|角色))|请你(?:作为|扮演)|作为一(?:个|名|位)",
        ),
        (
            "third person",
            2,
            r"\b(?:the|this|a|an) (?:user|human|end[- ]user|assistant|AI|chatbot|bot|speaker"
            r"|student|"
            r"LLM|(?:language )?model|reader)\b(?!s? guide)|\buser(?:['’]s| (?:query|question"
            r"|input|message|"
            r"request|prompt|intent))|\bbased on (?:your|the) (?:response|instructions?)"
            r"|用户(?:的|输入|提问|问题|查询|消息|发送|可能|说|最|和|与|当前)|提问者|(?:AI|智能)?助手(?:的|和|与)",
        ),
        (
            "conversation",
            2,
            r"\b(?:chat|conversation|dialogue|message|discussion) (?:history|log|transcript"
            r"|summary|title|"
            r"turns?|so far|above|below)\b"
            r"|\b(?:the|this|following|above|below|previous|prior|given|entire|current|provided"
            r"|latest|"
            r"recent|last|whole) (?:\w+ )?(?:chat|conversation|dialogue|transcript|exchange)s?\b"
            r"|\b(?:our|(?:summari[sz]e|for|of|from|in) the) (?:chat|conversation|discussion"
            r"|dialogue)\b"
            r"|\bconversations? (?:between|with|below|above|provided|that|and)\b"
            r"|(?:对话|聊天|会话|交流)(?:的)?(?:记录|历史|内容|标题|主题|上下文|总结|摘要)"
            r"|(?:以上|上述|下面的?|以下|这段|本次|该|此|当前)(?:的)?(?:对话|聊天|会话|消息)",
        ),
        (
            "given text",
            2,
            r"\b(?:the|these|this) (?:following|provided|given|above|below|supplied|extracted"
            r"|retrieved|"
            r"original|input|source|existing|user|new|next|preceding) (?:\w+ ){0,2}?(?:context"
            r"|text|passage|"
            r"document|question|quer|input|source|information|content|excerpt|piece|portion"
            r"|statement|"
            r"message|prompt|schema|data|description|answer|response|instruction|tool|list"
            r"|criteria|"
            r"summar|snippet|chunk|example|sentence|paragraph|part|table|set|knowledge|result"
            r"|request)"
            r"|\b(?:context|text|information|question|query|documents?|input|data|schema|content"
            r"|answer) "
            r"(?:information )?(?:is |are )?(?:provided|given|below|above|delimited|enclosed"
            r"|and not prior)"
            r"|\b(?:below|above|following|here) (?:is|are) (?:an?|the|some|your|several) \w+"
            r"|\b(?:given|provided|shown|listed|found|described) (?:\w+ )?(?:below|above)\b"
            r"|\b(?:the|this) above (?:\w+ ){0,2}(?:information|text|context|data|results?"
            r"|document)"
            r"|\b(?:the|using) (?:\w+ ){0,2}\w+s? (?:above|below)\b"
            r"|\b(?:of|for|from|in) this (?:document|text|passage|context|article|excerpt|chunk)\b"
            r"|\b(?:use|using) (?:the|this|these)\b[^.\n]{0,80}\b(?:inform|response|answer)\b"
            r"|\b(?:of|for|from|in|is) (?:this|the following) (?:message|review|sentence|comment"
            r"|question|query"
            r"|e-?mail|statement|input|post|diff|code)\b|\banswer the (?:question|query)\b"
            r"|\b(?:of|for|from|in) the (?:document|text|article|passage|transcript|input|section"
            r"|chunk|snippet|above)\b|\bresponses? from the (?:API|tool|model)\b"
            r"|\bgiven (?:the|a|an|this|these|some|only)\b|\bprior knowledge\b|\bthe (?:context"
            r"|passage)\b"
            r"|(?:以下|下面|下列|给定|提供|上述|上面|输入)(?:的)?(?:文本|内容|问题|文档|信息|句子|文章|资料|上下文|"
            r"片段|材料|数据|描述|要求|规则|指令|格式|JSON)|已经?提供了?|根据(?:上下文|以下|给定|提供|下面|上述)|给定(?:一|的|用户)",
        ),
        (
            "duty",
            2,
            r"(?:^|[.!?:,\n] *|\b(?:please|to|and|then|you must|should|can|will|tasked with) "
            r"|[-*•\d.)] *)"
            r"(?:ask|reply|generate|generating|suggest|create|creating|write|provide|produce"
            r"|come up with"
            r"|extract|"
            r"classify|categori[sz]e|label|summari[sz]e|rewrite|rephrase|reformulate|reword"
            r"|condense|"
            r"translate|convert|determine|identify|decide|analy[sz]e|predict|choose|choosing"
            r"|select|pick|"
            r"evaluate|grade|score|judge|compare|rank|detect|find|refine|combine|merge"
            r"|synthesi[sz]e|"
            r"complete|continue|answer|list|describe|assign|propose|infer|assess|update|formulate|"
            r"return|output|respond|craft|distill?|compress|recommend|split|break|plan|construct|"
            r"transform|structure|name|title|tag)\b[^.\n]{0,70}?"
            r"\b(?:titles?|tags?|key-?words?|phrases?|follow[- ]?ups?|questions?|quer(?:y|ies)"
            r"|emojis?|"
            r"summar(?:y|ies)|topics?|conversations?|labels?|categor(?:y|ies)|intents?|languages?|"
            r"sentiments?|entit(?:y|ies)|tools?|responses?|answers?|prompts?|context|texts?"
            r"|documents?|"
            r"statements?|facts?|JSON|names?|relevan\w+|information|messages?|yes|chat|history"
            r"|users?|"
            r"tasks?|steps?|actions?|instructions?|content|passages?|options?|choices?|triplets?"
            r"|graphs?|fields?|"
            r"descriptions?|reports?|outlines?|sections?|headers?|sources?|diagrams?)\b"
            r"|\b(?:title|name|headline|summary|tags?|keywords?) (?:for|of) (?:the|this) (?:\w+ )?"
            r"(?:conversation|chat|dialogue|discussion|document|text|article)\b"
            r"|(?:把|将|进行)[^。\n]{0,20}(?:翻译|改写|总结|转换|提取|分类|压缩|润色)"
            r"|(?:生成|返回|给出|提取|总结|概括|归纳|提炼|改写|重写|翻译|转换|判断|识别|分类|预测|推荐|推测|选择|评估|评分|"
            r"比较|续写|补全|压缩|命名|起一?个|回答|分析|优化|扩写|建议)"
            r"[^。\n]{0,24}(?:标题|标签|关键词|问题|查询|表情|emoji|摘要|总结|主题|对话|类别|意图|语言|情感|实体|"
            r"工具|回复|答案|提示词|文本|内容|名称|名字|记忆|事实|信息|语句|句子|搜索|检索)",
        ),
        (
            "limit",
            1,
            r"\b\d{1,6}(?: ?(?:-|–|to|or) ?\d{1,6})?[- ]?(?:words?|characters?|tokens?|sentences?"
            r"|chars|letters|bullet|emojis?|questions?|quer(?:y|ies)|tags?|keywords?|titles?|key)"
            r"|\b(?:at most|maximum|max|no more than|up to|under|fewer than|less than|exactly) \d+"
            r"|\b(?:one|two|three|four|five|six|single|1) ?[- ](?:\w+ )?(?:word|sentence|emoji"
            r"|paragraph|line)"
            r"|\b(?:short|brief|concise|succinct)(?:,| and\b| \w+ (?:title|summary|name|question"
            r"|quer))"
            r"|\bconcise\b"
            r"|[一二三四五六七八九十两]个?(?:字|词|句)|不超过|以内"
            r"|简(?:短|洁|明)|最多|\d{1,6} ?个?(?:字|词|句)",
        ),
        (
            "example",
            1,
            r"^[ \t#*]*examples?(?: \w+)?[*]*[:：]|^[ \t#*]*(?:示例|例子|例如|样例)[:：]"
            r"|\b(?:for example|e\.g\.)|[{\[] ?[\"'][\w ]+[\"'] ?[:,\]]|\{\{|\$[A-Z_]{3,}"
            r"|\[[A-Z_]{4,}\]"
            r"|^[ \t]*(?:input|output|输入|输出)[:：]",
        ),
        (
            "requirement",
            2,
            # Two requirements for the result.
            r"(?:\b(?:the|your|each|every|all) (?:[\w-]+ ){0,2}?"
            r"(?:answers?|conclusion|descriptions?|headers?|introduction|items?|list|output"
            r"|quer(?:y|ies)|questions?|reports?|response|results?|sections?|sentences?|summary"
            r"|texts?|titles?|(?:sub)?topics?) (?:should|must)\b[\s\S]{1,600}?){2}",
        ),
        ("emphasis", 1, r"(?-i:\b(?:MUST|SHOULD|ONLY|NEVER|ALWAYS|EXACTLY|MOST|DO NOT)\b)"),
        ("begin", 2, r"\bbegin!|^[ \t]*let['’]?s (?:begin|think step|to do)|step[- ]by[- ]step"),
        ("otherwise", 1, r"^[ \t*-]*if\b[^.\n]{5,120}\b(?:return|say|output|respond|answer|reply)\b"
         r"|\bif (?:you|the|none|no|there|it)\b[^.\n]{0,80}\b(?:return|say that|just say|output"
         r"|respond|reply|"
         r"original)|(?:如果|若)[^。\n]{0,40}(?:返回|输出|回答|则)"),
    )
}  # fmt: skip

# A line that names a part of a prompt: "### Task:", "Rules:", "REPORT SECTIONS:".
HEADING = re.compile(
    r"^[ \t]*(?:#{1,6}[ \t]*|\*\*|<<[ ]?|\[|<)?(?P<name>(?:\w+ ){0,2}?(?:tasks?|instructions?"
    r"|guidelines?|"
    r"rules?|outputs?|examples?|constraints?|requirements?|chat history|conversation|history"
    r"|context|"
    r"inputs?|answers?|questions?|quer(?:y|ies)|format|schema|criteria|objective|role|goal"
    r"|steps?|notes?|"
    r"tools?|documents?|sources?|results?|summary|text|response|thought|action(?: input)?"
    r"|observation"
    r"|messages?|"
    r"任务|要求|规则|输出|示例|约束|对话(?:记录|历史)?|上下文|输入|问题|格式|步骤|目标|角色|注意(?:事项)?|限制)"
    r"|(?-i:[A-Z]{3,20}(?: [A-Z]{2,20}){1,3}(?=:)))"
    r"(?: format)?[ \t]{0,8}(?:\*\*)?[ \t]{0,8}(?::|：|\]|>>|>|$)",
    _FLAGS,
)
# The line that the model is to continue: "Answer:", "Relevant (YES / NO):".
END_LABEL = re.compile(
    r"(?:\n|\A|[.?!。][ \t]{1,8})[ \t#*>]{0,20}[A-Za-z\u3400-\u9fff][^\n:：.?!]{0,50}[:：]"
    r"[ \t*`\"]{0,20}\Z"
)
RULE_LINE = re.compile(
    r"^[ \t]*(?:[-*•]|\d+[.)、])[ \t]*\**(?:do|don['’]t|never|always|avoid|use|write|keep|return"
    r"|only|if|must|"
    r"ensure|prioriti[sz]e|respond|be|make|preserve|focus|maintain|no|output|provide|choose"
    r"|include|start|"
    r"consider|answer|follow|remove|err|limit|maximum|not|each|the|"
    r"不|请|仅|只|必须|使用|保持|避免|确保|输出|如果|标题|直接)",
    _FLAGS,
)
SCAFFOLD = re.compile(
    r"^[ \t]*(?P<name>thought|action|action input|observation|final answer|tool[ _]?(?:call"
    r"|response|result|"
    r"output)s?|function[ _](?:call|result|response)|available tools)[ \t]*[:：]",
    _FLAGS,
)
# An answer in JSON, in the examples of a system prompt.
JSON_ANSWER = re.compile(
    r"^[ \t]*(?:response|output|answer|result|assistant|ai|a|输出|回答)[ \t]*[:：]\s{0,20}[{\[]",
    _FLAGS,
)

# The place where a prompt's instruction ends and its text begins: a label or an empty line.
CONTENT = re.compile(
    r"(?:^|[.?!。][ \t]{1,8})[ \t>#*\"'|]{0,20}(?:the |user(?:['’]s)? |input |source |original "
    r"|last )?(?:text|message"
    r"|question|query|input|context|passage|document|sentence|review|statement|conversation"
    r"|transcript"
    r"|content|article|prompt|e-?mail|comment|user|chat|diff|code|文本|消息|问题|输入|内容|句子|原文|对话|用户)"
    r"(?: (?:to \w{1,40}|\w))?[ \t*\"'|]{0,20}[:：]|\n[ \t]{0,80}\n",
    _FLAGS,
)
COLON = re.compile(r"[:：]")
TOOL_REPORT = re.compile(
    r"(?:(?:tool|function|plugin|api|command|browser|search) ?[_ ]?(?:calls?|responses?|results?"
    r"|outputs?)"
    r"|exit ?code|std(?:out|err)|code output|工具(?:调用)?(?:结果|输出|返回)|available[ _]tools"
    r"|可用工具)[^\n:：]{0,60}[:：\]>]",
    re.IGNORECASE,
)

# "We" is left out, because prompts use it too ("we have provided an answer").
FIRST_PERSON = re.compile(
    r"\b(?:I|I['’](?:m|ve|d|ll)|us|(?i:my|mine|myself|we['’](?:re|ve|ll)|ours))\b"
    r"|\b(?i:our)\b(?! (?:chat|conversation|dialogue|discussion))"
    r"|\bme\b(?<!for me)(?<!help me)(?<!tell me)(?<!give me)"
    r"|(?<![帮给跟向教告诉])(?:我|咱)"
)
# Names and values that a text only mentions: 'I', "my_field".
MENTIONED = re.compile(r"(?<!\w)(['\"`])[^'\"`\n]{1,40}\1(?!\w)")
# Quotation marks into which a program has put the words of a person or a document.
QUOTED = re.compile(r"\"[^\"\n]{20,2000}\"|“[^“”\n]{20,2000}”")
WORD = re.compile(r"[\u3400-\u9fff]|[^\W\u3400-\u9fff]+(?:['’]\w+)?")

# From this share of first-person words on, a person writes about themselves.
SOME_SELF, MUCH_SELF = 0.02, 0.04


def self_share(text: str) -> float:
    """Return the share of first-person words."""
    text = MENTIONED.sub(" ", QUOTED.sub(" ", text))
    words = len(WORD.findall(text))
    return len(FIRST_PERSON.findall(text)) / words if words else 0.0


ERROR = re.compile(
    r"\bvalidation (?:errors?|failed|feedback)\b|\binvalid (?:json|format|output|response"
    r"|argument|input|"
    r"schema|yaml|tool|function)|\bjson ?(?:decode)? ?(?:error|_invalid)|\btraceback \(|\[type=\w+"
    r"|\b(?:failed|unable|could(?: not|n['’]t)|cannot|not able) (?:to )?(?:be )?(?:pars|valid"
    r"|decod|extract)"
    r"|\bdid(?: not|n['’]t) (?:satisfy|match|conform|pass|contain|follow|meet|return|call|include)"
    r"|\b(?:is|was|are) not (?:a )?valid\b|\b(?:does|do) not (?:match|conform|satisfy|meet)"
    r"|\bfield required\b|\binput should be\b|\bexpected (?:value|\w+ at) |\bparsing (?:error"
    r"|failed)"
    r"|\b(?:\w+Error|\w+Exception)\b(?:[:(]|\n)|\b(?:errors?|exceptions?) (?:found|occurred|was"
    r"|were|in)\b"
    r"|\b(?:missing|unknown|unexpected) (?:required |tool|key|field|token|function)|\bno tool\b"
    r"|^error[:：]|^错误[:：]|校验(?:失败|错误)|解析(?:失败|错误)|格式(?:不正确|错误|有误)|不是(?:有效|合法)的",
    _FLAGS,
)
AGAIN = re.compile(
    r"\b(?:try|retry|respond|answer|return|generate|call)(?: \w+){0,3} again\b"
    r"|\bplease (?:correct|fix|return|"
    r"include|respond|provide|regenerate|retry|call|use|ensure|make sure|re-?write|output)\b"
    r"|\b(?:fix|correct|address|resolve|repair)\b[^.\n]{0,30}\b(?:errors?|issues?|problems?|json"
    r"|output|response|"
    r"it|format)\b|\brecall the function\b|\bcorrected\b|\bretry\b|\b(?:must|should) (?:be|match"
    r"|conform|return)"
    r"|\breturn (?:only |a |the )?(?:valid|corrected|fixed)|\b(?:ensure|make sure)\b"
    r"|请(?:重新|修正|修复|更正|再次|重试|严格)|重新(?:生成|输出|回答)",
    re.IGNORECASE,
)
