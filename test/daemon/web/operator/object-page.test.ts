import { expect, it } from 'vitest';
import { sweep } from '../../../depth.js';
import { openHeldLeavers } from './held-leavers.js';
import { Browser } from './pages.js';

it('shows both sides of a person, waiting changes with a form, and the history, from stored data only', async () => {
  const { pages, headers, story } = await openHeldLeavers();
  const browser = new Browser(pages.url);
  const get = (path: string, who = 'approver') => browser.get(path, headers(who));
  const [leaver] = story.users().filter(({ deactivated }) => !deactivated);
  const key = leaver?.external_unique_id ?? '';
  const found = (await get(`/tenants/acme/people?q=${key}`)).text;
  const path = `/tenants/acme/people/user/${key}`;
  expect(found).toContain(`href="${path}"`);
  story.takeReads();
  const { status, text } = await get(path);
  expect(status).toBe(200);
  expect(story.takeReads()).toEqual([]);
  expect(text).toMatch(new RegExp(`<title>${leaver?.name}`));
  expect(text).toMatch(/<th scope="row">e-mail.*@example\.com.*the sources/s);
  expect(text).toContain('this needs approval');
  expect(text).toMatch(/was created/);
  expect((await get(path, 'viewer')).text).not.toContain('Approve or decline');
  expect((await get('/tenants/acme/people/user/nobody')).status).toBe(404);

  const change = /name="change" value="(\w+)"/.exec(text)?.[1] ?? '';
  const plan = /\/tenants\/acme\/plans\/([\w-]+)\/decline/.exec(text)?.[1] ?? '';
  const word = { change, reason: 'stays, ticket 4711', back: path };
  const decided = await browser.postAs(`/tenants/acme/plans/${plan}/decline`, word, headers('approver'));
  expect([decided.status, decided.location]).toEqual([303, path]);
  const after = (await get(path)).text;
  expect(after).toMatch(/Declined by .*approver@example\.com.*stays, ticket 4711/s);
  expect(after).toMatch(/Would be <b>deactivated<\/b>: .*declined by approver@example\.com/);
  expect(after).not.toContain('Approve or decline');
  // The declined person counts no more where decisions are asked for.
  expect((await get('/tenants/acme')).text).toContain('Waiting: 48 changes for an approval.');

  const other = story.users().filter(({ deactivated }) => !deactivated)[1]?.external_unique_id ?? '';
  const next = (await get(`/tenants/acme/people/user/${other}`)).text;
  const approved = { change: /name="change" value="(\w+)"/.exec(next)?.[1] ?? '', reason: 'has left' };
  await browser.postAs(`/tenants/acme/plans/${plan}/approve`, approved, headers('approver'));
  const page = (await get(`/tenants/acme/people/user/${other}`)).text;
  expect(page).toMatch(/approver@example\.com.* approved the deactivation of .*Person/);
  const audit = (await get(`/tenants/acme/audit?who=${key}&kind=decisions`)).text;
  expect(audit).toMatch(/declined the deactivation of .* until the source value changes.*: <b>.*stays, ticket 4711/);
  expect(audit).not.toContain('has left');
  expect(page).toMatch(/Would be <b>deactivated<\/b>: .*approved by approver@example\.com.*; the next run does it/);

  // The page of the plan shows both decisions with their ends, and a form to revoke each of them.
  const ofPlan = (await get(`/tenants/acme/plans/${plan}`)).text;
  expect(ofPlan).toMatch(/49 changes, 47 waiting, 1 declined, 1 approved/);
  expect(ofPlan).toMatch(/by approver@example\.com<\/bdi> <a href="#approvals">until \d{4}-/);
  expect(ofPlan).toMatch(
    /declined <bdi>by approver@example\.com until the source value changes: stays, ticket 4711.*Declined at/,
  );
  expect(ofPlan).toMatch(/action="\/tenants\/acme\/declines\/d[^"]*\/revoke"/);
  // Later, the old plan shows the fate of each change.
  await story.type('sync');
  const later = (await get(`/tenants/acme/plans/${plan}`)).text;
  expect(later).toMatch(/49 changes, 47 waiting, 1 declined, 1 carried out/);
  expect(later).toMatch(/dot tone-plain.{0,40}declined.*dot tone-good.{0,40}carried out/);
});

sweep('shows a veiled viewer no name and no address', async () => {
  const { pages, headers, story } = await openHeldLeavers();
  pages.configure({
    grants: [{ role: 'viewer', who: ['viewer@example.com'], groups: [], tenants: ['acme'], pseudonyms: true }],
  });
  const [person] = story.users();
  const key = person?.external_unique_id ?? '';
  const { text } = await new Browser(pages.url).get(`/tenants/acme/people/user/${key}`, headers('viewer'));
  expect(text).toContain('Both sides');
  for (const word of [person?.name ?? '?', person?.email ?? '?']) expect(text).not.toContain(word);
});
