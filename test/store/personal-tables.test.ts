import { describe, expect, it } from 'vitest';
import { PersonFinder } from '../../src/store/audit/erasure/person.js';
import { openDatabase } from '../../src/store/database.js';
import { judgeRow, NAMING, type PersonalRow } from '../../src/store/personal-tables.js';
import type { Sqlite } from '../../src/store/sqlite.js';
import { makeFolder } from '../samples.js';

const ID = '5f2a42acd4526f72e83682bd';
const CV = '5f2a42acd4526f72e83682be';
const JANE = new PersonFinder({
  keys: ['E7'],
  ids: [ID],
  aliases: [CV],
  refs: ['PN-7'],
  texts: ['jane.quimby@example.com', 'Jane Quimby', '+47 9001 2233'],
  nameParts: ['Quimby'],
  belongings: [],
  changes: [],
});

/**
 * The log is chained, and `store/audit/erasure/erase.ts` removes its texts. The others hold names of files and fields,
 * counts and times.
 */
const OTHERWISE: ReadonlySet<string> = new Set(['audit', 'report_deliveries', 'shared_texts']);

/**
 * Columns whose text is never the bare key of a person: texts, documents, hashes, times, names of streams and runs.
 * They are still searched for e-mail addresses, names, numbers and ids. Add a new column that may hold a bare key to
 * NAMING, and any other one here.
 */
const NEVER_A_KEY: ReadonlySet<string> = new Set([
  ...['entity', 'origin', 'run', 'at', 'source', 'stream', 'kind', 'type', 'action', 'status', 'step', 'name', 'value'],
  ...[
    'agreed',
    'written',
    'untaken',
    'was',
    'settled',
    'change',
    'observed',
    'body',
    'label',
    'result',
    'words',
    'shown',
    'filled',
  ],
  ...['desired_hash', 'observed_hash', 'context_hash', 'service_hash', 'hash', 'digest', 'config_digest', 'mapping'],
  ...['first_at', 'last_at', 'next_at', 'read_at', 'outcome_at', 'started_at', 'ended_at', 'expires_at', 'deleted_at'],
  ...['created', 'modified', 'stamp', 'until', 'delivery', 'last_delivery', 'because', 'context', 'command', 'plan'],
  ...[
    'guard',
    'guards',
    'who',
    'reason',
    'message',
    'error',
    'request_id',
    'proved_by',
    'change_id',
    'hold',
    'question',
    'winner',
    'path',
  ],
  ...['column_name', 'key_column', 'undone', 'display', 'state', 'group_id'],
  ...['place', 'raw', 'back', 'back_hash', 'starts', 'laid', 'failure'],
  ...['scope', 'code', 'cause', 'resolve', 'since', 'lapses'],
  ...['channel', 'event', 'news', 'told', 'sent_at', 'failing_since'],
  ...['via', 'what', 'before', 'field', 'approval'],
]);

function listColumns(sqlite: Sqlite): readonly (readonly [table: string, column: string])[] {
  const columns = sqlite
    .prepare<[], { table: string; name: string }>(
      `SELECT m.name AS "table", c.name AS name FROM sqlite_master m, pragma_table_info(m.name) c
       WHERE m.type = 'table' AND c.type = 'TEXT' AND m.name NOT LIKE 'sqlite%' AND m.name NOT LIKE '\\_\\_%' ESCAPE '\\'`,
    )
    .all();
  return columns.map(({ table, name }) => [table, name] as const).filter(([table]) => !OTHERWISE.has(table));
}

const folder = makeFolder();
const columns = (['state', 'mirror'] as const).flatMap((kind) => {
  const { sqlite } = openDatabase(`${folder}/${kind}.db`, kind, { lockedAt: '2026-01-01T00:00:00Z' });
  try {
    return listColumns(sqlite);
  } finally {
    sqlite.close();
  }
});

function isKept(table: string, row: PersonalRow): boolean {
  const verdict = judgeRow(table, row, JANE, new Set());
  if (verdict === 'keep') return true;
  const left = verdict === 'remove' ? {} : { ...row, ...verdict };
  return Object.values(left).some((value) => typeof value === 'string' && /quimby|9001|5f2a/i.test(value));
}

describe('an erasure and the tables of both databases', () => {
  it.each(columns)('finds in %s.%s every address, name, number and id of a person', (table, column) => {
    for (const text of ['jane.quimby@example.com', 'x Jane  Quimby y', ID, CV, `["${ID}"]`, `{"to":"+47 9001 2233"}`])
      expect([text, isKept(table, { [column]: text })]).toEqual([text, false]);
  });

  it('lists each column either as one that is searched for a bare key, or as one that never holds one', () => {
    expect(columns.filter(([, column]) => NAMING.has(column) === NEVER_A_KEY.has(column))).toEqual([]);
    for (const [table, column] of columns.filter(([, name]) => NAMING.has(name))) {
      const entity = columns.some(([one, name]) => one === table && name === 'entity') ? { entity: 'users' } : {};
      const word = column.includes('key') || Object.keys(entity).length === 0 ? 'E7' : ID;
      expect([table, column, judgeRow(table, { ...entity, [column]: word }, JANE, new Set())]).toEqual([
        ...[table, column],
        'remove',
      ]);
    }
  });

  it('removes the marks of a person and the position of a stream that lost a row, and keeps all others', () => {
    const mark = (name: string, value: string) => judgeRow('marks', { name, value }, JANE, new Set(['stream idp 3f']));
    expect(mark(`cv.${ID}`, '')).toBe('remove');
    expect(mark('source hr 12 newest', '{"id":"PN-7","time":"2026-01-01T00:00:00Z"}')).toBe('remove');
    expect(mark('source crm.deals 12 newest', '{"key":"E7","timeMs":5}')).toBe('remove');
    expect(mark('source idp 3f whole', '2026-01-01T00:00:00Z')).toBe('remove');
    for (const name of ['source idp 3f round', 'source crm 12 whole', 'users.cursor', 'cv.5f2a42acd4526f72e83682bc'])
      expect([name, mark(name, '7')]).toEqual([name, 'keep']);
  });

  it('keeps a pending message without the person', () => {
    const body = { kind: 'guard', of: 'users.deactivate', count: 49 };
    const judge = (more: object) =>
      judgeRow('notify_outbox', { event: 'x', body: JSON.stringify({ ...body, ...more }) }, JANE, new Set());
    expect(judge({ cause: 'real events', keys: [] })).toBe('keep');
    expect(judge({ cause: 'real events', keys: ['E71', 'E7', 'E8'] })).toEqual({
      body: JSON.stringify({ ...body, cause: 'real events', keys: ['E71', 'E8'] }),
    });
    expect(judge({ cause: 'Jane Quimby is two', keys: ['E71'] })).toEqual({
      body: JSON.stringify({ ...body, cause: '[erased]', keys: ['E71'] }),
    });
    expect(judge({ cause: 'of E7: gone', keys: [] })).toMatchObject({ body: expect.stringContaining('[erased]') });
    const outcome = { decisions: [{ what: 'approved', by: ['Jane Quimby', 'Ola'] }] };
    expect(judge({ cause: '', keys: [], outcome })).toEqual({
      body: JSON.stringify({
        ...body,
        ...{ cause: '', keys: [], outcome: { decisions: [{ what: 'approved', by: ['[erased]', 'Ola'] }] } },
      }),
    });
  });

  it('keeps another person with a longer number, and a row of another kind with the same key', () => {
    expect(judgeRow('links', { entity: 'users', source_key: 'E71', service_id: '1' }, JANE, new Set())).toBe('keep');
    expect(judgeRow('links', { entity: 'customers', source_key: 'E7', service_id: '1' }, JANE, new Set())).toBe('keep');
  });
});
