import { expect, test } from 'vitest';
import { parseJoin } from '../../src/mapping/join.js';
import { columnOf } from './evaluate.js';

const hr = { source: 'hr', columns: { id: columnOf('string'), n: columnOf('int'), l: columnOf('list') } };
const idp = { source: 'idp', columns: { externalId: columnOf('string?'), n: columnOf('int'), l: columnOf('list') } };

const WRONG: readonly (readonly [string, RegExp])[] = [
  ['idp.externalId == ', /cannot be read/],
  ['idp.externalI == hr.id', /`idp` has no column `externalI`/],
  ['idp.externalId != hr.id', /does not compare `idp` with `hr`/],
  ['idp.externalId == "7"', /`idp\.externalId == "7"` does not compare `idp` with `hr`/],
  ['idp.externalId == hr.id && hr.id == "7"', /`hr\.id == "7"` does not compare/],
  ['idp.externalId + hr.id == hr.id', /does not compare/],
  ['idp.externalId == hr.l', /this yields the type list<string>, but a text or a whole number is needed/],
  ['idp.l == hr.id', /this yields the type list<string>, but a text or a whole number is needed/],
  ['idp.externalId == hr.n', /the join compares int with string, which are never equal/],
];

test.each(WRONG)('rejects the join %s', (text, message) => {
  const { keys, findings } = parseJoin(text, hr, idp, 'UTC');
  expect(keys).toBeNull();
  expect(findings.map((finding) => finding.message)).toEqual([expect.stringMatching(message)]);
  const [{ start, end } = { start: 0, end: 0 }] = findings;
  expect([start >= 0, end <= text.length]).toEqual([true, true]);
});
