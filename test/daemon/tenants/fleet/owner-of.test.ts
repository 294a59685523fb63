import { expect, test } from 'vitest';
import { ownerOf } from '../../../../src/daemon/tenants/fleet/owner-of.js';

const NAMES = Array.from({ length: 1_000 }, (_, number) => `tenant-${number}`);

test.each([1, 2, 3, 7, 20])('of %d daemons each has its share', (daemons) => {
  const counts = Array.from({ length: daemons }, () => 0);
  for (const name of NAMES) counts[ownerOf(name, daemons)] = (counts[ownerOf(name, daemons)] ?? 0) + 1;
  const share = NAMES.length / daemons;
  for (const count of counts) expect(Math.abs(count - share)).toBeLessThan(4 * Math.sqrt(share));
});

test.each([1, 2, 3, 7, 20])('one more than %d takes its share from all, and nothing else moves', (daemons) => {
  const moved = NAMES.filter((name) => ownerOf(name, daemons) !== ownerOf(name, daemons + 1));
  for (const name of moved) expect(ownerOf(name, daemons + 1)).toBe(daemons);
  const share = NAMES.length / (daemons + 1);
  expect(Math.abs(moved.length - share)).toBeLessThan(4 * Math.sqrt(share));
});
