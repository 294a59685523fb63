import { expect, test } from 'vitest';
import { parseUntil } from '../../src/operations/parse-until.js';

const NOW = Date.parse('2026-11-28T12:00:00Z');

test.each([
  ['2027-01-01', 'Europe/Oslo', '2026-12-31T23:00:00.000Z'],
  ['2027-07-01', 'Europe/Oslo', '2027-06-30T22:00:00.000Z'],
  ['2027-01-01', 'Pacific/Kiritimati', '2026-12-31T10:00:00.000Z'],
  ['2027-01-01', 'America/Los_Angeles', '2027-01-01T08:00:00.000Z'],
  ['2027-01-01T08:00:00+01:00', 'UTC', '2027-01-01T07:00:00.000Z'],
])('reads %s in %s', (text, zone, expected) => expect(parseUntil(text, NOW, zone)).toBe(expected));

test.each(['2026-11-28', '2020-01-01T00:00:00Z', '2027-02-30', 'soon', '7d'])('rejects %s', (text) =>
  expect(() => parseUntil(text, NOW, 'UTC')).toThrow(expect.objectContaining({ code: 'SYNC_CLI_USAGE' })),
);
