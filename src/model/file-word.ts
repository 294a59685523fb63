/** Separators, and what Windows or a shell reads as something else. */
const UNSAFE = /[/\\<>:"|?*]/g;
/** Control characters and whatever shows nothing or turns the direction of a text; joiners are letters of some scripts. */
const UNSEEN = /(?![\u200C\u200D])[\p{Cc}\p{Cf}\p{Cn}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** A word of a record as part of a file's name, in its own letters: it opens no folder. An empty one is written as `_`. */
export function cleanFileWord(word: string): string {
  const clean = word.normalize('NFC').replaceAll(/\s+/g, ' ').replaceAll(UNSEEN, '').replaceAll(UNSAFE, '_').trim();
  return clean === '' ? '_' : clean;
}
