import { describe, expect, it } from 'vitest';
import { Secret } from '../../../src/base/secrets/secret.js';
import type { Change } from '../../../src/model/plan.js';
import { buildEntry } from '../../../src/store/audit/audit-entry.js';
import { appendEntry, appendEvent, readEntries } from '../../../src/store/audit/audit-log.js';
import { EVERY_LINE } from '../../../src/store/audit/log-filter.js';
import { originalOf } from '../../../src/store/audit/pseudonyms.js';
import { pseudonymiseLine, readLog } from '../../../src/store/audit/read-log.js';
import { verifyChain } from '../../../src/store/audit/verify-chain.js';
import { openStores, type Stores } from '../../../src/store/open-stores.js';
import { changeOf, makeFolder } from '../../samples.js';

const AT = '2026-11-21T10:00:00.000Z';
const MORE = { run: 'r1', at: AT, calls: [], target: 'u7', result: 'not taken', approval: null } as const;

function openVeiled(): Stores {
  return openStores(makeFolder(), { lockedAt: AT }, { pseudonymise: true });
}

const JANE = changeOf('users', 'E7', {
  label: 'Jane Quimby <jane@example.com>',
  before: { email: 'Jane@Example.com', born_year: 1980, title: { en: 'Lead' } },
  after: {
    email: 'jane@example.com',
    name: 'Jane Quimby',
    born_year: 1981,
    name_multilang: { en: 'Jane Quimby' },
    external_unique_id: 'E7',
    office: { country: 'no', name: 'Oslo' },
    title: { en: 'Head' },
  },
  reason: { kind: 'changed', text: 'name moved to Jane Quimby in hr' },
});

function write(stores: Stores, change: Change, error: string | null = null): void {
  appendEntry(stores.audit, buildEntry(change, { ...MORE, error }));
}

describe('pseudonyms', () => {
  it('replace everything that identifies a person and keep the rest readable', () => {
    const stores = openVeiled();
    write(stores, JANE, 'The service answered with other values: name: Jane Quimby; bob@example.com has it');
    const [entry] = [...readEntries(stores.audit)];
    const text = JSON.stringify(entry);
    for (const personal of ['Jane', 'Quimby', 'example.com', '1980', '1981']) expect(text).not.toContain(personal);
    expect(entry).toMatchObject({
      key: 'E7',
      target: 'u7',
      pseudonymised: true,
      before: { title: { en: 'Lead' } },
      after: { external_unique_id: 'E7', office: { country: 'no', name: 'Oslo' }, title: { en: 'Head' } },
    });
    expect(entry?.label).toMatch(/^p_[0-9a-f]{20}$/);
    // One person has one pseudonym, however the address is written.
    expect(entry).toMatchObject({ before: { email: entry?.label }, after: { email: entry?.label } });
    expect(verifyChain(stores.audit).ok).toBe(true);
    stores.close();
  });

  it('differ between states', () => {
    const labels = [1, 2].map(() => {
      const stores = openVeiled();
      write(stores, JANE);
      const [entry] = [...readEntries(stores.audit)];
      stores.close();
      return entry?.label;
    });
    expect(labels[0]).not.toBe(labels[1]);
  });

  it('cover owners of projects and free text, but not names of things', () => {
    const stores = openVeiled();
    write(
      stores,
      changeOf('projects', 'P1', { label: 'Dam', after: { owners: ['jane@example.com'], architect: 'Snow' } }),
    );
    const given = { at: AT, by: 'ops', approval: 'a1', plan: 'p1', guards: [], changes: [], expires: AT };
    appendEvent(stores.audit, { kind: 'approval given', ...given, reason: 'asked by jane@example.com' });
    const [project, approval] = [...readLog(stores.audit)];
    expect(project).toMatchObject({
      label: 'Dam',
      after: { owners: [expect.stringMatching(/^p_/)], architect: 'Snow' },
    });
    expect(approval).toMatchObject({ reason: expect.stringMatching(/^asked by p_[0-9a-f]{20}$/) });
    stores.close();
  });

  it('replace the labels of decided records once, and keep their keys', () => {
    const stores = openVeiled();
    const record = { change: 'c1', entity: 'users', key: 'E1', action: 'update', label: 'Jane <jane@example.com>' };
    const given = { kind: 'approval revoked', at: AT, by: 'ops', approval: 'a1', reason: '' } as const;
    appendEvent(stores.audit, { ...given, changes: ['c1'], records: [record] });
    const [line] = [...readLog(stores.audit)];
    expect(line).toMatchObject({ records: [{ key: 'E1', label: expect.stringMatching(/^p_[0-9a-f]{20}$/) }] });
    if (line !== undefined) expect(pseudonymiseLine(stores.audit.makePseudonymKey(), line)).toEqual(line);
    stores.close();
  });

  it('are found by the name they replace', () => {
    const stores = openVeiled();
    write(stores, JANE);
    write(stores, changeOf('users', 'E8', { label: 'Bob <bob@example.com>' }));
    const find = (words: string) =>
      [...readLog(stores.audit, { ...EVERY_LINE, who: { entity: null, words } })].map(({ seq }) => seq);
    expect([find('jane@example.com'), find('jane quimby'), find('e8'), find('nobody')]).toEqual([[1], [1], [2], []]);
    stores.close();
  });

  it('give way to the true values while the journal keeps them, and only if the commitment matches', () => {
    const stores = openVeiled();
    stores.journal.intend([{ run: 'r1', change: JANE, step: 'update', at: AT }]);
    write(stores, JANE);
    write(stores, changeOf('users', 'E8'));
    const [jane, other] = [...readEntries(stores.audit)];
    if (jane === undefined || other === undefined) throw new Error('two entries were written');
    expect(originalOf(stores, jane)).toMatchObject({ label: JANE.label, before: JANE.before, after: JANE.after });
    expect(originalOf(stores, other)).toBeNull();
    stores.journal.intend([
      { run: 'r1', change: { ...JANE, after: { ...JANE.after, name: 'Mallory' } }, step: 'update', at: AT },
    ]);
    expect(originalOf(stores, jane)).toBeNull();
    stores.close();
  });
});

it('removes a secret from a message before writing it', () => {
  new Secret('s3cr"et-key');
  const stores = openStores(makeFolder(), { lockedAt: AT });
  write(stores, JANE, 'rejected: Bearer s3cr"et-key is unknown');
  const [entry] = [...readEntries(stores.audit)];
  expect(entry?.error).toBe('rejected: Bearer [secret] is unknown');
  expect(verifyChain(stores.audit).ok).toBe(true);
  stores.close();
});
