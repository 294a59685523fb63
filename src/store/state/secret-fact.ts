import { randomBytes } from 'node:crypto';
import { createNamedValues } from '../named-values.js';
import type { Sqlite } from '../sqlite.js';

/** A random key of 256 bits in hex. It is created on first use, and kept as long as the state. */
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
    make: () => facts.find(name) ?? make.immediate() /** Null until it was first needed. */,
    find: () => facts.find(name),
  };
}
