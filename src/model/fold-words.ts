/** Letters that do not decompose into a letter and a mark, with the replacements that the tables use. */
const LETTERS: Readonly<Record<string, string>> = { ø: 'o', æ: 'a', å: 'a', ß: 'ss', ł: 'l', đ: 'd', œ: 'oe' };

/** Removes case, marks and everything except letters and digits, so that `E-post`, `e_post` and `Epost` become equal. */
export function foldText(text: string): string {
  return foldLetters(text).replaceAll(/[^a-z0-9]/g, '');
}

function foldLetters(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[øæåßłđœ]/g, (letter) => LETTERS[letter] ?? letter)
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '');
}

/** Splits a header into folded words: `PrimaryWorkEmail`, `E-Mail (geschäftlich)`, `Employee #`. */
export function splitHeader(header: string): readonly string[] {
  const spaced = header
    .replace(/^(?:profile|user|person|worker|employee)\./i, '')
    .replaceAll(/IDs\b/g, 'Ids')
    .replaceAll(/([a-zà-ÿ])([A-Z])/g, '$1 $2')
    .replaceAll(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .replaceAll(/[#№]|n[°º]/gi, ' nr ');
  return foldLetters(spaced)
    .split(/[^a-z0-9]+/)
    .filter((word, _, all) => word !== '' && (all.length === 1 || !/^[dl]$/.test(word)));
}
