import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { closeAfterTest } from '../closing.js';
import { createHubspot, type Hubspot } from '../connectors/crm/imitations/hubspot.js';
import { IS_THOROUGH, sweep } from '../depth.js';
import { ACCOUNT, HOUR, merge, person, type Yaml } from './company.js';
import { decide, describeBoth, openBoth, proposalOf } from './crm-both.js';
import { openFeed } from './crm-vendors.js';
import { openStory, type Story } from './kit.js';

/** Two pages of deals; one in a quick run. */
const DEALS = IS_THOROUGH ? 102 : 51;
const WON = 2;

function takeRequests({ requests }: Pick<Hubspot, 'requests'>): readonly string[] {
  return requests.splice(0).map(({ method, path, query }) => {
    const archived = query.get('archived') === 'true' ? ' archived' : '';
    return `${method} ${path.replace('/crm/objects/2026-09/', '')}${archived}`;
  });
}

interface PlanFile {
  readonly evidence: { readonly sources: readonly { readonly source: string; readonly rows: number }[] };
}

/** How many deals a plan has seen, per entity. */
async function planRows(story: Story): Promise<readonly number[]> {
  const { file } = (await story.plan()).json;
  const { evidence } = JSON.parse(readFileSync(file, 'utf8')) as PlanFile;
  return evidence.sources.filter(({ source }) => source === 'crm.deals').map(({ rows }) => rows);
}

/** A CRM with this many deals, each of which is a project and a proposal; both read the same stream. */
async function openManyDeals(): Promise<{ story: Story; hubspot: Hubspot }> {
  const story = await openStory({ account: { ...ACCOUNT.account, features: { hard_linking: true } } });
  const now = () => story.clock.now();
  const companies = [{ id: '100', properties: { name: 'Fjord Power' } }];
  const hubspot = await createHubspot({ now, companies, searchesPerSecond: 5 });
  closeAfterTest(hubspot);
  for (let deal = 0; deal < DEALS; deal++) {
    const dealstage = deal < WON ? 'presentationscheduled' : 'appointmentscheduled';
    const properties = { hs_primary_associated_company: '100', dealname: `Deal ${deal}`, dealstage };
    hubspot.data.create('deals', { properties: { ...properties, owner_email: 'e1@example.com' } });
  }
  story.env.IDP_TOKEN = hubspot.token;
  const own = ['talent_id', 'talent_stage', 'sector', 'talent_link', 'owner_email'];
  const source: Yaml = {
    type: 'crm',
    preset: 'hubspot',
    base_url: hubspot.url,
    auth: { bearer: { env: 'IDP_TOKEN' } },
    streams: { deals: { properties: own, write_back: true } },
  };
  const words = { bid: 'presentationscheduled', won: 'closedwon', partlyWon: 'partlywon', lost: 'closedlost' };
  story.configure(describeBoth({ source, words }));
  story.deliver([person('E1')]);
  return { story, hubspot };
}

test('lists deals that are projects and proposals once, keeps all their rows, and writes every win back', async () => {
  const { story, hubspot } = await openManyDeals();
  const first = await story.sync();
  expect(first.json).toMatchObject({ failed: [], counts: { projects: { create: DEALS }, proposals: { create: WON } } });
  const lists = takeRequests(hubspot).filter((call) => call.startsWith('GET deals'));
  expect(lists).toEqual([...Array(Math.ceil(DEALS / 100)).fill('GET deals'), 'GET deals archived']);

  story.clock.advance(HOUR);
  expect((await story.sync()).json.counts).toEqual({});
  takeRequests(hubspot);
  for (let deal = 0; deal < WON; deal++) await decide(story, `Deal ${deal}`, 'won');
  story.clock.advance(HOUR);
  const told = await story.sync({ full: true });
  expect(told).toMatchObject({ code: 0, json: { to_sources: { 'crm.deals': WON }, held: [] } });
  const stages = hubspot.data.rows('deals').map(({ properties }) => properties.dealstage);
  expect(stages.filter((stage) => stage === 'closedwon')).toHaveLength(WON);
  const calls = takeRequests(hubspot).filter((call) => call.includes('deals'));
  expect(new Set(calls)).toEqual(new Set(['POST deals/search', 'GET deals archived', 'POST deals/batch/update']));
  expect(calls.filter((call) => call === 'GET deals archived')).toHaveLength(1);
  // All known rows still exist: a run of changes sees every deal.
  expect(await planRows(story)).toEqual([DEALS, DEALS]);
  // A guard that compares with the earlier configuration reads the sources again, and takes nothing from the next run.
  story.configure({ projects: { fields: { project_name: { en: 'record.name + "!"' } } } });
  story.clock.advance(HOUR);
  const { guards } = (await story.sync()).json;
  expect(guards).toMatchObject([{ guard: 'projects.fields.project_name', preview: { before: 0, now: DEALS } }]);
  expect(await planRows(story)).toEqual([DEALS, DEALS]);
});

sweep('tries and lists an unreadable stream once, however many entities use it', async () => {
  const { story, crm } = await openBoth(openFeed);
  crm.addDeal({ name: 'Dam', stage: 'bid', owner_email: 'e1@example.com' });
  await story.sync();
  crm.fail(404);
  const { code, json } = await story.sync();
  expect(code).toBe(1);
  const errors = (json as unknown as { errors: readonly { source: string }[] }).errors;
  expect(errors.map(({ source }) => source).sort()).toEqual(['crm.companies', 'crm.deals']);
  crm.fail(null);
  expect((await story.sync()).json.counts).toEqual({});
  expect(await proposalOf(story, 'Dam')).not.toBeNull();
});

const COLUMNS = { id: 'string', name: 'string' };
const files = (pattern: string): Yaml => ({
  ...{ type: 'csv', drop: './drop/lists', pattern, key: 'id', settle: '0s' },
  columns: COLUMNS,
});

sweep('prefers the first of several streams per entity, even if two entities name them in opposite order', async () => {
  const story = await openStory();
  const folder = join(story.folder, 'drop', 'lists');
  mkdirSync(folder, { recursive: true });
  const deliver = (name: string, rows: readonly string[]) =>
    writeFileSync(join(folder, name), `id;name\n${rows.join('\n')}\n`);
  const mapped = { external_unique_id: 'record.id', customer_name: { en: 'record.name' } };
  story.configure({
    sources: { left: files('left-*.csv'), right: files('right-*.csv') },
    customers: { from: ['left', 'right'], match: ['external_unique_id'], fields: mapped },
    tag_categories: {
      from: ['right', 'left'],
      match: ['external_unique_id'],
      fields: { external_unique_id: 'record.id', values: { en: 'record.name' } },
    },
  });
  story.deliver([person('E1')]);
  deliver('left-1.csv', ['1;Left one', '2;Left two']);
  deliver('right-1.csv', ['1;Right one', '3;Right three']);
  const namesOf = () => {
    const categories = story.sandbox.state().tag_categories as unknown as readonly {
      external_unique_id: string | null;
      values: { en: string };
    }[];
    const tags = categories.flatMap((one) => (one.external_unique_id?.length === 1 ? [one.values.en] : []));
    const customers = story.customers().map(({ customer_name }) => customer_name.en);
    return { tags: tags.sort(), customers: customers.sort() };
  };
  const expected = {
    tags: ['Left two', 'Right one', 'Right three'],
    customers: ['Left one', 'Left two', 'Right three'],
  };
  expect((await story.sync()).code).toBe(0);
  expect(namesOf()).toEqual(expected);
  expect((await story.sync()).json.counts).toEqual({});
  // An unusable row still counts for its key: the later stream does not replace it.
  deliver('left-2.csv', ['1;Left one;more', '2;Left two']);
  deliver('right-2.csv', ['1;Right new', '3;Right three']);
  const { json } = await story.sync();
  expect(json.counts).toEqual({ tag_categories: { update: 1 } });
  expect(namesOf()).toEqual({ ...expected, tags: ['Left two', 'Right new', 'Right three'] });
});

sweep('reads a stream once, before the people, that enriches people and feeds another entity', async () => {
  const story = await openStory();
  const folder = join(story.folder, 'drop', 'lists');
  mkdirSync(folder, { recursive: true });
  const number = { type: 'string', optional: true };
  const book = merge(files('book-*.csv') as { readonly [key: string]: Yaml }, { columns: { job: number } });
  story.configure({
    sources: { book },
    users: { enrich: { book: { join: 'book.id == hr.id' } }, fields: { title: { en: 'book.?job' } } },
    customers: {
      from: ['book'],
      match: ['external_unique_id'],
      fields: { external_unique_id: 'record.id', customer_name: { en: 'record.name' } },
    },
  });
  story.deliver([person('E1'), person('E2')]);
  writeFileSync(join(folder, 'book-1.csv'), 'id;name;job\nE1;One;Engineer\nE2;Two;Partner\n');
  expect((await story.sync()).code).toBe(0);
  expect(['E1', 'E2'].map((who) => story.user(who).title.en)).toEqual(['Engineer', 'Partner']);
  expect(story.customers()).toHaveLength(2);
  expect((await story.sync()).json.counts).toEqual({});
});
