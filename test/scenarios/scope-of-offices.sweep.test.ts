import { expect, test } from 'vitest';
import { sweep } from '../depth.js';
import { person, type Row } from './company.js';
import { openStory, type Story, summarise, UPDATE_USER } from './kit.js';
import { COUNTRIES, deliverOrg, OFFICES, ORG } from './org.js';
import { expectQuiet } from './quiet.js';

const UPDATE_OFFICE = 'PUT /api/v1/countries/:country_id/offices/:office_id';
const DELETE_OFFICE = 'DELETE /api/v1/countries/:country_id/offices/:office_id';
const OSLO = { id: 'O1', country: 'no', name: 'Oslo' };
const BERGEN = { id: 'O2', country: 'no', name: 'Bergen' };

/** E1 manages Bergen, where nobody works. E2 has a scope in the source, but not the role. */
async function openManaged(): Promise<Story> {
  const story = await openStory();
  const roles = 'record.?role.orValue("") == "head" ? ["consultant", "departmentmanager"] : ["consultant"]';
  const role_allowed_offices = [{ country: 'record.country', name: 'record.?scope' }];
  story.configure({
    ...ORG,
    countries: COUNTRIES,
    offices: OFFICES,
    users: { fields: { roles, role_allowed_offices } },
  });
  deliverOrg(story, 'countries', [{ code: 'no', language: 'no' }]);
  deliverOrg(story, 'offices', [OSLO, BERGEN]);
  story.deliver([head('Bergen'), person('E2', { scope: 'Bergen' })]);
  for (let run = 0; run < 2; run++) expect((await story.sync()).code).toBe(0);
  story.takeWrites();
  return story;
}

function head(scope: string, more: Row = {}): Row {
  return person('E1', { role: 'head', scope, ...more });
}

test("keeps an office that is gone while it is in a manager's scope, and deletes it after that", async () => {
  const story = await openManaged();
  deliverOrg(story, 'offices', [OSLO, { ...BERGEN, gone: 'yes' }]);
  const { code, json } = await story.sync();
  expect(code).toBe(4);
  expect(json.held.map(({ key, code, reason }) => `${key} ${code} ${reason}`)).toEqual([
    'O2 SYNC_CHANGE_BLOCKED It is to be deleted, but users:E1 names it.',
  ]);
  expect(story.takeWrites()).toEqual([]);
  story.deliver([head('Oslo'), person('E2', { scope: 'Bergen' })]);
  expect((await story.sync()).code).toBe(0);
  expect(story.takeWrites()).toEqual([UPDATE_USER, DELETE_OFFICE]);
  expect(story.user('E1').role_allowed_offices).toEqual(['no/Oslo']);
  await expectQuiet(story);
});

sweep('renames an office in a scope with one write to the office, whichever name the record has', async () => {
  const story = await openManaged();
  deliverOrg(story, 'offices', [OSLO, { ...BERGEN, name: 'Bergen Sentrum' }]);
  story.deliver([head('Bergen Sentrum'), person('E2', { scope: 'Bergen Sentrum' })]);
  expect(await story.sync({ full: true })).toMatchObject({ code: 0, json: { done: 1 } });
  expect(story.takeWrites()).toEqual([UPDATE_OFFICE]);
  expect(await expectQuiet(story)).toEqual([]);

  deliverOrg(story, 'offices', [OSLO, { ...BERGEN, name: 'Bryggen' }]);
  expect((await story.sync()).code).toBe(0);
  expect(story.takeWrites()).toEqual([UPDATE_OFFICE]);
  story.deliver([head('Bergen Sentrum', { title: 'Head' }), person('E2', { scope: 'Bergen Sentrum' })]);
  const ran = await story.sync({ full: true });
  expect(summarise(ran.json.held)).toEqual([]);
  expect(story.takeWrites()).toEqual([UPDATE_USER]);
  expect(story.user('E1')).toMatchObject({ title: { en: 'Head' }, role_allowed_offices: ['no/Bryggen'] });
  await expectQuiet(story);
});
