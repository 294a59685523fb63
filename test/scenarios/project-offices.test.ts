import { expect, test } from 'vitest';
import { CRM, merge, person, type Yaml } from './company.js';
import { openStory } from './kit.js';

const PLACED = merge(CRM, {
  sources: { crm: { streams: { deals: { columns: { place: { type: 'string', optional: true } } } } } },
  projects: { fields: { offices: [{ country: '"no"', name: 'record.?place' }] } },
}) as { readonly [key: string]: Yaml };

test('holds a project in an unknown office, since the office can be set on create only', async () => {
  const story = await openStory();
  story.configure(PLACED);
  story.deliver([person('E0')]);
  story.deliverCompanies([{ id: 'C1', name: 'Fjord Power' }]);
  story.deliverDeals([{ id: 'P1', customer: 'C1', name: 'Dam', owners: ['e0@example.com'], place: 'Hamar' }]);
  const first = await story.sync();
  expect(first.json.held).toMatchObject([{ entity: 'projects', key: 'P1', code: 'SYNC_REFERENCE_UNKNOWN' }]);
  expect(story.customers()[0]?.projects).toEqual([]);
  const countries = (await story.others('GET', '/api/v1/countries')) as readonly {
    readonly _id: string;
    code: string;
  }[];
  const norway = countries.find(({ code }) => code === 'no');
  await story.others('POST', `/api/v1/countries/${norway?._id}/offices`, { name: 'Hamar' });
  expect(await story.sync()).toMatchObject({ code: 0, json: { held: [], counts: { projects: { create: 1 } } } });
  expect(story.customers()[0]?.projects).toMatchObject([{ offices: ['no/Hamar'] }]);
});
