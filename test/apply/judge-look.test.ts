import { describe, expect, it } from 'vitest';
import { isAnyShown, isSeen } from '../../src/apply/judge-look.js';
import type { Values } from '../../src/model/json.js';
import type { Change } from '../../src/model/plan.js';
import { changeOf, observedOf } from '../samples.js';

const TAGS = { tags: { unit: ['north'] } };

/** The change, the look, if the look shows any of it, and if everything has the wanted value. */
const ROWS: readonly (readonly [string, Partial<Change>, Values, boolean, boolean])[] = [
  ['a field with the wanted value', { after: { architect: 'A' } }, { architect: 'A' }, true, true],
  ['a field with another value', { after: { architect: 'A' } }, { architect: 'B' }, true, false],
  ['none of the fields', { after: { architect: 'A' } }, { extent: '1' }, false, false],
  [
    'one field proves others that no read shows',
    { after: { architect: 'A', ...TAGS } },
    { architect: 'A' },
    true,
    true,
  ],
  ['a category with the wanted tags', { after: TAGS }, { tags: { unit: ['north'] } }, true, true],
  ['a category with other tags', { after: TAGS }, { tags: { unit: ['south'] } }, true, false],
  ['only another category', { after: TAGS }, { tags: { grade: ['a'] } }, false, false],
  ['no tags at all', { after: TAGS }, {}, false, false],
  ['a reactivated object', { action: 'reactivate' }, {}, true, true],
];

describe('a look after a lost answer', () => {
  it.each(ROWS)('%s', (_, change, values, isShown, isProved) => {
    const whole = changeOf('projects', 'P1', { action: 'update', target: 'p1', ...change });
    const observed = observedOf('p1', values, { entity: 'projects' });
    expect([isAnyShown(whole, observed), isSeen(whole, observed, () => null)]).toEqual([isShown, isProved]);
  });
});
