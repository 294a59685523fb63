import { expect, test } from 'vitest';
import { showGuard } from '../../src/model/held-source.js';
import { oneIn, sweep } from '../depth.js';
import { CRM, person, type Row } from './company.js';
import { CREATE_USER, openStory, type Story } from './kit.js';

const staff = (count: number, prefix = 'E'): readonly Row[] =>
  Array.from({ length: count }, (_, index) => person(`${prefix}${100 + index}`));

async function openCompany(count = 20): Promise<Story> {
  const story = await openStory();
  story.deliver(staff(count));
  expect((await story.sync()).code).toBe(0);
  story.takeWrites();
  return story;
}

const deactivated = (story: Story): number => story.users().filter((user) => user.deactivated).length;

test.each(
  oneIn(2, [
    ['as many rows', 20],
    ['twice as many rows', 40],
    ['a third of the rows', 7],
  ]),
)("holds another tenant's file with %s: nobody is created or counted as missing", async (_, count) => {
  const story = await openCompany();
  story.deliver(staff(count, 'X'));
  for (let run = 0; run < 3; run++) {
    const ran = await story.sync();
    expect(ran.code).toBe(3);
    expect(ran.json.guards).toMatchObject([
      {
        guard: expect.stringMatching(/^sources\.hr\.another_tenant:[0-9a-f]{64}$/),
        limit: 9,
        found: 20,
        held: count,
        cause: "another tenant's file",
      },
    ]);
    expect(ran.json.done).toBe(0);
  }
  // The same content under other names does not prove an absence either.
  story.deliver(staff(count, 'X'));
  expect((await story.sync()).code).toBe(3);
  expect(story.takeWrites()).toEqual([]);

  story.deliver(staff(20));
  const right = await story.sync();
  expect([right.code, right.json.counts]).toEqual([0, {}]);
  expect(deactivated(story)).toBe(0);
});

sweep('holds rows that all lost their keys for that reason, and counts nobody as absent', async () => {
  const story = await openCompany();
  story.deliver(staff(20).map((row) => ({ ...row, id: '' })));
  for (let run = 0; run < 2; run++)
    expect(await story.sync()).toMatchObject({ code: 4, json: { done: 0, guards: [], counts: {} } });
  const { stdout } = await story.type('plan');
  expect(stdout).toContain('20 of 20 rows have no key that can be trusted');
  expect(stdout).not.toContain('tenant');
  expect(story.takeWrites()).toEqual([]);
});

sweep("reports another tenant's file once, with the command that releases it", async () => {
  const story = await openCompany();
  story.deliver(staff(20, 'X'));
  const { stdout } = await story.type('plan');
  expect(stdout.match(/known people are gone/g)).toHaveLength(1);
  const [, typed = ''] = /To approve them: talent-sync ([^"]*)"…"/.exec(stdout.replaceAll(/\n\s*/g, ' ')) ?? [];
  expect((await story.type(...typed.trim().split(' '), 'seen')).code).toBe(0);
});

sweep(
  'holds a list that counts from the same number, but not one with new addresses or new names for everyone',
  async () => {
    const story = await openCompany();
    const own = staff(20);
    story.deliver(
      own.map((row, i) => ({ ...row, first: 'Somebody', last: `Else ${i}`, email: `other${i}@example.com` })),
    );
    expect(await story.sync()).toMatchObject({
      code: 3,
      json: { done: 0, guards: [{ found: 20, cause: "another tenant's file" }] },
    });
    story.configure({ guards: { users: { update: 'off', fields: { '*': 'off' } } } });
    story.deliver(own.map((row) => ({ ...row, first: 'Renamed' })));
    expect(await story.sync()).toMatchObject({ code: 0, json: { done: 20, guards: [] } });
    story.deliver(own.map((row, i) => ({ ...row, first: 'Renamed', email: `p${i}@example.com` })));
    expect(await story.sync()).toMatchObject({ code: 0, json: { done: 20, guards: [] } });
  },
);

sweep('shows the hold in plan, status, check and explain', async () => {
  const story = await openCompany();
  story.deliver(staff(20, 'X'));
  const planned = await story.plan();
  expect(planned.code).toBe(3);
  const name = planned.json.guards[0]?.guard ?? '';
  expect(name).toMatch(/^sources\.hr\.another_tenant:/);
  expect(JSON.stringify((await story.status()).json)).toContain(name);
  expect(JSON.stringify((await story.check()).json)).toContain(name);
  expect((await story.explain('user', 'E100')).json.steps.guard).toMatchObject({ by: 'guard', name });
  expect((await story.type('plan')).stdout).toContain('holds a delivery of 20 rows');
  const shown = showGuard(name);
  expect((await story.type('explain', 'user', 'E100')).stdout).toContain(`--guard ${shown}`);
  expect((await story.type('status')).stdout).toContain(shown);

  story.deliver(staff(20));
  await story.plan();
  expect(JSON.stringify((await story.status()).json)).not.toContain('another_tenant');
});

sweep('approves only this very content, which is the normal from then on', async () => {
  const story = await openCompany();
  story.configure({ guards: { users: { create: 'off', deactivate: 'off' } } });
  story.deliver(staff(20, 'X'));
  await story.sync();
  story.deliver(staff(19, 'X'));
  const ran = await story.sync();
  const name = ran.json.guards[0]?.guard ?? '';
  expect((await story.approve({ guard: 'sources.hr.another_tenant:000000000000' })).code).toBe(1);
  expect((await story.approve({ guard: name, reason: 'moved to another payroll' })).code).toBe(0);
  const passed = await story.sync();
  expect(passed).toMatchObject({ code: 0, json: { counts: { users: { create: 19, deactivate: 20 } }, guards: [] } });

  // Approved or not, the people of this file are now the known ones.
  story.deliver(staff(20, 'X'));
  expect(await story.sync()).toMatchObject({ code: 0, json: { counts: { users: { create: 1 } } } });
});

sweep('continues with an entity that has its own source', async () => {
  const story = await openCompany();
  story.configure({ customers: CRM.customers ?? null, sources: CRM.sources ?? null });
  story.deliverCompanies([{ id: 'c1', name: 'Alpha' }]);
  story.deliver(staff(20, 'X'));
  const ran = await story.sync();
  expect(ran).toMatchObject({ code: 3, json: { counts: { customers: { create: 1 } }, done: 1 } });
  expect(ran.json.guards).toHaveLength(1);
});

sweep('applies the guard to other entities where `another_tenant` asks for it', async () => {
  const story = await openCompany();
  const companies = (prefix: string) =>
    Array.from({ length: 8 }, (_, i) => ({ id: `${prefix}${i}`, name: `${prefix} ${i}` }));
  story.configure({
    customers: CRM.customers ?? null,
    sources: CRM.sources ?? null,
    guards: { customers: { create: 'off' } },
  });
  story.deliverCompanies(companies('a'));
  await story.sync();
  story.deliverCompanies(companies('b'));
  expect(await story.sync()).toMatchObject({ code: 0, json: { counts: { customers: { create: 8 } } } });

  story.configure({ guards: { sources: { 'crm.companies': { another_tenant: { percent: 50, min: 3 } } } } });
  await story.sync();
  story.deliverCompanies(companies('c'));
  expect(await story.sync()).toMatchObject({ code: 3, json: { done: 0, guards: [{ found: 8, limit: 3 }] } });
});

sweep('accepts ordinary days: leavers without their rows, joiners, a company sold, a renumbering', async () => {
  const story = await openCompany(40);
  story.configure({ guards: { users: { deactivate: 'off', create: 'off' } } });
  const rows = staff(40);
  story.deliver([...rows.slice(5), ...staff(8, 'N')]);
  expect(await story.sync()).toMatchObject({ code: 0, json: { counts: { users: { create: 8, deactivate: 5 } } } });
  story.deliver([...rows.slice(25), ...staff(4, 'N')]);
  expect(await story.sync()).toMatchObject({ code: 0, json: { counts: { users: { deactivate: 24 } } } });
  // All keys are new, but every e-mail is known.
  story.deliver([...rows.slice(25), ...staff(4, 'N')].map((row, i) => ({ ...row, id: `R${i}` })));
  expect(JSON.stringify((await story.plan()).json.guards)).not.toContain('another_tenant');
});

sweep('lets a small company change freely', async () => {
  const story = await openCompany(3);
  story.deliver(staff(3, 'N'));
  const ran = await story.sync();
  expect(ran.json.counts).toEqual({ users: { create: 3, deactivate: 3 } });
  expect(story.takeWrites().filter((call) => call === CREATE_USER)).toHaveLength(3);
});
