import { randomBytes } from 'node:crypto';
import type { Sqlite } from '../sqlite.js';

/** A key that is made at random when it is first wanted, and lives as long as the state. In hex, 256 bits. */
export interface SecretFact {
  make(): string;
  /** null as long as it was never wanted. */
  find(): string | null;
}

export function createSecretFact(sqlite: Sqlite, name: string): SecretFact {
  const read = sqlite.prepare<[string], string>('SELECT value FROM facts WHERE name = ?').pluck();
  const save = sqlite.prepare('INSERT INTO facts (name, value) VALUES (?, ?)');
  const make = sqlite.transaction(() => {
    const known = read.get(name);
    if (known !== undefined) return known;
    const made = randomBytes(32).toString('hex');
    save.run(name, made);
    return made;
  });
  return { make: () => read.get(name) ?? make.immediate(), find: () => read.get(name) ?? null };
}
