import { type Entity, wordFor } from './entity.js';

/** A word as it is typed in a shell: in quotes where it has blanks, or signs that a shell reads. */
export function typed(word: string): string {
  return /^[\p{L}\p{N}_@%+=:,./-]+$/u.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** `user:E1`, as it is typed after `--who`, `--only` and `--unpin`. */
export function typedName(entity: Entity, key: string): string {
  return typed(`${wordFor(entity)}:${key}`);
}
