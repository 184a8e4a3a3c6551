"""Words that announce a password, a code or a key, and those between them and the value.

"My password for the wifi is hunter2": `password`, `for the wifi`, `is`.
"""

# "for the wifi", between the name and the value.
FOR = (
    r"(?:\s{1,3}(?:for|of|to|on|at|in|im|am|für|fürs|zum|zur|vom|von|der|de|del|des|du|do|da|di|della|para|pour"
    r"|per|van|voor|k|ke|od|från|för|til|от|для|з|mein(?:er|es)|unser(?:er|es)|our|my)\s"
    r"[^\n.,:;!?=\"“]{1,40}?)?"
)
# "…, it's hunter2": the comma and the pronoun stand before the value.
IS = (
    r"[\"']?\s{0,3}(?:,\s(?:so )?(?:it's|it is|that's|that is|now|c'est|maintenant"
    r"|das ist|es ist|jetzt|nun|dat is|è|es|ahora)\b"
    r"(?: now)?|(?:\b(?:is|was|are|ist|sind|lautet|heißt|est(?: le| la)?|c'est|es(?: el| la)?|era"
    r"|jest|to|er|on|je|este|adalah)\b|(?<=\s)(?:[èéé]|är|là|είναι|היא)\s)"
    r"(?: now| still| currently| set to)?\b:?"
    r"|\b(?:changed|set|reset|updated)(?: it)? to\b|[:=：＝]|[-=]>|→|–\s"
    r"|就?是|为|為|(?:改|设|換|换)(?:成|为|置为)?了?|は|는|은|이|—|هي|هو|это|है|คือ)\s{0,3}"
)
# "The safe opens with …": the value follows.
UNLOCKS = (
    r"\b(?:safe|lock|padlock|locker|door|gate|garage|alarm|vault|briefcase|suitcase|phone|iphone"
    r"|tablet|ipad|laptop|computer|pc|mac|macbook|screen) "
    r"(?:opens|unlocks|(?:is|gets) (?:opened|unlocked)|disarms|(?:is|gets) disarmed)"
    r" (?:with|by|using)"
)
# Any words between the name and a value of letters and digits.
GAP = r"[^\n.,:;!?。，：；！？\"“]{0,30}?[:：]?\s?(?<=[\s:：=>是为成码碼令はがใ는은])"
# "the wifi is called Fjord and the key is …"
WIFI = r"\b(?:wi-?fi|wlan)\b"
LOCKS = r"\b(?:locker|padlock|safe|schloss|cadenas|candado)"
# "With X you get into the account."
ACCOUNTS = r"\b(?:account|compte|cuenta|konto|log-?in|zugang)\b"
NETWORK = (
    r"\b(?:wi-?fi|wlan|hotspot|router|network|netzwerk|réseau)\b[^\n.!?]{0,60}?"
    r"\b(?:key|schlüssel|clé|clave|chiave)\b(?:['’]s(?=\s))?"
)
ANSWER = (
    r"\b(?:answer|reply|response) to (?:my|our|the) [^\n.,:;!?]{0,30}?security question"
    r"(?: \([^\n)]{1,40}\))?"
)
# "The archive is locked with …"
LOCKED = (
    r"\b(?:(?:un)?locked|encrypted|protected|secured|verschlüsselt|gesichert|geschützt|protégée?s?"
    r"|chiffrée?s?|verrouillée?s?|cifrad[oa]s?|protegid[oa]s?) (?:with|by|mit|avec|con)"
)
# "It's admin / …": accounts that a password follows.
USERS = r"admin(?:istrator|istrador)?|root|user|usuario|benutzer|guest|gast|pi|ubuntu|postgres|sa"
# Their keys have no form of their own, so that a name must announce them.
_NO_KEY = (
    r"account|build|commit|customer|dashboard|deploy\w{0,6}|event|hash|id|issue|job|message|order"
    r"|project|ray|region|request|run|session|span|subscription|trace|version"
)
ISSUERS = (
    r"\b(?:adobe|algolia|amplitude|asana|assembly ?ai|aws|azure|bitbucket|bittrex|box|circleci"
    r"|cloudflare|codecov|cohere|coinbase|contentful|datadog|deepgram|deepl|discord|dropbox|elastic"
    r"|facebook|fastly|flickr|hubspot|intercom|jumpcloud|kraken|launchdarkly|mailgun|mattermost"
    r"|mistral|netlify|okta|openweather(?:map)?|pagerduty|paypal|segment|sentry|snyk|supabase"
    r"|together|twilio|twitch|twitter|vercel|w&b|wandb|weatherapi|weights (?:and|&) biases|yandex"
    r"|zendesk|zoom|[a-z]{2,12}api|[a-z]{2,12}\.ai)\b"
    rf"(?:(?!\b(?:{_NO_KEY})\b)[^\n]){{0,40}}?"
)
ANNOUNCED = r"(?<![A-Za-z0-9])(?:pass(?:word|wd|code|phrase)?|pwd|pw)(?![A-Za-z0-9])|密码|密碼|口令"
# A value after them has a digit or a sign, since plain words are not known in all languages.
ABROAD = (
    r"(?<![a-z])(?:passwort|kennwort|(?:wlan|wifi|wi-fi)(?:[ -]?(?:schlüssel|key|code|passwort))"
    r"|wachtwoord|senha|palavra-passe|contrase(?:ñ|n)a|clave|mot de passe|mdp|hasło|lösenord(?:et)?"
    r"|parola(?: d'ordine| chiave| mea|m)?|passord(?:et)?|adgangskode(?:n)?|şifre(?:m|si|n)?"
    r"|salasana(?:ni)?|heslo|jelsz(?:ó|av)(?:am|a)?|lozinka|geslo|(?:kata )?sandi|mật khẩu"
    r"|slaptažodis|parool|κωδικός|[Пп]ароль)(?!\w)"
    r"|パスワード|비밀번호|비번|كلمة (?:المرور|السر)|סיסמה|पासवर्ड|รหัสผ่าน"
)
KEY = (
    r"(?<![A-Za-z0-9])(?:(?:api|app(?:lication)?|access|account|pre-?shared|shared ?access|secret"
    r"|private|auth(?:entication)?|encryption|license|master|signing)"
    r"[ _-]?(?:access[ _-]?)?(?:key|token)|(?:client[ _-]?)?secret(?: value)?|psk"
    r"|(?:bot |session |refresh )?token)(?![A-Za-z])|密钥|令牌"
)
# Other keys: only a long value is a secret, and no UUID ("the primary key is …").
ANY_KEY = r"\b(?:key|pat|schlüssel|clé|clave|chiave|chave|sleutel|licen[cs]e)\b|ключ|キー|키|金鑰"
CODES = (
    r"(?:verification|security|confirmation|log-?in|sign-?in|one-time|2fa|authentication|sms"
    r"|alarm|door|gate|safe|vault|locker|voicemail|garage|entry|unlock|backup|recovery|access)"
    r"(?:'s)?[ -](?:codes?|passcode|pin|combination)|\botp\b|\bone-time password|\bdigicode"
    r"|\b(?:lock|safe|locker|padlock)\b[^\n.,:;]{0,15}\b(?:combo|combination)\b"
    r"|\bcombination (?:of|for|to) (?:the|my|our) [a-z ]{2,20} is"
    r"|\b(?:opens?|unlocks?|enter|type|use|with) (?:the )?code"
    r"|\b(?:[a-zäöü]{0,12}tür|entsperr|sperr|zugangs|bestätigungs|sicherheits)code"
    r"|\bcode (?:de la porte|de l['’]immeuble|d['’]entrée|d['’]accès|du portail|de l['’]alarme)"
    r"|验证码|校验码|动态码|门禁密码|確認コード|인증번호"
)
# Any other code ("the code for the flat") is one only if it ends the clause, and none of these.
_OTHER_CODES = (
    r"error|pass|zip|post\w{0,3}|area|country|dial\w{0,5}|status|source|fault|dress|promo|discount|gift"
    r"|coupon|course|morse|bar|qr|tax|sort|exit|return|product|booking|colou?r|hex|swift|airport"
    r"|building|genetic|fehler|vorwahl|rabatt|gutschein|farb|produkt|http|reason|diagnostic"
    r"|currency|language|event|voucher|penal|civil|flight|model|city|state|store|article|item"
    r"|class|time|trouble"
)
ANY_CODE = (
    r"(?:\A|[\n.,:;!?]\s|\b(?:my|the|our|your|her|his|their|der|meine?|unsere?|ihr|le|mon|notre|el"
    r"|mi|il|mio|o|meu)\s)"
    rf"(?:(?!(?:{_OTHER_CODES})\b|(?:{_OTHER_CODES})code)[a-z]{{2,14}}[ -]?){{0,2}}?"
    r"(?:codes?|tan|kode|kod|código|codice)(?! (?:de )?(?:error|postale?|pocztowy))\b"
)
PIN = (
    r"(?:(?<![A-Za-z0-9])(?:pin|puk|cvv2?|cvc2?|pincode|geheimzahl|(?:card )?security code"
    r"|card verification (?:code|value|number)|(?:code|digits) on the back|(?:karten)?prüfziffer"
    r"|cryptogramme(?: visuel)?|código de seguridad|codice di sicurezza)"
    r"(?:[ -](?:code|number|no\.?))?(?:'s)?(?![A-Za-z])|[Пп]ин-?код|暗証番号|取款密码|支付密码)"
)
PHRASE = r"\b(?:seed|recovery|backup|mnemonic|secret|wallet)(?: phrase| words){1,2}"
OTHER_PHRASE = (
    r"(?:\b(?:mnemonic|seed|(?:wallet|metamask|ledger|trezor|phantom)(?: recovery| backup)?"
    r"|(?:12|24|twelve|twenty-four) words)\b|助记词|助記詞)"
)
# Words found in a password's position that are not passwords.
_WORDS = (
    "a an the my our your his her its their this that these those not no none null nil true false "
    "required optional empty blank missing unknown invalid incorrect wrong correct right valid "
    "weak strong stronger short long longer simple complex easy hard safe unsafe secure insecure "
    "secret hidden expired old new lost gone stolen leaked compromised changed reset set saved "
    "stored kept shared encrypted hashed salted protected here there below above it them ok okay "
    "fine good bad great terrible too so very just still also always never being been what which "
    "something anything nothing everything yours mine same different unique only really yes "
    "redacted masked forgotten needed temporary permanent public private string str password "
    "in on at by under with for from to written inside behind near sicher schwach falsch "
    "richtig name"
)
OPINIONS = ("able", "ible", "ous", "less", "-sensitive")  # "my password is ridiculous"
NO_PASSWORD = frozenset(_WORDS.split())
# Names with a digit, in the place of a password ("the password for Office365").
NO_RANDOM_WORD = (
    r"(?:sha|md|base|utf|oauth|pbkdf|argon|scrypt|ripemd|aes|rsa)-?\d.*"
    r"|(?:[\w-]{0,12}(?:office|microsoft|outlook|windows|win|keepass\w{0,2}|word|excel|iphone|ipad|ios"
    r"|macos|android|galaxy|pixel|playstation|xbox|python|version|web|room|studio))\d{1,4}"
    r"|wpa\d.*|802\.11.*|[\d.]{1,6}ghz|\S{1,80}\.(?:pdf|docx?|txt|md|csv|json|ya?ml|zip|png|jpe?g)"
    r"|1password|[vq]\d[\d.]*|\d{1,4}(?:st|nd|rd|th)?|\d[\d.,:/-]*[a-z%€$£]{0,3}|max_length=\d+"
)
