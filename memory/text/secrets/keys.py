"""Keys in the forms that their issuers document, and addresses with a secret."""

# Issuers with a prefix of their own. `_looks_random` (forms.py) finds other prefixed keys.
KEYS = (
    r"(?:A3T[A-Z0-9]|AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}|ABSK[\w+/]{60,300}={0,2}",  # Amazon
    r"LTAI[A-Za-z0-9]{20}",  # Alibaba
    r"sk-(?=[\w-]{0,200}\d)[\w-]{16,300}",  # OpenAI, Anthropic and compatible providers
    r"(?:gsk|xai|pplx|nvapi|r8|tvly|fw|csk|jina)[_-](?=[\w-]{0,60}\d)[\w-]{20,200}",  # other models
    r"(?:[sr]k_(?:live|test|prod)|whsec)_[A-Za-z0-9]{16,200}",  # Stripe
    r"gh[pousr]_[A-Za-z0-9]{30,255}|github_pat_\w{22,255}",
    r"gl(?:pat|dt|rt|cbt|ptt|ft|soat|imt|agent|oas)-[\w.-]{20,300}",  # GitLab
    r"xox[abeoprs]-[\w-]{10,300}|xapp-[\w-]{20,300}|xoxe\.xox[bp]-[\w-]{20,300}",  # Slack
    r"AIza[\w-]{35}|GOCSPX-[\w-]{20,60}|ya29\.[\w-]{20,500}|1//0[\w-]{30,120}",  # Google
    r"(?:hf|api_org)_[A-Za-z0-9]{30,60}",  # Hugging Face
    r"npm_[A-Za-z0-9]{36}|pypi-[\w-]{50,300}|rubygems_[0-9a-f]{48}|dckr_[po]at_[\w-]{20,60}",
    r"SG\.[\w-]{22}\.[\w-]{43}|xkeysib-[\w-]{60,120}|key-[0-9a-f]{32}",  # SendGrid, Brevo, Mailgun
    r"do[opr]_v1_[0-9a-f]{64}|dapi[0-9a-f]{32}(?:-\d)?",  # DigitalOcean, Databricks
    r"\d{8,10}:AA[\w-]{33}",  # Telegram
    r"[MNO][\w-]{23,27}\.[\w-]{6}\.[\w-]{27,40}",  # Discord
    r"(?:SK|AC)[0-9a-fA-F]{32}",  # Twilio
    r"shp(?:at|ca|pa|ss|tka)_[0-9a-fA-F]{32}",  # Shopify
    r"sq0(?:atp|csp)-[\w-]{20,60}|EAAA[\w-]{40,80}|EAA[A-Z][A-Za-z0-9]{90,300}",  # Square, Meta
    r"(?:lin_api|lin_oauth|ntn|secret|figd|rdme|sgp|glc|glsa|pnu|phc|phx|sbp)_[\w-]{32,400}",
    r"(?:PMAK|NRAK|NRII|sntrys|sntryu|dop|tfp|pul|HRKU|shippo_live)[_-][\w+/=-]{24,300}",
    r"ATATT3[\w=-]{50,300}|hv[sbr]\.[\w-]{24,300}|dt0c01\.[\w.]{60,120}|AGE-SECRET-KEY-1\w{58}",
    r"[A-Za-z0-9]{14}\.atlasv1\.[\w=-]{60,80}|pat[A-Za-z0-9]{14}\.[0-9a-f]{64}",
    # The following are of gitleaks' rules (MIT): 1Password, Adobe, Artifactory, ClickHouse …
    r"A3-[A-Z0-9]{6}(?:-[A-Z0-9]{5,11}){4,5}|ops_eyJ[\w+/]{100,2000}={0,3}|p8e-[a-z0-9]{32}",
    r"AKCp[A-Za-z0-9]{69}|cmVmd[A-Za-z0-9]{59}|4b1d[A-Za-z0-9]{38}|v1\.0-[0-9a-f]{24}-[0-9a-f]{146}",
    r"(?:sc|ext|scauth|authress)_[a-z0-9]{5,30}\.[a-z0-9]{4,6}\.acc[_-][\w-]{10,32}\.[\w+/=-]{30,120}",
    r"dp\.(?:pt|st|ct|sa|scim|audit)\.[\w.]{40,80}|duffel_(?:test|live)_[\w=-]{43}|EZ[AT]K[A-Za-z0-9]{54}",
    r"\d{15,16}\|[\w-]{27,40}|FLWSECK(?:_TEST)?-[a-z0-9]{12,40}(?:-X)?|fio-u-[\w=-]{64}",
    r"(?:fo1_|fm1[ar]_|fm2_)[\w+/-]{43,3000}={0,3}|gl(?:ffct-|[a-z]{2,6}-)[\w-]{20}|GR1348941[\w-]{20}",
    r"eyJrIjoi[A-Za-z0-9]{70,400}={0,3}|glc_[A-Za-z0-9+/]{32,400}={0,3}",
    r"[ps]at\.[\w-]{22}\.[A-Za-z0-9]{24}\.[A-Za-z0-9]{20}|s-s4t2(?:ud|af)-[0-9a-f]{64}",
    r"sq[puba]_[0-9a-f]{40}|lsv2_[ps][tk]_[0-9a-f_]{32,60}|[sp]k\.eyJ[\w-]{30,120}\.[\w-]{20,30}",
    r"\d/\d{16}/\d{16}:[0-9a-f]{32}|sl\.(?:u\.)?[\w-]{60,1500}|PRD-[0-9a-f]{12}(?:-[0-9a-f]{4,8}){4}",
    r"rzp_(?:live|test)_[A-Za-z0-9]{14}",  # Razorpay
    r"sk_[0-9a-f]{40,64}|[5KL][A-Za-z0-9]{50,51}",  # ElevenLabs, Bitcoin
    r"[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk|API-[A-Z0-9]{26}|sha256~[\w-]{43}|tk-us-[\w-]{48}",
    r"pscale_(?:tkn|oauth|pw)_[\w=.-]{32,64}|sm_[aps]at_[A-Za-z0-9]{16}|[0-9a-f]{32}-us\d{1,2}",
    r"tskey-(?:auth-|api-)?[\w-]{20,80}|nfp_\w{36,40}|AQVN[\w-]{30,40}|[xt]prv[A-Za-z0-9]{100,112}",
    r"[\w~.]{3}\dQ~[\w~.-]{31,34}",  # Azure
    # A name, `_` and a random part with digits, as in "bkua_…".
    r"(?:(?:api|apikey|apk(?:_user)?|bkua|cf[ua]t|cog|dvc_(?:server|mobile|client)|e2b|key|lip|mcp"
    r"|pcsk|phr|pina|polar_(?:at|oat|pat)|prf|rnd|rootly|rpa|sb_secret|tss|unkey|usk|vc[akp]|vtwn"
    r"|waka|wrka|xat|zpka|os_v2_(?:app|org)|(?:access|persona|user|service|admin|root|org|bot)"
    r"_(?:production|sandbox|token|key|live))_|api_(?:live|sandbox)(?:_[a-z]{2})?\.)"
    r"(?=(?:[\w-]{0,12}\d){3})(?=[\w-]{0,40}?[A-Za-z0-9]{16})[\w-]{20,300}",
    r"re_[A-Za-z0-9]{8}_[A-Za-z0-9]{20,40}",  # Resend
    # Neon and others: small letters and digits, but no hash in hexadecimal.
    r"[a-z]{2,8}_(?=(?:[a-z0-9]{0,12}\d){4})(?=(?:[a-z0-9]{0,16}[g-z]){4})[a-z0-9]{36,200}",
    r"pat-[a-z]{2}\d-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}",  # HubSpot
    r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}:fx",  # DeepL
    r"access-(?:sandbox|production)-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}",  # Plaid
    r"(?:AQ\.Ab|AstraCS:|mlsn\.|STS\.|FlyV1 |SWMKEY-1-|OC-|dnkey-|endr\+|xox[cd]-|BSA|ATCTT3)"
    r"(?=(?:[\w.+/=:-]{0,16}\d){3})[\w.+/=:-]{20,500}",
    r"ebb_[\w-]{43}",  # ours
    r"eyJ[\w-]{10,4000}\.eyJ[\w-]{10,8000}\.[\w-]{0,2000}",  # a JSON web token
)
# Prefixes of public ids, as of customers and messages.
ID_PREFIXES = (
    r"(?:acct|asst|batch|call|chatcmpl|conv|cs|cus|dpl|evt|file|in|item|job|msg|order|pi|prj|prod|req"
    r"|resp|run|seti|step|sub|team|thread|toolu|trace|txn)[_-]"
)
PRIVATE_KEY = (
    r"-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----"
    r"(?:.*?-----END (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----|.*)"
    r"|(?<=Private-Lines: )\d{1,3}(?:\s?\n[A-Za-z0-9+/]{16,99}={0,2}){1,200}"  # PuTTY
    # The body alone: of OpenSSH, and of an RSA or EC key in PEM.
    r"|\b(?:b3BlbnNzaC1rZXktdjE|MII[CEJ][a-zA-Z])[A-Za-z0-9+/]{20,99}={0,2}"
    r"(?:\s?\n[A-Za-z0-9+/]{16,99}={0,2}){0,200}"
)
ADDRESSES = (
    r"\bhooks\.slack\.com/(?:services|workflows|triggers)/(?P<value>[\w/+-]{20,120})"
    r"|\bdiscord(?:app)?\.com/api/webhooks/\d{10,25}/(?P<discord>[\w-]{40,100})"
    # Any other: after "hook", a part of an address that is long and has digits.
    r"|\bhttps?://(?:(?:web)?hooks?\.(?!slack\.com/)[^\s/]{1,80}"
    r"|[^\s/]{1,80}/(?:[\w.~-]{1,40}/){0,5}(?:web)?-?hooks?)/"
    r"(?P<hook>(?=(?:[\w.~-]{1,40}/){0,4}(?=(?:[\w-]{0,12}\d){3})[\w-]{16})[\w./~-]{16,300})"
    r"|\bhooks\.zapier\.com/hooks/[a-z]{4,10}/(?P<zapier>\d{1,12}/\w{5,20})"
    r"|\.webhook\.office\.com/webhookb?2?/(?P<teams>[\w@/-]{40,250})"
    r"|\b(?:[\w.-]{0,30}session(?:_?id)?|phpsessid|jsessionid|connect\.sid|sid)="
    r"(?P<cookie>[\w.%+/-]{16,300})"
    r"|[?&;](?:access_|auth_|api_?|id_)?(?:token|key|sig|signature|secret|password)="
    r"(?P<query>[^&\s#\"'<>\[]{8,300})"
)
