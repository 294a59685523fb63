import { describe, expect, it } from 'vitest';
import type { Values } from '../../../src/model/json.js';
import type { Change } from '../../../src/model/plan.js';
import { findGain } from '../../../src/model/power.js';
import { splitPromotion } from '../../../src/planning/holds/split-promotion.js';
import { changeOf } from '../../samples.js';

function split(change: Partial<Change>, now: Values | null) {
  const whole = changeOf('users', 'E1', {
    action: 'update',
    fields: Object.keys(change.after ?? {}).sort(),
    ...change,
  });
  const gain = findGain(whole, now);
  if (gain === null) throw new Error('nothing is gained');
  return splitPromotion(whole, gain, now, 'config-1');
}

const CONSULTANT = { roles: ['consultant'] };

describe('a change that gives power, split in two', () => {
  it('moves the power to a second change that waits for the first', () => {
    const { rest, part } = split(
      {
        target: 'u1',
        before: { roles: ['consultant'], title: { en: 'a' } },
        after: { roles: ['consultant', 'bidmanager'], title: { en: 'b' } },
        needs: ['users:E2'],
      },
      CONSULTANT,
    );
    expect(rest).toMatchObject({
      key: 'E1',
      action: 'update',
      fields: ['title'],
      before: { title: { en: 'a' } },
      after: { title: { en: 'b' } },
    });
    expect(part).toMatchObject({
      ...{ key: 'E1~promoted', action: 'update', fields: ['roles'], power: 'other', needs: ['users:E1', 'users:E2'] },
      ...{ before: { roles: ['consultant'] }, after: { roles: ['consultant', 'bidmanager'] } },
    });
    expect(part.reason.text).toContain('becomes bidmanager');
  });

  it('is only the second change if nothing else changes', () => {
    const { rest, part } = split({ target: 'u1', after: { roles: ['internationalmanager'] } }, CONSULTANT);
    expect([rest, part.needs, part.power]).toEqual([null, [], 'internationalmanager']);
  });

  it('creates a joiner without the role, and removes lost roles immediately', () => {
    const joined = split({ action: 'create', after: { name: 'a', roles: ['internationalmanager'] } }, null);
    expect(joined.rest).toMatchObject({ action: 'create', after: { name: 'a' } });
    expect(joined.part.target).toBeNull();
    const moved = split(
      {
        target: 'u1',
        before: { roles: ['consultant', 'bidmanager'] },
        after: { roles: ['consultant', 'countrymanager'] },
      },
      { roles: ['consultant', 'bidmanager'] },
    );
    expect(moved.rest?.after).toEqual({ roles: ['consultant'] });
    expect(moved.part.before).toEqual({ roles: ['consultant'] });
  });

  it('has another id if another person has the row by now', () => {
    const after = { roles: ['consultant', 'countrymanager'] };
    const shown = { ...CONSULTANT, email: 'a@x.test', upn: 'A@x.test' };
    const part = (more: Values, now: Values) => split({ target: 'u1', after: { ...after, ...more } }, now).part.id;
    const own = part({}, shown);
    expect(part({ name: 'Another' }, { ...shown, upn: null })).toBe(own);
    expect(part({ email: 'b@x.test' }, shown)).not.toBe(own);
    expect(part({ upn: 'b' }, shown)).not.toBe(own);
  });

  it('has the same id before and after the account exists', () => {
    const after = { roles: ['consultant', 'countrymanager'] };
    const joined = split(
      { action: 'create', after: { name: 'a', email: 'a@x.test', external_unique_id: 'E1', ...after } },
      null,
    );
    const here = { ...CONSULTANT, email: 'a@x.test', external_unique_id: 'E1' };
    const promoted = split({ target: 'u1', before: CONSULTANT, after }, here);
    const other = split(
      { target: 'u1', before: CONSULTANT, after: { roles: ['consultant', 'bidmanager'] } },
      CONSULTANT,
    );
    expect(promoted.part.id).toBe(joined.part.id);
    expect(other.part.id).not.toBe(joined.part.id);
  });
});
