import { randomBytes } from 'node:crypto';
import { createNamedValues } from '../named-values.js';
import type { Sqlite } from '../sqlite.js';

/** A key that is made at random when it is first wanted, and lives as long as the state. In hex, 256 bits. */
export function createSecretFact(sqlite: Sqlite, name: string) {
  const facts = createNamedValues(sqlite, 'facts');
  const make = sqlite.transaction(() => {
    const known = facts.find(name);
    if (known !== null) return known;
    const made = randomBytes(32).toString('hex');
    facts.set(name, made);
    return made;
  });
  return {
    make: () => facts.find(name) ?? make.immediate() /** null as long as it was never wanted. */,
    find: () => facts.find(name),
  };
}
