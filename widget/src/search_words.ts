/** The search's own words, so that it fetches none: in the order of enum S; `{}` is what was typed, or a number. */
export const enum S {
  search, none, ask, failed, close, results,
}

const WORDS: Record<string, string> = {
  en: "Search|Nothing was found.|Ask: {}|The search did not work.|Close|Results: {}",
  ar: "بحث|لم يُعثر على شيء.|اسأل: {}|تعذّر البحث.|إغلاق|النتائج: {}",
  de: "Suchen|Nichts gefunden.|Fragen: {}|Die Suche hat nicht funktioniert.|Schließen|Ergebnisse: {}",
  el: "Αναζήτηση|Δεν βρέθηκε τίποτα.|Ρωτήστε: {}|Η αναζήτηση δεν λειτούργησε.|Κλείσιμο|Αποτελέσματα: {}",
  es: "Buscar|No se ha encontrado nada.|Preguntar: {}|La búsqueda no ha funcionado.|Cerrar|Resultados: {}",
  fa: "جستجو|چیزی پیدا نشد.|بپرسید: {}|جستجو انجام نشد.|بستن|نتایج: {}",
  fr: "Rechercher|Aucun résultat.|Demander : {}|La recherche n’a pas fonctionné.|Fermer|Résultats : {}",
  he: "חיפוש|לא נמצא דבר.|לשאול: {}|החיפוש לא הצליח.|סגירה|תוצאות: {}",
  hi: "खोजें|कुछ नहीं मिला।|पूछें: {}|खोज नहीं हो सकी।|बंद करें|परिणाम: {}",
  it: "Cerca|Nessun risultato.|Chiedi: {}|La ricerca non ha funzionato.|Chiudi|Risultati: {}",
  ja: "検索|見つかりませんでした。|質問する: {}|検索できませんでした。|閉じる|結果: {}",
  nl: "Zoeken|Niets gevonden.|Vraag: {}|Het zoeken is niet gelukt.|Sluiten|Resultaten: {}",
  pl: "Szukaj|Nic nie znaleziono.|Zapytaj: {}|Wyszukiwanie się nie powiodło.|Zamknij|Wyniki: {}",
  pt: "Pesquisar|Nada foi encontrado.|Perguntar: {}|A pesquisa não funcionou.|Fechar|Resultados: {}",
  ro: "Căutare|Nu s-a găsit nimic.|Întreabă: {}|Căutarea nu a funcționat.|Închide|Rezultate: {}",
  ru: "Поиск|Ничего не найдено.|Спросить: {}|Поиск не удался.|Закрыть|Результаты: {}",
  th: "ค้นหา|ไม่พบผลลัพธ์|ถาม: {}|ค้นหาไม่สำเร็จ|ปิด|ผลลัพธ์: {}",
  tr: "Ara|Hiçbir şey bulunamadı.|Sor: {}|Arama yapılamadı.|Kapat|Sonuçlar: {}",
  ur: "تلاش|کچھ نہیں ملا۔|پوچھیں: {}|تلاش نہیں ہو سکی۔|بند کریں|نتائج: {}",
  vi: "Tìm kiếm|Không tìm thấy gì.|Hỏi: {}|Tìm kiếm không thành công.|Đóng|Kết quả: {}",
  zh: "搜索|没有找到。|提问：{}|搜索失败。|关闭|结果：{}",
};

/** In a language of the widget, as `speechFor` names it. */
export function searchWords(language: string): readonly string[] {
  return (WORDS[language] ?? WORDS.en!).split("|");
}
