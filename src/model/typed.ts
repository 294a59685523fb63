import { type Entity, wordFor } from './entity.js';

/** Quotes a word for a shell if it contains spaces or special characters. */
export function typed(word: string): string {
  return /^[\p{L}\p{N}_@%+=:,./-]+$/u.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** Formats a name as in `--who`, `--only` and `--unpin`: `user:E1`. */
export function typedName(entity: Entity, key: string): string {
  return typed(`${wordFor(entity)}:${key}`);
}
