import { type Entity, wordFor } from './entity.js';

/** Quotes a word for a shell if it contains spaces or special characters. */
export function typed(word: string): string {
  return /^[\p{L}\p{N}_@%+=:,./-]+$/u.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** `user:E1`, as typed after `--who`, `--only` and `--unpin`. */
export function typedName(entity: Entity, key: string): string {
  return typed(`${wordFor(entity)}:${key}`);
}
