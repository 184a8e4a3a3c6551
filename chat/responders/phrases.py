"""The sentences of the built-in responder in the languages that the pages do not have."""

from django.utils.translation import gettext as _

PHRASES = {
    "untold": {
        "ar": "لم تخبرني بذلك.",
        "de": "Das hast du mir nicht gesagt.",
        "es": "No me lo has contado.",
        "fr": "Tu ne me l'as pas dit.",
        "it": "Non me l'hai detto.",
        "ja": "それはまだ聞いていません。",
        "ko": "그건 아직 말해 주지 않았어요.",
        "nl": "Dat heb je me niet verteld.",
        "pl": "Nie mówiłeś mi o tym.",
        "pt": "Não me contaste isso.",
        "ru": "Ты мне об этом не говорил.",
        "th": "คุณยังไม่ได้บอกเรื่องนั้น",
        "tr": "Bunu bana söylemedin.",
    },
    "noted": {
        "ar": "حسنًا، سأحفظ ما يستحق التذكر.",
        "de": "Notiert. Ich merke mir, was wichtig ist.",
        "es": "Anotado. Guardaré lo que importa.",
        "fr": "C'est noté. Je garderai ce qui compte.",
        "it": "Annotato. Terrò ciò che conta.",
        "ja": "わかりました。大切なことを覚えておきます。",
        "ko": "알겠어요. 중요한 것은 기억할게요.",
        "nl": "Genoteerd. Ik onthoud wat belangrijk is.",
        "pl": "Zanotowane. Zapamiętam to, co ważne.",
        "pt": "Anotado. Vou guardar o que importa.",
        "ru": "Записано. Я запомню то, что важно.",
        "th": "รับทราบ ฉันจะจำสิ่งที่สำคัญไว้",
        "tr": "Not aldım. Önemli olanı aklımda tutacağım.",
    },
    "hello": {
        "ar": "أخبرني بشيء يستحق التذكر، أو اسألني عما أخبرتني به.",
        "de": "Erzähl mir etwas, das ich mir merken soll, oder frag nach dem, was du erzählt hast.",
        "es": "Cuéntame algo que deba recordar, o pregunta por lo que me contaste.",
        "fr": "Dis-moi quelque chose à retenir, ou demande-moi ce que tu m'as dit.",
        "it": "Dimmi qualcosa da ricordare, o chiedimi ciò che mi hai detto.",
        "ja": "覚えておくことを話すか、前に話したことを聞いてください。",
        "ko": "기억할 만한 것을 말해 주거나, 전에 말한 것을 물어보세요.",
        "nl": "Vertel me iets om te onthouden, of vraag naar wat je vertelde.",
        "pl": "Powiedz mi coś do zapamiętania albo zapytaj o to, co mówiłeś.",
        "pt": "Conta-me algo para lembrar, ou pergunta pelo que me contaste.",
        "ru": "Расскажи, что запомнить, или спроси о том, что рассказывал.",
        "th": "บอกสิ่งที่ควรจำ หรือถามเรื่องที่คุณเคยบอก",
        "tr": "Hatırlamam gereken bir şey söyle ya da anlattıklarını sor.",
    },
    "may help": {
        "ar": "قد يفيد هذا:",
        "de": "Das könnte helfen:",
        "es": "Esto puede ayudar:",
        "fr": "Ceci peut aider :",
        "it": "Questo può aiutare:",
        "ja": "参考になりそうなこと：",
        "ko": "도움이 될 수 있는 것:",
        "nl": "Dit kan helpen:",
        "pl": "To może pomóc:",
        "pt": "Isto pode ajudar:",
        "ru": "Это может помочь:",
        "th": "สิ่งนี้อาจช่วยได้:",
        "tr": "Şu işe yarayabilir:",
    },
    "needs a model": {
        "ar": "لهذا أحتاج إلى نموذج لغوي: الإعدادات → النماذج.",
        "de": "Dafür brauche ich ein Sprachmodell: Einstellungen → Modelle.",
        "es": "Para eso necesito un modelo de lenguaje: Ajustes → Modelos.",
        "fr": "Pour cela, il me faut un modèle de langue : Réglages → Modèles.",
        "it": "Per questo mi serve un modello linguistico: Impostazioni → Modelli.",
        "ja": "それには言語モデルが必要です（設定 → モデル）。",
        "ko": "그건 언어 모델이 필요해요: 설정 → 모델.",
        "nl": "Daarvoor heb ik een taalmodel nodig: Instellingen → Modellen.",
        "pl": "Do tego potrzebuję modelu językowego: Ustawienia → Modele.",
        "pt": "Para isso preciso de um modelo de linguagem: Definições → Modelos.",
        "ru": "Для этого нужна языковая модель: Настройки → Модели.",
        "th": "เรื่องนั้นต้องใช้โมเดลภาษา: การตั้งค่า → โมเดล",
        "tr": "Bunun için bir dil modeli gerekiyor: Ayarlar → Modeller.",
    },
}


def said_in(language: str, phrase: str) -> str:
    """Return one of PHRASES in a language: English and Chinese are translated like the pages."""
    if language in PHRASES[phrase]:
        return PHRASES[phrase][language]
    match phrase:
        case "untold":
            return _("You haven't told me that.")
        case "noted":
            return _("Noted. I'll save what is worth remembering.")
        case "hello":
            return _("Tell me something worth remembering, or ask about something you told me.")
        case "may help":
            return _("This may help:")
    return _("I need a language model for that. Connect one in Settings → Models.")
