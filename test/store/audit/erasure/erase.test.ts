import { cpSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { buildEntry } from '../../../../src/store/audit/audit-entry.js';
import { appendEntry, appendEvent, readEntries } from '../../../../src/store/audit/audit-log.js';
import {
  type ErasureOrder,
  eraseInSteps,
  findErasure,
  finishErasure,
} from '../../../../src/store/audit/erasure/erase.js';
import { findPerson } from '../../../../src/store/audit/erasure/find-person.js';
import { verifyChain } from '../../../../src/store/audit/verify-chain.js';
import { isInDatabase } from '../../../../src/store/erasure-store.js';
import { openStores, type Stores } from '../../../../src/store/open-stores.js';
import { changeOf, linkTo, makeFolder, observedOf } from '../../../samples.js';

const AT = '2026-11-21T10:00:00.000Z';
const EMAIL = 'jane.quimby@example.com';
const VALUES = { email: EMAIL, name: 'Jane Quimby', external_unique_id: 'E7' };
const ID = '5f2a42acd4526f72e83682bd';

/** A state with Jane in every table and file that can hold a person, and with another person. */
function openHistory(folder = makeFolder()): Stores {
  const stores = openStores(folder, { lockedAt: AT });
  const { history, journal, links } = stores;
  linkTo(stores, 'users', 'E7', observedOf(ID, VALUES));
  linkTo(stores, 'users', 'E1', observedOf('5f2a42acd4526f72e83682bf', { email: 'e1@example.com' }));
  const agreement = { written: {}, desiredHash: 'd', observedHash: 'o', contextHash: 'c' };
  links.agree('users', 'E7', { ...agreement, base: VALUES });
  const owners = { owners: [EMAIL, 'e1@example.com'] };
  linkTo(stores, 'projects', 'P1', observedOf('5f2a42acd4526f72e83682be', owners, { entity: 'projects' }));
  links.agree('projects', 'P1', { ...agreement, base: owners });
  const base = { lastDelivery: 'd', context: 'c', firstAt: AT, lastAt: AT, observations: 1 };
  history.saveAbsence('users', 'E7', { kind: 'absent', ...base });
  const changes = [
    changeOf('users', 'E7', { label: `Jane Quimby <${EMAIL}>`, after: VALUES }),
    changeOf('users', 'E1', { label: 'One <e1@example.com>' }),
    changeOf('projects', 'P1', { label: 'Dam', after: owners }),
  ];
  const given = { guard: 'g', who: 'ops', at: AT, expiresAt: '2030-01-01T00:00:00.000Z' };
  history.approve([
    { ...given, id: 'a1', reason: 'case 7', changeId: 'id-users-E7' },
    { ...given, id: 'a2', reason: 'as Quimby wished', changeId: 'id-users-E1' },
  ]);
  for (const change of changes) {
    const [seq = 0] = journal.intend([{ run: 'r1', change, step: 'create', at: AT }]);
    const outcome = { at: AT, requestId: 'q', httpStatus: 200, provedBy: null, observed: null, error: null };
    journal.settle(seq, { status: 'done', ...outcome });
    const more = { run: 'r1', at: AT, calls: [], error: null, target: null, approval: null };
    appendEntry(stores.audit, buildEntry(change, { ...more, result: 'done' }));
  }
  const approval = { at: AT, by: 'ops', approval: 'a2', plan: 'p1', guards: ['g'], expires: AT };
  const event = { kind: 'approval given', ...approval, reason: 'as Quimby wished' } as const;
  const records = changes.map(({ id: change, entity, key, action, label }) => ({ change, entity, key, action, label }));
  appendEvent(stores.audit, { ...event, changes: ['id-users-E1'], records });
  history.startRun({ id: 'r1', command: 'sync', startedAt: AT, configDigest: 'd' });
  const held = [
    { entity: 'users', key: 'E7', place: 'hr x.csv:3', code: 'SYNC_MAP_VALUE', reason: 'Quimby', remedy: 'x' },
  ];
  const failed = [{ entity: 'projects', key: 'P1', message: `owner ${EMAIL} is unknown` }];
  history.endRun('r1', { endedAt: AT, plan: null, exitCode: 4, result: JSON.stringify({ done: 3, held, failed }) });
  history.setFact('note.of.a.later.table', JSON.stringify({ pinned: [EMAIL] }));
  for (const [name, text] of FILES) {
    mkdirSync(join(folder, name, '..'), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return stores;
}

const FILES: readonly (readonly [string, string])[] = [
  ['plans/p1.json', `{"format":1,"meta":{}}\n"toService":[\n{"entity":"users","key":"E7"}\n]`],
  ['plans/p2.json', `{"format":1,"meta":{}}\n"toService":[\n{"entity":"users","key":"E71"}\n]`],
  ['reports/r1.html', `<td>JANE.QUIMBY@example.com</td>`],
  ['reports/r2.html', `<td>not.jane.quimby@example.com, jane.quimby@example.com.au</td>`],
  ['rejects/hr.csv', `E7;Jane  Quimby;x\n`],
  ['notes.txt', `ask ${EMAIL}.`],
];

function listFiles(folder: string): readonly string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

function findBytes(folder: string): readonly string[] {
  return listFiles(folder).filter((file) => {
    const text = readFileSync(file, 'latin1');
    return /(?<!not\.)jane\.quimby@example\.com(?!\.au)|Quimby/.test(text);
  });
}

function orderFor(stores: Stores): ErasureOrder {
  const { person } = findPerson(stores, EMAIL);
  return { erasure: 'e1', at: AT, by: 'ops', reason: 'case 7', person };
}

function expectClean(folder: string): void {
  const stores = openStores(folder);
  const { rows, ...rest } = findErasure(
    stores,
    {
      keys: ['E7'],
      ids: [ID],
      refs: [],
      texts: [EMAIL, 'Jane Quimby'],
      nameParts: ['Quimby'],
      belongings: [],
      changes: ['id-users-E7'],
    },
    isInDatabase,
  );
  expect(rows).toEqual({});
  expect(rest).toMatchObject({ entries: 0, restated: 0, files: { remove: [], left: ['notes.txt'] } });
  expect(verifyChain(stores.audit)).toMatchObject({ ok: true, erased: 3 });
  expect(stores.erasure.pending()).toBeNull();
  // The others lose only what named her.
  expect(stores.links.find('users', 'E1')).not.toBeNull();
  expect(stores.links.find('projects', 'P1')).toMatchObject({ base: null });
  expect([...stores.history.approvalsAt(AT).values()]).toMatchObject([{ changeId: 'id-users-E1', reason: '[erased]' }]);
  expect(JSON.parse(stores.history.findRun('r1')?.result ?? '')).toMatchObject({
    done: 3,
    held: [{ entity: 'users', key: '[erased]', code: 'SYNC_MAP_VALUE', reason: '[erased]' }],
    failed: [{ entity: 'projects', key: 'P1', message: '[erased]' }],
  });
  expect(stores.mirror.counts('users').all).toBe(1);
  stores.close();
  expect(findBytes(folder)).toEqual([join(folder, 'notes.txt')]);
  const left = listFiles(folder).filter((file) => /plans|reports|rejects/.test(file));
  expect(left.map((file) => file.slice(folder.length + 1)).sort()).toEqual(['plans/p2.json', 'reports/r2.html']);
}

describe('an erasure', () => {
  it('removes everything about the person from every table and file, and nothing about the others', () => {
    const stores = openHistory();
    const held = ['mirror.db-wal', 'notes.txt', 'rejects/hr.csv', 'state.db-wal'];
    expect(findBytes(stores.folder).toSorted()).toEqual(held.map((name) => join(stores.folder, name)));
    expect([...eraseInSteps(stores, orderFor(stores))]).toEqual([
      'written down',
      'files',
      'mirror',
      'state',
      'shrunk',
      'done',
    ]);
    stores.close();
    expectClean(stores.folder);
  });

  it.each([1, 2, 3, 4, 5])('is finished by the next process if it was killed after step %i', (steps) => {
    const stores = openHistory();
    const erasure = eraseInSteps(stores, orderFor(stores));
    for (let step = 0; step < steps; step += 1) expect(erasure.next().done).toBe(false);
    // A killed process leaves the files unchanged, with their write-ahead logs.
    const folder = makeFolder();
    cpSync(stores.folder, folder, { recursive: true });
    stores.close();
    const next = openStores(folder, { lockedAt: AT });
    expect(finishErasure(next)).toBe('done');
    expect(finishErasure(next)).toBe('nothing to do');
    next.close();
    expectClean(folder);
  });

  it('leaves the logs while another process reads the databases, and empties them the next time', () => {
    const stores = openHistory();
    const reader = new Database(join(stores.folder, 'state.db'), { readonly: true });
    reader.exec('BEGIN');
    reader.prepare('SELECT count(*) FROM audit').get();
    expect([...eraseInSteps(stores, orderFor(stores))].at(-1)).toBe('log busy');
    expect(stores.erasure.pending()).not.toContain('quimby');
    const logs = ['state.db-wal', 'mirror.db-wal'].map((name) => join(stores.folder, name));
    const bytes = logs.map((log) => statSync(log).size);
    expect(finishErasure(stores)).toBe('log busy');
    // The files are not written again.
    expect(logs.map((log) => statSync(log).size)).toEqual(bytes);
    reader.close();
    expect(finishErasure(stores)).toBe('done');
    stores.close();
    expectClean(stores.folder);
  });

  it('reaches unknown tables, by key and by name', () => {
    const stores = openHistory();
    const sqlite = new Database(join(stores.folder, 'state.db'));
    sqlite.exec(
      "CREATE TABLE notes (entity TEXT, key TEXT, value TEXT); INSERT INTO notes VALUES ('users', 'E7', '1'), ('users', 'E1', '2'), ('projects', 'E7', '3')",
    );
    sqlite.prepare("INSERT INTO notes VALUES ('projects', 'P1', ?)").run(JSON.stringify({ owners: [EMAIL] }));
    expect(
      findErasure(
        stores,
        orderFor(stores).person ?? {
          keys: [],
          ids: [],
          refs: [],
          texts: [],
          nameParts: [],
          belongings: [],
          changes: [],
        },
        isInDatabase,
      ).rows,
    ).toMatchObject({ notes: 2 });
    for (const _step of eraseInSteps(stores, orderFor(stores)));
    expect(sqlite.prepare('SELECT value FROM notes').pluck().all()).toEqual(['2', '3']);
    sqlite.close();
    stores.close();
  });

  it('includes sections of the person’s CV and links to projects', () => {
    const stores = openHistory();
    const { audit, links } = stores;
    const more = { run: 'r1', at: AT, calls: [], error: null, approval: null, result: 'done' } as const;
    const link = { serviceId: 'c1', origin: 'created', run: 'r1', at: AT } as const;
    links.link({ ...link, entity: 'certifications', sourceKey: 'cert-1' });
    const created = { after: { user: 'E7', name: { en: 'Diver' } } };
    appendEntry(audit, buildEntry(changeOf('certifications', 'cert-1', created), { ...more, target: 'c1' }));
    // The entry itself does not name the person, but its key does.
    const updated = { after: { name: { en: 'Deep diver' } } };
    appendEntry(audit, buildEntry(changeOf('certifications', 'cert-1', updated), { ...more, target: 'c1' }));
    const linked = { after: { user: EMAIL, project: 'P1' } };
    appendEntry(audit, buildEntry(changeOf('staffing', 's-1', linked), { ...more, target: null }));
    const other = { after: { user: 'E1', name: { en: 'Diver' } } };
    appendEntry(audit, buildEntry(changeOf('certifications', 'cert-2', other), { ...more, target: 'c2' }));
    for (const _step of eraseInSteps(stores, orderFor(stores)));
    const left = [...readEntries(audit)].map(({ key }) => key);
    expect(left).toEqual(['E1', 'cert-2']);
    expect(links.find('certifications', 'cert-1')).toBeNull();
    expect(verifyChain(audit).ok).toBe(true);
    stores.close();
  });

  it('reports open calls about the person', () => {
    const stores = openHistory();
    stores.journal.intend([{ run: 'r2', change: changeOf('users', 'E7'), step: 'update', at: AT }]);
    const { person } = orderFor(stores);
    expect(person === null ? null : findErasure(stores, person, isInDatabase).openIntents).toBe(1);
    stores.close();
  });
});
