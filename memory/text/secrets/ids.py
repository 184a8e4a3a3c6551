"""Numbers that identify people: announced numbers of any country, and numbers with a recognisable
format.
"""

import re

# Names of documents. Other words may separate them from the number.
_NAMES = (
    r"\b(?:ssn|social(?: security)?(?: (?:number|no\.?|num))?|passport|pasaporte|passeport"
    r"|driv(?:er|ing)(?:'?s)? licen[cs]e|nhs (?:number|no\.?)|medicare|aadhaar|pesel|itin|curp"
    r"|national (?:id|insurance)|tax(?:payer)? (?:id|number|identification number)|ni number"
    r"|(?:tax|insurance|licen[cs]e|id|identity|passport|ird) (?:card |document )?"
    r"(?:number|no\.?)"
    r"|(?:personal)?ausweis|reisepass|[a-zäöü]{0,20}(?:ausweis|reisepass|steuer|versicherungs"
    r"|versicherten|identifikations|führerschein|konto)-?(?:id|nummer|nr\.?|identifikationsnummer)"
    r"|n(?:um[ée]ro|[°o]) (?:fiscal|de (?:passeport|permis|compte|s[ée]cu))|s[ée]curit[ée] sociale"
    r"|(?:permis|passeport) n[°o]|seguridad social|n[úu]mero de (?:pasaporte|cuenta|identificación)"
    r"|codice fiscale|residence permit|green card"
    r"|visa number|id card|carte d'identité"
    r"|personnummer|fødselsnummer|henkilötunnus|ahv(?:-?nummer)?)\b"
    r"|身份证|护照|通行证|驾[驶照]|社保|医保|公积金|证件?号码?|社保号|マイナンバー|在留カード|주민등록번호|여권번호|СНИЛС|снилс|ИНН|[Пп]аспорт"
)
_GAP = (
    r"(?: (?:no|nr)\.)?[^\d\n.,;!?。，]{0,45}?"
    r"(?:, (?:number|nummer|no\.?|it'?s)[^\d\n.,;!?]{0,10}?)?(?<![A-Za-z0-9])"
)
# Short names that are words in other languages, so the number must follow at once.
_SHORT = (
    r"\b(?:cpf|dni|nie|nif|nir|rut|cuit|rrn|hkid|bsn|nino|tfn|sin|pan(?: card)?|c[ée]dula|cnp|oib"
    r"|egn|svnr|utr|pps(?:n| number)?|dl|ssn)\b(?: (?:for|of|de|del|von) [a-z ]{2,25}?)?"
)
_IS = r"(?:\s?(?:is|ist|lautet|est|es|è|no\.?|number|[:=#：])){0,3}\s{0,2}"
_WITH_DIGIT = r"(?=[A-Z]{0,6}\d)[A-Z0-9]{1,20}"
_FURTHER = rf"(?:[ ./-]{{1,2}}(?:{_WITH_DIGIT}|[A-Z](?![A-Z0-9]))){{0,6}}"
_NUMBER = rf"(?:[A-Z]{{1,3}}[ -])?{_WITH_DIGIT}{_FURTHER}"
ANNOUNCED = (
    rf"(?:{_NAMES}){_GAP}(?P<value>{_NUMBER})(?![A-Z0-9])"
    rf"|{_SHORT}{_IS}(?P<short>{_NUMBER})(?![A-Z0-9])"
    r"|\b(?:routing|sort code|bsb|blz|bank)\b[^\n]{0,60}?\baccount(?: number| no\.?|-?nr\.?)?"
    rf"{_IS}(?P<account>\d{{6,17}})(?![\w-])"
)
UNANNOUNCED = (
    r"(?<![\w-])(?P<us>(?!000|666|9\d\d)\d{3}-(?!00)\d{2}-(?!0000)\d{4})(?![\w-])"
    r"|(?<![\w.])(?P<br>\d{3}\.\d{3}\.\d{3}-\d{2})(?![\w-])"
    r"|(?<![\w.])(?P<ch>756\.\d{4}\.\d{4}\.\d{2})(?![\w-])"
    r"|(?<![0-9A-Za-z])(?P<cn>[1-9]\d{5}(?:19|20)\d{2}[01]\d[0-3]\d{4}[\dX])(?![0-9A-Za-z])"
    r"|(?<![\w-])(?P<uk>[A-CEGHJ-PR-TW-Z]{2} ?\d{2} ?\d{2} ?\d{2} ?[A-D])(?![\w-])"
    r"|(?<![\w-])(?P<it>[A-Z]{6}\d{2}[A-EHLMPR-T]\d{2}[A-Z]\d{3}[A-Z])(?![\w-])"
    r"|(?<![\w-])(?P<es>\d{8}-?[A-HJ-NP-TV-Z])(?![\w-])"
)
_DATE = re.compile(r"\d{4}[./-]\d{1,2}[./-]\d{1,2}|\d{1,2}[./-]\d{1,2}[./-]\d{2,4}|\d{4}-\d{4}")
_AMOUNT = re.compile(r"\d{1,7}[.,]\d\d")
_SPANISH = "TRWAGMYFPDXBNJZSQVHLCKE"
_CHINESE = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)


def announced(value: str) -> int:
    """Return the length of a person's number; 0 for a date, a price or too few digits."""
    value_alone = re.sub(r"^[A-Za-z]{1,3}[ -]|(?<=\d) [A-Za-z]$", "", value)  # "am 12.3.2026"
    if _DATE.fullmatch(value_alone) or _AMOUNT.fullmatch(value_alone):
        return 0
    plain = _plain(value)
    digits = sum(map(str.isdigit, plain))
    enough = digits >= 5 or re.fullmatch(r"[A-Z]{5}\d{4}[A-Z]|(?=(?:[A-Z]{0,6}\d){2})\w{9}", plain)
    return len(value) if enough and len(plain) >= 6 else 0


def unannounced(value: str) -> int:
    """Return the length of a person's number; 0 if its check digit is wrong."""
    plain = _plain(value)
    if re.fullmatch(r"\d{8}[A-Z]", plain) and plain[8] != _SPANISH[int(plain[:8]) % 23]:
        return 0
    if re.fullmatch(r"\d{17}[\dX]", plain):
        weighed = sum(int(d) * w for d, w in zip(plain, _CHINESE, strict=False))
        return len(value) if "10X98765432"[weighed % 11] == plain[17] else 0
    return announced(value)


def _plain(value: str) -> str:
    return re.sub(r"[^0-9A-Za-z]", "", value).upper()
