"""Short reviews in many languages: their headings, severities, praise and outcomes.

The first column says what the line must be read as, as in `marked_review`.
"""

from __future__ import annotations

import pytest
from support import marked_review

from relay_git.lessons.document import read_document

REVIEWS = {
    "Swedish": (
        """
          # Granskning av planen

          ## Sammanfattning

          Planen är tydlig.

          ## Brister

        E 1. **Kritisk:** Token loggas i klartext.
        I 2. **Låg:** Stavfel i README.
        W 3. Det saknas tester för återställning.

          ## Rekommendationer

        I - Lägg till ett index.

          ## Styrkor

          - Bra namn.

          ## Beslut

          Ej godkänd.
        """,
        "reject",
    ),
    "Norwegian": (
        """
          # Kodegjennomgang

          ## Sterke sider

          - God dokumentasjon

          ## Utfordringer

        W 1. **Store filer**
             - `a.ts`: 1900 linjer
             - **Anbefaling:** Del opp i mindre moduler
        W 2. **Ingen rate limiting**
             - **Problem:** Alle kan kalle API-et
             - **Anbefaling:** Begrens per bruker

          ## 🔴 KRITISKE (Må fikses før produksjon)

        E 1. CORS er for åpen

          ## 🟠 HØYE (Bør fikses før produksjon)

        W 1. XSS via innerHTML

          ## Anbefalinger

        I 1. Skriv enhetstester

          **Konklusjon:** Ikke godkjent
        """,
        "reject",
    ),
    "Danish": (
        """
          # Gennemgang

          ## Fejl

        E - [Kritisk] Nøglen ligger i koden
        I - [Lav] Stavefejl

          ## Forslag

        I - Del filen op

          ## Konklusion

          Godkendt.
        """,
        "approve",
    ),
    "Finnish": (
        """
          # Katselmointi

          ## Havainnot

        E - **Kriittinen:** salasana näkyy lokissa
        I - **Matala:** kirjoitusvirhe

          ## Suositukset

        I - Lisää testi

          **Päätös:** Hylätty
        """,
        "reject",
    ),
    "Dutch": (
        """
          # Code review

          ## Samenvatting

          Nette wijziging.

          ## Bevindingen

        E ### Bevinding 1: token in het log

          - **Ernst:** hoog
          - **Beschrijving:** de token staat leesbaar in het log
          - **Aanbeveling:** maskeer hem

        I ### Bevinding 2: naam

          - **Ernst:** laag
          - **Beschrijving:** de naam zegt weinig
          - **Aanbeveling:** hernoem

          ## Sterke punten

          - Duidelijke namen

          ## Conclusie

          Niet goedgekeurd.
        """,
        "reject",
    ),
    "Polish": (
        """
          # Przegląd kodu

          ## Problemy

        E 1. **Krytyczny:** hasło trafia do logów
        W 2. **Średni:** brak testów
        I 3. **Niski:** literówka

          ## Zalecenia

        I - Dodaj indeks

          ## Mocne strony

          - Czytelny kod

          **Werdykt:** Wymaga poprawek
        """,
        "reject",
    ),
    "Czech": (
        """
          # Revize

          ## Nálezy

        E - **Kritická:** heslo je v logu
        I - **Nízká:** překlep

          ## Doporučení

        I - Přidejte test

          ## Silné stránky

          - Čistý kód

          **Verdikt:** Schváleno
        """,
        "approve",
    ),
    "Turkish": (
        """
          # Kod inceleme raporu

          ## Özet

          Genel olarak iyi.

          ## Bulgular

        E 1. **[Kritik]** Şifre düz metin olarak saklanıyor
        W 2. **[Orta]** Test eksik
        I 3. **[Düşük]** Yazım hatası

          ## Öneriler

        I - İndeks ekleyin

          ## Güçlü yönler

          - Temiz kod

          **Karar:** Reddedildi
        """,
        "reject",
    ),
    "Ukrainian": (
        """
          # Рев'ю

          ## Зауваження

        E 1. **Критично:** пароль зберігається відкритим текстом
        I 2. **Низький:** одруківка

          ## Рекомендації

        I - Додати індекс

          ## Сильні сторони

          - Чистий код

          ## Висновок

          Потребує доопрацювання.
        """,
        "reject",
    ),
    "Italian": (
        """
          # Revisione

          ## Problemi critici

        E 1. La password è salvata in chiaro.

          ## Problemi minori

        I 1. Manca un commento.

          ## Raccomandazioni

        I - Aggiungere un indice.

          ## Punti di forza

          - Codice pulito.

          **Esito:** Non approvato
        """,
        "reject",
    ),
    "Vietnamese": (
        """
          # Báo cáo review

          ## Vấn đề nghiêm trọng

        E - Mật khẩu được lưu dạng văn bản thuần

          ## Đề xuất

        I - Thêm chỉ mục

          ## Điểm mạnh

          - Mã nguồn rõ ràng

          **Kết luận:** Cần sửa lại
        """,
        "reject",
    ),
    "Indonesian": (
        """
          # Tinjauan kode

          ## Temuan

        E - **Kritis:** kata sandi tersimpan tanpa enkripsi
        I - **Rendah:** salah ketik

          ## Saran

        I - Tambahkan indeks

          ## Kelebihan

          - Kode rapi

          **Keputusan:** Ditolak
        """,
        "reject",
    ),
    "Arabic": (
        """
          # مراجعة الكود

          ## المشاكل

        E - **حرج:** كلمة المرور مخزنة كنص
        I - **منخفض:** خطأ إملائي

          ## التوصيات

        I - إضافة فهرس

          ## نقاط القوة

          - كود نظيف

          **القرار:** مرفوض
        """,
        "reject",
    ),
    "Hebrew": (
        """
          # סקירת קוד

          ## ממצאים

        E - **קריטי:** הסיסמה נשמרת כטקסט
        I - **נמוך:** שגיאת כתיב

          ## המלצות

        I - להוסיף אינדקס

          ## נקודות חזקות

          - קוד נקי

          **החלטה:** לא מאושר
        """,
        "reject",
    ),
    "Hindi": (
        """
          # कोड समीक्षा

          ## समस्याएं

        E - **गंभीर:** पासवर्ड लॉग में है
        I - **निम्न:** वर्तनी

          ## सुझाव

        I - इंडेक्स जोड़ें

          ## ताकत

          - साफ कोड

          **निर्णय:** अस्वीकृत
        """,
        "reject",
    ),
    "Russian, graded": (
        """
          # Ревью

          ## Обязательные правки

        E - Токен не истекает.

          ## Желательные правки

        W - Переименовать `x`.

          ## Необязательные правки

        I - Опечатка.
        """,
        None,
    ),
    "Japanese, graded": (
        """
          # レビュー

          ### 必須の修正

        E - トークンが平文で保存されている

          ### 推奨の修正

        I - 名前を変える

          ### 良い点

          - テストが充実している

          **結論:** 差し戻し
        """,
        "reject",
    ),
    "French": (
        """
          # Revue de code

          ## Points bloquants

        E - Le jeton n'expire jamais.

          ## À corriger

        W - Pas de test pour l'import.

          ## Suggestions

        I - Extraire la constante.

          ## Points positifs

          - Code clair.

          **Avis :** Favorable après corrections
        """,
        "reject",
    ),
}


@pytest.mark.parametrize("language", REVIEWS)
def test_a_review_is_read_in(language: str) -> None:
    shape, verdict = REVIEWS[language]
    text, expected = marked_review(shape)
    document = read_document(text)
    assert [(finding.line, finding.severity) for finding in document.findings] == expected
    assert document.verdict == verdict
