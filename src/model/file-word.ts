/** Path separators, and characters with a special meaning in Windows or a shell. */
const UNSAFE = /[/\\<>:"|?*]/g;
/**
 * Control characters and characters that are invisible or change text direction. Joiners are allowed, because some scripts need
 * them.
 */
const UNSEEN = /(?![\u200C\u200D])[\p{Cc}\p{Cf}\p{Cn}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/gu;

/**
 * Makes a word safe as part of a file name and keeps its letters. It never contains a path separator; an empty word becomes
 * `_`.
 */
export function cleanFileWord(word: string): string {
  const clean = word.normalize('NFC').replaceAll(/\s+/g, ' ').replaceAll(UNSEEN, '').replaceAll(UNSAFE, '_').trim();
  return clean === '' ? '_' : clean;
}
