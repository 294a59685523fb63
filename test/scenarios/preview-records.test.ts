import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { openDropStore } from '../../src/connectors/drop/open-store.js';
import { refuseOffline } from '../../src/connectors/offline.js';
import type { Preview } from '../../src/model/preview.js';
import { makePreviewCopy } from '../../src/store/preview-copy.js';
import { openPushStore } from '../../src/store/state/open-push-store.js';
import { sweep } from '../depth.js';
import { listenOnLoopback } from '../loopback.js';
import { CRM, HOUR, merge, person, type Yaml } from './company.js';
import { openStory, type Story } from './kit.js';
import { PUSHED_PEOPLE } from './pushed-people.js';

const COMPANIES = ['C1', 'C2', 'C3'].map((id) => ({ id, name: `Company ${id}`, changed: '2026-01-01T00:00:00Z' }));

/** A company with a CRM over HTTP that counts its calls. One run has read it. */
async function openWithCrm(more: { readonly [key: string]: Yaml }): Promise<{ story: Story; calls: () => number }> {
  let calls = 0;
  const server = createServer((_request, response) => {
    calls += 1;
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ rows: COMPANIES, total: COMPANIES.length }));
  });
  const companies = {
    ...{ path: '/companies', rows: '/rows', total: '/total', next: { offset: 'skip' }, key: 'id' },
    columns: { id: 'string', name: 'string', url: { type: 'string', optional: true } },
    ...more,
  };
  const story = await openStory();
  const crm = { type: 'crm', base_url: await listenOnLoopback(server), streams: { companies } };
  story.configure({ customers: CRM.customers ?? null, sources: { crm } });
  story.deliver([person('E1')]);
  await story.sync();
  return { story, calls: () => calls };
}

async function preview(story: Story, patch: { readonly [key: string]: Yaml }): ReturnType<Story['type']> {
  const edited = join(story.folder, 'edited.yaml');
  writeFileSync(edited, stringify(merge(parse(readFileSync(story.configFile, 'utf8')) as Yaml, patch)));
  return story.type('preview', '--config', edited, '--against', story.configFile, '--json');
}

const NAMES = { customers: { fields: { customer_name: { en: 'record.name + " Ltd"' } } } };
const INCREMENTAL = { incremental: { full_every: '24h', modified: '/changed', parameter: 'since' } };

test('uses the stored rows of a stream that asks for changes, however old, without a call', async () => {
  const { story, calls } = await openWithCrm(INCREMENTAL);
  const before = calls();
  story.clock.advance(72 * HOUR);
  const { code, stdout, stderr } = await preview(story, NAMES);
  expect([code, stderr]).toEqual([0, '']);
  expect((JSON.parse(stdout) as Preview).counts).toEqual([
    { entity: 'customers', action: 'update', in_force: 0, edited: 3 },
  ]);
  expect(calls()).toBe(before);
});

sweep('says that the rows of a stream are not stored, and does not request them', async () => {
  const { story, calls } = await openWithCrm({});
  const before = calls();
  const { code, stdout } = await preview(story, NAMES);
  expect([code, JSON.parse(stdout)]).toMatchObject([
    1,
    { error: { code: 'SYNC_PREVIEW_RECORDS', problems: [{ place: 'customers.fields.customer_name' }] } },
  ]);
  expect(calls()).toBe(before);
});

test('opens no connection to a server of files', () => {
  const sftp = { host: '127.0.0.1', port: 1, path: '/', username: 'x' } as never;
  const context = { isOffline: true } as never;
  const drop = 'sftp://127.0.0.1:1/';
  expect(() => openDropStore({ drop, sftp }, context)).toThrow(refuseOffline(drop).message);
});

test('removes the copy that a killed preview left by an erasure', async () => {
  const story = await openStory();
  story.deliver([person('E1'), person('E2')]);
  await story.sync();
  const folder = join(story.folder, 'var');
  makePreviewCopy(folder, null);
  const found = await story.type('audit', 'erase', 'e1@example.com', '--reason', 'asked for', '--json');
  expect(found.stdout).not.toContain('preview');
  await story.type('audit', 'erase', 'e1@example.com', '--reason', 'asked for', '--yes');
  expect(existsSync(join(folder, 'preview/copy'))).toBe(false);
});

sweep('reads what an identity provider has pushed, even after the last run', async () => {
  const story = await openStory();
  story.configure(PUSHED_PEOPLE);
  await story.plan();
  const { store, close } = openPushStore(join(story.folder, 'var'));
  const push = (id: string): void => {
    const mail = `${id}@example.com`;
    const attributes = {
      userName: mail,
      externalId: id,
      displayName: 'Berit Moe',
      active: true,
      emails: [{ value: mail }],
    };
    const row = { id, nameKey: mail, externalId: id, display: mail, attributes, created: '2026-01-01T00:00:00.000Z' };
    store.insert('entra', 'User', row);
  };
  push('p1');
  await story.sync();
  push('p2');
  close();
  const { code, stdout, stderr } = await preview(story, { users: { scope: 'record.?externalId.orValue("") == "p1"' } });
  expect([code, stderr]).toEqual([0, '']);
  expect((JSON.parse(stdout) as Preview).counts).toEqual([
    { entity: 'users', action: 'create', in_force: 1, edited: 0 },
  ]);
});
