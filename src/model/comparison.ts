/** How two keys are compared. Both sides are normalised first, except for the parts that are `exact`. */
export interface Comparison {
  /** `fold`: ignores case. */
  readonly case: 'fold' | 'exact';
  /**
   * `nfc`: composed and decomposed letters are equal. `nfkc`: so are full-width letters, ligatures and other compatibility
   * forms.
   */
  readonly unicode: 'nfc' | 'nfkc' | 'exact';
  /** `trim`: ignores white space around a key. `collapse`: also treats any white space inside it as one space. */
  readonly whitespace: 'collapse' | 'trim' | 'exact';
}

/** The default rule for `match`, for unique values, and for names in references. */
export const USUAL: Comparison = { case: 'fold', unicode: 'nfc', whitespace: 'collapse' };
/** The widest rule: keys that are equal by any rule are equal by this one. */
export const WIDEST: Comparison = { case: 'fold', unicode: 'nfkc', whitespace: 'collapse' };

export function isUsual(rule: Comparison): boolean {
  return rule.case === USUAL.case && rule.unicode === USUAL.unicode && rule.whitespace === USUAL.whitespace;
}

const FORMS = { exact: null, nfc: 'NFC', nfkc: 'NFKC' } as const;

/** ASCII words separated by single spaces. Nearly every key has this form, and only its case may need folding. */
const EVEN = /^[!-~]+(?: [!-~]+)*$/;

/** Returns the form of a text that is equal for all texts that the rule treats as equal. */
export function evenOut(text: string, rule: Comparison): string {
  if (EVEN.test(text)) return rule.case === 'fold' ? text.toLowerCase() : text;
  const form = FORMS[rule.unicode];
  let even = form === null ? text : text.normalize(form);
  if (rule.case === 'fold') {
    // A sigma at the end of a word has its own form, and the white space rule can change where a word ends.
    even = even.toLowerCase().replaceAll('ς', 'σ');
    // A lower-case letter may have a composed form that its capital lacks.
    if (form !== null) even = even.normalize(form);
  }
  // This step is last because NFKC turns other characters into spaces.
  if (rule.whitespace === 'exact') return even;
  return rule.whitespace === 'trim' ? even.trim() : even.trim().replace(/\s+/gu, ' ');
}

/** An entry of `match`: the fields that must all be equal, and the rule that compares them. */
export interface MatchKey {
  readonly fields: readonly string[];
  readonly compare: Comparison;
}

/** Returns `name + born_year`. Any parts of the rule that differ from the default follow: `name (case exact)`. */
export function nameMatchKey({ fields, compare }: MatchKey): string {
  if (isUsual(compare)) return fields.join(' + ');
  const parts = ruleParts(compare).filter((_, index) => ruleParts(USUAL)[index] !== ruleParts(compare)[index]);
  return `${fields.join(' + ')} (${parts.join(', ')})`;
}

/** Lists the parts of a rule as text: `case fold`, `unicode nfc`, `whitespace collapse`. */
export function ruleParts(rule: Comparison): readonly string[] {
  return [`case ${rule.case}`, `unicode ${rule.unicode}`, `whitespace ${rule.whitespace}`];
}
