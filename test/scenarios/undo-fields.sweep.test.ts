import { expect, test } from 'vitest';
import { sweep } from '../depth.js';
import { openSieve } from './gate.js';
import { type Story, summarise } from './kit.js';
import { expectQuiet } from './quiet.js';
import {
  ADD,
  DAM,
  DROP,
  damOf,
  FILL,
  FJORD,
  openDam,
  openRich,
  pathOf,
  textsOf,
  UPDATE_CUSTOMER,
  UPDATE_PROJECT,
} from './reference-projects.js';

/** Custom fields as the service shows them, by name. */
async function customFields(story: Story) {
  const shown = (await story.others('GET', `${await pathOf(story)}?include_custom_fields=true`)) as {
    readonly custom_fields: readonly Readonly<Record<string, unknown>>[];
  };
  return Object.fromEntries(shown.custom_fields.map(({ name, ...value }) => [String(name), value]));
}

sweep('restores custom fields in one call, clears one that was empty, and keeps one that others changed', async () => {
  const story = await openRich();
  const { model: _model, ...before } = DAM;
  story.deliverDeals([before]);
  await story.sync();
  story.deliverDeals([
    { ...DAM, heads: 7, value: 2000, area: 99, start: '2026-01-01', end: '2027-02', model: 'hourly' },
  ]);
  const { run } = (await story.sync()).json;
  await story.others('PUT', await pathOf(story), {
    company_project: { custom_fields: [{ name: 'size', amount: '55', unit: 'm2' }] },
  });
  story.takeWrites();
  const undone = await story.undo(run);
  expect(undone).toMatchObject({ code: 4, json: { done: 1, held: [{ key: 'P1', code: 'SYNC_UNDO_MOVED' }] } });
  expect(undone.json.held[0]?.reason).toContain('custom_fields.size has changed since');
  expect(story.takeWrites()).toEqual([UPDATE_PROJECT]);
  expect(await customFields(story)).toMatchObject({
    heads: { value: '42.0' },
    worth: { amount: 1000, currency: 'nok' },
    size: { amount: '55.0' },
    period: { from: '2025-03', to: '2026-11' },
    model: { value: null },
  });
});

sweep('keeps a text that others rewrote, and their text next to ours', async () => {
  const story = await openDam();
  story.deliverDeals([{ ...DAM, answers: ['Pumps'] }]);
  const { run } = (await story.sync()).json;
  const path = await pathOf(story);
  const [entry] = damOf(story).project_solutions as readonly { readonly id: string }[];
  const whole = (await story.others('GET', path)) as { readonly project_solutions: readonly { readonly id: string }[] };
  const id = entry?.id ?? whole.project_solutions[0]?.id;
  await story.others('PUT', `${path}/project_solutions/${id}`, {
    project_solution: { value: { int: 'Better pumps' } },
  });
  story.takeWrites();
  const undone = await story.undo(run);
  expect(undone).toMatchObject({ code: 4, json: { done: 0, held: [{ key: 'P1', code: 'SYNC_UNDO_MOVED' }] } });
  expect(story.takeWrites()).toEqual([]);
  expect(textsOf(story, 'project_solutions')).toEqual(['Better pumps']);
});

sweep('restores the industry of a customer in one call, to another or to none', async () => {
  const story = await openRich({
    industries: [
      { values: { en: 'Energy' }, external_unique_id: 'IND1' },
      { values: { en: 'Water' }, external_unique_id: 'IND2' },
    ],
    customers: [
      {
        external_unique_id: 'C9',
        customer_name: { en: 'Seen' },
        industry: 'IND1',
        projects: [{ external_unique_id: 'P9', project_name: { en: 'Nine' } }],
      },
      {
        external_unique_id: 'C8',
        customer_name: { en: 'Seen too' },
        industry: 'IND2',
        projects: [{ external_unique_id: 'P8', project_name: { en: 'Eight' } }],
      },
    ],
  });
  story.deliverCompanies([{ ...FJORD, industry: 'Energy' }]);
  const first = (await story.sync({ full: true })).json.run;
  story.deliverCompanies([{ ...FJORD, industry: 'Water' }]);
  const second = (await story.sync({ full: true })).json.run;
  story.takeWrites();
  const industry = () => story.customers().find(({ external_unique_id }) => external_unique_id === 'C1')?.industry;
  expect(industry()).toEqual({ en: 'Water' });
  expect(await story.undo(second)).toMatchObject({ code: 0, json: { done: 1, held: [] } });
  expect(story.takeWrites()).toEqual([UPDATE_CUSTOMER]);
  expect(industry()).toEqual({ en: 'Energy' });
  expect(await story.undo(first)).toMatchObject({ code: 0, json: { done: 1, held: [] } });
  expect(industry()).toBeNull();
});

test('restores texts of a project: changes them back, removes added ones, and adds removed ones again', async () => {
  const story = await openDam();
  story.deliverDeals([{ ...DAM, problems: ['Noise at night', 'Water', 'Ice'], answers: ['Walls', 'Pumps'] }]);
  const first = (await story.sync()).json.run;
  expect(textsOf(story, 'project_challenges')).toEqual(['Noise at night', 'Water', 'Ice']);
  story.takeWrites();
  expect(await story.undo(first)).toMatchObject({ code: 0, json: { done: 1, held: [] } });
  expect(story.takeWrites()).toEqual([
    FILL('project_challenges'),
    FILL('project_challenges'),
    DROP('project_challenges'),
    DROP('project_solutions'),
  ]);
  expect([textsOf(story, 'project_challenges'), textsOf(story, 'project_solutions')]).toEqual([
    ['Noise', 'Rock'],
    ['Walls'],
  ]);
  expect(await expectQuiet(story)).toEqual(['P1 SYNC_UNDONE_PINNED']);

  story.deliverDeals([{ ...DAM, problems: ['Rock'] }]);
  const second = (await story.sync()).json.run;
  expect(textsOf(story, 'project_challenges')).toEqual(['Rock']);
  story.takeWrites();
  expect(await story.undo(second)).toMatchObject({ code: 0, json: { done: 1, held: [] } });
  expect(story.takeWrites()).toEqual([ADD('project_challenges')]);
  expect(textsOf(story, 'project_challenges').toSorted()).toEqual(['Noise', 'Rock']);
});

sweep('keeps an undone custom field unwritten next to one that the service does not take', async () => {
  const story = await openDam();
  const sieve = await openSieve(story.sandbox.url, (body) => body.replace('"hourly"', '"fixed"'));
  story.configure({ service: { base_url: sieve.url } });
  story.deliverDeals([{ ...DAM, heads: 7, model: 'hourly' }]);
  const ran = await story.sync();
  expect(ran).toMatchObject({ code: 4, json: { failed: [{ key: 'P1', code: 'SYNC_WRITE_NOT_TAKEN' }] } });
  await story.undo(ran.json.run);
  expect(await customFields(story)).toMatchObject({ heads: { value: '42.0' } });
  story.takeWrites();
  for (const flags of [{}, {}, { full: true }]) {
    const { json } = await story.sync(flags);
    expect(json).toMatchObject({ counts: {}, failed: [] });
    expect(summarise(json.held)).toEqual(['P1 SYNC_FIELD_FROZEN', 'P1 SYNC_UNDONE_PINNED']);
  }
  expect(story.takeWrites()).toEqual([]);
});
