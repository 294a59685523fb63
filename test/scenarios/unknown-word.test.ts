import { expect, test } from 'vitest';
import { sweep } from '../depth.js';
import { person, type Row } from './company.js';
import { openStory, type Story } from './kit.js';

let deliveries = 0;
/** No delivery has the content of an earlier one: the rank differs, and no mapping uses it. */
function company(statusOf: (index: number) => string, count = 24): readonly Row[] {
  deliveries += 1;
  return Array.from({ length: count }, (_, i) =>
    person(`E${100 + i}`, { status: statusOf(i), rank: String(deliveries) }),
  );
}
const usual = (i: number): string => (i < 6 ? 'terminated' : 'active');

async function openCompany(leaver = 'record.?status.orValue("") == "terminated"', more = {}): Promise<Story> {
  const story = await openStory();
  story.configure({
    guards: { users: { deactivate: 'off', reactivate: 'off' } },
    users: { leaver: { when: leaver }, ...more },
  });
  // One person left before the first load, so that word is known from the start.
  story.deliver([...company(() => 'active'), person('E999', { status: 'terminated' })]);
  await story.sync();
  story.deliver(company(usual));
  expect((await story.sync()).json.counts).toEqual({ users: { deactivate: 6 } });
  story.takeWrites();
  return story;
}

const inUse = (story: Story): number => story.users().filter((user) => !user.deactivated).length;

test('Terminated instead of terminated reactivates nobody, whatever else the run does', async () => {
  const story = await openCompany();
  const rows = company((i) => (i < 6 ? 'Terminated' : 'active')).map((row, i) =>
    i === 20 ? { ...row, title: 'Lead' } : row,
  );
  story.deliver(rows);
  for (let run = 0; run < 2; run++) {
    const ran = await story.sync();
    expect(ran).toMatchObject({
      code: 3,
      json: {
        done: 1 - run,
        guards: [{ guard: 'users.unknown_word', limit: 0, found: 6, held: 6, cause: 'unknown word' }],
      },
    });
    expect(ran.json.guards[0]?.detail).toContain('"Terminated"');
  }
  expect(inUse(story)).toBe(18);
  expect((await story.explain('user', 'E100')).json.steps.guard).toMatchObject({
    by: 'guard',
    name: 'users.unknown_word',
  });

  // With the right word again, nothing is left over.
  story.deliver(company(usual).map((row, i) => (i === 20 ? { ...row, title: 'Lead' } : row)));
  expect(await story.sync()).toMatchObject({ code: 0, json: { guards: [], done: 0 } });
});

sweep('one approval makes the word known', async () => {
  const story = await openCompany();
  story.deliver(company((i) => (i < 6 ? 'rehired' : 'active')));
  await story.sync();
  expect((await story.approve({ guard: 'users.unknown_word', reason: 'new word of HR' })).json.approved).toBe(6);
  expect(await story.sync()).toMatchObject({ code: 0, json: { done: 6, guards: [] } });
  story.deliver(company(usual));
  await story.sync();
  story.deliver(company((i) => (i < 3 ? 'rehired' : usual(i))));
  expect(await story.sync()).toMatchObject({ code: 0, json: { done: 3, guards: [] } });
});

sweep('holds words that deactivate people too', async () => {
  const story = await openCompany('record.?status.orValue("") != "active"');
  story.deliver(company((i) => (i < 10 ? usual(i) : 'aktiv')));
  expect(await story.sync()).toMatchObject({
    code: 3,
    json: { done: 0, guards: [{ guard: 'users.unknown_word', found: 14, held: 14 }] },
  });
});

sweep('holds words that take people out of scope by a list', async () => {
  const story = await openCompany(undefined, {
    scope: 'record.office in ["Oslo", "Bergen"]',
    out_of_scope: 'deactivate',
  });
  story.deliver(company(usual).map((row, i) => (i > 20 ? { ...row, office: 'OSLO' } : row)));
  expect(await story.sync()).toMatchObject({
    code: 3,
    json: { done: 0, guards: [{ guard: 'users.unknown_word', found: 3 }] },
  });
});

sweep('accepts ordinary days: a known word for others, a new word without effect, and that word later', async () => {
  const story = await openCompany();
  story.deliver(company((i) => (i === 10 ? 'on leave' : i === 0 ? 'active' : usual(i))));
  expect(await story.sync()).toMatchObject({ code: 0, json: { counts: { users: { reactivate: 1 } }, guards: [] } });
  story.deliver(company((i) => (i === 0 || i === 10 ? 'terminated' : usual(i))));
  expect(await story.sync()).toMatchObject({ code: 0, json: { counts: { users: { deactivate: 2 } }, guards: [] } });
  // An active person had this word, so by now it is known.
  story.deliver(company((i) => (i === 10 ? 'on leave' : usual(i))));
  expect(await story.sync()).toMatchObject({ code: 0, json: { counts: { users: { reactivate: 1 } }, guards: [] } });
});

sweep('does not learn another spelling of a known word from a person whom it does not change', async () => {
  const story = await openCompany();
  story.deliver(company((i) => (i === 10 ? 'Terminated ' : usual(i))));
  expect(await story.sync()).toMatchObject({ code: 4, json: { guards: [], held: [{ code: 'SYNC_WORD_RESPELLED' }] } });
  story.deliver(company((i) => (i < 6 || i === 10 ? 'Terminated ' : 'active')));
  expect(await story.sync()).toMatchObject({ code: 3, json: { done: 0, guards: [{ found: 6 }] } });
});

sweep('never treats dates, numbers and free text as vocabulary', async () => {
  const story = await openCompany(
    'record.?status.orValue("") == "terminated" || record.?title.orValue("") == "2026-01-01" || record.?phone.orValue("") == "none"',
  );
  // Each row has its own telephone number, which counts as free text. The title stands in for a last day.
  story.deliver(
    company(usual).map((row, i) => ({ ...row, phone: i === 3 ? 'none' : `+47 ${i}`, title: '2030-01-01' })),
  );
  expect((await story.sync()).json.guards).toEqual([]);
  story.deliver(
    company((i) => (i < 3 ? 'active' : usual(i))).map((row, i) => ({
      ...row,
      phone: `+47 999 ${i}`,
      title: '2031-01-01',
    })),
  );
  expect(await story.sync()).toMatchObject({ code: 0, json: { counts: { users: { reactivate: 3 } }, guards: [] } });
});

sweep('ignores case if the expression does', async () => {
  const story = await openCompany('record.?status.orValue("").lowerAscii() == "terminated"');
  story.deliver(company((i) => (i < 5 ? 'TERMINATED' : i === 5 ? 'ACTIVE' : 'Active')));
  expect(await story.sync()).toMatchObject({ code: 0, json: { counts: { users: { reactivate: 1 } }, guards: [] } });
});

sweep.each(['Terminated', 'TERMINATED', 'términated', 'terminated.'] as const)(
  'reports %s in every run until acknowledged, because it keeps people from being leavers',
  async (word) => {
    const story = await openStory();
    story.configure({ users: { leaver: { when: 'record.?status.orValue("") == "terminated"' } } });
    const rows = [person('E1'), person('E2', { status: 'active' }), person('E3', { status: 'active' })];
    story.deliver(rows);
    expect((await story.sync()).code).toBe(0);
    story.deliver([...rows.slice(0, 2), person('E3', { status: word })]);
    for (let run = 0; run < 3; run++) {
      const ran = await story.sync(run === 2 ? { full: true } : {});
      const reason = `one row has "${word}" in \`record.?status.orValue("")\`. \`users.leaver.when\` names "terminated", and`;
      expect(ran).toMatchObject({ code: 4, json: { held: [{ code: 'SYNC_WORD_RESPELLED', entity: 'users' }] } });
      expect(ran.json.held[0]?.reason).toContain(reason);
    }
    expect(JSON.stringify((await story.status()).json)).toContain('SYNC_WORD_RESPELLED');
    const [held] = (await story.plan()).json.held;
    expect((await story.type('holds', 'ack', held?.id ?? '', '--reason', 'not left')).code).toBe(0);
    expect((await story.sync()).code).toBe(0);
    // A configuration that ignores case, but not accents, takes it for the word.
    if (!/^terminated$/i.test(word)) return;
    story.configure({ users: { leaver: { when: 'record.?status.orValue("").lowerAscii() == "terminated"' } } });
    expect(await story.sync()).toMatchObject({ json: { held: [], counts: { users: { deactivate: 1 } } } });
  },
);

sweep('reports another spelling from the first read on', async () => {
  const story = await openStory();
  story.configure({ users: { leaver: { when: 'record.?status.orValue("") == "terminated"' } } });
  story.deliver([person('E1'), person('E2', { status: 'Terminated' })]);
  for (let run = 0; run < 2; run++)
    expect(await story.sync()).toMatchObject({ code: 4, json: { held: [{ code: 'SYNC_WORD_RESPELLED' }] } });
});
