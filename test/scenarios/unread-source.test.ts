import { expect, test } from 'vitest';
import { oneIn } from '../depth.js';
import { person, type Yaml } from './company.js';
import { openIdp } from './idp.js';
import { openStory } from './kit.js';

/** The identity provider owns the telephone number, but could not be read while a colleague changed it. */
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
    ['reports an edit of a colleague under drift: report', { drift: 'report' }, '1'],
    ['holds changes of both sides under conflicts: hold', { conflicts: 'hold' }, '3'],
  ]),
)('keeps the agreed values through an outage of a source, and %s', async (_, rules, phoneNow) => {
  const story = await openAfterOutage(rules, phoneNow);
  const { json } = await story.sync();
  expect(story.user('E1').telephone).toBe('5');
  expect(json.conflicts.length + json.held.length).toBe(1);
});
