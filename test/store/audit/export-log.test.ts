import { parse } from 'csv-parse/sync';
import { describe, expect, it } from 'vitest';
import { buildEntry } from '../../../src/store/audit/audit-entry.js';
import { appendEntry, appendEvent } from '../../../src/store/audit/audit-log.js';
import { exportLog } from '../../../src/store/audit/export-log.js';
import { readLog } from '../../../src/store/audit/read-log.js';
import type { Stores } from '../../../src/store/open-stores.js';
import { changeOf, openTestStores } from '../../samples.js';

const AT = '2026-11-21T10:00:00.000Z';
const MORE = { run: 'r1', at: AT, target: 'u1', result: 'done', error: null, approval: null } as const;
const CALLS = [
  { call: 'POST /api/v1/users', status: 200, request_id: 'q1' },
  { call: 'PUT /api/v1/users/{user_id}', status: null, request_id: null },
];

function openLog(): Stores {
  const stores = openTestStores();
  const { audit } = stores;
  appendEvent(audit, { kind: 'run started', at: AT, run: 'r1', command: 'sync', by: 'ops', config: 'abc' });
  const change = changeOf('users', '=HYPERLINK("http://evil.example")', {
    label: '@Jane "the Great"\nQuimby, Dr.',
    before: { telephone: null },
    after: { telephone: '+47 900' },
    place: '-1+1',
  });
  appendEntry(audit, buildEntry(change, { ...MORE, calls: CALLS, error: '+late' }));
  appendEntry(audit, buildEntry(changeOf('users', 'E2'), { ...MORE, calls: [] }));
  audit.erase([3]);
  return stores;
}

async function exported({ audit }: Stores, format: 'jsonl' | 'csv'): Promise<string> {
  let text = '';
  for await (const part of exportLog(readLog(audit), format)) text += part;
  return text;
}

describe('an export', () => {
  it('writes one JSON document per line, including erased entries', async () => {
    const stores = openLog();
    const lines = (await exported(stores, 'jsonl')).trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([...readLog(stores.audit)]);
    expect(JSON.parse(lines[2] ?? '')).toEqual({ seq: 3, kind: 'erased', hash: stores.audit.find(3)?.hash });
  });

  it('writes one table row per entry, and no cell that a spreadsheet would run', async () => {
    const text = await exported(openLog(), 'csv');
    const rows = parse<Record<string, string>>(text, { columns: true });
    expect(rows).toHaveLength(3);
    expect(rows[0]).toMatchObject({
      seq: '1',
      kind: 'run started',
      run: 'r1',
      by: 'ops',
      details: '{"command":"sync","config":"abc"}',
    });
    expect(rows[1]).toMatchObject({
      key: '\'=HYPERLINK("http://evil.example")',
      label: '\'@Jane "the Great"\nQuimby, Dr.',
      place: "'-1+1",
      error: "'+late",
      cause_kind: 'joined',
      before: '{"telephone":null}',
      after: '{"telephone":"+47 900"}',
      calls: 'POST /api/v1/users 200 q1; PUT /api/v1/users/{user_id} - -',
      details: '',
    });
    expect(rows[2]).toMatchObject({ seq: '3', kind: 'erased', at: '', key: '', details: '' });
    const cells = rows.flatMap((row) => Object.values(row));
    expect(cells.filter((cell) => /^[=+\-@\t\r]/.test(cell))).toEqual([]);
  });

  it('lists the records of a decision in a column', async () => {
    const stores = openTestStores();
    const record = (key: string) => ({ change: key, entity: 'users', key, action: 'deactivate', label: key });
    const given = { kind: 'approval revoked', at: AT, by: 'kim', reason: 'no', approval: 'a1' } as const;
    appendEvent(stores.audit, { ...given, changes: ['E1', 'E2'], records: [record('E1'), record('E2')] });
    const [row] = parse<Record<string, string>>(await exported(stores, 'csv'), { columns: true });
    expect(row?.records).toBe('deactivate users:E1; deactivate users:E2');
    expect(row?.details).not.toContain('records');
  });

  it('reads the log page by page, as lines are requested', async () => {
    const { audit, state } = openTestStores();
    state.transaction(() => {
      for (let i = 0; i < 3_000; i += 1)
        appendEntry(audit, buildEntry(changeOf('users', `E${i}`), { ...MORE, calls: [] }));
    });
    let taken = 0;
    function* rows(): ReturnType<typeof audit.rows> {
      for (const row of audit.rows()) {
        taken += 1;
        yield row;
      }
    }
    const counted = { ...audit, rows };
    for (const format of ['jsonl', 'csv'] as const) {
      taken = 0;
      for await (const _part of exportLog(readLog(counted), format)) break;
      expect(taken).toBeGreaterThan(0);
      expect([format, taken <= 500]).toEqual([format, true]);
    }
  });
});
