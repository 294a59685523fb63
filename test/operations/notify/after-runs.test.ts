import { once } from 'node:events';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { IS_THOROUGH, oneIn, sweep } from '../../depth.js';
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

/** A guard holds five leavers. */
async function loseFive(story: Story): Promise<void> {
  story.deliver(PEOPLE.map((id, index) => person(id, index < 5 ? { status: 'left' } : {})));
  expect((await story.sync()).code).toBe(3);
}

describe('`sync` without a daemon', () => {
  test('tells of a guard when it holds, once, and when it is approved; the watch hears of each good run', async () => {
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
    expect(receiver.take()).toEqual(['ended Over: 5 people to deactivate, held for an approval']);
    expect(receiver.pings).toEqual(Array.from({ length: 3 }, () => 'GET /watch'));
  });

  test('a channel that is down fails no run and loses nothing; what is over by then is told as such', async () => {
    const { story, receiver } = await openNotified();
    receiver.status = 500;
    await loseFive(story);
    const listed = JSON.parse((await story.type('notify', 'list', '--json')).stdout) as {
      channels: { waiting: number; failure: string }[];
    };
    expect(listed.channels).toMatchObject([{ channel: 'ops', waiting: 1, failure: 'answered 500', times: 1 }]);
    const text = (await story.type('notify', 'list')).stdout;
    expect(text).toContain('5 people to deactivate, held for an approval, for a minute');
    expect(text).toContain('ops  webhook: 1 piece of news');
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
      // It could not hear of itself before.
      'began Channel ops: messages do not arrive',
      'passed Was, and is over: 5 people to deactivate, held for an approval',
    ]);
    await story.sync();
    expect(receiver.take()).toEqual(['ended Over: Channel ops: messages do not arrive']);
  });

  sweep('a delivery that fails is reported once, and when it is made', async () => {
    const { story, report } = await openDelivery();
    const receiver = await openReceiver();
    report({ people: { type: 'user_report' } });
    story.configure({ notify: { channels: { ops: receiver.channel } } });
    await story.sync();
    const out = join(story.folder, 'out');
    rmSync(out, { recursive: true });
    writeFileSync(out, 'no folder');
    story.clock.advance(DAY);
    for (const news of [['began Delivery people: not made'], []]) {
      await story.sync();
      expect(receiver.take()).toEqual(news);
    }
    rmSync(out);
    mkdirSync(out);
    story.clock.advance(DAY);
    await story.sync();
    expect(receiver.take()).toEqual(['ended Over: Delivery people: not made']);
  });

  sweep('a run that fails, a key that is refused and a source that is: each is told, and when it is over', async () => {
    const { story, receiver } = await openNotified();
    const { TALENT_API_KEY: key } = story.env;
    story.env.TALENT_API_KEY = 'no-key-of-the-service';
    expect((await story.sync()).code).toBe(1);
    expect(receiver.take()).toEqual(['began Key of the service: rejected']);
    story.env.TALENT_API_KEY = key;
    story.deliverText('this is no table of people\n');
    expect((await story.sync()).code).toBe(1);
    expect(receiver.take().toSorted()).toEqual([
      'began Source hr: rejected',
      'ended Over: Key of the service: rejected',
    ]);
    story.deliver(PEOPLE.map((id) => person(id)));
    await story.sync();
    expect(receiver.take()).toEqual(['ended Over: Source hr: rejected']);
  });

  sweep('an audit that was tampered with is told, though nothing runs any more', async () => {
    const { story, receiver } = await openNotified();
    const state = new Database(`${story.folder}/var/state.db`);
    state.exec(`UPDATE audit SET entry = replace(entry, 'E1', 'E9') WHERE entry LIKE '%"E1"%'`);
    state.close();
    story.clock.advance(30 * 24 * HOUR);
    expect((await story.sync()).code).toBe(1);
    expect(receiver.take()).toEqual(['began Audit and state: damaged, nothing runs']);
  });

  sweep('what somebody acknowledged is not reminded of; keys are told where names may be', async () => {
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

  sweep('a digest comes by the clock, with numbers alone', async () => {
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
  test('sends to every channel past the outbox, and shows what each answers', async () => {
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

describe.each(oneIn(1, ['notify_outbox', 'notify_channels', 'notify_events']))(
  'killed at each write to %s in turn',
  (table) => {
    test('nothing is lost, and nothing told under two ids', async () => {
      let step = 1;
      for (; ; step += IS_THOROUGH ? 1 : 3) {
        const { story, receiver } = await openNotified();
        story.deliver(PEOPLE.map((id, index) => person(id, index < 5 ? { status: 'left' } : {})));
        const child = startProgram(story, ['sync'], {
          args: ['--import', KILLER],
          env: { KILL_AT_STEP: String(step), KILL_WHEN: step % 2 === 0 ? 'before' : 'on disk', KILL_TABLE: table },
        });
        const [, signal] = await once(child, 'exit');
        // Longer than a message on its way is left alone.
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
    }, 240_000);
  },
);
