import type { ColumnTypeName } from './column.js';

/*
 * Words that systems and people write for a missing value. Each place treats such a value differently: `cells.ts` handles dates
 * and numbers, `values.ts` fields, `records.ts` keys, and `drop-garbled.ts` parts of names.
 */

/** Words that programs print, in lower case. */
const OF_PROGRAMS = words('null, none, nil, nan, undefined, \\n, <na>, #n/a, #nv, #i/t, #null!');
/** `N/A`, `n.a.`, `N. A.`, and similar abbreviations in other languages: k. A., n.v.t., s/o, n.d. */
const SHORT = /^(?:n[./\\] ?[ad]|k[./] ?a|[ns][./] ?v[./] ?t|n[./] ?v|s[./] ?[od]|b[./] ?d|i[./] ?t|o[./] ?a)\.?$/;
/**
 * Words that people write, by language, and that spreadsheets print in brackets: `(blank)`, `(Leer)`, `(tom)`. All in lower
 * case.
 */
const OF_PEOPLE = words(`
  nothing, empty, blank, not available, not applicable, not set, not specified, no value, no data,
  kein, keine, keiner, keines, leer, nichts, entfällt, keine angabe, ohne angabe, nicht vorhanden, nicht verfügbar, nicht zutreffend,
  ingen, ingenting, tom, tomt, ikke tilgjengelig, ikke aktuelt, ikke relevant, ikke angitt, ikke oppgitt,
  inget, inga, ingenting, saknas, uppgift saknas, ej tillämpligt, ej tillgängligt, ej angivet, inte tillgängligt,
  intet, ikke tilgængelig, ikke angivet, ikke oplyst,
  tyhjä, puuttuu, ei ole, ei mitään, ei saatavilla, ei tietoa, ei sovellu,
  geen, leeg, niets, nvt, niet beschikbaar, niet van toepassing,
  aucun, aucune, vide, néant, rien, sans objet, non disponible, non applicable, non renseigné,
  ninguno, ninguna, nada, vacío, vacio, nulo, en blanco, no disponible, no aplica, no aplicable, sin datos, sin valor,
  nenhum, nenhuma, vazio, em branco, não disponível, não aplicável, não se aplica, sem dados,
  nessuno, nessuna, vuoto, niente, nulla, nullo, non disponibile, non applicabile,
  brak, brak danych, pusty, pusta, puste, nic, nie dotyczy, niedostępne`);
/** The words from `OF_PEOPLE` that are also names of people. */
const ALSO_NAMES = words('tom, rien, nada, nic, leer, vide');
/** `-`, `--`, `.`, `…`. A question mark is not included, because it may have replaced a letter. */
const SIGNS = /^[-\u2010-\u2015\u2212._/*…]+$/;
const ZERO_DATE = /^(?:0+|0{1,4}(?<sign>[-./ ])0{1,2}\k<sign>0{1,4}(?:[t ]0{1,2}:00(?::00)?)?)$/;
const TYPED: ReadonlySet<ColumnTypeName> = new Set(['date', 'datetime', 'int', 'number']);

function words(list: string): ReadonlySet<string> {
  return new Set(list.split(',').map((word) => word.trim()));
}

/** A longer text never counts as a missing value. */
const LONGEST = 24;
/** Most texts of a file: words of ASCII letters, with single spaces between them. */
const PLAIN_WORDS = /^[a-z]+(?: [a-z]+)*$/i;
/** No word for nothing has one of these digits. */
const DIGIT = /[1-9]/;

function fold(text: string): string {
  if (PLAIN_WORDS.test(text)) return text.toLowerCase();
  return text.trim().toLowerCase().normalize('NFC').replace(/\s+/g, ' ');
}

/** Removes the brackets or quotes around a text. */
function unwrap(text: string): string {
  return (
    /^(?:\((.*)\)|\[(.*)\]|<(.*)>|\{(.*)\}|"(.*)"|'(.*)')$/
      .exec(text)
      ?.slice(1)
      .find((one) => one !== undefined)
      ?.trim() ?? text
  );
}

function isPrinted(folded: string): boolean {
  if (PLAIN_WORDS.test(folded)) return OF_PROGRAMS.has(folded);
  return OF_PROGRAMS.has(folded) || OF_PROGRAMS.has(unwrap(folded)) || SHORT.test(unwrap(folded));
}

/** True if the entire value is a word for nothing. `NA` is not, because it is also a region, a country and a name. */
export function isNothing(text: string): boolean {
  if (text.length > LONGEST || DIGIT.test(text)) return false;
  const folded = fold(text);
  if (PLAIN_WORDS.test(folded)) return OF_PROGRAMS.has(folded) || OF_PEOPLE.has(folded);
  return folded !== '' && (isPrinted(folded) || OF_PEOPLE.has(unwrap(folded)) || SIGNS.test(folded));
}

/** True if the entire value is a word for nothing and not a name. */
export function isSurelyNothing(text: string): boolean {
  return isNothing(text) && !ALSO_NAMES.has(fold(text));
}

/** True for a cell of dates or numbers that is a word for nothing. More words count here than in texts. */
export function isNothingIn(type: ColumnTypeName, text: string): boolean {
  if (!TYPED.has(type) || text.length > LONGEST) return false;
  const isDate = type === 'date' || type === 'datetime';
  return isNothing(text) || fold(text) === 'na' || (isDate && ZERO_DATE.test(text.toLowerCase()));
}

/** True for a key or user name that a program prints for a missing value. Any other word may be a real name. */
export function isNothingAsKey(text: string): boolean {
  return text.length <= LONGEST && !DIGIT.test(text) && (isPrinted(fold(text)) || SIGNS.test(text));
}

function partsOf(name: string): readonly string[] {
  return name.split(/[\s,]+/).filter((part) => part !== '');
}

/** Checks one part of a name. `Null`, `None` and `Nan` are real names, but `NaN` is not, and neither is a part in brackets. */
function isNothingPart(part: string): boolean {
  const folded = fold(part);
  if (folded === 'nan') return part !== 'Nan';
  return isPrinted(folded) || (unwrap(folded) !== folded && OF_PEOPLE.has(unwrap(folded)));
}

/** True for a name without a real part: `NULL NULL`, `N/A`, `None, None`. */
export function isNothingAsName(name: string): boolean {
  const parts = partsOf(name);
  return parts.length > 0 && parts.every((part) => isNothingPart(part) || SIGNS.test(part));
}

/** Returns the part of a name that is a word for nothing and was not there before; null if there is no such part. */
export function findNothingPart(was: string, now: string): string | null {
  const before = new Set(partsOf(was).map(fold));
  if (before.size === 0) return null;
  return partsOf(now).find((part) => isNothingPart(part) && !before.has(fold(part))) ?? null;
}
