import type { FontShelf } from './fonts.js';

/** Unicode names of scripts, for messages about missing fonts. */
const SCRIPTS = (
  'Thai Lao Khmer Myanmar Tibetan Sinhala Bengali Gurmukhi Gujarati Oriya Tamil Telugu Kannada Malayalam Georgian Armenian ' +
  'Ethiopic Syriac Thaana Nko Cherokee Mongolian Canadian_Aboriginal Yi Javanese Tifinagh'
).split(' ');

function nameScript(character: string): string {
  const name = SCRIPTS.find((script) => new RegExp(`\\p{Script=${script}}`, 'u').test(character));
  return name?.replace('_', ' ') ?? `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}

/** Replaces each run of characters without a font by the name of its script in brackets, and adds the name to `missing`. */
export function replaceMissing(text: string, shelf: FontShelf, missing: Set<string>): string {
  const marked = Array.from(text.normalize('NFC'), (character) => {
    if (isInvisible(character) || shelf.find(character.codePointAt(0) ?? 0, false)) return character;
    const name = nameScript(character);
    missing.add(name);
    return `[${name}]`;
  });
  // Spaces between words of the same script are part of the run.
  return marked.join('').replace(/(\[[^\]]+\])(?:\s*\1)+/gu, '$1');
}

/** True for control characters, joiners and variation selectors. */
function isInvisible(character: string): boolean {
  return /\p{Cc}|\p{Cf}|\p{Variation_Selector}/u.test(character);
}
