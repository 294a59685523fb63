import { expect, test } from 'vitest';
import { closeAfterTest } from '../closing.js';
import { createHubspot, type Hubspot } from '../connectors/crm/imitations/hubspot.js';
import { createSalesforce } from '../connectors/crm/imitations/salesforce.js';
import { oneIn, sweep } from '../depth.js';
import { ACCOUNT, HOUR, person, type Yaml } from './company.js';
import { describeBoth } from './crm-both.js';
import { openStory, type Story, summarise } from './kit.js';

const words = { bid: 'presentationscheduled', won: 'closedwon', partlyWon: 'partlywon', lost: 'closedlost' };

async function openAgency(): Promise<{ story: Story; hubspot: Hubspot; ids: readonly string[] }> {
  const story = await openStory({ account: { ...ACCOUNT.account, features: { hard_linking: true } } });
  const companies = [{ id: '100', properties: { name: 'Fjord Power' } }];
  const hubspot = await createHubspot({ now: () => story.clock.now(), companies, searchesPerSecond: 5 });
  closeAfterTest(hubspot);
  const ids = ['Dam', 'Dam (copy)', 'Wind'].map((dealname) => {
    const properties = { hs_primary_associated_company: '100', dealname, dealstage: words.bid };
    return hubspot.data.create('deals', { properties: { ...properties, owner_email: 'e1@example.com' } }).id;
  });
  story.env.IDP_TOKEN = hubspot.token;
  const own = ['talent_id', 'talent_stage', 'sector', 'talent_link', 'owner_email'];
  const source: Yaml = {
    type: 'crm',
    preset: 'hubspot',
    base_url: hubspot.url,
    auth: { bearer: { env: 'IDP_TOKEN' } },
    streams: { deals: { properties: own, write_back: true } },
  };
  story.configure(describeBoth({ source, words }));
  story.deliver([person('E1')]);
  expect((await story.sync()).json).toMatchObject({ failed: [], counts: { projects: { create: 3 } } });
  return { story, hubspot, ids };
}

// The worker believes an answer with changes if the last changed deal appears again; a deal merged into another does
// not.
const WAYS = [
  { way: 'whole read', full: true, newest: 2 },
  { way: 'changes', full: false, newest: 2 },
  { way: 'changes that are not believed', full: false, newest: 0 },
];

for (const { way, full, newest } of oneIn(1, WAYS)) {
  test(`moves one project to the survivor of two merged deals (${way}) and reports the other`, async () => {
    const { story, hubspot, ids } = await openAgency();
    const [dam = '', copy = ''] = ids;
    story.clock.advance(HOUR);
    hubspot.data.update('deals', ids[newest] ?? '', { amount: '5' });
    await story.sync();
    story.takeWrites();
    story.clock.advance(HOUR);
    const survivor = hubspot.data.merge('deals', dam, copy);
    story.clock.advance(HOUR);
    const ran = await story.sync({ full });
    expect(ran.json.counts.projects).toEqual({ relink: 1 });
    expect(ran.json.counts.proposals).toEqual({ relink: 1 });
    expect(summarise(ran.json.held)).toEqual([`${copy} SYNC_LOOK_ALIKE`, `${copy} SYNC_LOOK_ALIKE`]);
    expect(story.takeWrites().filter((write) => write.startsWith('POST') || write.startsWith('DELETE'))).toEqual([]);
    const relinked = (await story.audit()).filter(({ action }) => action === 'relink');
    expect(relinked.map(({ key, before }) => [key, (before as Record<string, unknown>).source_key])).toEqual([
      [survivor.id, dam],
      [survivor.id, dam],
    ]);
    story.clock.advance(HOUR);
    const next = await story.sync({ full: !full });
    expect(next.json.counts).toEqual({});
    expect(hubspot.data.rows('deals')).toHaveLength(2);
  });
}

sweep('reports the second customer after two Salesforce accounts merge, and doubles or removes nothing', async () => {
  const story = await openStory();
  const rest = { Phone: null, Website: null, Industry: null, BillingCity: null, BillingCountry: null };
  const account = (Name: string) => ({ ...rest, Description: null, NumberOfEmployees: null, Name });
  const salesforce = await createSalesforce({
    now: () => story.clock.now(),
    Account: [account('Acme'), account('Acme Ltd')],
  });
  closeAfterTest(salesforce);
  story.env.IDP_TOKEN = salesforce.clientSecret;
  const oauth2 = {
    token_url: `${salesforce.url}/services/oauth2/token`,
    client_id: salesforce.clientId,
    client_secret: { env: 'IDP_TOKEN' },
  };
  story.configure({
    sources: { crm: { type: 'crm', preset: 'salesforce', base_url: salesforce.url, auth: { oauth2 } } },
    customers: {
      from: ['crm.companies'],
      fields: { external_unique_id: 'record.id', customer_name: { en: 'record.name' } },
    },
  });
  story.deliver([person('E1')]);
  expect((await story.sync()).json).toMatchObject({ counts: { customers: { create: 2 } } });
  story.takeWrites();
  const [master, other] = salesforce.data.rows('Account').map(({ Id }) => Id);
  story.clock.advance(HOUR);
  salesforce.data.merge('Account', master ?? '', other ?? '');
  for (let times = 0; times < 2; times++) {
    story.clock.advance(HOUR);
    const ran = await story.sync({ full: times === 1 });
    expect(ran.json.counts).toEqual({});
    expect(summarise(ran.json.held)).toEqual([`${other} SYNC_LOOK_ALIKE`]);
  }
  expect(story.takeWrites()).toEqual([]);
  expect((await story.type('unlink', 'customers', other ?? '')).code).toBe(0);
  expect((await story.sync()).json.held).toEqual([]);
});
