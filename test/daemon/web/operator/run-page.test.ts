import { expect, it } from 'vitest';
import { sweep } from '../../../depth.js';
import { person } from '../../../scenarios/company.js';
import { openHeldLeavers } from './held-leavers.js';
import { Browser } from './pages.js';

/** The boxes of the page, one per change. */
function listBoxes(text: string): readonly string[] {
  return [...text.matchAll(/name="change" value="([0-9a-f]+)"/g)].map(([, id = '']) => id);
}

/** The posted body for several changes. */
function order(ids: readonly string[], reason: string): string {
  return new URLSearchParams([...ids.map((id): [string, string] => ['change', id]), ['reason', reason]]).toString();
}

/** The message about the last decision. */
function readSaid(text: string): string | undefined {
  return /<p [^>]*id="said" role="status" tabindex="-1" autofocus>([^<]*)</.exec(text)?.[1];
}

function post(url: string, body: string, headers: Record<string, string>): Promise<Response> {
  const type = { 'content-type': 'application/x-www-form-urlencoded' };
  return fetch(url, { method: 'POST', body, headers: { ...headers, ...type }, redirect: 'manual' });
}

sweep('shows why a guard holds, earlier and current reads, new leavers, and each change with its row', async () => {
  const held = await openHeldLeavers();
  const { text } = await new Browser(held.pages.url).get(
    `/tenants/acme/runs/${await held.run()}`,
    held.headers('approver'),
  );
  const plain = text.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ');
  expect(plain).toContain('49 people would be deactivated; 3 at most without approval');
  expect(plain).toContain('the source is complete (60 rows before, 58 now)');
  expect(plain).toMatch(/hr employees-03.csv 60 .* 58 −2/);
  expect(plain).toContain('New since the previous run: 49 of 49');
  expect(plain).toMatch(/Person E10 new since the last run Bergen \(no\) e10@example.com E10 deactivated false → true/);
  expect(plain).toContain('employees-03.csv:9');
  expect(listBoxes(text)).toHaveLength(49);
});

sweep("approves the selected changes in the person's name, and the next run applies only those", async () => {
  const held = await openHeldLeavers();
  const { story, pages } = held;
  const path = `/tenants/acme/runs/${await held.run()}`;
  const approver = held.headers('approver');
  const before = (await new Browser(pages.url).get(path, approver)).text;
  const action = /action="([^"]*\/approve)"/.exec(before)?.[1] ?? '';
  const three = listBoxes(before).slice(0, 3);
  const url = pages.url + action;

  expect((await post(url, order(three, ' '), approver)).status).toBe(400);
  expect((await post(url, order([], 'site closed'), approver)).status).toBe(400);
  expect((await post(url, order(['0'.repeat(32)], 'site closed'), approver)).status).toBe(409);
  expect((await post(url, order(three, 'site closed'), held.headers('viewer'))).status).toBe(403);
  expect((await post(`${pages.url}/tenants/acme/plans/..%2Fother/approve`, order(three, 'x'), approver)).status).toBe(
    404,
  );
  const given = await post(url, order(three, 'site closed'), approver);
  expect([given.status, given.headers.get('location')]).toEqual([
    303,
    expect.stringMatching(/^\/tenants\/acme\/plans\/p[\w-]*$/),
  ]);

  const after = (await new Browser(pages.url).get(path, approver)).text;
  expect(after).toContain('site closed');
  expect(listBoxes(after)).toHaveLength(46);
  const events = (await story.type('audit', 'list', '--json')).stdout;
  const last = (JSON.parse(events) as { readonly entries: readonly object[] }).entries.at(-1);
  expect(last).toMatchObject({ kind: 'approval given', by: 'approver@example.com', reason: 'site closed' });
  expect((last as { readonly changes: readonly string[] }).changes.toSorted()).toEqual(three.toSorted());

  await story.type('sync');
  expect(story.users().filter(({ deactivated }) => deactivated)).toHaveLength(5);
});

it('approves nothing from a plan that expired while the page was open, and says so', async () => {
  const held = await openHeldLeavers();
  const { pages } = held;
  const path = `/tenants/acme/runs/${await held.run()}`;
  const { text } = await new Browser(pages.url).get(path, held.headers('approver'));
  pages.clock.advance(25 * 3_600_000);
  const url = pages.url + (/action="([^"]*\/approve)"/.exec(text)?.[1] ?? '');
  const answer = await post(url, order(listBoxes(text), 'late'), held.headers('approver'));
  expect([answer.status, await answer.text()]).toEqual([409, expect.stringContaining('Nothing was approved')]);
  const later = await new Browser(pages.url).get(path, held.headers('approver'));
  expect(listBoxes(later.text)).toEqual([]);
  expect(later.text).toMatch(/This plan expired at [^<]*<\/h2><p>Create a new plan to decide\./);
});

it('declines or approves only undecided changes of a guard, and replaces an approval only by name', async () => {
  const held = await openHeldLeavers();
  const { pages, story } = held;
  const browser = new Browser(pages.url);
  const approver = held.headers('approver');
  const path = `/tenants/acme/runs/${await held.run()}`;
  const look = async () => (await browser.get(path, approver)).text;
  const approvals = async () => (await story.approve({ list: true })).json.approvals?.map(({ changes }) => changes);
  const before = await look();
  expect(before).toMatch(/Approve all 49 changes<.*Decline all 49 changes</s);
  const action = /action="([^"]*\/approve)"/.exec(before)?.[1] ?? '';
  const decline = action.replace('/approve', '/decline');
  const most = listBoxes(before).slice(1);
  held.setStatus({ nextMs: Date.parse('2026-12-24T10:00:00.000Z') });
  await post(pages.url + action, order(most, 'site closed'), approver);

  const after = await look();
  expect(after).toContain('1 of them still needs a decision.');
  expect(after).not.toContain('All on this page');
  expect(after).toMatch(/Approve this change<.*Decline this change</s);
  const word = { guard: 'users.deactivate', reason: 'stays' };
  expect((await browser.postAs(decline, word, approver)).status).toBe(303);
  expect(readSaid(await look())).toBe(
    'Declined 1 change until the source value changes. No approval was ended. The next run is at 2026-12-24 10:00 UTC.',
  );
  // The message is shown once.
  expect(readSaid(await look())).toBeUndefined();
  expect(await approvals()).toEqual([48]);
  const over = await browser.postAs(decline, word, approver);
  expect([over.status, over.text]).toEqual([409, expect.stringContaining('already approved or declined')]);
  const api = '/api/tenants/acme/declines';
  const json = { ...approver, accept: 'application/json', 'content-type': 'application/json' };
  const asked = await fetch(pages.url + api, { method: 'POST', headers: json, body: JSON.stringify(word) });
  expect([asked.status, await asked.json()]).toMatchObject([409, { code: 'SYNC_DECLINE_NOTHING' }]);

  // Approving the guard does not end the decline, but selecting the change ends the approval.
  expect((await browser.postAs(action, word, approver)).status).toBe(303);
  expect(readSaid(await look())).toMatch(/^Approved earlier, and unchanged: 48 changes\. /);
  expect(await look()).toMatch(/declined <bdi>by approver@example\.com/);
  const [named = ''] = most;
  const until = new Date(story.clock.now() + 60 * 86_400_000).toISOString().slice(0, 10);
  await browser.postAs(decline, { change: named, reason: 'stays too', until }, approver);
  expect(readSaid(await look())).toContain(
    `Declined 1 change. Proposed again on ${until}. This ended 1 approval of the selected changes.`,
  );
  expect(await approvals()).toEqual([47]);
  await story.type('sync');
  expect(story.users().filter(({ deactivated }) => deactivated)).toHaveLength(49);
});

it('counts decided changes together with open ones, and keeps every row in its place', async () => {
  const held = await openHeldLeavers();
  const path = `/tenants/acme/runs/${await held.run()}`;
  const [browser, approver] = [new Browser(held.pages.url), held.headers('approver')];
  const look = async () => {
    const { text } = await browser.get(path, approver);
    const rows = [...text.matchAll(/id="row-([0-9a-f]+)"/g)].map(([, id = '']) => id);
    const guards = /<section id="guards".*?<\/section>/s.exec(text)?.[0] ?? '';
    return { text, rows, guards, plain: text.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ') };
  };
  const before = await look();
  const base = /action="([^"]*)\/approve"/.exec(before.text)?.[1] ?? '';
  const [declined = '', open = '', ...approved] = before.rows;
  await post(`${held.pages.url}${base}/approve`, order(approved, 'site closed'), approver);
  await post(`${held.pages.url}${base}/decline`, order([declined], 'stays'), approver);
  const one = await look();
  expect(one.rows).toEqual(before.rows);
  expect(one.plain).toContain('1 of them still needs a decision.');
  expect(one.plain).toContain('New since the previous run: 49 of 49');
  expect(one.guards).toContain('tone-bad');

  await post(`${held.pages.url}${base}/approve`, order([open], 'site closed'), approver);
  const none = await look();
  expect(none.plain).toContain('All 49 decided: 48 approved, 1 declined.');
  expect(none.guards).not.toContain('tone-bad');

  held.setStatus({ nextMs: Date.parse('2026-12-24T10:00:00.000Z') });
  const overview = (await browser.get('/tenants/acme', approver)).text;
  expect(overview).toContain('The next run is at 2026-12-24 10:00 UTC.');
  expect(/<section id="waiting".*?<\/section>/s.exec(overview)?.[0]).toContain('<p>Nothing.</p>');
  expect(/<section id="decided".*?<\/section>/s.exec(overview)?.[0]).toContain('48 approved changes');
});

/** The first notice of the page: its heading, its sentences, and the target of its button. */
function readState(text: string) {
  const [, heading, rest = ''] = /<h2 id="now-heading">([^<]*)<\/h2>(.*?)<\/section>/s.exec(text) ?? [];
  return { heading, said: /<p>([^<]*)<\/p>/.exec(rest)?.[1] ?? null, to: /href="([^"]*)"/.exec(rest)?.[1] ?? null };
}

sweep('starts with the current state and one action: decide, wait, or open the newer plan', async () => {
  const held = await openHeldLeavers();
  const { story, pages } = held;
  const run = await held.run();
  const browser = new Browser(pages.url);
  const look = async (who: string, path = `runs/${run}`) =>
    readState((await browser.get(`/tenants/acme/${path}`, held.headers(who))).text);
  held.setStatus({ nextMs: Date.parse('2026-12-24T10:00:00.000Z') });
  const next = 'The next run is at 2026-12-24 10:00 UTC.';
  expect(await look('approver')).toEqual({
    heading: '49 people need your approval.',
    said: next,
    to: '?state=waits#changes',
  });
  expect(await look('viewer')).toEqual({ heading: '49 people need an approval.', said: next, to: null });

  await story.type('approve', '--guard', 'users.deactivate', '--reason', 'site closed');
  expect((await look('approver')).heading).toBe('Nothing needs a decision.');
  await story.type('sync');
  expect(await look('approver', 'runs/newest')).toMatchObject({ heading: 'Carried out: 49 changes.', said: next });
  expect(await look('approver')).toMatchObject({
    heading: 'The plan of this run was replaced by a newer one.',
    said: 'Nothing in it needs a decision any more.',
    to: expect.stringMatching(/^\/tenants\/acme\/plans\/p/),
  });
});

sweep('revokes an approval', async () => {
  const held = await openHeldLeavers();
  const path = `/tenants/acme/runs/${await held.run()}`;
  const browser = new Browser(held.pages.url);
  const approver = held.headers('approver');
  const action = /action="([^"]*\/approve)"/.exec((await browser.get(path, approver)).text)?.[1] ?? '';
  await browser.postAs(action, { guard: 'users.deactivate', reason: 'site closed' }, approver);
  const all = (await browser.get(path, approver)).text;
  expect([listBoxes(all).length, all.includes('49 changes</b> approved by')]).toEqual([0, true]);
  const revoke = /action="([^"]*\/revoke)"/.exec(all)?.[1] ?? '';
  expect((await browser.postAs(revoke, { reason: 'the wrong site' }, approver)).status).toBe(303);
  expect(listBoxes((await browser.get(path, approver)).text)).toHaveLength(49);
});

sweep('shows no names and no boxes to a viewer with pseudonyms', async () => {
  const held = await openHeldLeavers();
  const { text } = await new Browser(held.pages.url).get(
    `/tenants/acme/runs/${await held.run()}`,
    held.headers('viewer'),
  );
  expect(text).toMatch(/p_[0-9a-f]{20}/);
  expect(text).not.toMatch(/@example.com(?!<\/bdi> <(?:button|span))/);
  expect(text).not.toContain('Person E10');
  expect(listBoxes(text)).toEqual([]);
});

sweep('shows such a viewer leavers and the number of held records, but not their details', async () => {
  const held = await openHeldLeavers();
  const others = Array.from({ length: 55 }, (_one, i) => person(`E${i + 5}`, { first: 'Person', status: 'left' }));
  held.story.deliver([person('E3', { email: 'Jane Doe and more' }), person('E4'), ...others]);
  await held.story.type('sync');
  const look = async (who: string): Promise<string> =>
    (await new Browser(held.pages.url).get('/tenants/acme/runs/newest', held.headers(who))).text;
  const [seen, veiled] = [await look('approver'), await look('viewer')];
  expect(seen).toContain('jane doe and more');
  // A command and an expression are shown as code, on the page and in a report.
  expect(seen).toContain('it comes from </bdi><code>record.email.lowerAscii()</code></td>');
  for (const text of [seen, veiled]) expect(text).toMatch(/changes?, .*, 1 held\. <code>/);
  expect(veiled).not.toMatch(/jane doe/i);
  expect(veiled).toContain('This text is about a person whom you see under a pseudonym.');
  expect(veiled).toContain('deactivated</span> <del><bdi>false</bdi></del> → <ins><bdi>true</bdi></ins>');
});

sweep('filters on the server, and lists the runs over time', async () => {
  const held = await openHeldLeavers();
  const browser = new Browser(held.pages.url);
  const operator = held.headers('operator');
  const found = (await browser.get(`/tenants/acme/runs/newest?q=E10`, operator)).text;
  expect([listBoxes(found).length, found.includes('1 of 49 changes')]).toEqual([1, true]);
  const { text } = await browser.get('/tenants/acme/runs', operator);
  expect(text.match(/<tr><th scope="row"><a href="\/tenants\/acme\/runs\/r/g)).toHaveLength(3);
  expect(text).toContain('Held for a decision of the last 3 runs: last 49, at most 49');
});
