import { describe, expect, it } from 'vitest';
import type { Candidate, Desired } from '../../../src/model/desired.js';
import type { Values } from '../../../src/model/json.js';
import type { Observed } from '../../../src/model/observed.js';
import { shortenDigest } from '../../../src/model/sha256.js';
import type { Authority } from '../../../src/model/write-back.js';
import { startRecord } from '../../../src/reconcile/fields/record-draft.js';
import { mergeSides } from '../../../src/reconcile/fields/steps/merge-sides.js';
import type { EntitySettings } from '../../../src/reconcile/ports.js';
import { desiredOf } from '../../samples.js';
import { createFakePorts, settingsOf } from '../fake-ports.js';

function candidateOf(desired: Values, agreed: Values | null): Candidate {
  return {
    desired: {
      entity: 'users',
      key: 'E1',
      place: { source: 'hr', at: 'hr.csv', line: 2 },
      values: desired,
      leaver: false,
      preference: null,
    },
    desiredHash: 'd',
    linkedId: 'u1',
    sourceUnchanged: false,
    base: agreed,
    written: null,
  };
}

function observedOf(values: Values): Observed {
  return { entity: 'users', id: 'u1', values, active: true, label: 'Jane', hash: 'o' };
}

function settle(conflicts: 'hold' | 'source' | 'service', desired: Values, agreed: Values | null, service: Values) {
  const ports = createFakePorts({});
  const candidate = candidateOf(desired, agreed);
  const draft = startRecord(
    { candidate, observed: observedOf(service), action: 'update', adoptedBy: null, relink: null },
    settingsOf({ conflicts }),
    ports,
  );
  draft.after = desired;
  mergeSides(draft);
  const [after, held] = [draft.after, ports.holds];
  return { after, held: held.map(({ code, reason }) => ({ code, reason })) };
}

describe('a field that both sides changed', () => {
  const both = [{ name: 'Jane B' }, { name: 'Jane A' }, { name: 'Jane C' }] as const;

  it('is sent if the source wins', () => {
    expect(settle('source', ...both)).toEqual({ after: { name: 'Jane B' }, held: [] });
  });

  it('stays unchanged without a report if the service wins', () => {
    expect(settle('service', ...both)).toEqual({ after: {}, held: [] });
  });

  it('is held for a decision, with all three values', () => {
    const { after, held } = settle('hold', ...both);
    expect(after).toEqual({});
    expect(held).toEqual([{ code: 'SYNC_CONFLICT', reason: expect.stringMatching(/"Jane A".*"Jane B".*"Jane C"/) }]);
  });
});

describe('no conflict', () => {
  it('arises if only one side changed, or if nothing was agreed on yet', () => {
    expect(settle('hold', { name: 'B' }, { name: 'A' }, { name: 'A' }).after).toEqual({ name: 'B' });
    expect(settle('hold', { name: 'A' }, { name: 'A' }, { name: 'C' }).after).toEqual({ name: 'A' });
    expect(settle('hold', { name: 'B' }, null, { name: 'C' }).after).toEqual({ name: 'B' });
  });

  it('arises if an unmanaged language changed', () => {
    const [desired, agreed] = [{ title: { en: 'Lead' } }, { title: { en: 'Senior' } }];
    expect(settle('hold', desired, agreed, { title: { en: 'Senior', no: 'Leder' } }).held).toEqual([]);
    expect(settle('hold', desired, agreed, { title: { en: 'Boss' } }).held).toHaveLength(1);
  });
});

describe('the report on a difference', () => {
  interface Sides {
    readonly desired: Values;
    readonly agreed?: Values;
    readonly service: Values;
    readonly authority?: Authority;
    readonly entity?: Desired['entity'];
  }

  function say({ desired, agreed, service, authority, entity = 'users' }: Sides, more: Partial<EntitySettings>) {
    const ports = createFakePorts({});
    const candidate = { ...candidateOf({}, agreed ?? null), desired: desiredOf('E1', desired, { entity }) };
    const rules = Object.fromEntries(
      Object.keys(desired).map((field) => [
        field,
        { apply: 'always', ...(authority === undefined ? {} : { authority }) } as const,
      ]),
    );
    const observed = { ...observedOf(service), entity };
    const draft = startRecord(
      { candidate, observed, action: 'update', adoptedBy: null, relink: null },
      settingsOf({ entity, rules, ...more }),
      ports,
    );
    draft.after = desired;
    mergeSides(draft);
    return { after: draft.after, left: draft.left.map(({ path }) => path), holds: ports.holds };
  }

  const MOVED = { agreed: { name: 'A' }, desired: { name: 'A' }, service: { name: 'C' } } as const;
  const BOTH = { agreed: { name: 'A' }, desired: { name: 'B' }, service: { name: 'C' } } as const;

  it.each<readonly [what: string, sides: Sides, more: Partial<EntitySettings>, reason: string, remedy: string]>([
    [
      'the service changed a field of the source',
      MOVED,
      { drift: 'report' },
      'name was changed in the service: "C" instead of "A".',
      'Correct it on that side, set `drift: correct`, or decide with `talent-sync holds resolve',
    ],
    [
      'the source changed a field of the service',
      { ...MOVED, desired: { name: 'B' }, service: { name: 'A' }, authority: 'service' },
      { drift: 'report' },
      'name belongs to the service and was changed in the source: "B" instead of "A".',
      'Correct it on that side, set `drift: correct`, or decide with `talent-sync holds resolve',
    ],
    [
      'both changed a field of the source',
      BOTH,
      { conflicts: 'hold' },
      'name was changed on both sides: "A" was agreed, the source says "B", the service has "C".',
      'Decide with `talent-sync holds resolve',
    ],
    [
      'both changed a field of the newest side',
      { ...BOTH, authority: 'newest' },
      {},
      'name was changed on both sides: "A" was agreed, the source says "B", the service has "C".',
      'It is not known which change is newer. Decide with `talent-sync holds resolve',
    ],
    [
      'nothing was ever agreed on',
      { desired: { name: 'B' }, service: { name: 'C' }, authority: 'newest' },
      {},
      'name was never agreed on: the source says "B", the service has "C".',
      'It is not known which change is newer. Decide with `talent-sync holds resolve',
    ],
    [
      'somebody removed a role from a link',
      {
        ...{ entity: 'staffing', agreed: { role: [{ en: 'Lead' }] }, desired: { role: [{ en: 'Lead' }] } },
        service: { role: [] },
      },
      { drift: 'report' },
      'role was changed in the service: [] instead of [{"en":"Lead"}].',
      'Correct it on that side',
    ],
    [
      'somebody removed one of two roles',
      {
        ...{
          entity: 'staffing',
          agreed: { role: [{ en: 'Coder' }, { en: 'Lead' }] },
          service: { role: [{ en: 'Lead' }] },
        },
        desired: { role: [{ en: 'Coder' }, { en: 'Lead' }] },
      },
      { drift: 'report' },
      'role was changed in the service: [{"en":"Lead"}] instead of [{"en":"Coder"},{"en":"Lead"}].',
      'Correct it on that side',
    ],
  ])('gives reason and remedy: %s', (_, sides, more, reason, remedy) => {
    const { after, holds } = say(sides, more);
    expect(after).toEqual({});
    expect(holds).toMatchObject([{ reason, field: Object.keys(sides.desired)[0], key: 'E1' }]);
    expect(holds[0]?.remedy).toContain(remedy);
    expect(holds[0]?.remedy).toContain(`holds resolve ${shortenDigest(holds[0]?.conflict ?? '')} `);
    expect(holds[0]?.code).toBe('drift' in more ? 'SYNC_DRIFT_REPORTED' : 'SYNC_CONFLICT');
  });

  it('counts a value that the service may keep as left, but not one that a conflict leaves', () => {
    expect(say({ ...MOVED, authority: 'service' }, {})).toEqual({ after: {}, left: ['name'], holds: [] });
    expect(say(BOTH, { conflicts: 'service' })).toEqual({ after: {}, left: [], holds: [] });
  });

  it('merges lists that both sides changed, next to an added category', () => {
    const tags = { agreed: { tags: { unit: ['a'] } }, desired: { tags: { unit: ['a', 'b'], site: ['s'] } } };
    const customers = { ...tags, entity: 'customers', service: { tags: { unit: ['a', 'c'] } } } as const;
    expect(say(customers, { conflicts: 'hold' }).after).toEqual({ tags: { unit: ['a', 'c', 'b'], site: ['s'] } });
    const owners = { agreed: { owners: ['a'] }, desired: { owners: ['a', 'b'] }, service: { owners: ['a', 'c'] } };
    expect(say({ ...owners, entity: 'projects' }, { conflicts: 'hold' }).after).toEqual({ owners: ['a', 'c', 'b'] });
  });
});
