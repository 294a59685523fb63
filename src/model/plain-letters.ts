/** Letters that are not accented forms of others → the letters that people type if their keyboard lacks them. */
export const PLAIN_LETTERS: Readonly<Record<string, string>> = {
  ø: 'o',
  æ: 'ae',
  œ: 'oe',
  ß: 'ss',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ı: 'i',
};

/** @param text in small letters */
export function replacePlainLetters(text: string): string {
  return text.replaceAll(/[øæœßłđðþı]/g, (letter) => PLAIN_LETTERS[letter] ?? letter);
}
