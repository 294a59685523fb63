import { sha256 } from '../../model/sha256.js';
import type { EmptiedColumn } from '../../model/source.js';
import type { Doubt, SuspectRead } from './suspicion.js';

/** The number of columns that are named after the first one. */
const EXAMPLES = 3;

/** Suspects mapped columns that are now empty for many rows that had a value, because the key may no longer have access to them. */
export function* judgeColumnsEmptied({ evidence, source, reads }: SuspectRead): Generator<void, Doubt | null> {
  const found = (evidence.emptied ?? []).filter(({ column }) => reads.has(`${source}.${column}`));
  const [first, ...others] = [...found].sort((a, b) => b.emptied - a.emptied);
  if (first === undefined) return null;
  const more = others.length > EXAMPLES ? `, and ${others.length - EXAMPLES} more columns` : '';
  yield;
  return {
    limit: Math.max(4, Math.floor(first.had * 0.05)),
    found: first.emptied,
    cause: 'column emptied',
    detail: `${[first, ...others.slice(0, EXAMPLES)].map(tellEmptied).join(', ')}${more}`,
    remedy: 'Check that the key may still read it: columns that it may not read arrive empty.',
    digest: sha256(found.map(({ digest }) => digest).join('\n')),
  };
}

function tellEmptied({ column, emptied, had }: EmptiedColumn): string {
  return `\`${column}\` is empty for ${emptied} of the ${had} rows that had it`;
}
