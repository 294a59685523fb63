import type { DocumentWords } from '../../model/document-kinds.js';
import { cleanFileWord } from '../../model/file-word.js';

/** The longest name, in bytes. Most file systems allow 255 bytes, and temporary names are a little longer. */
const LONGEST_NAME = 180;
/** Device names on Windows, which are reserved with any ending. */
const RESERVED = /^(?:con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])(?:\.|$)/i;

/**
 * Builds the path of a document under its folder. Words from records cannot add folders, hide the file, or escape the
 * folder. An empty word becomes `_`.
 *
 * @param pattern checked when the configuration was loaded: words in braces, folders before `/`, and an ending
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

/** Shortens a text to a number of bytes without splitting a visible character. */
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

export interface NameHolder {
  readonly key: string;
  readonly file: string;
}

export interface NamedRecord {
  readonly key: string;
  /** The name built from the words of the record. */
  readonly wanted: string;
}

/**
 * Assigns each record a file name. Names are unique even on case-insensitive disks.
 *
 * | several records want one name | result |
 * |---|---|
 * | one has a file with it already | that one keeps it, listed or not |
 * | none has it | the first by id gets it |
 * | all others | get their id before the ending: `Anna Lie (6f1c2a).pdf` |
 *
 * A name that another record's file currently has is not reused, even if that file is about to be renamed.
 *
 * @param holders folded name → the record with the file that currently has the name
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
    // A change of upper and lower case alone does not rename the file.
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
