import { expect, it } from 'vitest';
import { replaceWords } from '../../src/operations/veil-words.js';

const JANE = { key: 'E1', label: 'Jane Doe', reason: 'she stays' };

it('leaves no name or word of people in a document, in whichever list they are', () => {
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
