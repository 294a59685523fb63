import { createServer } from 'node:http';
import { expect, test } from 'vitest';
import { sweep } from '../depth.js';
import { listenOnLoopback } from '../loopback.js';
import { CRM, HOUR, merge, person, type Yaml } from './company.js';
import { CERTIFICATIONS, CREATE_SECTION, DELETE_SECTION, openCvStory, sectionsOf } from './cvs.js';
import { CREATE_USER, openStory, type Story } from './kit.js';
import { CREATE_CUSTOMER, CREATE_PROJECT, UPDATE_CUSTOMER } from './reference-projects.js';

type Row = { readonly id: string; readonly [column: string]: string };

interface Crm {
  readonly url: string;
  /** By the last segment of the path. */
  rows: Readonly<Record<string, readonly Row[]>>;
  /** `cut`: counts one more than it lists. */
  mode: 'whole' | 'cut' | 'down';
}

/** A CRM that lists its rows in pages of two. */
async function openCrm(rows: Crm['rows']): Promise<Crm> {
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://crm');
    const all = crm.rows[url.pathname.slice(1)] ?? [];
    const skip = Number(url.searchParams.get('skip'));
    const total = all.length + (crm.mode === 'cut' ? 1 : 0);
    response.writeHead(crm.mode === 'down' ? 503 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ rows: all.slice(skip, skip + 2), total }));
  });
  const crm: Crm = { url: await listenOnLoopback(server), rows, mode: 'whole' };
  return crm;
}

const optional = { type: 'string', optional: true };
const describeStream = (path: string, columns: Yaml): Yaml => ({
  path,
  rows: '/rows',
  total: '/total',
  next: { offset: 'skip' },
  key: 'id',
  columns,
});

const FJORD = { id: 'C1', name: 'Fjord Power' };

async function openConsultancy(): Promise<{ story: Story; crm: Crm }> {
  const crm = await openCrm({
    companies: [FJORD, { id: 'C2', name: 'Bridge' }, { id: 'C3', name: 'Tunnel' }],
    deals: [{ id: 'P1', customer: 'C1', name: 'Dam' }],
  });
  const story = await openStory();
  const streams = {
    companies: describeStream('/companies', { id: 'string', name: 'string', url: optional }),
    deals: describeStream('/deals', {
      id: 'string',
      customer: 'string',
      name: 'string',
      stage: optional,
      owners: { type: 'list', optional: true },
    }),
  };
  const { customers = null, projects = null } = CRM;
  story.configure({ customers, projects, sources: { crm: { type: 'crm', base_url: crm.url, streams } } });
  story.deliver([person('E1')]);
  return { story, crm };
}

sweep('does not report a read of changes as incomplete, and ends with 0', async () => {
  const changed = { changed: '2026-01-01T00:00:00Z' };
  const crm = await openCrm({ companies: [{ ...FJORD, ...changed }] });
  const story = await openStory();
  const companies = merge(describeStream('/companies', { id: 'string', name: 'string', url: optional }), {
    incremental: { full_every: '24h', modified: '/changed', parameter: 'since' },
  });
  story.configure({
    customers: CRM.customers ?? null,
    sources: { crm: { type: 'crm', base_url: crm.url, streams: { companies } } },
  });
  story.deliver([person('E1')]);
  expect((await story.sync()).code).toBe(0);
  story.takeWrites();
  for (const ran of [await story.plan(), await story.sync()]) {
    expect(ran.code).toBe(0);
    expect(ran.json).not.toHaveProperty('incomplete');
  }
  expect(story.takeWrites()).toEqual([]);
  // The run reports a listing that should have been complete and is not.
  crm.mode = 'cut';
  story.clock.advance(25 * HOUR);
  expect(await story.sync()).toMatchObject({ code: 4, json: { incomplete: [{ source: 'crm.companies' }] } });
});

sweep('brings in customers and projects of a feed, and does not write unchanged ones again', async () => {
  const { story, crm } = await openConsultancy();
  expect((await story.sync()).code).toBe(0);
  expect(story.takeWrites().filter((call) => call === CREATE_CUSTOMER || call === CREATE_PROJECT)).toEqual([
    CREATE_CUSTOMER,
    CREATE_CUSTOMER,
    CREATE_CUSTOMER,
    CREATE_PROJECT,
  ]);
  await story.sync();
  expect(story.takeWrites()).toEqual([]);
  crm.rows = { ...crm.rows, companies: [{ ...FJORD, name: 'Fjord Energy' }] };
  await story.sync();
  expect(story.takeWrites()).toEqual([UPDATE_CUSTOMER]);
});

sweep('stops only what comes from a CRM that is down', async () => {
  const { story, crm } = await openConsultancy();
  await story.sync();
  story.takeWrites();
  crm.mode = 'down';
  crm.rows = {};
  story.deliver([person('E1'), person('E2')]);
  const ran = await story.sync();
  expect(ran.code).toBe(1);
  expect(ran.json.errors).toMatchObject([
    { source: 'crm.companies', error: { code: 'SYNC_SOURCE_DOWN', place: `GET ${crm.url}/companies` } },
    { source: 'crm.deals', error: { code: 'SYNC_SOURCE_DOWN' } },
  ]);
  expect(story.takeWrites()).toEqual([CREATE_USER]);
});

const CERTIFICATE = { id: 'K1', person: 'E1', name: 'Cloud' };

async function openLearning(): Promise<{ story: Story; crm: Crm }> {
  const crm = await openCrm({ certificates: [CERTIFICATE, { id: 'K2', person: 'E1', name: 'Rope' }] });
  const story = await openCvStory({
    users: [{ country: 'no', office: 'Oslo', email: 'e1@example.com', external_unique_id: 'E1', name: 'Person E1' }],
  });
  const columns = {
    id: 'string',
    person: 'string',
    name: 'string',
    name_no: optional,
    issuer: optional,
    year: optional,
  };
  const lms = { type: 'crm', base_url: crm.url, streams: { certificates: describeStream('/certificates', columns) } };
  const remove = { after_missing_reads: 2, missing_interval: '1h' };
  story.configure(
    merge(CERTIFICATIONS, { sources: { lms }, cv_sections: { certifications: { remove } } }) as {
      readonly [key: string]: Yaml;
    },
  );
  story.deliver([person('E1')]);
  await story.sync();
  expect(story.takeWrites()).toEqual([CREATE_SECTION, CREATE_SECTION]);
  return { story, crm };
}

async function syncLater(story: Story): Promise<readonly string[]> {
  story.clock.advance(2 * HOUR);
  await story.sync();
  return story.takeWrites();
}

test('deletes what complete reads no longer show, and counts no truncated read', async () => {
  const { story, crm } = await openLearning();
  crm.rows = { certificates: [CERTIFICATE] };
  crm.mode = 'cut';
  for (let reads = 0; reads < 3; reads++) expect(await syncLater(story)).toEqual([]);
  crm.mode = 'whole';
  expect(await syncLater(story)).toEqual([]);
  expect(await syncLater(story)).toEqual([DELETE_SECTION]);
  expect(sectionsOf(story, 'E1', 'certifications')).toHaveLength(1);
});

sweep('starts the counting again when the query of the feed is edited', async () => {
  const { story, crm } = await openLearning();
  crm.rows = { certificates: [CERTIFICATE] };
  expect(await syncLater(story)).toEqual([]);
  story.configure({ sources: { lms: { streams: { certificates: { query: { active: 'true' } } } } } });
  expect(await syncLater(story)).toEqual([]);
  const ran = await story.sync();
  expect(ran.json.counts).toEqual({});
});
