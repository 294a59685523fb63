/** How two keys are compared: whatever is not `exact` is evened out on both sides first. */
export interface Comparison {
  /** `fold`: capitals and small letters are the same. */
  readonly case: 'fold' | 'exact';
  /** `nfc`: one letter, however it is composed, is the same; `nfkc`: so are full-width letters, ligatures and the like. */
  readonly unicode: 'nfc' | 'nfkc' | 'exact';
  /** `trim`: white space around a key does not count; `collapse`: nor does how much of it is inside. */
  readonly whitespace: 'collapse' | 'trim' | 'exact';
}

/** What holds where nothing is declared: of `match`, of unique values, of names that refer to something. */
export const USUAL: Comparison = { case: 'fold', unicode: 'nfc', whitespace: 'collapse' };
/** Keys that are the same by any rule are the same by this one. */
export const WIDEST: Comparison = { case: 'fold', unicode: 'nfkc', whitespace: 'collapse' };

export function isUsual(rule: Comparison): boolean {
  return rule.case === USUAL.case && rule.unicode === USUAL.unicode && rule.whitespace === USUAL.whitespace;
}

const FORMS = { exact: null, nfc: 'NFC', nfkc: 'NFKC' } as const;

/** Words of ASCII with one blank between them: nearly every key, and only its case may be evened out. */
const EVEN = /^[!-~]+(?: [!-~]+)*$/;

/** The form of a text that is the same for all that a rule takes for the same. */
export function evenOut(text: string, rule: Comparison): string {
  if (EVEN.test(text)) return rule.case === 'fold' ? text.toLowerCase() : text;
  const form = FORMS[rule.unicode];
  let even = form === null ? text : text.normalize(form);
  if (rule.case === 'fold') {
    // A sigma is written differently at the end of a word, and what its end is depends on the blanks.
    even = even.toLowerCase().replaceAll('ς', 'σ');
    // A small letter may have a composed form that its capital has not.
    if (form !== null) even = even.normalize(form);
  }
  // Last: NFKC makes blanks of what was none.
  if (rule.whitespace === 'exact') return even;
  return rule.whitespace === 'trim' ? even.trim() : even.trim().replace(/\s+/gu, ' ');
}

/** An entry of `match`: the fields that must be the same together, and what counts as the same. */
export interface MatchKey {
  readonly fields: readonly string[];
  readonly compare: Comparison;
}

/** `name + born_year`; with the parts of its rule that are not the usual ones: `name (case exact)`. */
export function nameMatchKey({ fields, compare }: MatchKey): string {
  if (isUsual(compare)) return fields.join(' + ');
  const parts = ruleParts(compare).filter((_, index) => ruleParts(USUAL)[index] !== ruleParts(compare)[index]);
  return `${fields.join(' + ')} (${parts.join(', ')})`;
}

/** `case fold`, `unicode nfc`, `whitespace collapse`. */
export function ruleParts(rule: Comparison): readonly string[] {
  return [`case ${rule.case}`, `unicode ${rule.unicode}`, `whitespace ${rule.whitespace}`];
}
