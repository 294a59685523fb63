import { describe, expect, test } from 'vitest';
import { sweep } from '../depth.js';
import { ACCOUNT, person, type Row } from './company.js';
import { openVeil } from './gate.js';
import { CREATE_USER, openStory, type Story, summarise, UPDATE_USER } from './kit.js';
import { expectQuiet } from './quiet.js';

const GRADE = {
  values: { en: 'Grade' },
  external_unique_id: 'grade',
  custom_tags: ['g1', 'g2'].map((tag) => ({ values: { en: tag }, external_unique_id: tag })),
};
const MANAGER = ['consultant', 'departmentmanager'];

/** `unit` and `rank` define whom a manager may see, plus an office if one is mapped. */
const TAGS = { unit: 'record.?unit', grade: 'record.?rank' };
const OFFICES = [{ country: 'record.country', name: 'record.?scope' }];

async function openManagers(scopes: Readonly<Record<string, unknown>> = { role_allowed_tags: TAGS }): Promise<Story> {
  const story = await openStory({ tag_categories: [...(ACCOUNT.tag_categories ?? []), GRADE] });
  const roles = `record.?role.orValue("") == "head" ? ${JSON.stringify(MANAGER)} : record.?role.orValue("") == "both" ? ["consultant", "bidmanager", "departmentmanager"] : ["consultant"]`;
  story.configure({ users: { fields: { roles, ...(scopes as object) } } });
  return story;
}

async function tagId(story: Story, external: string): Promise<string> {
  const categories = (await story.others('GET', '/api/v1/masterdata/custom_tags/custom_tag_category')) as readonly {
    readonly custom_tags: readonly {
      readonly id?: string;
      readonly _id?: string;
      readonly external_unique_id: string;
    }[];
  }[];
  const found = categories.flatMap((one) => one.custom_tags).find((tag) => tag.external_unique_id === external);
  return found?.id ?? found?._id ?? '';
}

function head(more: Row = {}): Row {
  return person('E1', { role: 'head', unit: 'north', rank: 'g1', ...more });
}

describe('a manager with a scope of tags only', () => {
  sweep('is created with the tags in the same request, and stays unchanged', async () => {
    const story = await openManagers();
    story.deliver([head()]);
    expect((await story.sync()).code).toBe(0);
    expect(story.takeWrites()).toEqual([CREATE_USER]);
    expect(story.user('E1')).toMatchObject({ roles: MANAGER, role_allowed_tags: ['grade/g1', 'unit/north'] });
    await expectQuiet(story);
  });

  test('is promoted, moved and demoted in one write each', async () => {
    const story = await openManagers();
    story.deliver([person('E1')]);
    await story.sync();
    for (const [row, tags] of [
      [head(), ['grade/g1', 'unit/north']],
      [head({ unit: 'south' }), ['grade/g1', 'unit/south']],
      [head({ unit: 'south', rank: 'g2', role: 'both' }), ['grade/g2', 'unit/south']],
      [head({ unit: 'south', rank: 'g2' }), ['grade/g2', 'unit/south']],
      [person('E1'), []],
      [head(), ['grade/g1', 'unit/north']],
    ] as const) {
      story.takeWrites();
      story.deliver([row]);
      expect(await story.sync()).toMatchObject({ code: 0, json: { done: 1 } });
      expect(story.takeWrites()).toEqual([UPDATE_USER]);
      expect(story.user('E1').role_allowed_tags).toEqual(tags);
      await expectQuiet(story);
    }
  });
});

sweep('uses the scope written last if no read shows it', async () => {
  const story = await openManagers();
  const veil = await openVeil(story.sandbox.url, (body) => body.replace(/,"role_allowed_\w+_ids":\[[^\]]*\]/g, ''));
  story.configure({ service: { base_url: veil.url } });
  for (const [row, tags] of [
    [head(), ['grade/g1', 'unit/north']],
    [head({ unit: 'south' }), ['grade/g1', 'unit/south']],
    [head({ unit: 'south', rank: 'g2' }), ['grade/g2', 'unit/south']],
  ] as const) {
    story.deliver([row]);
    expect(await story.sync()).toMatchObject({ code: 0, json: { done: 1 } });
    expect(story.user('E1').role_allowed_tags).toEqual(tags);
    await expectQuiet(story);
  }
});

sweep('keeps tags in the scope whose category is not mapped', async () => {
  const story = await openManagers({ role_allowed_tags: { unit: TAGS.unit } });
  story.deliver([head()]);
  await story.sync();
  const { id } = (await story.others('GET', '/api/v1/users/find?external_unique_id=E1')) as { readonly id: string };
  const shown = (await story.others('GET', `/api/v1/users/${id}`)) as { readonly role_allowed_tag_ids: string[] };
  const g1 = await tagId(story, 'g1');
  await story.editUser('E1', {
    extra_roles: ['departmentmanager'],
    role_allowed_tag_ids: [...shown.role_allowed_tag_ids, g1],
  });
  await expectQuiet(story);
  story.deliver([head({ unit: 'south' })]);
  expect(await story.sync()).toMatchObject({ code: 0, json: { done: 1 } });
  expect(story.user('E1').role_allowed_tags).toEqual(['grade/g1', 'unit/south']);
  story.deliver([head({ unit: 'south', role: 'both' })]);
  expect(await story.sync()).toMatchObject({ code: 0, json: { done: 1 } });
  expect(story.user('E1').role_allowed_tags).toEqual(['grade/g1', 'unit/south']);
  await expectQuiet(story);
});

sweep('restores a role that others removed, with offices and tags in one write', async () => {
  const story = await openManagers({ role_allowed_tags: TAGS, role_allowed_offices: OFFICES });
  story.deliver([head({ scope: 'Bergen' })]);
  for (let run = 0; run < 2; run++) await story.sync();
  await story.editUser('E1', { role: 'consultant', extra_roles: [] });
  story.takeWrites();
  expect(await story.sync({ full: true })).toMatchObject({ code: 0, json: { done: 1 } });
  expect(story.takeWrites()).toEqual([UPDATE_USER]);
  expect(story.user('E1')).toMatchObject({
    roles: MANAGER,
    role_allowed_offices: ['no/Bergen'],
    role_allowed_tags: ['grade/g1', 'unit/north'],
  });
  await expectQuiet(story);
});

sweep('only deactivates a person who lost the role by hand and leaves', async () => {
  const story = await openManagers({ role_allowed_tags: TAGS, role_allowed_offices: OFFICES });
  story.configure({ guards: { users: { deactivate: 'off' } } });
  story.deliver([head({ scope: 'Bergen' }), person('E2')]);
  await story.sync();
  await story.editUser('E1', { role: 'consultant', extra_roles: ['countrymanager'] });
  story.deliver([head({ scope: 'Bergen', status: 'left' }), person('E2')]);
  story.takeWrites();
  expect(await story.sync({ full: true })).toMatchObject({ code: 0, json: { done: 1 } });
  expect(story.takeWrites()).toEqual([UPDATE_USER]);
  expect(story.user('E1')).toMatchObject({ deactivated: true, roles: ['consultant', 'countrymanager'] });
  await expectQuiet(story);
});

sweep('reports drift of a scope under drift: report, and does not correct it', async () => {
  const story = await openManagers();
  story.configure({ drift: 'report' });
  story.deliver([head()]);
  for (let run = 0; run < 2; run++) await story.sync();
  const south = await tagId(story, 'south');
  await story.editUser('E1', { extra_roles: ['departmentmanager'], role_allowed_tag_ids: [south] });
  story.takeWrites();
  for (let run = 0; run < 2; run++) {
    const { json } = await story.sync({ full: true });
    expect([...new Set(summarise(json.held))]).toEqual(['E1 SYNC_DRIFT_REPORTED']);
  }
  expect(story.takeWrites()).toEqual([]);
});

sweep.each([
  ['none of the tags exists', { unit: 'west', rank: '' }, ['consultant'], []],
  ['some of the tags exist', { unit: 'west', rank: 'g2' }, MANAGER, ['grade/g2']],
] as const)('gives the role only with the existing tags of an unknown scope: %s', async (_, cells, roles, tags) => {
  const story = await openManagers();
  story.deliver([person('E1')]);
  await story.sync();
  story.deliver([head(cells)]);
  for (let run = 0; run < 2; run++) {
    const { code, json } = await story.sync();
    expect({ code, failed: json.failed }).toEqual({ code: 4, failed: [] });
    expect([...new Set(summarise(json.held))]).toEqual(['E1 SYNC_REFERENCE_UNKNOWN']);
  }
  expect(story.user('E1')).toMatchObject({ roles, role_allowed_tags: tags });
});

sweep('gives the role with the tags if only the office of a scope is unknown', async () => {
  const story = await openManagers({ role_allowed_tags: TAGS, role_allowed_offices: OFFICES });
  story.deliver([head({ scope: 'Atlantis' })]);
  expect((await story.sync()).code).toBe(4);
  expect(story.user('E1')).toMatchObject({ roles: MANAGER, role_allowed_offices: [] });
  expect(story.user('E1').role_allowed_tags).toEqual(['grade/g1', 'unit/north']);
});

sweep.each([
  ['offices', { role_allowed_offices: OFFICES }],
  ['tags', { role_allowed_tags: TAGS }],
  ['both', { role_allowed_offices: OFFICES, role_allowed_tags: TAGS }],
] as const)('undoes a promotion, a move and a demotion: %s', async (_, scopes) => {
  const story = await openManagers(scopes);
  const rows = [
    person('E1', { scope: 'Oslo', unit: 'north', rank: 'g1' }),
    head({ scope: 'Oslo' }),
    head({ scope: 'Bergen', unit: 'south' }),
    person('E1', { scope: 'Bergen', unit: 'south', rank: 'g1' }),
  ];
  const states: ReturnType<Story['user']>[] = [];
  for (const row of rows) {
    story.deliver([row]);
    expect((await story.sync()).code).toBe(0);
    states.push(story.user('E1'));
  }
  const runs = (await story.audit()).filter(({ result }) => result === 'done').map(({ run }) => run);
  for (const back of [2, 1, 0]) {
    story.takeWrites();
    const ran = await story.undo(runs[back + 1]);
    expect(ran).toMatchObject({ code: 0 });
    expect(story.takeWrites()).toEqual([UPDATE_USER]);
    expect(story.user('E1')).toEqual(states[back]);
    await expectQuiet(story);
  }
});
