import { expect, test } from 'vitest';
import { joinSentence, tellEntry } from '../../../src/report/texts/audit-sentence.js';
import type { AuditEntry } from '../../../src/store/audit/audit-entry.js';
import type { AuditEvent } from '../../../src/store/audit/events.js';

const AT = '2026-11-28T09:15:00.000Z';

const change = (more: Partial<AuditEntry>): AuditEntry => ({
  ...{ kind: 'change', run: 'r1', at: AT, change: 'c1', entity: 'users', action: 'update', key: 'E1', target: '7f' },
  ...{
    label: 'Jane Doe <jane@example.com>',
    approval: null,
    place: 'hr employees-01.csv:2',
    calls: [],
    result: 'done',
  },
  ...{ before: { title: { en: 'Consultant' } }, after: { title: { en: 'Project Manager' } }, error: null },
  cause: { kind: 'changed', text: 'title changed in hr' },
  ...more,
});

const decided = { at: AT, by: 'kim', reason: 'case 7' } as const;
const approval = { approval: 'a1', plan: 'p1', guards: ['users.deactivate'], changes: ['c1', 'c2'], expires: AT };

const record = (key: string, label: string) => ({ change: key, entity: 'users', key, action: 'deactivate', label });

test.each<readonly [AuditEntry | AuditEvent, string]>([
  [change({}), 'Title of Jane Doe changed from Consultant to Project Manager, because it changed in hr'],
  [
    change({
      cause: { kind: 'undone', text: '…' },
      undoes: { run: 'r1', changes: ['c1'], derived: false, by: 'kim', reason: 'wrong file' },
    }),
    'Title of Jane Doe changed from Consultant to Project Manager, because kim undid run r1: wrong file',
  ],
  [
    change({ cause: { kind: 'undone', text: '…' }, undoes: { run: 'r1', changes: ['c1'], derived: false } }),
    'Title of Jane Doe changed from Consultant to Project Manager, because somebody undid run r1',
  ],
  [
    change({ cause: { kind: 'drifted', text: '…' } }),
    'Title of Jane Doe reset from Consultant to Project Manager, because hr owns it; it had been changed in the service',
  ],
  [
    change({ before: { title: null, telephone: '1' }, after: { title: { en: 'Lead' }, telephone: null } }),
    'Title of Jane Doe changed to Lead, telephone from 1 to nothing, because it changed in hr',
  ],
  [
    change({ before: { title: { en: 'a', no: 'b' } }, after: { title: { en: 'c', no: 'd' } } }),
    'Title (en) of Jane Doe changed from a to c, title (no) from b to d, because it changed in hr',
  ],
  [
    change({ before: { name: 'a', email: 'b', telephone: 'c' }, after: { name: 'd', email: 'e', telephone: 'f' } }),
    'Name, e-mail and 1 more of Jane Doe changed, because it changed in hr',
  ],
  [
    change({
      action: 'deactivate',
      before: { deactivated: false },
      after: { deactivated: true },
      cause: { kind: 'absent', text: '…' },
    }),
    'Jane Doe was deactivated, because hr no longer has the record',
  ],
  [
    change({ action: 'create', entity: 'customers', label: 'Acme', result: 'refused', error: 'name is taken' }),
    'Customer Acme could not be created: it was rejected: name is taken',
  ],
  [
    change({
      action: 'relink',
      before: { source_key: 'E9' },
      after: { source_key: 'E1' },
      cause: { kind: 'by_hand', text: '…' },
    }),
    'Jane Doe was linked to key E1, in place of E9, because a person decided it',
  ],
  [
    change({ cause: { kind: 'new in a later version', text: 'the moon is full' }, result: 'in part' }),
    'Title of Jane Doe changed from Consultant to Project Manager, because the moon is full; only a part of it went through',
  ],
  [
    { kind: 'run started', at: AT, run: 'r1', command: 'sync', by: 'ops: sync, process 1 on w', config: 'x' },
    'ops started a run: sync',
  ],
  [{ kind: 'approval given', ...decided, ...approval }, 'kim approved 2 changes (users.deactivate): case 7'],
  [
    { kind: 'approval given', ...decided, ...approval, confirms: ['jo'], reason: '' },
    'kim approved 2 changes (users.deactivate) as the second of two people, without a reason',
  ],
  [
    {
      kind: 'change declined',
      ...decided,
      decline: 'd1',
      plan: 'p1',
      changes: ['c1'],
      until: '2026-12-31T23:59:00.000Z',
    },
    'kim declined 1 change until 2026-12-31 23:59 UTC: case 7',
  ],
  [
    { kind: 'conflict resolved', ...decided, entity: 'users', key: 'E1', question: 'q', winner: 'source' },
    'kim decided a conflict: the source is right about user E1: case 7',
  ],
  [
    {
      kind: 'approval given',
      ...decided,
      ...approval,
      records: [record('E1', 'Jane Doe <jane@example.com>'), record('E2', 'Kim')],
    },
    'kim approved the deactivation of Jane Doe and 1 other (users.deactivate): case 7',
  ],
  [
    { kind: 'approval lapsed', at: AT, approval: 'a1', changes: ['E1'], records: [record('E1', 'Jane Doe')] },
    'An approval lapsed; the deactivation of Jane Doe not carried out in time',
  ],
  [
    {
      ...{ kind: 'decline revoked', ...decided, decline: 'd1', changes: ['E1', 'E2'] },
      records: [record('E1', 'Jane Doe'), { ...record('C1', 'Acme'), entity: 'customers', action: 'update' }],
    },
    'kim revoked the decline of changes of Jane Doe and 1 other: case 7',
  ],
  [
    { kind: 'restated', at: AT, of: 4, entry: { kind: 'approval lapsed', at: AT, approval: 'a1', changes: ['c1'] } },
    'An approval lapsed; 1 change not carried out in time (rewritten for entry 4 when a person was erased)',
  ],
])('writes entry %# as a sentence', (line, sentence) => {
  expect(joinSentence(tellEntry({ seq: 1, hash: 'h', ...line }).sentence)).toBe(sentence);
});

test('returns the time, the tone, pages to link and ids for the small print', () => {
  const told = tellEntry({ seq: 1, hash: 'h', kind: 'approval given', ...decided, ...approval });
  expect(told).toMatchObject({ at: AT, tone: 'plain', links: { run: null, plan: 'p1' }, ids: ['a1'] });
  expect(tellEntry({ seq: 1, hash: 'h', ...change({ result: 'lost' }) })).toMatchObject({
    tone: 'bad',
    links: { run: 'r1', plan: null },
  });
  expect(tellEntry({ seq: 1, hash: 'h', kind: 'erased' }).at).toBeNull();
});
