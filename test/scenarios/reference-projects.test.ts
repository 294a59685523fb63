import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sweep } from '../depth.js';
import {
  ADD,
  CREATE_PROJECT,
  DAM,
  DAM_WRITES,
  DROP,
  damOf,
  FILL,
  openDam,
  openRich,
  pathOf,
  TAG_PROJECT,
  textsOf,
  UNTAG_PROJECT,
  UPDATE_PROJECT,
} from './reference-projects.js';

test('creates a project with all its fields in one write, then its texts, owners and tags', async () => {
  const story = await openRich();
  story.deliverDeals([DAM]);
  expect((await story.plan()).json).toMatchObject({
    counts: { projects: { create: 1 } },
    cost: { writes: DAM_WRITES.length },
    held: [],
  });
  expect(await story.sync()).toMatchObject({ code: 0, json: { done: 1, held: [] } });
  expect(story.takeWrites()).toEqual(DAM_WRITES);
  expect(damOf(story)).toMatchObject({
    project_description: { en: 'A dam', no: 'En demning' },
    workflow_stage: 'live',
    project_challenges: [{ value: { en: 'Noise' } }, { value: { en: 'Rock' } }],
    project_solutions: [{ value: { en: 'Walls' } }],
    customer_value_propositions: [{ label: { en: 'Short' }, value: { en: 'A dam', no: 'En demning' } }],
    custom_fields: {
      heads: { value: '42.0' },
      worth: { amount: 1000, currency: 'nok' },
      size: { amount: '12.5', unit: 'm2' },
      period: { from: '2025-03', to: '2026-11' },
      model: { value: 'fixed' },
    },
    owners: ['e1@example.com'],
    tags: ['sector/power', 'sector/water'],
  });
});

sweep.each([false, true] as const)(
  'does not take a value that the service returns in another form (42.0) for drift, full: %s',
  async (full) => {
    const story = await openDam();
    for (let run = 0; run < 2; run++) {
      expect(await story.sync({ full })).toMatchObject({ code: 0, json: { counts: {}, calls: { writes: 0 } } });
    }
    expect(story.takeWrites()).toEqual([]);
  },
);

sweep('sends fields and custom fields that change together in one write, and only the different ones', async () => {
  const story = await openDam();
  story.deliverDeals([{ ...DAM, name: 'Dam II', hours: '50', heads: 43, model: 'hourly', value: 2000 }]);
  expect((await story.plan()).json.cost.writes).toBe(1);
  expect(await story.sync()).toMatchObject({ code: 0, json: { done: 1 } });
  expect(story.takeWrites()).toEqual([UPDATE_PROJECT]);
  expect(damOf(story)).toMatchObject({
    project_name: { en: 'Dam II' },
    custom_fields: { heads: { value: '43.0' }, model: { value: 'hourly' }, worth: { amount: 2000, currency: 'nok' } },
  });
  const [update] = (await story.audit()).slice(-1);
  expect(update?.after).toEqual({
    project_name: { en: 'Dam II', no: 'Dam', sv: 'Dam' },
    extent_hours_new: '50',
    custom_fields: { heads: 43, model: 'hourly', worth: { amount: 2000, currency: 'nok' } },
  });
  expect((await story.plan({ full: true })).json.counts).toEqual({});
});

sweep('clears custom fields that the source empties if the mapping says so, and otherwise keeps them', async () => {
  const story = await openDam();
  const { heads: _heads, value: _value, model: _model, ...rest } = DAM;
  story.deliverDeals([rest]);
  expect((await story.sync()).code).toBe(0);
  expect(story.takeWrites()).toEqual([UPDATE_PROJECT]);
  expect(damOf(story).custom_fields).toMatchObject({
    heads: { value: '42.0' },
    worth: { amount: null, currency: null },
    model: { value: null },
  });
  expect((await story.plan({ full: true })).json.counts).toEqual({});
});

sweep('corrects a custom field that others changed, and leaves one that is not mapped', async () => {
  const story = await openDam();
  story.configure({ projects: { fields: { custom_fields: { heads: 'record.?heads' } } } });
  await story.others('PUT', `${await pathOf(story)}?use_legacy_codes=false`, {
    company_project: {
      custom_fields: [
        { name: 'heads', value: 7 },
        { name: 'model', value: 'hourly' },
      ],
    },
  });
  story.configure({
    projects: { fields: { custom_fields: { model: { value: 'record.?model', apply: 'create' } } } },
  });
  expect((await story.sync({ full: true })).code).toBe(0);
  expect(story.takeWrites()).toEqual([UPDATE_PROJECT]);
  expect(damOf(story).custom_fields).toMatchObject({ heads: { value: '42.0' }, model: { value: 'hourly' } });
});

sweep('updates a changed text in place, creates an additional one, and deletes one that is gone', async () => {
  const story = await openDam();
  story.deliverDeals([{ ...DAM, problems: ['Noise', 'Hard rock', 'Water'] }]);
  expect((await story.plan()).json.cost.writes).toBe(2);
  expect((await story.sync()).code).toBe(0);
  expect(story.takeWrites()).toEqual([FILL('project_challenges'), ADD('project_challenges')]);
  expect(textsOf(story, 'project_challenges')).toEqual(['Noise', 'Hard rock', 'Water']);

  story.deliverDeals([{ ...DAM, problems: ['Water'] }]);
  expect((await story.sync()).code).toBe(0);
  expect(story.takeWrites()).toEqual([DROP('project_challenges'), DROP('project_challenges')]);
  expect(textsOf(story, 'project_challenges')).toEqual(['Water']);
  expect((await story.plan({ full: true })).json.counts).toEqual({});
});

sweep('treats texts in another order as the same', async () => {
  const story = await openDam();
  story.deliverDeals([{ ...DAM, problems: ['Rock', 'Noise'] }]);
  expect(await story.sync()).toMatchObject({ code: 0, json: { counts: {} } });
  expect(story.takeWrites()).toEqual([]);
});

test('keeps texts of colleagues, even in other languages, corrects their changes of ours, and clears only ours', async () => {
  const story = await openDam();
  const path = await pathOf(story);
  const project = (await story.others('GET', `${path}?use_legacy_codes=false`)) as {
    readonly project_challenges: readonly { readonly id: string }[];
  };
  const [noise] = project.project_challenges;
  await story.others('PUT', `${path}/project_challenges/${noise?.id}?use_legacy_codes=false`, {
    project_challenge: { value: { en: 'Loud noise', no: 'Bråk' } },
  });
  await story.others('POST', `${path}/project_challenges?use_legacy_codes=false`, {
    project_challenge: { value: { en: 'By a colleague' } },
  });
  expect((await story.sync({ full: true })).code).toBe(0);
  expect(story.takeWrites()).toEqual([FILL('project_challenges')]);
  expect(damOf(story).project_challenges).toMatchObject([
    { value: { en: 'Noise', no: 'Bråk' } },
    { value: { en: 'Rock' } },
    { value: { en: 'By a colleague' } },
  ]);
  const { problems: _none, ...rest } = DAM;
  story.deliverDeals([rest]);
  expect((await story.sync()).code).toBe(0);
  expect(story.takeWrites()).toEqual([DROP('project_challenges'), DROP('project_challenges')]);
  expect(textsOf(story, 'project_challenges')).toEqual(['By a colleague']);
});

sweep('adopts an existing project: owns equal texts without a write, and fills an empty one', async () => {
  const story = await openRich({
    customers: [
      {
        external_unique_id: 'C1',
        customer_name: { en: 'Fjord Power' },
        projects: [
          {
            external_unique_id: 'P1',
            project_name: { en: 'Dam' },
            project_challenges: [{ value: { en: 'Rock', no: 'Fjell' } }, { value: { en: 'Theirs' } }],
            project_solutions: [{ value: {} }],
          },
        ],
      },
    ],
  });
  story.deliverDeals([{ id: 'P1', customer: 'C1', name: 'Dam', problems: ['Rock'], answers: ['Walls'] }]);
  expect((await story.sync()).code).toBe(0);
  expect(story.takeWrites()).toEqual([FILL('project_solutions')]);
  expect(textsOf(story, 'project_challenges')).toEqual(['Rock', 'Theirs']);
  story.deliverDeals([{ id: 'P1', customer: 'C1', name: 'Dam', problems: ['Soil'], answers: ['Walls'] }]);
  expect((await story.sync()).code).toBe(0);
  expect(story.takeWrites()).toEqual([FILL('project_challenges')]);
  expect(textsOf(story, 'project_challenges')).toEqual(['Soil', 'Theirs']);
});

sweep('writes nothing again when the mirror is deleted in between', async () => {
  const story = await openDam();
  rmSync(join(story.folder, 'var', 'mirror.db'));
  for (const ending of ['-wal', '-shm']) rmSync(join(story.folder, 'var', `mirror.db${ending}`), { force: true });
  expect(await story.sync()).toMatchObject({ code: 0, json: { counts: {} } });
  expect(story.takeWrites()).toEqual([]);
});

sweep('creates nothing twice after a lost answer to any of the calls', async () => {
  const story = await openRich();
  story.deliverDeals([DAM]);
  const project = '^/api/v2/company/cv/customers/[^/]+/projects';
  const parts = ['(\\?|$)', '/[^/]+/project_challenges', '/[^/]+/project_owners', '/[^/]+/custom_tags'];
  for (const part of parts)
    story.sandbox.faults.add({
      kind: 'reset_after',
      path: `${project}${part}`,
      method: part.includes('owners') ? 'PUT' : 'POST',
    });
  expect(await story.sync()).toMatchObject({ code: 0, json: { done: 1, failed: [] } });
  expect(story.sandbox.faults.list()).toEqual([]);
  expect(story.takeWrites().filter((one) => one === CREATE_PROJECT)).toHaveLength(1);
  expect(textsOf(story, 'project_challenges')).toEqual(['Noise', 'Rock']);
  expect(damOf(story).tags).toEqual(['sector/power', 'sector/water']);
  expect(await story.sync({ full: true })).toMatchObject({ code: 0, json: { counts: {} } });
});

sweep('sends one call for a tag that is added or removed, and two for one that moves', async () => {
  const story = await openDam();
  story.deliverDeals([{ ...DAM, sector: ['power'] }]);
  await story.sync();
  expect(story.takeWrites()).toEqual([UNTAG_PROJECT]);
  story.deliverDeals([{ ...DAM, sector: ['roads'] }]);
  expect((await story.plan()).json.cost.writes).toBe(2);
  await story.sync();
  expect(story.takeWrites()).toEqual([TAG_PROJECT, UNTAG_PROJECT]);
  expect(damOf(story).tags).toEqual(['sector/roads']);
  expect((await story.plan({ full: true })).json.counts).toEqual({});
});

sweep('overwrites no later edit with a saved plan: it reads and compares the project again', async () => {
  const story = await openDam();
  story.deliverDeals([{ ...DAM, name: 'Dam II', heads: 43 }]);
  const plan = await story.plan();
  await story.others('PUT', `${await pathOf(story)}?use_legacy_codes=false`, {
    company_project: { project_name: { en: 'Great dam', no: 'Stordemning' } },
  });
  const ran = await story.apply(plan.json.plan);
  expect(ran.json).toMatchObject({ done: 0, left_out: [{ because: 'derived differently by now' }] });
  expect(story.takeWrites()).toEqual([]);
  await story.sync();
  expect(story.takeWrites()).toEqual([UPDATE_PROJECT]);
  // The language of others is unchanged.
  expect(damOf(story).project_name).toEqual({ en: 'Dam II', no: 'Stordemning' });
});

sweep('reads a project before writing if its record no longer names the customer', async () => {
  const story = await openDam();
  story.deliverDeals([{ ...DAM, customer: 'C9', name: 'Dam II' }]);
  const before = story.sandbox.calls().length;
  await story.sync();
  const lists = story.sandbox
    .calls()
    .slice(before)
    .filter(({ route }) => route === '/api/v2/company/cv/projects');
  expect(lists).toHaveLength(1);
  expect(story.takeWrites()).toEqual([UPDATE_PROJECT]);
});

sweep('writes texts of the mapping and maps of the feed in all their languages, with their labels', async () => {
  const story = await openRich();
  story.configure({
    projects: {
      fields: {
        project_challenges: ['record.?text', { en: 'record.?hours', no: 'record.?text_no' }],
        project_solutions: 'record.?answers',
      },
    },
  });
  const answers = [
    { en: 'Walls', no: 'Murer' },
    { label: 'Long', value: { en: 'Very thick walls' } },
    'Walls',
    'Walls',
  ];
  story.deliverDeals([{ ...DAM, answers }]);
  expect((await story.sync()).code).toBe(0);
  expect(damOf(story)).toMatchObject({
    project_challenges: [{ value: { en: 'A dam' } }, { value: { en: '42', no: 'En demning' } }],
    project_solutions: [
      { value: { en: 'Walls', no: 'Murer' } },
      { label: { en: 'Long' }, value: { en: 'Very thick walls' } },
      { value: { en: 'Walls' } },
    ],
  });
  expect((await story.plan({ full: true })).json.counts).toEqual({});

  story.deliverDeals([{ ...DAM, answers: [{ int: 'Walls' }] }]);
  const ran = await story.sync();
  expect(ran.json.held).toMatchObject([{ key: 'P1', code: 'SYNC_MAP_VALUE' }]);
  expect(ran.json.held[0]?.reason).toContain('project_solutions[0] is "int"');
});
