import { HAS_RIGHT_TO_LEFT } from './paper.js';

/**
 * Word processors choose fonts by the script of each character; these are on the machines of those who open the files.
 * Nothing is embedded, so that a file stays small and can be edited.
 */
const EAST_ASIAN: Readonly<Record<string, string>> = { ja: 'Yu Gothic', ko: 'Malgun Gothic' };

export function chooseFonts(language: string) {
  return { latin: 'Calibri', complex: 'Arial', eastAsian: EAST_ASIAN[language] ?? 'Microsoft YaHei' };
}

export interface DirectedText {
  readonly text: string;
  readonly isRightToLeft: boolean;
}

/** In pieces of one direction; spaces and marks go with the piece before. */
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
