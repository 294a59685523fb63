import { expect, test } from 'vitest';
import { Secret } from '../../src/base/secrets/secret.js';
import { parseBody } from '../../src/connectors/scim-protocol/parse-body.js';
import { ScimError } from '../../src/connectors/scim-protocol/scim-error.js';
import { sweep } from '../depth.js';
import { KEY, person } from '../scenarios/company.js';
import { openStory, summarise } from '../scenarios/kit.js';

const LONG = 'a-key-of-more-than-twelve-characters';

test('holds a record that contains a secret, and writes neither the secret nor its replacement text', async () => {
  const story = await openStory();
  story.deliver([person('E1', { title: 'Engineer' }), person('E2'), person('E3')]);
  await story.sync();
  story.env.IDP_TOKEN = LONG;
  story.configure({ sources: { idp: { type: 'scim-push', tokens: [{ env: 'IDP_TOKEN' }], key: 'externalId' } } });
  story.takeWrites();
  story.deliver([person('E1', { title: `see ${LONG}` }), person('E2', { title: 'Lead' }), person('E3')]);
  const { code, json, stderr } = await story.sync();
  expect(code).toBe(4);
  expect(summarise(json.held)).toEqual(['E1 SYNC_ROW_SECRET']);
  expect(json.held[0]).toMatchObject({ place: 'hr employees-02.csv:2' });
  expect(JSON.stringify(json) + stderr).not.toContain(LONG);
  expect(story.takeWrites()).toHaveLength(1);
  expect(story.user('E1')).toMatchObject({ deactivated: false, title: { en: 'Engineer' } });
  expect(story.user('E2')).toMatchObject({ title: { en: 'Lead' } });
  // Nobody leaves because of it, and the record continues as soon as the value is gone.
  story.deliver([person('E1', { title: 'Manager' }), person('E2', { title: 'Lead' }), person('E3')]);
  expect((await story.sync()).code).toBe(0);
  expect(story.user('E1')).toMatchObject({ title: { en: 'Manager' } });
});

sweep('writes a short secret verbatim, since it may be an ordinary word, and hides it in all output', async () => {
  const story = await openStory();
  expect(KEY.length).toBeLessThan(12);
  story.deliver([person('E1', { title: `The ${KEY}` })]);
  const first = await story.sync();
  expect(first.code).toBe(0);
  expect(story.user('E1')).toMatchObject({ title: { en: `The ${KEY}` } });
  expect((await story.sync()).json.calls.writes).toBe(0);
  expect((await story.type('audit', 'export')).stdout).toContain('The [secret]');

  // The log no longer has the value, so an undo leaves the field unchanged and says so.
  story.deliver([person('E1', { title: 'Lead', last: 'Berg' })]);
  const second = await story.sync();
  const undone = await story.undo(second.json.run);
  expect(JSON.stringify(story.sandbox.state())).not.toContain('[secret]');
  expect(story.user('E1')).toMatchObject({ title: { en: 'Lead' }, name: 'Person E1' });
  expect(undone.json.held.map(({ key }) => key)).toEqual(['E1']);
});

test('lets nobody push a secret into the state', () => {
  new Secret(LONG);
  const push = (title: string): unknown =>
    parseBody(Buffer.from(JSON.stringify({ title })), { values: 100, depth: 10 });
  expect(push('Lead')).toEqual({ title: 'Lead' });
  expect(() => push(`see ${LONG}`)).toThrow(ScimError);
  expect(() => push(`see ${LONG}`)).not.toThrow(LONG);
});
