import { expect, it } from 'vitest';
import { replaceWords } from '../../src/operations/veil-words.js';

const JANE = { key: 'E1', label: 'Jane Doe', reason: 'she stays' };

it('leaves out unknown texts, values and parts', () => {
  const added = {
    held: [{ key: 'E1', nickname: 'Jane', remedy: 'Ask Jane', count: 2 }],
    greeting: 'Jane',
    people: { E1: 'Jane' },
  };
  expect(replaceWords({ ...added, before: { born_year: 1980 } }, null)).toEqual({
    held: [{ key: 'E1', count: 2 }],
    people: {},
  });
  const guards = [
    { guard: 'users.deactivate', found: 2, detail: '2 found, among them "Jane": `record.status == "left"`' },
  ];
  expect(replaceWords({ guards }, null)).toEqual({
    guards: [{ ...guards[0], detail: '2 found, among them "…": `record.status == "left"`' }],
  });
});

it('removes all names and words about people from a document, in every list', () => {
  const document = {
    ...{ plan: 'p1', counts: { users: { update: 1 } } },
    ...{ held: [JANE], conflicts: [JANE], failed: [JANE], left_out: [JANE], declined: [JANE] },
    adoption: [{ entity: 'users', differing: { name: { count: 1, samples: [{ label: 'Jane Doe' }] } } }],
    near_misses: [{ label: 'Jane Doe' }],
  };
  const key = [{ key: 'E1' }];
  expect(replaceWords(document, null)).toEqual({
    ...{ plan: 'p1', counts: { users: { update: 1 } } },
    ...{ held: key, conflicts: key, failed: key, left_out: key, declined: key },
  });
});
