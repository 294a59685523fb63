import type { WaitingItem, WaitingKind } from '../../model/waiting.js';
import { PERSONAL_ENTITIES } from './people.js';
import { pseudonymOf } from './pseudonyms.js';

/** Kinds of waiting items with causes that concern single records. */
const OF_RECORDS: ReadonlySet<string> = new Set(['record', 'field', 'conflict', 'refused'] satisfies WaitingKind[]);

export type WaitingAbout = Pick<WaitingItem, 'kind' | 'of' | 'code'>;

export const UNSHOWN =
  'This text is about a person whom you see under a pseudonym. Ask someone with a role that shows names.';

/**
 * Returns the reason why something is waiting, for a reader who may not see names. In a faulty row, a pseudonym
 * replaces each value. Texts that distinguish people contain names, so they are left out.
 */
export function veilCause(key: string, { kind, of, code }: WaitingAbout, text: string): string {
  if (!OF_RECORDS.has(kind) || !PERSONAL_ENTITIES.has(of)) return text;
  return /^SYNC_(ROW|MAP)_/.test(code ?? '') ? veilQuoted(key, text) : UNSHOWN;
}

/** Replaces each quoted value in a text with a pseudonym. */
export function veilQuoted(key: string, text: string): string {
  const veil = (part: string): string =>
    part.replaceAll(/"((?:[^"\\]|\\.)*)"/g, (_whole, said: string) => `"${said === '' ? '' : pseudonymOf(key, said)}"`);
  // Backticks enclose an expression of the configuration.
  return text
    .split('`')
    .map((part, i) => (i % 2 === 0 ? veil(part) : part))
    .join('`');
}
