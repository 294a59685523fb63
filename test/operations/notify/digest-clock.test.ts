import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findDigest, writeDigest } from '../../../src/operations/notify/digest.js';
import { openStores } from '../../../src/store/open-stores.js';
import { makeFolder } from '../../samples.js';

const MINUTE = 60_000;
const timezone = 'Europe/Oslo';

/** The days with a digest, with its time of day. */
function listDigests(at: string, from: string, to: string): readonly string[] {
  const [hour, minute] = at.split(':').map(Number);
  const digest = { every: `${minute} ${hour} * * *`, timezone };
  const stores = openStores(join(makeFolder(), 'state'), { lockedAt: from });
  const found: string[] = [];
  const wall = new Intl.DateTimeFormat('sv-SE', { timeZone: timezone, dateStyle: 'short', timeStyle: 'short' });
  try {
    for (let nowMs = Date.parse(from); nowMs < Date.parse(to); nowMs += 10 * MINUTE) {
      const due = findDigest(stores, digest, nowMs);
      if (due === null) continue;
      const now = new Date(nowMs).toISOString();
      writeDigest(stores, { due, channels: ['ops'], waiting: [], now });
      const news = stores.notify.newsOf({ channel: 'ops', event: 'digest' });
      if (news.some((one) => one.at === now)) found.push(wall.format(nowMs));
    }
  } finally {
    stores.close();
  }
  return found;
}

test.each([
  ['autumn', '08:00', '2026-10-23T12:00Z', ['2026-10-24 08:00', '2026-10-25 08:00', '2026-10-26 08:00']],
  ['spring', '08:00', '2027-03-26T12:00Z', ['2027-03-27 08:00', '2027-03-28 08:00', '2027-03-29 08:00']],
  // A repeated hour has one digest. A missing hour has its digest at the first moment after it.
  ['autumn', '02:30', '2026-10-23T12:00Z', ['2026-10-24 02:30', '2026-10-25 02:30', '2026-10-26 02:30']],
  ['spring', '02:30', '2027-03-26T12:00Z', ['2027-03-27 02:30', '2027-03-28 03:00', '2027-03-29 02:30']],
])('when clocks change in %s, sends the digest of %s once a day', (_season, at, from, days) => {
  const to = new Date(Date.parse(from) + 3 * 24 * 60 * MINUTE).toISOString();
  expect(listDigests(at, from, to)).toEqual(days);
});
