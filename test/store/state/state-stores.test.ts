import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openStores } from '../../../src/store/open-stores.js';
import type { JournalIntent, JournalOutcome } from '../../../src/store/state/journal-store.js';
import type { Link } from '../../../src/store/state/link-store.js';
import { changeOf, evidenceOf, makeFolder, observedOf, openTestStores } from '../../samples.js';

const AT = '2026-11-20T08:00:00.000Z';

describe('links', () => {
  const link: Omit<Link, 'base' | 'written' | 'untaken' | 'was'> = {
    entity: 'users',
    sourceKey: 'E1',
    serviceId: 'u1',
    origin: 'created',
    run: 'r1',
    at: AT,
  };

  it('are found from both sides, for each entity separately', () => {
    const { links } = openTestStores();
    links.link(link);
    links.link({ ...link, entity: 'customers' });
    expect(links.find('users', 'E1')).toEqual({ ...link, base: null, written: null, untaken: {}, was: null });
    expect(links.findByServiceId('users', 'u1')?.sourceKey).toBe('E1');
    expect([links.find('projects', 'E1'), links.findByServiceId('users', 'u2')]).toEqual([null, null]);
    expect([links.count('users'), links.count('customers'), links.count('projects')]).toEqual([1, 1, 0]);
  });

  it('do not change when the same pair is linked again, and keep its base', () => {
    const { links } = openTestStores();
    links.link(link);
    links.agree('users', 'E1', {
      base: { name: 'a' },
      written: { tags: { unit: 'x' } },
      desiredHash: 'd',
      observedHash: 'o',
      contextHash: 'c',
    });
    links.link({ ...link, origin: 'adopted', run: 'r2' });
    expect(links.find('users', 'E1')).toEqual({
      ...link,
      base: { name: 'a' },
      written: { tags: { unit: 'x' } },
      untaken: {},
      was: null,
    });
  });

  it('throw if a service id gets a second key', () => {
    const { links } = openTestStores();
    links.link(link);
    expect(() => links.link({ ...link, sourceKey: 'E2' })).toThrow(/UNIQUE/);
    expect(links.findByServiceId('users', 'u1')?.sourceKey).toBe('E1');
  });

  it('lose their base when the key gets another object', () => {
    const { links } = openTestStores();
    links.link(link);
    links.agree('users', 'E1', {
      base: { name: 'a' },
      written: {},
      desiredHash: 'd',
      observedHash: 'o',
      contextHash: 'c',
    });
    links.link({ ...link, serviceId: 'u2', run: 'r2' });
    expect(links.find('users', 'E1')).toEqual({
      ...link,
      serviceId: 'u2',
      run: 'r2',
      base: null,
      written: null,
      untaken: {},
      was: null,
    });
    expect(links.count('users')).toBe(1);
  });
});

const intent = (key: string): JournalIntent => ({ run: 'r1', change: changeOf('users', key), step: 'create', at: AT });
const done = (id: string): JournalOutcome => ({
  status: 'done',
  at: AT,
  requestId: 'q1',
  httpStatus: 200,
  provedBy: null,
  observed: observedOf(id),
  error: null,
});

describe('the journal', () => {
  it('keeps an intent open until it is settled, even over a restart', () => {
    const folder = makeFolder();
    const first = openStores(folder);
    const [one = 0, two = 0] = first.journal.intend([intent('E1'), intent('E2')]);
    expect(two).toBeGreaterThan(one);
    first.journal.settle(one, done('u1'));
    first.close();
    const { journal } = openTestStores(folder);
    expect(journal.open()).toEqual([{ ...intent('E2'), seq: two, status: 'intent', observed: null }]);
    journal.settle(two, { ...done('u2'), status: 'lost', observed: null, error: 'no answer' });
    expect(journal.open()).toEqual([]);
  });

  it('returns the answered objects, oldest first, until the mirror has them', () => {
    const stores = openTestStores();
    const { journal, mirror } = stores;
    const [one = 0, two = 0, three = 0] = journal.intend([intent('E1'), intent('E2'), intent('E3')]);
    journal.settle(two, done('u2'));
    journal.settle(one, { ...done('u1'), observed: observedOf('u1', { name: 'new' }) });
    journal.settle(three, { ...done('u3'), status: 'refused', observed: null });
    expect([...journal.unabsorbed()].map(({ id }) => id)).toEqual(['u1', 'u2']);
    const absorb = (): void => void [...stores.replayAbsorption()];
    absorb();
    expect([...journal.unabsorbed()]).toEqual([]);
    expect([mirror.get('users', 'u1')?.values, mirror.get('users', 'u3')]).toEqual([{ name: 'new' }, null]);
    absorb();
    expect(mirror.counts('users')).toEqual({ all: 2, active: 2 });
  });

  it('returns the object of an intent that was open while later ones were absorbed', () => {
    const stores = openTestStores();
    const { journal } = stores;
    const [one = 0, two = 0] = journal.intend([intent('E1'), intent('E2')]);
    journal.settle(two, done('u2'));
    expect([...stores.replayAbsorption()]).toEqual(['absorbed', 'forgotten']);
    journal.settle(one, done('u1'));
    const [three = 0] = journal.intend([intent('E3')]);
    journal.settle(three, done('u3'));
    expect([...journal.unabsorbed()].map(({ id }) => id)).toEqual(['u1', 'u3']);
    expect([...stores.replayAbsorption()]).toEqual(['absorbed', 'absorbed', 'forgotten']);
    expect([...stores.replayAbsorption()]).toEqual([]);
  });

  it('leaves the state file to its own connection, the only one that waits for the disk', () => {
    const stores = openTestStores();
    const readFile = () => readFileSync(join(stores.folder, 'state.db'));
    const before = readFile();
    const [one = 0] = stores.journal.intend([intent('E1')]);
    stores.journal.settle(one, done('u1'));
    expect([...stores.replayAbsorption()]).toEqual(['absorbed', 'forgotten']);
    expect(readFile().equals(before)).toBe(true);
    stores.close();
    expect(readFile().equals(before)).toBe(false);
  });
});

describe('the mirror', () => {
  it('finds objects by each of their folded keys, and forgets old keys', () => {
    const { mirror } = openTestStores();
    mirror.save([observedOf('u1', { email: ' Jane@X.test', name: 'Jane' }, { hash: 'a' })], 1);
    expect(mirror.findIds('users', 'email', 'jane@x.test')).toEqual(['u1']);
    mirror.save([observedOf('u1', { email: 'new@x.test' }, { hash: 'b' })], 1);
    expect([mirror.findIds('users', 'email', 'jane@x.test'), mirror.findIds('users', 'email', 'new@x.test')]).toEqual([
      [],
      ['u1'],
    ]);
    mirror.remove('users', ['u1']);
    expect([mirror.findIds('users', 'email', 'new@x.test'), mirror.get('users', 'u1')]).toEqual([[], null]);
  });

  it('finds objects saved together in their latest version, with any text in their keys', () => {
    const { mirror } = openTestStores();
    const half = 'half\ud800@x.test';
    mirror.save(
      [
        observedOf('u1', { email: 'one@x.test' }, { hash: 'a' }),
        observedOf('u1', { email: 'two@x.test' }, { hash: 'b' }),
        observedOf('u2', { email: half, name: '"quoted" \\ \u0000 name' }, { hash: 'c' }),
      ],
      1,
    );
    const find = (name: string, value: string) => mirror.findIds('users', name, value);
    expect([find('email', 'one@x.test'), find('email', 'two@x.test'), find('email', half)]).toEqual([
      [],
      ['u1'],
      ['u2'],
    ]);
    mirror.save([observedOf('u1', { email: 'two@x.test' }, { hash: 'b' })], 2);
    expect([mirror.seen('users', 'u1'), mirror.seen('users', 'u2'), mirror.seen('users', 'u3')]).toEqual([2, 1, -1]);
    mirror.remove('users', ['u2']);
    expect(find('email', half)).toEqual([]);
  });

  it('finds a multilingual name in any language, and a project by its customer', () => {
    const { mirror } = openTestStores();
    mirror.save(
      [observedOf('p1', { project_name: { en: 'Dam', no: 'Demning' }, customer_id: 'c1' }, { entity: 'projects' })],
      1,
    );
    for (const [name, value] of [
      ['project_name', 'dam'],
      ['project_name', 'demning'],
      ['customer_id', 'c1'],
    ] as const) {
      expect(mirror.findIds('projects', name, value)).toEqual(['p1']);
    }
  });

  it('knows the people that the newest full read did not see', () => {
    const { mirror } = openTestStores();
    mirror.save([observedOf('u1'), observedOf('u2'), observedOf('u3', {}, { active: false })], 1);
    mirror.save([observedOf('u2')], 2);
    expect(mirror.unseen('users', 2, 10).map(({ id }) => id)).toEqual(['u1', 'u3']);
    expect(mirror.unseen('users', 2, 1).map(({ id }) => id)).toEqual(['u1']);
    expect(mirror.counts('users')).toEqual({ all: 3, active: 2 });
    expect([...mirror.all('users')].map(({ id }) => id)).toEqual(['u1', 'u2', 'u3']);
  });

  it("shows a person's office by its current name in the list of offices", () => {
    const stores = openTestStores();
    stores.mirror.save([observedOf('o1', { name: 'Oslo S', country: 'no' }, { entity: 'offices' })], 1);
    const jane = observedOf('u1', { office_id: 'o1', office: { country: 'no', name: 'Oslo' } });
    expect(stores.withNames(jane).values.office).toEqual({ country: 'no', name: 'Oslo S' });
    const lost = observedOf('u2', { office_id: 'o9' });
    expect(stores.withNames(lost)).toEqual(lost);
  });
});

describe('history', () => {
  it('keeps the newest complete read of a source', () => {
    const { history } = openTestStores();
    history.recordRead('r1', evidenceOf({ rows: 10 }));
    history.recordRead('r2', evidenceOf({ rows: 20, delivery: 'd2' }));
    history.recordRead('r3', evidenceOf({ rows: 5, complete: false, incompleteBecause: 'cut' }));
    expect([history.lastCompleteRead('hr')?.rows, history.lastCompleteRead('hr')?.delivery]).toEqual([20, 'd2']);
    expect(history.lastCompleteRead('idp')).toBeNull();
  });

  it('keeps approvals until they expire or are spent', () => {
    const { history } = openTestStores();
    const given = { id: 'a1', guard: 'users.deactivate', who: 'ops', reason: '', at: AT };
    history.approve([
      { ...given, changeId: 'c1', expiresAt: '2026-11-21T08:00:00.000Z' },
      { ...given, changeId: 'c2', expiresAt: '2026-11-20T09:00:00.000Z' },
    ]);
    expect([...history.approvalsAt('2026-11-20T08:59:59.999Z').keys()].toSorted()).toEqual(['c1', 'c2']);
    expect([...history.approvalsAt('2026-11-20T09:00:00.000Z').keys()]).toEqual(['c1']);
    history.approve([{ ...given, id: 'a2', changeId: 'c1', expiresAt: '2026-11-22T08:00:00.000Z' }]);
    expect(history.approvalsAt('2026-11-21T12:00:00.000Z').get('c1')?.id).toBe('a2');
    history.spendApproval('c1');
    expect(history.approvalsAt(AT).has('c1')).toBe(false);
  });

  it('stores, replaces and clears absences per person, also more than fit in one statement', () => {
    const { history } = openTestStores();
    const absence = {
      kind: 'absent',
      observations: 1,
      firstAt: AT,
      lastAt: AT,
      lastDelivery: 'd1',
      context: 'c',
    } as const;
    const keys = Array.from({ length: 1_200 }, (_, i) => `E${i}`);
    for (const key of keys) history.saveAbsence('users', key, absence);
    history.saveAbsence('users', 'E1', { ...absence, kind: 'left', observations: 2 });
    expect(history.absence('users', 'E1')).toMatchObject({ kind: 'left', observations: 2, firstAt: AT });
    expect(history.absence('customers', 'E1')).toBeNull();
    history.clearAbsence('users', keys.slice(1));
    expect(history.absentKeys('users')).toEqual(['E0']);
  });

  it('lists runs newest first, with their outcome', () => {
    const { history } = openTestStores();
    history.startRun({ id: 'r1', command: 'sync', startedAt: AT, configDigest: 'd' });
    history.startRun({ id: 'r2', command: 'apply', startedAt: '2026-11-20T09:00:00.000Z', configDigest: 'd' });
    history.endRun('r1', { endedAt: AT, plan: 'p1', exitCode: 3, result: '{}' });
    expect(history.lastRuns(5).map(({ id, exitCode, plan }) => [id, exitCode, plan])).toEqual([
      ['r2', null, null],
      ['r1', 3, 'p1'],
    ]);
    expect(history.lastRuns(1).length).toBe(1);
  });
});
