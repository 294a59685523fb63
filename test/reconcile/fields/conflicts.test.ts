import { describe, expect, it } from 'vitest';
import type { Candidate } from '../../../src/model/desired.js';
import type { Values } from '../../../src/model/json.js';
import type { Observed } from '../../../src/model/observed.js';
import { startRecord } from '../../../src/reconcile/fields/record-draft.js';
import { mergeSides } from '../../../src/reconcile/fields/steps/merge-sides.js';
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

  it('goes to the source where the source wins', () => {
    expect(settle('source', ...both)).toEqual({ after: { name: 'Jane B' }, held: [] });
  });

  it('stays as the service has it where the service wins, without a word', () => {
    expect(settle('service', ...both)).toEqual({ after: {}, held: [] });
  });

  it('waits for a person, who is told all three values', () => {
    const { after, held } = settle('hold', ...both);
    expect(after).toEqual({});
    expect(held).toEqual([{ code: 'SYNC_CONFLICT', reason: expect.stringMatching(/"Jane A".*"Jane B".*"Jane C"/) }]);
  });
});

describe('no conflict', () => {
  it('when only the source moved, only the service moved, or nothing was agreed yet', () => {
    expect(settle('hold', { name: 'B' }, { name: 'A' }, { name: 'A' }).after).toEqual({ name: 'B' });
    expect(settle('hold', { name: 'A' }, { name: 'A' }, { name: 'C' }).after).toEqual({ name: 'A' });
    expect(settle('hold', { name: 'B' }, null, { name: 'C' }).after).toEqual({ name: 'B' });
  });

  it('when a language that is not ours moved', () => {
    const [desired, agreed] = [{ title: { en: 'Lead' } }, { title: { en: 'Senior' } }];
    expect(settle('hold', desired, agreed, { title: { en: 'Senior', no: 'Leder' } }).held).toEqual([]);
    expect(settle('hold', desired, agreed, { title: { en: 'Boss' } }).held).toHaveLength(1);
  });
});
