import { expect, test } from 'vitest';
import { sweep } from '../depth.js';
import { forgetMirror } from './cvs.js';
import { type Story, summarise } from './kit.js';
import {
  CREATE_CUSTOMER,
  FJORD,
  openRich,
  SEARCH,
  TAG_CUSTOMER,
  UNTAG_CUSTOMER,
  UPDATE_CUSTOMER,
} from './reference-projects.js';

const TAGGED = { ...FJORD, segment: ['large'] };

/** A customer with one plain project, and people so that the feed of changes has a stamp to continue from. */
async function openCustomers(content: Parameters<typeof openRich>[0] = {}) {
  const story = await openRich(content);
  story.deliverDeals([{ id: 'P9', customer: 'C1', name: 'Mill' }]);
  for (let run = 0; run < 2; run++) await story.sync();
  story.takeWrites();
  return story;
}

function tagsOf(story: Awaited<ReturnType<typeof openCustomers>>): unknown {
  return (story.customers()[0] as { readonly tags?: unknown } | undefined)?.tags;
}

const searches = (story: Story) => story.takeReads().filter((call) => call === SEARCH);

test('sends a customer in one write plus one per tag, and a tag moved within its category in two', async () => {
  const story = await openCustomers();
  story.deliverCompanies([TAGGED, { id: 'C2', name: 'Ridge', segment: ['small', 'large'] }]);
  expect((await story.plan()).json).toMatchObject({
    counts: { customers: { create: 1, update: 1 } },
    cost: { writes: 4 },
  });
  expect((await story.sync()).code).toBe(0);
  expect(story.takeWrites().sort()).toEqual([CREATE_CUSTOMER, TAG_CUSTOMER, TAG_CUSTOMER, TAG_CUSTOMER].sort());
  expect(tagsOf(story)).toEqual(['segment/large']);
  expect(await story.sync({ full: true })).toMatchObject({ code: 0, json: { counts: {} } });

  story.deliverCompanies([{ ...FJORD, name: 'Fjord Energy', segment: ['small'] }]);
  expect((await story.plan()).json.cost.writes).toBe(3);
  expect((await story.sync()).code).toBe(0);
  expect(story.takeWrites()).toEqual([UPDATE_CUSTOMER, TAG_CUSTOMER, UNTAG_CUSTOMER]);
  expect(tagsOf(story)).toEqual(['segment/small']);
});

sweep('treats tags that differ only in capitals, blanks or composed letters as one, spelled as the first', async () => {
  const story = await openCustomers();
  story.configure({ tags: { create_missing: true } });
  story.deliverCompanies([{ ...FJORD, segment: ['Ål', 'a\u030al', 'Mid  size', 'mid size', 'large', 'LARGE'] }]);
  expect(await story.sync()).toMatchObject({ code: 0, json: { held: [], failed: [] } });
  expect(story.takeWrites().filter((call) => call === TAG_CUSTOMER)).toHaveLength(3);
  expect(tagsOf(story)).toEqual(['segment/Mid  size', 'segment/large', 'segment/Ål']);
  for (const full of [false, true]) expect((await story.sync({ full })).json.counts).toEqual({});
  expect(story.takeWrites()).toEqual([]);
});

sweep('remembers tags not shown on customers: writes them once and takes them off again', async () => {
  const story = await openCustomers();
  story.deliverCompanies([{ ...FJORD, region: 'north' }]);
  expect((await story.sync()).code).toBe(0);
  expect(story.takeWrites()).toEqual([TAG_CUSTOMER]);
  for (const full of [false, true]) expect((await story.sync({ full })).json.counts).toEqual({});
  story.deliverCompanies([{ ...FJORD, region: 'south' }]);
  expect((await story.sync()).code).toBe(0);
  expect(story.takeWrites()).toEqual([TAG_CUSTOMER, UNTAG_CUSTOMER]);
  expect(tagsOf(story)).toEqual(['hidden/south']);
});

sweep(
  'remembers tags of a category no longer shown on customers: writes them once and takes them off again',
  async () => {
    const story = await openCustomers({
      customers: [{ external_unique_id: 'C1', customer_name: { en: 'Fjord Power' }, tags: { segment: 'small' } }],
    });
    story.deliverCompanies([
      { ...FJORD, segment: ['small'] },
      { id: 'C2', name: 'Ridge', segment: ['large'] },
    ]);
    expect((await story.sync()).code).toBe(0);
    story.takeWrites();
    await hideSegment(story);
    expect((await story.sync({ full: true })).json.counts).toEqual({});
    story.deliverCompanies([
      { ...FJORD, segment: ['large'] },
      { id: 'C2', name: 'Ridge', segment: ['small'] },
    ]);
    expect((await story.sync()).code).toBe(0);
    expect(story.takeWrites().sort()).toEqual([UNTAG_CUSTOMER, UNTAG_CUSTOMER, TAG_CUSTOMER, TAG_CUSTOMER]);
    expect((await story.sync({ full: true })).json.counts).toEqual({});
  },
);

async function hideSegment(story: Story): Promise<void> {
  const path = '/api/v1/masterdata/custom_tags/custom_tag_category';
  const categories = (await story.others('GET', path)) as readonly {
    readonly id: string;
    readonly external_unique_id: string;
  }[];
  const segment = categories.find(({ external_unique_id: id }) => id === 'segment');
  await story.others('PUT', `${path}/${segment?.id}`, { masterdata: { can_be_used_for_customers: false } });
}

sweep('removes tags of others in a mapped category, keeps those of another, and holds an unknown tag', async () => {
  const story = await openCustomers({
    customers: [
      { external_unique_id: 'C1', customer_name: { en: 'Fjord Power' }, tags: { segment: 'small', unit: 'north' } },
    ],
  });
  story.deliverCompanies([{ ...FJORD, segment: ['large', 'huge'] }]);
  const ran = await story.sync();
  expect([ran.code, summarise(ran.json.held)]).toEqual([4, ['C1 SYNC_REFERENCE_UNKNOWN']]);
  // While a name is unresolved, the run removes no tag.
  expect(story.takeWrites()).toEqual([TAG_CUSTOMER]);
  story.deliverCompanies([TAGGED]);
  expect((await story.sync()).code).toBe(0);
  expect(story.takeWrites()).toEqual([UNTAG_CUSTOMER]);
  expect(tagsOf(story)).toEqual(['segment/large', 'unit/north']);
});

sweep('shows a category created for customers on them, so that its tags can be compared', async () => {
  const story = await openCustomers();
  story.configure({
    tags: { create_missing: true },
    customers: { fields: { tags: { tier: 'record.?region', hidden: 'record.?url' } } },
  });
  story.deliverCompanies([{ ...FJORD, region: 'gold' }]);
  expect((await story.sync()).code).toBe(0);
  expect(story.sandbox.state().tag_categories).toContainEqual(
    expect.objectContaining({ external_unique_id: 'tier', can_be_used_for_customers: true }),
  );
  expect(await story.sync({ full: true })).toMatchObject({ code: 0, json: { counts: {} } });
});

sweep.each([
  ['its name in any language', 'energi'],
  ['its external id', 'IND1'],
] as const)(
  'learns an industry by %s from the projects at a full read, and holds it until then',
  async (_, industry) => {
    const story = await openCustomers({
      customers: [
        { customer_name: { en: 'Other' }, industry: 'IND1', projects: [{ project_name: { en: 'Sawmill' } }] },
      ],
    });
    story.deliverCompanies([{ ...FJORD, industry }]);
    const ran = await story.sync();
    expect(summarise(ran.json.held)).toEqual(['C1 SYNC_REFERENCE_UNKNOWN']);
    expect(ran.json.held[0]?.remedy).toContain('customers.industries');
    expect(story.takeWrites()).toEqual([]);

    expect(searches(story)).toEqual([]);
    expect((await story.sync({ full: true })).code).toBe(0);
    expect(searches(story)).toEqual([SEARCH]);
    expect(story.takeWrites()).toEqual([UPDATE_CUSTOMER]);
    expect(story.customers().find(({ external_unique_id }) => external_unique_id === 'C1')).toMatchObject({
      industry: { en: 'Energy' },
    });
    // The industry is known from now on: no more searches or writes.
    expect(await story.sync({ full: true })).toMatchObject({ code: 0, json: { counts: {} } });
    expect([...searches(story), ...story.takeWrites()]).toEqual([]);
  },
);

sweep('learns an industry again once the mirror is lost, although its customer is up to date', async () => {
  const story = await openCustomers({
    customers: [{ customer_name: { en: 'Other' }, industry: 'IND1', projects: [{ project_name: { en: 'Sawmill' } }] }],
  });
  story.deliverCompanies([{ ...FJORD, industry: 'IND1' }]);
  expect((await story.sync({ full: true })).code).toBe(0);
  forgetMirror(story);
  expect((await story.sync()).code).toBe(0);
  story.deliverCompanies([{ ...FJORD, name: 'Fjord Energy', industry: 'Energy' }]);
  expect(await story.sync()).toMatchObject({ code: 0, json: { held: [] } });
});

sweep('needs no search for an industry in the configured table', async () => {
  const story = await openCustomers({ customers: [{ customer_name: { en: 'Other' }, industry: 'IND1' }] });
  const listed = (await story.others('GET', '/api/v2/company/cv/customers')) as {
    readonly customers: readonly { readonly industry_id: string | null }[];
  };
  const id = listed.customers.find(({ industry_id }) => industry_id !== null)?.industry_id ?? '';
  story.configure({ customers: { industries: { Power: id } } });
  story.deliverCompanies([{ ...FJORD, industry: 'power' }]);
  await story.sync({ full: true });
  expect([...searches(story), ...story.takeWrites()]).toEqual([UPDATE_CUSTOMER]);
  expect(await story.sync({ full: true })).toMatchObject({ code: 0, json: { counts: {} } });
});

sweep('sends no tag of a category deleted by hand before the category exists again', async () => {
  const story = await openCustomers();
  story.configure({ tags: { create_missing: true } });
  story.deliverCompanies([TAGGED]);
  for (let run = 0; run < 2; run++) expect((await story.sync()).code).toBe(0);
  const path = '/api/v1/masterdata/custom_tags/custom_tag_category';
  const categories = (await story.others('GET', path)) as readonly Readonly<Record<string, string>>[];
  const segment = categories.find(({ external_unique_id: id }) => id === 'segment');
  await story.others('DELETE', `${path}/${segment?.id}`);
  story.takeWrites();
  const ran = await story.sync();
  expect(ran.code).toBe(4);
  expect(summarise(ran.json.held)).toEqual(['C1 SYNC_REFERENCE_UNKNOWN']);
  expect(story.takeWrites()).toEqual([]);
  expect((await story.sync()).code).toBe(0);
  expect(story.takeWrites()).toEqual([`POST ${path}`, 'POST /api/v1/masterdata/custom_tags/custom_tag', TAG_CUSTOMER]);
  expect(tagsOf(story)).toEqual(['segment/large']);
});
