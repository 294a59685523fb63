import { createHash } from 'node:crypto';

/**
 * The ordinal that a tenant belongs to, of so many daemons: the one with the highest hash of name and ordinal (rendezvous hashing).
 * One daemon more takes its share from all the others, about 1 in N + 1 tenants in all, and no tenant moves between the others.
 */
export function ownerOf(tenant: string, daemons: number): number {
  const weights = Array.from({ length: daemons }, (_, ordinal) => weigh(tenant, ordinal));
  return weights.reduce((best, weight, ordinal) => (weight > (weights[best] ?? 0n) ? ordinal : best), 0);
}

function weigh(tenant: string, ordinal: number): bigint {
  return createHash('sha256').update(`${tenant}/${ordinal}`).digest().readBigUInt64BE();
}
