/** The search's own words, so that it fetches none: in the order of enum S; `{}` is what was typed, or a number. */
export const enum S {
  search, none, ask, failed, close, results,
}

const WORDS: Record<string, string> = {
  en: "Search|Nothing was found.|Ask: {}|The search did not work. Try again in a moment.|Close|Results: {}",
  ar: "بحث|لم يُعثر على شيء.|اسأل: {}|تعذّر البحث. حاول مرة أخرى بعد قليل.|إغلاق|النتائج: {}",
  de: "Suchen|Nichts gefunden.|Fragen: {}|Die Suche hat nicht funktioniert. Bitte gleich noch einmal versuchen.|Schließen|Ergebnisse: {}",
  el: "Αναζήτηση|Δεν βρέθηκε τίποτα.|Ρωτήστε: {}|Η αναζήτηση δεν λειτούργησε. Δοκιμάστε ξανά σε λίγο.|Κλείσιμο|Αποτελέσματα: {}",
  es: "Buscar|No se ha encontrado nada.|Preguntar: {}|La búsqueda no ha funcionado. Inténtelo de nuevo en un momento.|Cerrar|Resultados: {}",
  fa: "جستجو|چیزی پیدا نشد.|بپرسید: {}|جستجو انجام نشد. کمی بعد دوباره امتحان کنید.|بستن|نتایج: {}",
  fr: "Rechercher|Aucun résultat.|Demander : {}|La recherche n’a pas fonctionné. Réessayez dans un instant.|Fermer|Résultats : {}",
  he: "חיפוש|לא נמצא דבר.|לשאול: {}|החיפוש לא הצליח. נסו שוב בעוד רגע.|סגירה|תוצאות: {}",
  hi: "खोजें|कुछ नहीं मिला।|पूछें: {}|खोज नहीं हो सकी। थोड़ी देर में फिर कोशिश करें।|बंद करें|परिणाम: {}",
  it: "Cerca|Nessun risultato.|Chiedi: {}|La ricerca non ha funzionato. Riprova tra poco.|Chiudi|Risultati: {}",
  ja: "検索|見つかりませんでした。|質問する: {}|検索できませんでした。少し後にもう一度お試しください。|閉じる|結果: {}",
  nl: "Zoeken|Niets gevonden.|Vraag: {}|Het zoeken is niet gelukt. Probeer het zo nog eens.|Sluiten|Resultaten: {}",
  pl: "Szukaj|Nic nie znaleziono.|Zapytaj: {}|Wyszukiwanie się nie powiodło. Spróbuj ponownie za chwilę.|Zamknij|Wyniki: {}",
  pt: "Pesquisar|Nada foi encontrado.|Perguntar: {}|A pesquisa não funcionou. Tente novamente daqui a pouco.|Fechar|Resultados: {}",
  ro: "Căutare|Nu s-a găsit nimic.|Întreabă: {}|Căutarea nu a funcționat. Încercați din nou peste puțin timp.|Închide|Rezultate: {}",
  ru: "Поиск|Ничего не найдено.|Спросить: {}|Поиск не удался. Попробуйте ещё раз чуть позже.|Закрыть|Результаты: {}",
  th: "ค้นหา|ไม่พบผลลัพธ์|ถาม: {}|ค้นหาไม่สำเร็จ โปรดลองอีกครั้งในอีกสักครู่|ปิด|ผลลัพธ์: {}",
  tr: "Ara|Hiçbir şey bulunamadı.|Sor: {}|Arama yapılamadı. Birazdan yeniden deneyin.|Kapat|Sonuçlar: {}",
  ur: "تلاش|کچھ نہیں ملا۔|پوچھیں: {}|تلاش نہیں ہو سکی۔ تھوڑی دیر بعد دوبارہ کوشش کریں۔|بند کریں|نتائج: {}",
  vi: "Tìm kiếm|Không tìm thấy gì.|Hỏi: {}|Tìm kiếm không thành công. Vui lòng thử lại sau giây lát.|Đóng|Kết quả: {}",
  zh: "搜索|没有找到。|提问：{}|搜索失败，请稍后再试。|关闭|结果：{}",
};

/** In a language of the widget, as `speechFor` names it. */
export function searchWords(language: string): readonly string[] {
  return (WORDS[language] ?? WORDS.en!).split("|");
}
