import { describe, expect, it, vi } from 'vitest';
import type { ChangeEnd } from '../../src/apply/execution.js';
import { recordEnd } from '../../src/apply/outcome.js';
import type { Json, Values } from '../../src/model/json.js';
import type { Observed } from '../../src/model/observed.js';
import type { Change } from '../../src/model/plan.js';
import { readEntries } from '../../src/store/audit/audit-log.js';
import { changeOf, desiredOf, linkTo, observedOf, openTestStores } from '../samples.js';

const AT = '2026-11-20T08:00:00.000Z';
const JANE: Values = { name: 'Jane', email: 'jane@x.test', telephone: '1' };
const CALL = { call: 'PUT /api/v1/users/{user_id}', status: 200, request_id: 'q1' };
const DONE = { run: 'r2', at: AT, approval: null, calls: [CALL], result: 'done', error: null } as const;

interface Given {
  readonly change?: Partial<Change>;
  /** The record of this run; null if there is none. */
  readonly record?: Values | null;
  /** The earlier base. */
  readonly base?: Values;
}

/** E1 is linked to u1 unless the change creates her. `end` ends a change of hers. */
function open({ change = {}, record = JANE, base }: Given = {}) {
  const stores = openTestStores();
  const target = change.action === 'create' ? null : 'u1';
  const plain: Partial<Change> = {
    action: 'update',
    target,
    after: { name: 'Jane' },
    fields: ['name'],
    desiredHash: 'd1',
  };
  const whole = changeOf('users', 'E1', { ...plain, ...change });
  if (target !== null) linkTo(stores, 'users', 'E1', observedOf('u1', JANE));
  if (base !== undefined) {
    const hashes = { desiredHash: 'd0', observedHash: 'o0', contextHash: 'c0' };
    stores.links.agree('users', 'E1', { base, written: {}, ...hashes });
  }
  if (record !== null) stores.work.stage([{ desired: desiredOf('E1', record), hash: 'd1' }]);
  const end = (more: Partial<ChangeEnd> = {}): void => {
    const plainEnd = {
      change: whole,
      ...DONE,
    } as const;
    const ended = { ...plainEnd, observed: observedOf('u1', JANE), ...more };
    recordEnd(
      stores,
      ended,
      () => 'context',
      () => undefined,
    );
  };
  const linked = () => stores.links.find('users', 'E1');
  const agree = vi.spyOn(stores.links, 'agree');
  /** The base that the pair is remembered with, and if the object is equal to it. */
  const agreed = () =>
    agree.mock.calls.map(([, , { base: now, observedHash }]) => ({ base: now, isEqual: observedHash !== '' })).at(-1);
  return { stores, end, linked, agreed };
}

interface Correction {
  readonly kind?: 'drifted' | 'changed';
  /** Another field that is written instead. */
  readonly field?: string;
  readonly unsent?: readonly string[];
  readonly target?: null;
}

/** A linked object whose field is written over the values that the service shows. */
function openCorrecting(name = 'telephone', value: Json = '1') {
  const stores = openTestStores();
  const entity = name === 'custom_fields' ? 'projects' : 'users';
  const observed = observedOf('u1', { [name]: value }, { entity });
  linkTo(stores, entity, 'E1', observed);
  const write = (was: Json, { kind = 'drifted', field = name, unsent = [], target }: Correction = {}): void => {
    const values = { before: { [field]: was }, after: { [field]: value }, fields: [field] };
    const change = changeOf(entity, 'E1', {
      target: 'u1',
      ...values,
      reason: { kind, text: '' },
      ...(target === null ? { target } : {}),
    });
    const end = {
      change,
      ...DONE,
      observed,
      unsent,
    } as const;
    recordEnd(
      stores,
      end,
      () => 'context',
      () => undefined,
    );
  };
  return { write, untaken: () => stores.links.find(entity, 'E1')?.untaken };
}

describe('the end of a change', () => {
  it('is in the audit, with its mail and copies if it was carried out', () => {
    const { stores, end } = open();
    const copies = [{ field: 'cvs', id: 'k1', of: 'u1', mark: null }] as unknown as NonNullable<ChangeEnd['copies']>;
    end({ mailed: true, copies });
    end({ result: 'refused', error: 'no', mailed: true });
    end({ result: 'lost', mailed: true });
    end({ result: 'in part' });
    const entries = [...readEntries(stores.audit)].map(({ result, mailed, copies: kept, run, target, error }) => ({
      ...{ result, mailed: mailed === true, copies: kept?.length ?? null, run, target, error },
    }));
    const same = { run: 'r2', target: 'u1' };
    expect(entries).toEqual([
      { ...same, result: 'done', mailed: true, copies: 1, error: null },
      { ...same, result: 'refused', mailed: false, copies: null, error: 'no' },
      { ...same, result: 'lost', mailed: false, copies: null, error: null },
      { ...same, result: 'in part', mailed: false, copies: null, error: null },
    ]);
  });

  const spent: readonly (readonly [ChangeEnd['result'], boolean])[] = [
    ['done', true],
    ['already so', true],
    ['refused', false],
    ['lost', false],
    ['not taken', false],
    ['in part', false],
  ];
  it.each(spent)('as %s, spends its approval: %s', (result, isSpent) => {
    const { stores, end } = open();
    const approval = { id: 'a1', guard: 'users.update', who: 'ops', reason: 'ok', at: AT, changeId: 'id-users-E1' };
    stores.history.approve([{ ...approval, expiresAt: '2026-11-21T08:00:00.000Z' }]);
    end({ result, approval: null });
    expect(stores.history.approvalsAt(AT).size).toBe(1);
    end({ result, approval: 'a1 by ops: ok' });
    expect(stores.history.approvalsAt(AT).size).toBe(isSpent ? 0 : 1);
  });

  it('pins undone values, unless the result is unknown', () => {
    const records = [
      { entity: 'users', key: 'E1', pins: [{ path: 'telephone', value: '0', mapping: 'm' }], restores: {} },
    ];
    const undoes = { run: 'r1', changes: ['c1'], derived: false, records } as unknown as NonNullable<Change['undoes']>;
    const pinned = (result: ChangeEnd['result']): number => {
      const { stores, end } = open({ change: { after: { telephone: '0' }, fields: ['telephone'], undoes } });
      end({ result });
      return stores.pins.count();
    };
    expect([pinned('done'), pinned('not taken'), pinned('refused'), pinned('lost')]).toEqual([1, 1, 0, 0]);
  });

  it('remembers a pair as equal; looks again if it differs, is held or is inactive', () => {
    const whole = open();
    whole.end();
    expect(whole.agreed()).toEqual({ base: JANE, isEqual: true });
    const part = open({ record: { ...JANE, telephone: '2' } });
    part.end();
    expect(part.agreed()).toEqual({ base: { name: 'Jane', email: 'jane@x.test' }, isEqual: false });
    const drifted = open({ record: { ...JANE, telephone: '2' }, base: { telephone: '0' } });
    drifted.end();
    expect(drifted.agreed()).toEqual({ base: { name: 'Jane', email: 'jane@x.test', telephone: '0' }, isEqual: false });
    const untaken = open();
    untaken.end({ result: 'not taken' });
    expect(untaken.agreed()).toEqual({ base: JANE, isEqual: false });
    const held = open();
    held.stores.work.hold({ entity: 'users', key: 'E1', place: '', code: 'SYNC_MAP_VALUE', reason: 'x', remedy: 'y' });
    held.end();
    expect(held.agreed()).toEqual({ base: JANE, isEqual: false });
    const out = open();
    out.end({ observed: observedOf('u1', JANE, { active: false }) });
    expect(out.agreed()).toEqual({ base: JANE, isEqual: false });
  });

  it('stores no base without a record, or if the account is inactive and differs', () => {
    const none = open({ record: null });
    none.end();
    const unknown = open({ change: { desiredHash: null } });
    unknown.end();
    const out = open({ record: { ...JANE, telephone: '2' } });
    out.end({ observed: observedOf('u1', JANE, { active: false }) });
    const refused = open();
    refused.end({ result: 'refused' });
    for (const { agreed } of [none, unknown, out, refused]) expect(agreed()).toBeUndefined();
  });

  it('forgets the base of a leaver, so that a return is not a drift', () => {
    const left = open({ change: { action: 'deactivate', after: { deactivated: true } }, base: { name: 'J' } });
    const forgotten = vi.spyOn(left.stores.links, 'disagree');
    left.end({ observed: observedOf('u1', JANE, { active: false }) });
    expect(left.agreed()).toBeUndefined();
    expect(forgotten).toHaveBeenCalledWith('users', 'E1');
    const stayed = open();
    const kept = vi.spyOn(stayed.stores.links, 'disagree');
    stayed.end();
    expect(kept).not.toHaveBeenCalled();
  });

  it('remembers values that the service did not keep, until they are written again', () => {
    const { end, linked } = open({
      change: { after: { name: 'Jane', title: { en: 'a' } }, fields: ['name', 'title'] },
    });
    const untaken = (field: string) => ({ field, sent: 'a', got: null });
    end({ result: 'not taken', untaken: [untaken('telephone'), untaken('title.no')] });
    expect(Object.keys(linked()?.untaken ?? {})).toEqual(['telephone', 'title.no']);
    end({ result: 'not taken', untaken: [untaken('name'), untaken('title.en')] });
    expect(Object.keys(linked()?.untaken ?? {})).toEqual(['telephone', 'title.no', 'name', 'title.en']);
    end({});
    expect(Object.keys(linked()?.untaken ?? {})).toEqual(['telephone', 'title.no']);
  });

  it('counts how often a value is written over the same other value', () => {
    const { write, untaken } = openCorrecting();
    write('2');
    expect(untaken()).toEqual({ telephone: { sent: '1', got: '2', times: 1 } });
    write('2');
    expect(untaken()).toEqual({ telephone: { sent: '1', got: '2', times: 2 } });
    // A field that is not written keeps its count, and an update from the source with the same values counts too.
    write('2', { kind: 'drifted', field: 'title' });
    write('2', { kind: 'changed' });
    expect(untaken()?.telephone).toEqual({ sent: '1', got: '2', times: 3 });
    write('3');
    expect(untaken()?.telephone).toEqual({ sent: '1', got: '3', times: 1 });
    // A value that only the source changed is not counted.
    write('4', { kind: 'changed' });
    expect(untaken()?.telephone).toBeUndefined();
    write('2', { kind: 'drifted', unsent: ['telephone'] });
    expect(untaken()?.telephone).toBeUndefined();
    write('2', { kind: 'drifted', target: null });
    expect(untaken()?.telephone).toBeUndefined();
  });

  it('counts each custom field separately', () => {
    const { write, untaken } = openCorrecting('custom_fields', { size: 1, site: 'x' });
    write({ size: 2, site: 'y' });
    write({ size: 2, site: 'z' });
    expect(untaken()).toEqual({
      'custom_fields.size': { sent: 1, got: 2, times: 2 },
      'custom_fields.site': { sent: 'x', got: 'z', times: 1 },
    });
  });

  it('links created objects, but not rejected ones', () => {
    const made = open({ change: { action: 'create' } });
    made.end({ observed: observedOf('u7', JANE) });
    expect(made.linked()).toMatchObject({ serviceId: 'u7', origin: 'created', run: 'r2' });
    const refused = open({ change: { action: 'create' } });
    refused.end({ observed: null, result: 'refused' });
    expect(refused.linked()).toBeNull();
    const derived = open({ change: { action: 'create', reason: { kind: 'referenced', text: 'named' } } });
    derived.end({ observed: observedOf('u7', JANE) });
    expect(derived.linked()).toBeNull();
  });

  const relinks: readonly (readonly [string, Values, Values, string | null, string | null])[] = [
    ['to another key', { source_key: 'E0' }, { source_key: 'E1' }, null, 'u1'],
    ['from a key that had none', {}, { source_key: 'E1' }, null, 'u1'],
    ['off', { source_key: 'E0' }, {}, null, null],
  ];
  it.each(relinks)('moves a link %s, and unpins a key that gets a link', (_, before, after, old, now) => {
    const stores = openTestStores();
    stores.mirror.save([observedOf('u1', JANE)], 1);
    if (before.source_key !== undefined) linkTo(stores, 'users', 'E0', observedOf('u1', JANE));
    const ofUndo = { undone: 'r0', run: 'r0', at: AT };
    stores.pins.pin([{ entity: 'users', key: 'E1', path: 'link', value: 'h', mapping: 'm', ...ofUndo }]);
    const end = (change: Partial<Change>) => {
      const whole = changeOf('users', 'E1', { target: 'u1', before, after, ...change });
      const ended = {
        change: whole,
        run: 'r2',
        at: AT,
        approval: null,
        calls: [],
        result: 'done',
        error: null,
      } as const;
      recordEnd(
        stores,
        { ...ended, observed: observedOf('u1', JANE) },
        () => 'context',
        () => undefined,
      );
    };
    end({ action: 'update', before: {}, after: {} });
    expect(stores.links.find('users', 'E1')).toBeNull();
    expect(stores.pins.count()).toBe(1);
    end({ action: 'relink' });
    const linkOf = (key: string) => stores.links.find('users', key)?.serviceId ?? null;
    expect([linkOf('E0'), linkOf('E1')]).toEqual([old, now]);
    expect(stores.pins.count()).toBe(now === null ? 1 : 0);
  });

  it('forgets the link of a deleted object, unless it still exists', () => {
    const gone = open({ change: { action: 'delete', after: {}, fields: [] } });
    gone.end({ observed: null });
    expect(gone.linked()).toBeNull();
    const there = open({ change: { action: 'delete', after: {}, fields: [] } });
    there.end({ observed: null, result: 'not taken' });
    expect(there.linked()).not.toBeNull();
    const changed = open();
    changed.end({ observed: null });
    expect(changed.linked()).not.toBeNull();
  });
});

describe('our deactivation, which starts the time until a purge', () => {
  const out: Observed = observedOf('u1', { ...JANE, deactivated_at: '2026-11-20' }, { active: false });
  const leave: Partial<Change> = {
    ...{ action: 'deactivate', reason: { kind: 'left', text: 'hr says so' }, after: { deactivated: true } },
    fields: ['deactivated'],
  };
  const departure = (change: Partial<Change>, end: Partial<ChangeEnd>) => {
    const { stores, end: finish } = open({ change, record: null });
    stores.departures.remember({ key: 'E1', serviceId: 'u0', run: 'r0', at: AT, stamp: null });
    finish(end);
    return stores.departures.find('E1');
  };
  const ours = { serviceId: 'u1', run: 'r2', at: AT, stamp: '2026-11-20' };
  const before = { serviceId: 'u0', run: 'r0' };

  it('is remembered with the service’s timestamp', () => {
    expect(departure(leave, { observed: out })).toMatchObject(ours);
    const absent = { ...leave, reason: { kind: 'absent', text: 'x' } } as const;
    expect(departure(absent, { observed: out })).toMatchObject(ours);
    const plain = observedOf('u1', JANE, { active: false });
    expect(departure(leave, { observed: plain })).toMatchObject({ ...ours, stamp: null });
  });

  const rows: readonly (readonly [string, Partial<Change>, Partial<ChangeEnd>])[] = [
    ['it was rejected', leave, { observed: out, result: 'refused' }],
    ['its outcome is unknown', leave, { observed: out, result: 'lost' }],
    ['it was done already, and not by us', leave, { observed: out, result: 'already so' }],
    ['the account belongs to no record', { ...leave, reason: { kind: 'unowned', text: 'x' } }, { observed: out }],
    ['something else changed', {}, { observed: out }],
    ['the account was not seen', leave, { observed: null }],
  ];
  it.each(rows)('is not replaced if %s', (_, change, end) => {
    expect(departure(change, end)).toMatchObject(before);
  });

  it('is forgotten if the account is active afterwards', () => {
    expect(departure({}, {})).toBeNull();
    expect(departure(leave, { result: 'not taken' })).toBeNull();
    expect(departure({}, { result: 'lost' })).toMatchObject(before);
  });

  it('keeps a mark of a deleted account, and nothing else of the record', () => {
    const { stores, end } = open({ change: { action: 'delete', after: {}, fields: [] }, record: null });
    linkTo(stores, 'courses', 'R1', observedOf('s1', { user_id: 'u1' }, { entity: 'courses' }));
    linkTo(stores, 'courses', 'R2', observedOf('s2', { user_id: 'u2' }, { entity: 'courses' }));
    end({ observed: null });
    expect(stores.departures.find('E1')).toMatchObject({ serviceId: 'u1', run: 'r2', deletedAt: AT });
    expect(stores.links.find('courses', 'R1')).toBeNull();
    expect(stores.links.find('courses', 'R2')).not.toBeNull();
    const there = open({ change: { action: 'delete', after: {}, fields: [] }, record: null });
    there.end({ observed: observedOf('u1', JANE) });
    expect(there.stores.departures.find('E1')).toBeNull();
    const customer = open({ change: { entity: 'customers', action: 'delete', after: {}, fields: [] }, record: null });
    customer.end({ observed: null });
    expect(customer.stores.departures.find('E1')).toBeNull();
  });
});
