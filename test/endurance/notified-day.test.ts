import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import type { Config } from '../../src/config/config.js';
import { loadConfig } from '../../src/config/load.js';
import type { SendMessage } from '../../src/operations/notify/channels/channel.js';
import { lookAndSend } from '../../src/operations/notify/look.js';
import type { EventBody } from '../../src/operations/notify/settle-events.js';
import { createRandom, type Random } from '../../src/sandbox/company/random.js';
import { openStores, type Stores } from '../../src/store/open-stores.js';
import { collectGarbage } from '../collect-garbage.js';
import { makeFolder } from '../samples.js';

/** Change it to play another day. */
const SEED = 20261123;
const MINUTE = 60_000;
const START = Date.parse('2026-11-20T00:00:00Z');
const TENANTS = Array.from({ length: 20 }, (_, index) => `tenant${index + 1}`);
const CHANNELS = ['ops', 'mail'] as const;
const STEP_MS = 15 * MINUTE;
const REMIND_MS = 6 * 60 * MINUTE;

const CONDITIONS = ['users.deactivate', 'users.update', 'projects.create'] as const;

interface Received {
  readonly channel: string;
  readonly tenant: string;
  readonly message: string;
  readonly event: string;
  readonly news: string;
  readonly atMs: number;
  readonly since: string;
}

class Killed extends Error {}

/** The world of a day: which channels are up, what they received, and where the next process dies. */
class Day {
  nowMs = START;
  readonly received: Received[] = [];
  readonly up = new Map<string, boolean>(CHANNELS.map((channel) => [channel, true]));
  /** Steps until the process dies; null: it lives. */
  toDeath: number | null = null;
  isDead = false;
  readonly diedAt = new Set<string>();

  /** Counts a step: each write, and each side of a call. A dead process takes none. */
  step(name: string): void {
    if (this.isDead) throw new Killed();
    if (this.toDeath === null) return;
    this.toDeath -= 1;
    if (this.toDeath > 0) return;
    this.isDead = true;
    this.diedAt.add(name);
    throw new Killed();
  }

  send(tenant: string, channel: string): SendMessage {
    return async ({ id, parts }) => {
      this.step('before a call');
      await new Promise((resolve) => setImmediate(resolve));
      if (this.isDead) throw new Killed();
      const failure = this.up.get(channel) === true ? null : 'answered 503';
      if (failure === null)
        for (const { event, news, data } of parts) {
          const { since } = data as EventBody;
          this.received.push({ channel, tenant, message: id, event, news, atMs: this.nowMs, since });
        }
      this.step('after a call');
      return { isTaken: failure === null, failure, answer: '', retryAfterMs: null };
    };
  }

  /** The stores of a process that dies at one of its writes. */
  dying(stores: Stores): Stores {
    const notify = new Proxy(stores.notify, {
      get: (target, name: keyof Stores['notify']) => {
        const method = target[name] as (...given: unknown[]) => unknown;
        if (!/^(save|forget|put|drop|bind)/.test(name)) return method;
        return (...given: unknown[]) => {
          this.step(name);
          return method(...given);
        };
      },
    });
    return { ...stores, notify };
  }
}

function writeConfig(folder: string, tenant: string): Config {
  const file = join(folder, `${tenant}.yaml`);
  const channel = (name: string): string =>
    `    ${name}: { type: webhook, url: https://hooks.example.com/${name}, secret: { env: TALENT_API_KEY } }`;
  writeFileSync(
    file,
    `service: { base_url: https://acme.example.com, api_key: { env: TALENT_API_KEY } }
state: ./state/${tenant}
policy: sync
sources: { hr: { type: csv, drop: ./drop, pattern: "*.csv", key: id, columns: { id: string } } }
users:
  existence: hr
  match: [external_unique_id]
  fields: { external_unique_id: record.id, email: record.id, name: record.id, office: { country: record.id, name: record.id } }
notify:
  remind_after: 6h
  channels:
${CHANNELS.map(channel).join('\n')}
`,
  );
  return loadConfig(file, { TALENT_API_KEY: 'a-key-of-some-length' });
}

/** Records the findings of a plan. */
function findWaiting(stores: Stores, guards: ReadonlySet<string>, now: string): void {
  const rows = [...guards].map((guard) => ({
    ...{ name: guard, id: guard, kind: 'guard' as const, entity: guard, key: null, code: null, body: null },
    ...{ cause: 'real events: nothing else', resolve: 'approve', count: 7 },
  }));
  for (const _ of stores.waiting.record('', rows, { now, lapses: null, isUnseen: () => false }));
}

/** Changes which conditions hold. */
function changeConditions(open: Set<string>, random: Random): void {
  for (const guard of CONDITIONS) {
    if (random.below(100) < 6) {
      if (open.has(guard)) open.delete(guard);
      else open.add(guard);
    }
  }
}

async function look(day: Day, tenant: string, config: Config, open: ReadonlySet<string>): Promise<void> {
  day.isDead = false;
  const stores = openStores(config.state, { lockedAt: new Date(day.nowMs).toISOString() });
  try {
    findWaiting(stores, open, new Date(day.nowMs).toISOString());
    await lookAndSend({
      ...{ tenant, config, stores: day.dying(stores), hindrance: null, now: () => day.nowMs },
      logger: pino({ level: 'silent' }),
      signal: new AbortController().signal,
      createSender: ({ name }) => day.send(tenant, name),
    });
  } catch (error) {
    if (!(error instanceof Killed)) throw error;
    // All its unfinished work is dead too.
    day.isDead = true;
    await new Promise((resolve) => setTimeout(resolve, 1));
  } finally {
    stores.close();
  }
}

/** The bytes still used after garbage collection. */
function measureHeap(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

function countFiles(): number {
  return readdirSync('/proc/self/fd').length;
}

/** Each message once, by its id. */
function withoutRepetitions(received: readonly Received[]): readonly Received[] {
  const seen = new Map<string, Received>();
  for (const one of received) {
    const name = `${one.channel} ${one.tenant} ${one.message} ${one.event}`;
    if (!seen.has(name)) seen.set(name, one);
  }
  return [...seen.values()];
}

test('loses and doubles no message in 24 hours of 20 tenants with failing channels and dying processes', async () => {
  const random = createRandom(SEED);
  const folder = makeFolder();
  const day = new Day();
  const configs = TENANTS.map((tenant) => ({ tenant, config: writeConfig(folder, tenant), open: new Set<string>() }));
  /** Event → whether it is over, according to the states. */
  const events = new Map<string, { readonly tenant: string; isOver: boolean }>();
  const note = (tenant: string, config: Config): void => {
    const stores = openStores(config.state);
    const known = new Set(stores.notify.events().map(({ event }) => event));
    stores.close();
    for (const event of known) if (!events.has(event)) events.set(event, { tenant, isOver: false });
    for (const [event, told] of events) if (told.tenant === tenant && !known.has(event)) told.isOver = true;
  };
  let [filesBefore, heapBefore] = [0, 0];
  let deaths = 0;
  const walk = async (isDying: boolean): Promise<void> => {
    for (const channel of CHANNELS) if (random.below(100) < 10) day.up.set(channel, day.up.get(channel) !== true);
    for (const { tenant, config, open } of configs) {
      changeConditions(open, random);
      day.toDeath = isDying && random.below(4) === 0 ? 1 + random.below(10) : null;
      await look(day, tenant, config, open);
      if (day.isDead) deaths += 1;
      note(tenant, config);
    }
    day.nowMs += STEP_MS;
  };
  const steps = (24 * 60 * MINUTE) / STEP_MS;
  for (let step = 0; step < steps; step += 1) {
    await walk(true);
    if (step === 10) [filesBefore, heapBefore] = [countFiles(), measureHeap()];
  }
  const [filesAfter, heapAfter] = [countFiles(), measureHeap()];
  // In the end everything is up, all events are over, and no process dies.
  for (const channel of CHANNELS) day.up.set(channel, true);
  const endMs = day.nowMs;
  for (const { tenant, config } of configs) {
    day.nowMs = endMs;
    for (let again = 0; again < 5; again += 1) {
      day.toDeath = null;
      await look(day, tenant, config, new Set());
      note(tenant, config);
      day.nowMs += 60 * MINUTE;
    }
    const stores = openStores(config.state);
    expect(stores.notify.isUsed()).toBe(false);
    stores.close();
  }

  expect(deaths).toBeGreaterThan(60);
  expect([...day.diedAt].sort()).toEqual(
    expect.arrayContaining([
      'after a call',
      'before a call',
      'bind',
      'dropMessage',
      'putNews',
      'saveChannel',
      'saveEvent',
    ]),
  );
  expect(events.size).toBeGreaterThan(60);
  const once = withoutRepetitions(day.received);
  expect(once.length).toBeLessThan(day.received.length);
  for (const [event, { tenant, isOver }] of events) {
    for (const channel of CHANNELS) {
      const told = once.filter((one) => one.event === event && one.channel === channel);
      const count = (...news: string[]): number => told.filter((one) => news.includes(one.news)).length;
      const name = `${tenant} ${channel} ${event}: ${told.map(({ news }) => news).join(', ')}`;
      expect([name, isOver, count('ended', 'passed'), count('began') <= 1]).toEqual([name, true, 1, true]);
      // A message of the end alone would concern an unknown event; one about a passed event says when it began.
      expect([name, count('began') + count('passed') >= 1]).toEqual([name, true]);
      expect([name, told.at(-1)?.news]).toEqual([name, expect.stringMatching(/^(ended|passed)$/)]);
      const reminders = told.filter(({ news }) => news === 'reminder').map(({ message }) => message);
      expect([name, new Set(reminders).size]).toEqual([name, reminders.length]);
      const [first] = told;
      const hours = ((told.at(-1)?.atMs ?? 0) - (first?.atMs ?? 0)) / REMIND_MS;
      expect(reminders.length).toBeLessThanOrEqual(Math.ceil(hours) + 1);
    }
  }
  expect(filesAfter).toBeLessThan(filesBefore + 5);
  // The test's own received messages are part of it.
  expect(heapAfter - heapBefore).toBeLessThan(8 * 2 ** 20);
}, 240_000);
