import { expect, test } from 'vitest';
import { oneIn } from '../depth.js';
import { person, type Yaml } from './company.js';
import { openIdp } from './idp.js';
import { openStory } from './kit.js';

/** The telephone number is the identity provider's, which could not be read while a colleague changed it. */
async function openAfterOutage(rules: { readonly [key: string]: Yaml }, phoneNow: string) {
  const idp = await openIdp([{ id: 'a1', externalId: 'E1', phone: '1' }]);
  const story = await openStory();
  story.configure({
    ...rules,
    sources: { idp: { type: 'scim', base_url: idp.url, auth: { bearer: { env: 'IDP_TOKEN' } } } },
    users: { enrich: { idp: { join: 'idp.externalId == hr.id' } }, fields: { telephone: 'idp.?phone' } },
  });
  story.deliver([person('E1')]);
  await story.sync();
  idp.mode = 'down';
  story.deliver([person('E1', { last: 'Married' })]);
  await story.sync();
  await story.editUser('E1', { telephone: '5' });
  idp.mode = 'whole';
  idp.accounts = [{ id: 'a1', externalId: 'E1', phone: phoneNow }];
  return story;
}

test.each(
  oneIn(1, [
    ['drift: report: what a colleague changed meanwhile is reported, and not overwritten', { drift: 'report' }, '1'],
    ['conflicts: hold: what both sides have changed meanwhile waits for a person', { conflicts: 'hold' }, '3'],
  ]),
)('an outage of a source takes nothing away from what was agreed on; %s', async (_, rules, phoneNow) => {
  const story = await openAfterOutage(rules, phoneNow);
  const { json } = await story.sync();
  expect(story.user('E1').telephone).toBe('5');
  expect(json.conflicts.length + json.held.length).toBe(1);
});
