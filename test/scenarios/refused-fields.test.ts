import { expect, test } from 'vitest';
import { sweep } from '../depth.js';
import { person } from './company.js';
import { openGate } from './gate.js';
import { openStory, summarise, UPDATE_USER } from './kit.js';
import {
  CREATE_PROJECT,
  DAM,
  DAM_WRITES,
  damOf,
  FILL,
  openDam,
  openRich,
  pathOf,
  UPDATE_PROJECT,
} from './reference-projects.js';

const PROJECTS = '^/api/v2/company/cv/customers/[^/]+/projects';

sweep('creates a project without its stage if the key may not publish, and does not send the stage again', async () => {
  const story = await openRich();
  story.deliverDeals([DAM]);
  story.sandbox.faults.add({ kind: 'status', status: 403, method: 'POST', path: `${PROJECTS}(\\?|$)` });
  const ran = await story.sync();
  expect(ran).toMatchObject({ code: 4, json: { failed: [{ key: 'P1', code: 'SYNC_FIELD_REFUSED' }] } });
  expect(ran.json.failed[0]?.message).toContain('workflow_stage');
  expect(story.takeWrites()).toEqual([CREATE_PROJECT, ...DAM_WRITES]);
  expect(damOf(story)).toMatchObject({ workflow_stage: 'draft', custom_fields: { heads: { value: '42.0' } } });
  expect((await story.audit()).at(-1)).toMatchObject({ key: 'P1', result: 'not taken' });

  const again = await story.sync();
  expect([again.code, summarise(again.json.held)]).toEqual([4, ['P1 SYNC_FIELD_FROZEN']]);
  expect(story.takeWrites()).toEqual([]);

  // Other fields are still written; the run tries the stage again once the source changes it.
  story.deliverDeals([{ ...DAM, name: 'Dam II' }]);
  await story.sync();
  expect(story.takeWrites()).toEqual([UPDATE_PROJECT]);
  story.deliverDeals([{ ...DAM, name: 'Dam II', stage: 'ready_for_review' }]);
  expect((await story.sync()).code).toBe(0);
  expect(story.takeWrites()).toEqual([UPDATE_PROJECT]);
  expect(damOf(story)).toMatchObject({ project_name: { en: 'Dam II' }, workflow_stage: 'ready_for_review' });
});

sweep('sends a change of only a rejected stage once, then holds it', async () => {
  const story = await openDam();
  story.deliverDeals([{ ...DAM, stage: 'draft' }]);
  story.sandbox.faults.add({ kind: 'status', status: 403, method: 'PUT', path: PROJECTS });
  expect((await story.sync()).json.failed).toMatchObject([{ code: 'SYNC_FIELD_REFUSED' }]);
  expect(story.takeWrites()).toEqual([UPDATE_PROJECT]);
  expect(summarise((await story.sync()).json.held)).toEqual(['P1 SYNC_FIELD_FROZEN']);
  expect(story.takeWrites()).toEqual([]);
});

sweep('holds a custom field that no project has before it is sent, and sends the others', async () => {
  const story = await openDam();
  story.configure({ projects: { fields: { custom_fields: { headz: 'record.?heads' } } } });
  story.deliverDeals([{ ...DAM, heads: 43 }]);
  const ran = await story.sync();
  expect([ran.code, summarise(ran.json.held)]).toEqual([4, ['P1 SYNC_REFERENCE_UNKNOWN']]);
  expect(ran.json.held[0]?.reason).toContain('custom_fields.headz');
  expect(ran.json.held[0]?.reason).toContain('"heads"');
  expect(story.takeWrites()).toEqual([UPDATE_PROJECT]);
  expect(damOf(story).custom_fields).toMatchObject({ heads: { value: '43.0' } });
  await story.sync();
  expect(story.takeWrites()).toEqual([]);
});

test('sends the rest field by field when an unknown custom field is rejected before any project was read', async () => {
  const story = await openRich();
  story.configure({ projects: { fields: { custom_fields: { headz: 'record.?heads' } } } });
  story.deliverDeals([DAM]);
  const ran = await story.sync();
  expect(ran.json.failed).toMatchObject([{ code: 'SYNC_FIELD_REFUSED' }]);
  expect(ran.json.failed[0]?.message).toContain('custom_fields.headz');
  expect(ran.json.failed[0]?.message).not.toContain('custom_fields.heads:');
  expect(damOf(story)).toMatchObject({
    workflow_stage: 'live',
    custom_fields: { heads: { value: '42.0' }, model: { value: 'fixed' } },
    tags: ['sector/power', 'sector/water'],
  });
  story.takeWrites();
  // Now that a project was read, the name is known to be wrong.
  expect(summarise((await story.sync()).json.held)).toEqual(['P1 SYNC_REFERENCE_UNKNOWN']);
  expect(story.takeWrites()).toEqual([]);
});

sweep('holds an option that the field does not have, and writes the rest of the change', async () => {
  const story = await openDam();
  story.deliverDeals([{ ...DAM, name: 'Dam II', heads: 44, model: 'barter' }]);
  const ran = await story.sync();
  expect(ran.json.failed).toMatchObject([{ code: 'SYNC_FIELD_REFUSED' }]);
  expect(ran.json.failed[0]?.message).toContain('custom_fields.model');
  expect(damOf(story)).toMatchObject({
    project_name: { en: 'Dam II' },
    custom_fields: { heads: { value: '44.0' }, model: { value: 'fixed' } },
  });
  story.takeWrites();
  const again = await story.sync();
  expect(summarise(again.json.held)).toEqual(['P1 SYNC_FIELD_FROZEN']);
  expect(again.json.held[0]?.reason).toContain('custom_fields.model');
  expect(story.takeWrites()).toEqual([]);
  story.deliverDeals([{ ...DAM, name: 'Dam II', heads: 44, model: 'hourly' }]);
  expect((await story.sync()).code).toBe(0);
  expect(story.takeWrites()).toEqual([UPDATE_PROJECT]);
});

sweep("holds values of another type than the field's, and names that type", async () => {
  const story = await openDam();
  story.configure({ projects: { fields: { custom_fields: { worth: 'record.?value', heads: '"many"' } } } });
  story.deliverDeals([{ ...DAM, value: 5 }]);
  const ran = await story.sync();
  const reasons = ran.json.held.map(({ reason }) => reason).join(' ');
  expect(reasons).toContain('takes amount and currency, not value');
  expect(reasons).toContain('"many" is not a number');
  expect(story.takeWrites()).toEqual([]);
});

sweep('holds a record with an unknown currency, with its place', async () => {
  const story = await openDam();
  story.deliverDeals([{ ...DAM, currency: 'kroner' }]);
  const ran = await story.sync();
  expect(summarise(ran.json.held)).toEqual(['P1 SYNC_MAP_VALUE']);
  expect(ran.json.held[0]?.reason).toContain('custom_fields.worth.currency is "kroner"');
  expect(story.takeWrites()).toEqual([]);
});

sweep('reports a text that the answer shows differently, and does not keep sending it', async () => {
  const story = await openDam();
  story.deliverDeals([{ ...DAM, problems: ['Noise', 'Mud'] }]);
  const path = `${PROJECTS}/[^/]+/project_challenges`;
  story.sandbox.faults.add({ kind: 'drop_field', method: 'PUT', path, fields: ['project_challenge.value'] });
  expect((await story.sync()).json.failed).toMatchObject([{ code: 'SYNC_WRITE_NOT_TAKEN' }]);
  expect(story.takeWrites()).toEqual([FILL('project_challenges')]);
  expect(summarise((await story.sync()).json.held)).toEqual(['P1 SYNC_FIELD_FROZEN']);
  expect(story.takeWrites()).toEqual([]);
});

sweep('accepts a tag that others already set, and one that others already removed', async () => {
  const story = await openDam();
  story.deliverDeals([{ ...DAM, sector: ['power', 'roads'] }]);
  const path = await pathOf(story);
  const categories = (await story.others('GET', '/api/v1/masterdata/custom_tags/custom_tag_category')) as readonly {
    readonly id: string;
    readonly external_unique_id: string;
    readonly custom_tags: readonly { readonly id: string; readonly external_unique_id: string }[];
  }[];
  const sector = categories.find(({ external_unique_id }) => external_unique_id === 'sector');
  const idOf = (tag: string) => sector?.custom_tags.find((one) => one.external_unique_id === tag)?.id;
  // Another user edits the tags while the first of the two calls is in flight.
  const gate = await openGate(story.sandbox.url, 1, async () => {
    const body = { custom_tag_category_id: sector?.id, custom_tag_id: idOf('roads') };
    await story.others('POST', `${path}/custom_tags`, body);
    await story.others('DELETE', `${path}/custom_tags/${idOf('water')}`);
    return true;
  });
  story.configure({ service: { base_url: gate.url } });
  expect(await story.sync()).toMatchObject({ code: 0, json: { done: 1, failed: [] } });
  expect(gate.writes()).toBe(2);
  expect(damOf(story).tags).toEqual(['sector/power', 'sector/roads']);
  expect((await story.plan({ full: true })).json.counts).toEqual({});
});

test('writes the other fields of a person whose new e-mail the service rejects, and retries the e-mail alone', async () => {
  const story = await openStory({ account: { whitelisted_domains: ['example.com'] } });
  story.deliver([person('E1')]);
  await story.sync();
  story.takeWrites();
  story.deliver([person('E1', { email: 'e1@elsewhere.test', title: 'Lead' })]);
  const ran = await story.sync();
  expect(ran).toMatchObject({ code: 4, json: { failed: [{ key: 'E1', code: 'SYNC_FIELD_REFUSED', in_part: true }] } });
  expect(ran.json.failed[0]?.message).toContain('email: Answered 422: Email domain is not whitelisted');
  expect(story.takeWrites()).toEqual([UPDATE_USER, UPDATE_USER]);
  expect(story.user('E1')).toMatchObject({ email: 'e1@example.com', title: { en: 'Lead' } });
  expect((await story.audit()).at(-1)).toMatchObject({
    key: 'E1',
    result: 'not taken',
    after: { title: { en: 'Lead' } },
  });
  // The e-mail alone is rejected twice more, and then held like any other change.
  for (const calls of [1, 1, 0]) {
    await story.sync();
    expect(story.takeWrites()).toHaveLength(calls);
  }
  expect(summarise((await story.sync()).json.held)).toEqual(['E1 SYNC_CHANGE_PAUSED']);
  story.deliver([person('E1', { email: 'e1.new@example.com', title: 'Lead' })]);
  expect(await story.sync()).toMatchObject({ code: 0, json: { done: 1 } });
});
