import type { DocumentWords } from '../../model/document-kinds.js';
import { cleanFileWord } from '../../model/file-word.js';

/** A name has 255 bytes in most file systems, and what is on its way there has a few more. */
const LONGEST_NAME = 180;
/** Names of devices on Windows, with any ending. */
const RESERVED = /^(?:con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])(?:\.|$)/i;

/**
 * Path of a document under its folder. A word of a record is only ever part of a name: it opens no folder, hides no file and
 * leaves none. A word that is empty is written as `_`.
 *
 * @param pattern checked when the configuration was loaded: words in braces, folders before `/`, and its ending
 */
export function nameDocument(pattern: string, words: DocumentWords): string {
  const parts = pattern.split('/').map((part) => {
    const filled = part.replaceAll(/\{(\w+)\}/g, (_, word: string) => cleanFileWord(words[word] ?? ''));
    return cleanName(filled, part);
  });
  return parts.join('/');
}

function cleanName(filled: string, part: string): string {
  const ending = /\.\w+$/.exec(part)?.[0] ?? '';
  const stem = filled.slice(0, filled.length - ending.length);
  const cut = cutBytes(stem, LONGEST_NAME).replace(/[. ]+$/, '');
  const name = `${cut}${ending}`;
  return /^\./.test(name) || name === '' || RESERVED.test(name) ? `_${name}` : name;
}

/** Whole characters, as people see them. */
function cutBytes(text: string, most: number): string {
  if (Buffer.byteLength(text) <= most) return text;
  let bytes = 0;
  let cut = '';
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    bytes += Buffer.byteLength(segment);
    if (bytes > most) break;
    cut += segment;
  }
  return cut;
}

/** Who has a name now. */
export interface NameHolder {
  readonly key: string;
  readonly file: string;
}

/** A record that needs a name. */
export interface NamedRecord {
  readonly key: string;
  /** As its words make it. */
  readonly wanted: string;
}

/**
 * Record → its file, no two alike, not even on a disk that takes capitals and small letters for the same.
 *
 * | several records want one name | so |
 * |---|---|
 * | the file of one has it already | that one keeps it, listed or not |
 * | none has it | the first by its id gets it |
 * | all others | have their id before the ending: `Anna Lie (6f1c2a).pdf` |
 *
 * A name that is another's file is not given, even if that one is about to have another: its file is still there.
 *
 * @param holders name, folded → the record whose file has it now
 */
export function shareNames(
  records: readonly NamedRecord[],
  holders: ReadonlyMap<string, NameHolder>,
): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  const taken = new Set(holders.keys());
  for (const { key, wanted } of [...records].sort((a, b) => (a.key < b.key ? -1 : 1))) {
    let name = wanted;
    while (taken.has(foldName(name)) && holders.get(foldName(name))?.key !== key)
      name = insertBefore(name, ` (${cleanFileWord(key)})`);
    // Another case of the same name is no other name.
    const held = holders.get(foldName(name));
    names.set(key, held?.file ?? name);
    taken.add(foldName(name));
  }
  return names;
}

export function foldName(name: string): string {
  return name.normalize('NFC').toLowerCase().normalize('NFC');
}

function insertBefore(name: string, more: string): string {
  const dot = name.lastIndexOf('.');
  return `${name.slice(0, dot)}${more}${name.slice(dot)}`;
}
