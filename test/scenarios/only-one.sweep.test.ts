import { expect, test } from 'vitest';
import { sweep } from '../depth.js';
import { CRM, HEADER, line, person } from './company.js';
import { openStory, type Story } from './kit.js';

test('holds a single requested person too, because a guard counts everyone', async () => {
  const story = await openStory();
  const staff = Array.from({ length: 10 }, (_, index) => person(`E${index + 1}`));
  story.deliver(staff);
  await story.sync();
  story.takeWrites();
  story.deliver([...staff.slice(0, 5), { ...person('E6'), title: 'Lead' }]);
  expect((await story.plan()).json.guards).toMatchObject([{ guard: 'users.deactivate', held: 4, found: 4 }]);
  const alone = await story.sync({ only: 'user:E10' });
  expect(alone).toMatchObject({
    code: 3,
    json: { done: 0, guards: [{ guard: 'users.deactivate', held: 1, found: 4 }] },
  });
  expect(story.takeWrites()).toEqual([]);
  expect(await story.sync({ only: 'user:E6' })).toMatchObject({ code: 0, json: { done: 1, guards: [] } });

  await story.approve({ who: 'user:E10' });
  expect(await story.sync({ only: 'user:E10' })).toMatchObject({ code: 0, json: { done: 1, guards: [] } });
  expect(story.users().filter(({ deactivated }) => deactivated)).toMatchObject([{ external_unique_id: 'E10' }]);
});

sweep('rejects --only with an unknown person, and writes nothing', async () => {
  const story = await openStory({
    users: [{ country: 'no', office: 'Oslo', email: 'stranger@example.com', name: 'Stranger' }],
  });
  story.deliver([person('E1')]);
  for (const only of ['user:nobody@example.com', 'user:stranger@example.com', 'customer:E1']) {
    for (const ran of [await story.plan({ only }), await story.sync({ only })]) {
      expect(ran).toMatchObject({ code: 1, error: { code: 'SYNC_NOT_FOUND', place: '--only' } });
    }
  }
  expect((await story.plan({ only: 'user:stranger@example.com' })).error?.message).toContain('is in the service');
  expect(story.takeWrites()).toEqual([]);
});

sweep(
  'accepts --only with a person who needs no change, by key, address or name, and leaves others alone',
  async () => {
    const story = await openStory();
    story.deliver([person('E1')]);
    await story.sync();
    story.takeWrites();
    story.deliver([person('E1'), person('E2')]);
    for (const who of ['E1', 'e1@example.com', 'Person E1']) {
      expect(await story.plan({ only: `user:${who}` })).toMatchObject({ code: 0, json: { counts: {} } });
    }
    expect(await story.sync({ only: 'user:E1' })).toMatchObject({ code: 0, json: { counts: {}, done: 0 } });
    expect(story.takeWrites()).toEqual([]);
    expect(story.users()).toHaveLength(1);
  },
);

/**
 * E2's office is unknown, E3's row has too few cells, and the CRM has delivered nothing: all of this concerns others.
 */
async function openBadDay(): Promise<Story> {
  const story = await openStory();
  story.configure(CRM);
  story.deliver([person('E1')]);
  story.deliverCompanies([{ id: 'C1', name: 'Acme' }]);
  story.deliverDeals([{ id: 'D1', customer: 'C1', name: 'Bridge' }]);
  expect((await story.sync()).code).toBe(0);
  story.takeWrites();
  const rows = [person('E1', { title: 'Lead' }), person('E2', { office: 'Atlantis' }), person('E4')];
  story.deliverText([HEADER, ...rows.map(line), 'E3;Person;E3'].join('\n'));
  story.configure({ sources: { crm: { streams: { deals: { pattern: 'nothing-*.json' } } } } });
  return story;
}

sweep.each(['user:E1', 'user:e1@example.com', 'office:Oslo'] as const)(
  'leaves holds, guards and sources of others out of a run for %s only',
  async (only) => {
    const story = await openBadDay();
    expect((await story.plan()).code).toBe(1);
    const planned = await story.plan({ only });
    expect(planned).toMatchObject({ code: 0, json: { held: [], guards: [], others: { records: 2 } } });
    expect(planned.json).not.toHaveProperty('error');
    const { stdout } = await story.type('plan', '--only', only);
    expect(stdout).toContain('Other objects: 2 records held; `talent-sync plan` shows them\n');
    expect(stdout).not.toMatch(/Atlantis|E3|deals|nothing-/);
    expect(await story.apply()).toMatchObject({ code: 0, json: { held: [], others: { records: 2 } } });
    expect(await story.sync({ only })).toMatchObject({ code: 0, json: { held: [], others: { records: 2 } } });
    expect((await story.type('sync', '--only', only)).stdout).not.toMatch(/Atlantis|E3|deals|nothing-/);
  },
);

sweep('prints the holds and failures of the requested object, and they set the exit code', async () => {
  const story = await openBadDay();
  const held = { code: 4, json: { held: [{ key: 'E2', code: 'SYNC_REFERENCE_UNKNOWN' }], others: { records: 1 } } };
  expect(await story.plan({ only: 'user:E2' })).toMatchObject(held);
  expect(await story.sync({ only: 'user:E2' })).toMatchObject(held);
  // A row that cannot be used is known only by its key.
  expect(await story.plan({ only: 'user:E3' })).toMatchObject({ code: 4, json: { held: [{ key: 'E3' }] } });
  expect(await story.plan({ only: 'project:D1' })).toMatchObject({ code: 1, json: { held: [] } });
  expect(story.takeWrites()).toEqual([]);
  // The look at one object has settled nothing about the others.
  expect(await story.sync()).toMatchObject({ code: 1, json: { held: [{ key: 'E3' }, { key: 'E2' }] } });
});
