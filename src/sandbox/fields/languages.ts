/**
 * A multilingual value in its stored form: ISO 639-1 code → text. Legacy codes occur only in requests and responses (spec,
 * Conventions 4).
 */
export type Texts = Readonly<Record<string, string>>;

export type CodeMode = 'legacy' | 'iso';

const ISO_TO_LEGACY: Readonly<Record<string, string>> = { en: 'int', sv: 'se', da: 'dk', zh: 'cn' };
const LEGACY_TO_ISO: Readonly<Record<string, string>> = { int: 'en', se: 'sv', dk: 'da', cn: 'zh' };

/**
 * ISO 639-1 codes without `se` (Northern Sami), because `se` means Swedish in legacy mode. Clients often send legacy keys in
 * ISO mode by mistake. Accepting `se` would then store a wrong language instead of ignoring it.
 */
const ISO_CODES: ReadonlySet<string> = new Set(
  (
    'aa ab ae af ak am an ar as av ay az ba be bg bh bi bm bn bo br bs ca ce ch co cr cs cu cv cy da de dv dz ee el en eo ' +
    'es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia id ie ig ii ik io is it iu ja jv ka kg ' +
    'ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn mr ms mt my na nb nd ne ng nl nn ' +
    'no nr nv ny oc oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd sg si sk sl sm sn so sq sr ss st su sv sw ta te ' +
    'tg th ti tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu'
  ).split(' '),
);

/** Reads the code mode. Only the exact string `false` switches to ISO codes (spec, Conventions 4). */
export function readCodeMode(useLegacyCodes: string | undefined): CodeMode {
  return useLegacyCodes === 'false' ? 'iso' : 'legacy';
}

/** Returns the ISO code for a code of the given mode; undefined if the code is invalid in that mode. */
export function toIsoCode(code: string, mode: CodeMode): string | undefined {
  if (mode === 'iso') return ISO_CODES.has(code) ? code : undefined;
  if (Object.hasOwn(LEGACY_TO_ISO, code)) return LEGACY_TO_ISO[code];
  return ISO_CODES.has(code) && !Object.hasOwn(ISO_TO_LEGACY, code) ? code : undefined;
}

/**
 * Reads a single code of either mode (`lang[]`, `language_code`, `native_language_code`). Unlike a key of a text, an invalid
 * code is an error. No code means different languages in the two modes.
 */
export function readLanguageCode(code: string, mode: CodeMode): string | undefined {
  return toIsoCode(code, mode) ?? toIsoCode(code, mode === 'iso' ? 'legacy' : 'iso');
}

export function toWireCode(iso: string, mode: CodeMode): string {
  if (mode === 'iso') return iso;
  return Object.hasOwn(ISO_TO_LEGACY, iso) ? (ISO_TO_LEGACY[iso] ?? iso) : iso;
}

export function toWireTexts(texts: Texts, mode: CodeMode): Texts {
  if (mode === 'iso') return texts;
  const out: Record<string, string> = {};
  for (const [iso, text] of Object.entries(texts)) out[toWireCode(iso, mode)] = text;
  return out;
}

/** Returns the text in the given language, or else the first one, or else ''. Lists are sorted by this text. */
export function pickText(texts: Texts, iso: string): string {
  return texts[iso] ?? Object.values(texts)[0] ?? '';
}

/** Converts to lower case without diacritics, for sorting and tolerant searches: Åse → ase, Bjørn → bjorn. */
export function foldText(text: string): string {
  const lower = text.toLowerCase();
  if (/^[ -~]*$/.test(lower)) return lower;
  return lower
    .normalize('NFD')
    .replace(/\p{Diacritic}/gu, '')
    .replaceAll('ø', 'o')
    .replaceAll('æ', 'ae')
    .replaceAll('ß', 'ss');
}
