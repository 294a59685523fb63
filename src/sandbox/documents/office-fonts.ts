import { HAS_RIGHT_TO_LEFT } from './paper.js';

/**
 * Fonts that most machines have. Word processors choose one by the script of each character. No fonts are embedded, so that
 * files stay small and editable.
 */
const EAST_ASIAN: Readonly<Record<string, string>> = { ja: 'Yu Gothic', ko: 'Malgun Gothic' };

export function chooseFonts(language: string) {
  return { latin: 'Calibri', complex: 'Arial', eastAsian: EAST_ASIAN[language] ?? 'Microsoft YaHei' };
}

export interface DirectedText {
  readonly text: string;
  readonly isRightToLeft: boolean;
}

/** Splits a text into pieces with one direction each. Spaces and marks belong to the piece before them. */
export function splitDirections(text: string): readonly DirectedText[] {
  const pieces: DirectedText[] = [];
  for (const character of text) {
    const last = pieces.at(-1);
    const isRightToLeft =
      HAS_RIGHT_TO_LEFT.test(character) || (last?.isRightToLeft === true && !/[\p{L}\p{N}]/u.test(character));
    if (last?.isRightToLeft === isRightToLeft)
      pieces[pieces.length - 1] = { text: last.text + character, isRightToLeft };
    else pieces.push({ text: character, isRightToLeft });
  }
  return pieces;
}
