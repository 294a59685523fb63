import { once } from 'node:events';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { sweep } from '../../depth.js';
import { HOUR, person, type Yaml } from '../../scenarios/company.js';
import { DAY, openDelivery } from '../../scenarios/delivered.js';
import { openStory, type Story } from '../../scenarios/kit.js';
import { startProgram } from '../../scenarios/program.js';
import { openReceiver, type Receiver } from './receiver.js';

const PEOPLE = ['E1', 'E2', 'E3', 'E4', 'E5', 'E6', 'E7', 'E8'];
const KILLER = new URL('../../scenarios/kill-at-step.mjs', import.meta.url).href;

async function openNotified(
  more: { readonly [key: string]: Yaml } = {},
): Promise<{ story: Story; receiver: Receiver }> {
  const story = await openStory();
  const receiver = await openReceiver();
  story.configure({
    guards: { users: { deactivate: { max: 2 } } },
    notify: { link: 'https://ops.example.com', channels: { ops: receiver.channel }, ...more },
  });
  story.deliver(PEOPLE.map((id) => person(id)));
  expect((await story.sync()).code).toBe(0);
  return { story, receiver };
}

/** Lets five people leave, which a guard holds. */
async function loseFive(story: Story): Promise<void> {
  story.deliver(PEOPLE.map((id, index) => person(id, index < 5 ? { status: 'left' } : {})));
  expect((await story.sync()).code).toBe(3);
}

describe('`sync` without a daemon', () => {
  test('reports a guard once when it holds and once when it is approved, and pings the watch after good runs', async () => {
    const { story, receiver } = await openNotified();
    story.configure({ notify: { dead_man: { url: `${receiver.url}/watch`, private_addresses: 'allowed' } } });
    await loseFive(story);
    expect(receiver.take()).toEqual(['began 5 people to deactivate, held for an approval']);
    expect(receiver.tried[0]).toMatchObject({
      tenant: 'talent-sync',
      link: 'https://ops.example.com/tenants/talent-sync/plans/newest#guards',
      events: [{ kind: 'guard', of: 'users.deactivate', count: 5 }],
    });
    // Neither a key nor a name.
    expect(JSON.stringify(receiver.tried)).not.toMatch(/E1|Person|example\.com"/);
    await story.sync();
    expect(receiver.take()).toEqual([]);
    await story.approve({ guard: 'users.deactivate' });
    expect((await story.sync()).code).toBe(0);
    expect(receiver.take()).toEqual(['ended Ended: 5 people to deactivate, held for an approval']);
    expect(receiver.pings).toEqual(Array.from({ length: 3 }, () => 'GET /watch'));
  });

  test('neither fails a run nor loses a message if a channel is down, and reports past events as such', async () => {
    const { story, receiver } = await openNotified();
    receiver.status = 500;
    await loseFive(story);
    const listed = JSON.parse((await story.type('notify', 'list', '--json')).stdout) as {
      channels: { waiting: number; failure: string }[];
    };
    expect(listed.channels).toMatchObject([{ channel: 'ops', waiting: 1, failure: 'answered 500', times: 1 }]);
    const text = (await story.type('notify', 'list')).stdout;
    expect(text).toContain('5 people to deactivate, held for an approval, for a minute');
    expect(text).toContain('ops  webhook: 1 news item pending');
    story.clock.advance(2 * HOUR);
    await story.sync();
    expect(new Set(receiver.tried.map(({ id }) => id)).size).toBe(1);
    const status = (await story.type('status')).stdout;
    expect(status).toContain('Messages for ops');
    expect(status).toContain('Cannot be sent: answered 500');
    await story.approve({ guard: 'users.deactivate' });
    story.clock.advance(2 * HOUR);
    receiver.status = 200;
    expect((await story.sync()).code).toBe(0);
    expect(receiver.take()).toEqual([
      // The channel could not report its own failure before.
      'began Channel ops: messages do not arrive',
      'passed Began and ended: 5 people to deactivate, held for an approval',
    ]);
    await story.sync();
    expect(receiver.take()).toEqual(['ended Ended: Channel ops: messages do not arrive']);
  });

  sweep('reports a failed delivery once, and again when it succeeds', async () => {
    const { story, report } = await openDelivery();
    const receiver = await openReceiver();
    report({ people: { type: 'user_report' } });
    story.configure({ notify: { channels: { ops: receiver.channel } } });
    await story.sync();
    const out = join(story.folder, 'out');
    rmSync(out, { recursive: true });
    writeFileSync(out, 'no folder');
    story.clock.advance(DAY);
    for (const news of [['began Delivery people: failed'], []]) {
      await story.sync();
      expect(receiver.take()).toEqual(news);
    }
    rmSync(out);
    mkdirSync(out);
    story.clock.advance(DAY);
    await story.sync();
    expect(receiver.take()).toEqual(['ended Ended: Delivery people: failed']);
  });

  sweep('reports a failed run, a rejected key and a rejected source, and the end of each', async () => {
    const { story, receiver } = await openNotified();
    const { TALENT_API_KEY: key } = story.env;
    story.env.TALENT_API_KEY = 'no-key-of-the-service';
    expect((await story.sync()).code).toBe(1);
    expect(receiver.take()).toEqual(['began Key of the service: rejected']);
    story.env.TALENT_API_KEY = key;
    story.deliverText('this is not a table of people\n');
    expect((await story.sync()).code).toBe(1);
    expect(receiver.take().toSorted()).toEqual([
      'began Source hr: rejected',
      'ended Ended: Key of the service: rejected',
    ]);
    story.deliver(PEOPLE.map((id) => person(id)));
    await story.sync();
    expect(receiver.take()).toEqual(['ended Ended: Source hr: rejected']);
  });

  sweep('reports an audit that was tampered with, although nothing runs any more', async () => {
    const { story, receiver } = await openNotified();
    const state = new Database(`${story.folder}/var/state.db`);
    state.exec(`UPDATE audit SET entry = replace(entry, 'E1', 'E9') WHERE entry LIKE '%"E1"%'`);
    state.close();
    story.clock.advance(30 * 24 * HOUR);
    expect((await story.sync()).code).toBe(1);
    expect(receiver.take()).toEqual(['began Audit and state: damaged, nothing runs']);
  });

  sweep('sends no reminders for acknowledged holds, and keys only if names are allowed', async () => {
    const { story, receiver } = await openNotified({ names: true, remind_after: '1h' });
    await loseFive(story);
    receiver.take();
    story.clock.advance(2 * HOUR);
    await story.sync();
    expect(receiver.take()).toEqual(['reminder Still: 5 people to deactivate, held for an approval']);
    const { waiting } = JSON.parse((await story.type('status', '--json')).stdout) as { waiting: { id: string }[] };
    await story.type('holds', 'ack', waiting[0]?.id ?? '', '--reason', 'asked HR');
    story.clock.advance(2 * HOUR);
    await story.sync();
    expect(receiver.take()).toEqual([]);
    expect(JSON.stringify(receiver.tried)).toContain('real events: ');
  });

  sweep('sends a digest by the clock, with numbers only', async () => {
    const { story, receiver } = await openNotified({ digest: { at: '08:00', on: 'daily' }, remind_after: '7d' });
    await loseFive(story);
    receiver.take();
    story.clock.advance(24 * HOUR);
    await story.sync();
    expect(receiver.take()).toEqual([expect.stringMatching(/^digest Summary since /)]);
    expect(receiver.tried.at(-1)?.events).toMatchObject([
      { news: 'digest', waiting: [{ kind: 'guard', of: 'users.deactivate', count: 5 }] },
    ]);
    await story.sync();
    expect(receiver.take()).toEqual([]);
  });
});

describe('`notify test`', () => {
  test('bypasses the outbox for every channel, and shows each answer', async () => {
    const { story, receiver } = await openNotified();
    story.configure({ notify: { channels: { gone: { ...receiver.channel, url: 'http://127.0.0.1:1/hook' } } } });
    const all = await story.type('notify', 'test');
    expect(all.code).toBe(1);
    expect(all.stdout).toContain('ok    ops   webhook: 200');
    expect(all.stdout).toContain('FAIL  gone  webhook: not reached (ECONNREFUSED)');
    expect(receiver.take()).toEqual(['test This is a test']);
    const one = await story.type('notify', 'test', '--channel', 'ops', '--json');
    expect([one.code, JSON.parse(one.stdout)]).toMatchObject([0, { channels: [{ channel: 'ops', ok: true }] }]);
    const wrong = await story.type('notify', 'test', '--channel', 'nobody');
    expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining('Name one of ops, gone')]);
  });
});

sweep.each(['notify_outbox', 'notify_channels', 'notify_events'])(
  'loses no message, and sends none under two ids, after a kill at each write to %s',
  async (table) => {
    let step = 1;
    for (; ; step += 1) {
      const { story, receiver } = await openNotified();
      story.deliver(PEOPLE.map((id, index) => person(id, index < 5 ? { status: 'left' } : {})));
      const child = startProgram(story, ['sync'], {
        args: ['--import', KILLER],
        env: { KILL_AT_STEP: String(step), KILL_WHEN: step % 2 === 0 ? 'before' : 'on disk', KILL_TABLE: table },
      });
      const [, signal] = await once(child, 'exit');
      // A message in flight is left alone for less than this.
      story.clock.advance(HOUR);
      await story.sync();
      const told = new Map(receiver.tried.flatMap(({ id, events }) => events.map((one) => [`${one.id} ${id}`, one])));
      expect([step, [...told.values()].map(({ news, headline }) => `${news} ${headline}`)]).toEqual([
        step,
        ['began 5 people to deactivate, held for an approval'],
      ]);
      if (signal !== 'SIGKILL') break;
    }
    expect(step).toBeGreaterThan(1);
  },
  240_000,
);
