/** Letters that are no accented ones, as people type them who have none of them on their keyboard. */
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
