import { expect, test } from 'vitest';
import { WAITING_KINDS, type WaitingItem } from '../../src/model/waiting.js';
import { person, type Row } from '../scenarios/company.js';
import { openStory, type Story } from '../scenarios/kit.js';
import { startDaemon } from './daemon-process.js';

const COMMON = {
  conflicts: 'hold',
  schedule: { every: '0 6 1 1 *' },
  web: { listen: '127.0.0.1:0', state: './var/web' },
  guards: { users: { update: { max: 1 }, deactivate: { max: 0 } } },
  sources: { hr: { columns: { rank: { type: 'date', optional: true } } } },
} as const;
const FIELDS = { telephone: 'record.?phone', tags: { cost_centre: 'record.?unit' } };

/** As many kinds of waiting items as one run can leave. */
async function openEverything(): Promise<Story> {
  const story = await openStory();
  story.configure({ ...COMMON, users: { joiner: { start: 'record.?rank' }, fields: FIELDS } });
  const staff = (more: Readonly<Record<string, Row>> = {}): readonly Row[] =>
    ['E1', 'E2', 'E3', 'E4', 'E5', 'E6', 'E7'].map((id) => person(id, { phone: '1', ...more[id] }));
  story.deliver(staff());
  expect((await story.sync()).code).toBe(0);
  story.clock.advance(3_600_000);
  story.deliver(staff({ E7: { title: 'Lead' } }));
  const { run } = (await story.sync()).json;
  expect((await story.undo(run)).code).toBe(0);
  await story.editUser('E1', { telephone: '2' });
  story.clock.advance(3_600_000);
  const changed = {
    E1: { phone: '3' },
    ...{ E2: { title: 'Lead' }, E3: { title: 'Lead' }, E4: { status: 'left' }, E5: { status: 'left' } },
    ...{ E6: { unit: 'north' }, E7: { title: 'Lead' } },
  };
  const rest = [
    person('E20', { email: 'a@elsewhere.example' }),
    person('E21', { email: 'b@elsewhere.example' }),
    person('E22', { office: 'Atlantis' }),
    person('E23', { rank: 'soon' }),
    person('E24', { rank: '2066-12-24' }),
  ];
  story.deliver([...staff(changed), ...rest]);
  expect((await story.sync()).code).toBe(4);
  expect((await story.approve({ guard: 'users.deactivate', reason: 'both have left' })).code).toBe(0);
  return story;
}

function countByKind(waiting: readonly WaitingItem[]): Readonly<Record<string, number>> {
  const counts = Object.fromEntries(WAITING_KINDS.map((kind) => [kind, 0]));
  for (const { kind, count } of waiting) counts[kind] = (counts[kind] ?? 0) + count;
  return counts;
}

test('status, holds list, metrics and pages report the same waiting items', async () => {
  const story = await openEverything();
  const listed = async (...words: readonly string[]): Promise<readonly WaitingItem[]> => {
    const { stdout } = await story.type(...words, '--json');
    return (JSON.parse(stdout) as { readonly waiting: readonly WaitingItem[] }).waiting;
  };
  const status = await listed('status');
  const counts = countByKind(status);
  expect(counts).toMatchObject({ guard: 2, approved: 2, conflict: 1, record: 2, field: 1, refused: 2, joiner: 1 });
  expect(counts.undone).toBeGreaterThan(0);
  expect(await listed('holds', 'list')).toEqual(status);

  const daemon = startDaemon(story, { args: ['--insecure-loopback'] });
  const { pages } = (await daemon.logged('listening')) as unknown as { readonly pages: string };
  await daemon.logged('tenant ready');
  for (const [kind, count] of Object.entries(counts)) {
    const told = await daemon.metric(`talent_sync_waiting{tenant="talent-sync",kind="${kind}"}`);
    // A kind with nothing waiting has no series.
    expect([kind, told]).toEqual([kind, count === 0 ? null : count]);
  }
  const ofPages = await fetch(`${pages}/api/tenants/talent-sync/status`);
  const { waiting } = (await ofPages.json()) as { readonly waiting: readonly WaitingItem[] };
  const bare = (items: readonly WaitingItem[]) => items.map(({ id, kind, count, cause }) => [id, kind, count, cause]);
  expect(bare(waiting)).toEqual(bare(status));
  const inbox = await (await fetch(`${pages}/tenants/talent-sync`)).text();
  for (const { id, kind } of status.filter(({ kind: one }) => ['guard', 'record', 'conflict'].includes(one)))
    expect([kind, inbox.includes(id)]).toEqual([kind, true]);
  daemon.send('SIGTERM');
  await daemon.ended;
});
