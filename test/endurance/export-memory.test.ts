import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { stringify } from 'yaml';
import { buildEntry } from '../../src/store/audit/audit-entry.js';
import { appendEntry } from '../../src/store/audit/audit-log.js';
import { openStores } from '../../src/store/open-stores.js';
import { changeOf, makeFolder } from '../samples.js';
import { buildConfig } from '../scenarios/company.js';

const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
const AT = '2026-11-21T10:00:00.000Z';
const CALLS = [
  { call: 'POST /api/v1/users', status: 200, request_id: 'q1' },
  { call: 'PUT /api/v1/users/{user_id}', status: null, request_id: null },
];
const MORE = { run: 'r1', at: AT, target: 'u1', result: 'done', error: null, approval: null, calls: CALLS } as const;

it('exports 50,000 entries of 50 MB with a heap of 40 MB', () => {
  const folder = makeFolder();
  const stores = openStores(join(folder, 'var'), { lockedAt: AT });
  const long = { en: 'x'.repeat(700) };
  stores.state.transaction(() => {
    for (let i = 0; i < 50_000; i += 1)
      appendEntry(stores.audit, buildEntry(changeOf('users', `E${i}`, { after: { title: long } }), MORE));
  });
  stores.close();
  writeFileSync(join(folder, 'talent-sync.yaml'), stringify(buildConfig('http://127.0.0.1:9')));
  for (const format of ['jsonl', 'csv']) {
    const out = join(folder, `audit.${format}`);
    const words = [
      'audit',
      'export',
      '--format',
      format,
      '--out',
      out,
      '--json',
      '--config',
      join(folder, 'talent-sync.yaml'),
    ];
    const { stdout, stderr, status } = spawnSync(process.execPath, ['--max-old-space-size=40', MAIN, ...words], {
      env: { ...process.env, TALENT_API_KEY: 'admin-key' },
      encoding: 'utf8',
    });
    expect([stderr, status]).toEqual(['', 0]);
    expect(JSON.parse(stdout)).toMatchObject({ file: out, format, entries: 50_000 });
    const text = readFileSync(out, 'latin1');
    expect(text.length).toBeGreaterThan(50_000_000);
    expect(text.trimEnd().split('\n').at(-1)).toContain('E49999');
  }
});
