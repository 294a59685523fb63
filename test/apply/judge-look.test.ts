import { describe, expect, it } from 'vitest';
import { isAnyShown, isSeen } from '../../src/apply/judge-look.js';
import type { Values } from '../../src/model/json.js';
import type { Change } from '../../src/model/plan.js';
import { changeOf, observedOf } from '../samples.js';

const TAGS = { tags: { unit: ['north'] } };

/** What was to be brought, what the look shows, whether that is any of it, and whether it is all as wanted. */
const ROWS: readonly (readonly [string, Partial<Change>, Values, boolean, boolean])[] = [
  ['a field as wanted', { after: { architect: 'A' } }, { architect: 'A' }, true, true],
  ['a field otherwise', { after: { architect: 'A' } }, { architect: 'B' }, true, false],
  ['nothing of it', { after: { architect: 'A' } }, { extent: '1' }, false, false],
  [
    'one field speaks for those that no read shows',
    { after: { architect: 'A', ...TAGS } },
    { architect: 'A' },
    true,
    true,
  ],
  ['a category as wanted', { after: TAGS }, { tags: { unit: ['north'] } }, true, true],
  ['a category otherwise', { after: TAGS }, { tags: { unit: ['south'] } }, true, false],
  ['another category alone', { after: TAGS }, { tags: { grade: ['a'] } }, false, false],
  ['no tags at all', { after: TAGS }, {}, false, false],
  ['an object that is in use again', { action: 'reactivate' }, {}, true, true],
];

describe('what a look shows of a call whose answer was lost', () => {
  it.each(ROWS)('%s', (_, change, values, isShown, isProved) => {
    const whole = changeOf('projects', 'P1', { action: 'update', target: 'p1', ...change });
    const observed = observedOf('p1', values, { entity: 'projects' });
    expect([isAnyShown(whole, observed), isSeen(whole, observed, () => null)]).toEqual([isShown, isProved]);
  });
});
