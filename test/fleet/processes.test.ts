import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import { preparePlace } from '../../src/daemon/tenants/fleet/hand-over-place.js';
import { ownerOf } from '../../src/daemon/tenants/fleet/owner-of.js';
import { createSandbox, type Sandbox } from '../../src/sandbox/sandbox.js';
import { closeAfterTest } from '../closing.js';
import { type LogLine, type Program, startProgram, waitUntil } from '../daemon/daemon-process.js';
import { ACCOUNT, buildConfig, HEADER, KEY, line, merge, person } from '../scenarios/company.js';
import type { Story } from '../scenarios/kit.js';

const NAMES = ['a', 'b', 'c', 'd', 'e', 'f'];
/** The clock of all processes goes so many times as fast, so that a slot comes every few seconds. */
const TIMES = 20;
const FROM_MS = Date.now();

const FAST = `data:text/javascript,${encodeURIComponent(`
  const Real = Date;
  const now = () => Math.floor(${FROM_MS} + (Real.now() - ${FROM_MS}) * ${TIMES});
  globalThis.Date = class extends Real {
    constructor(...given) { given.length === 0 ? super(now()) : super(...given); }
    static now() { return now(); }
  };`)}`;

interface FleetDaemon extends Program {
  readonly ordinal: number;
  log(): readonly LogLine[];
}

interface Fleet {
  readonly volumeOf: (ordinal: number) => string;
  readonly start: (ordinal: number) => FleetDaemon;
  readonly setDaemons: (daemons: number) => void;
  /** Every line of every process there was. */
  readonly log: () => readonly LogLine[];
  readonly sandboxes: ReadonlyMap<string, Sandbox>;
}

/** Each daemon sees its own volume under the same path, as in a pod: a folder of configurations for each. */
async function openFleet(daemons: number): Promise<Fleet> {
  const folder = mkdtempSync(join(tmpdir(), 'talent-sync-fleet-'));
  closeAfterTest({ close: () => rmSync(folder, { recursive: true, force: true }) });
  const sandboxes = new Map<string, Sandbox>();
  mkdirSync(join(folder, 'drop'));
  const rows = [HEADER, line(person('E1')), line(person('E2'))].join('\n');
  writeFileSync(join(folder, 'drop', 'employees-1.csv'), `${rows}\n`);
  for (const name of NAMES) {
    const sandbox = await createSandbox({ fixture: ACCOUNT });
    closeAfterTest(sandbox);
    sandboxes.set(name, sandbox);
  }
  const place = join(folder, 'hand-over');
  preparePlace(place);
  const configsOf = (ordinal: number): string => join(folder, `configs-${ordinal}`);
  const volumeOf = (ordinal: number): string => join(folder, `volume-${ordinal}`);
  let now = daemons;
  const started: FleetDaemon[] = [];
  const list = (ordinal: number): void => {
    const fleet = { daemons: now, volume: volumeOf(ordinal), hand_over: place, tenants: NAMES };
    writeFileSync(join(configsOf(ordinal), 'daemon.yaml'), stringify({ fleet }));
  };

  function start(ordinal: number): FleetDaemon {
    mkdirSync(configsOf(ordinal), { recursive: true });
    for (const [name, { url }] of sandboxes) {
      const config = merge(buildConfig(url), {
        state: join(volumeOf(ordinal), name),
        sources: { hr: { drop: join(folder, 'drop') } },
        schedule: { every: '* * * * *' },
      });
      writeFileSync(join(configsOf(ordinal), `${name}.yaml`), stringify(config));
    }
    list(ordinal);
    const args = ['daemon', '--config', configsOf(ordinal), '--ordinal', `pod-${ordinal}`, '--port', '0'];
    const story = { env: { TALENT_API_KEY: KEY } } as unknown as Story;
    const program = startProgram(story, args, { LOG_LEVEL: 'debug' }, ['--import', FAST]);
    const log = (): readonly LogLine[] =>
      program
        .stderr()
        .split('\n')
        .flatMap((text) => (text.startsWith('{') && text.endsWith('}') ? [JSON.parse(text) as LogLine] : []));
    const daemon = { ...program, ordinal, log };
    started.push(daemon);
    return daemon;
  }

  return {
    volumeOf,
    start,
    setDaemons(count) {
      now = count;
      for (const { ordinal } of started) list(ordinal);
    },
    log: () => started.flatMap((one) => one.log()),
    sandboxes,
  };
}

const runsOf = (daemon: FleetDaemon, tenant: string): readonly LogLine[] =>
  daemon.log().filter((one) => one.msg === 'run starts' && one.tenant === tenant);

async function waitForRuns(daemon: FleetDaemon, tenants: readonly string[], more = 1): Promise<void> {
  const before = new Map(tenants.map((tenant) => [tenant, runsOf(daemon, tenant).length]));
  const isThere = (): boolean => tenants.every((one) => runsOf(daemon, one).length >= (before.get(one) ?? 0) + more);
  await waitUntil(`daemon ${daemon.ordinal} runs ${tenants.join()}`, isThere).catch((error: unknown) => {
    throw new Error(`${String(error)}\n${daemon.stderr().slice(-4_000)}`);
  });
}

const ownedBy = (ordinal: number, daemons: number): readonly string[] =>
  NAMES.filter((name) => ownerOf(name, daemons) === ordinal);

/** Each slot from a tenant's first to its last was run for once, or counted as missed by the run after it; each person is there once. */
function expectOnce(fleet: Fleet): void {
  for (const name of NAMES) {
    const starts = fleet
      .log()
      .filter((one) => one.msg === 'run starts' && one.tenant === name)
      .toSorted((a, b) => String(a.slot).localeCompare(String(b.slot)));
    const slots = starts.map(({ slot }) => slot);
    expect([name, new Set(slots).size]).toEqual([name, slots.length]);
    // The slot of a run that was killed counts as missed in the next one, which makes up for it.
    const ended = new Set(fleet.log().flatMap(({ msg, run }) => (msg === 'run ended' ? [String(run)] : [])));
    const whole = starts.filter(({ run }) => ended.has(String(run)));
    const missed = whole.reduce((sum, one) => sum + Number(one.missed), 0);
    const minuteOf = (one: LogLine | undefined): number => Date.parse(String(one?.slot)) / 60_000;
    const firstDue = minuteOf(starts[0]) - Number(starts[0]?.missed);
    expect([name, missed + whole.length]).toEqual([name, minuteOf(whole.at(-1)) - firstDue + 1]);
    const sandbox = fleet.sandboxes.get(name);
    const writes = sandbox?.calls().filter(({ method }) => method !== 'GET') ?? [];
    expect([name, writes.length]).toEqual([name, 2]);
    expect(sandbox?.state().users).toMatchObject([{ external_unique_id: 'E1' }, { external_unique_id: 'E2' }]);
  }
}

test('one daemon more, and one fewer: tenants move with their states, each slot is run for once, and nothing is written twice', async () => {
  const fleet = await openFleet(2);
  const [zero, one] = [fleet.start(0), fleet.start(1)];
  await waitForRuns(zero, ownedBy(0, 2));
  await waitForRuns(one, ownedBy(1, 2));
  const two = fleet.start(2);
  fleet.setDaemons(3);
  const moved = ownedBy(2, 3);
  expect(moved.length).toBeGreaterThan(0);
  await waitForRuns(two, moved, 2);
  for (const name of moved) {
    const old = fleet.volumeOf(ownerOf(name, 2));
    await waitUntil('nothing but the tombstone is left', () => !existsSync(join(old, name, 'state.db')));
    expect(existsSync(join(old, name, 'moved.json'))).toBe(true);
  }
  fleet.setDaemons(2);
  await waitForRuns(zero, ownedBy(0, 2), 2);
  await waitForRuns(one, ownedBy(1, 2), 2);
  expect(fleet.log().filter(({ level }) => level === 'error')).toEqual([]);
  expectOnce(fleet);
});

test('a daemon that is killed while it hands over goes on with it; until then nobody else runs those tenants', async () => {
  const fleet = await openFleet(2);
  const [zero, one] = [fleet.start(0), fleet.start(1)];
  const moving = ownedBy(1, 2);
  await waitForRuns(one, moving);
  one.send('SIGKILL');
  await one.ended;
  // An older copy of its volume, as a snapshot would bring it back.
  cpSync(fleet.volumeOf(1), `${fleet.volumeOf(1)}-snapshot`, { recursive: true });
  fleet.setDaemons(1);
  await waitUntil('the other one refuses', () =>
    zero.log().some(({ message }) => String(message).includes('is with daemon 1')),
  );
  expect(moving.flatMap((name) => runsOf(zero, name))).toEqual([]);
  const again = fleet.start(1);
  await waitUntil('it hands over', () => again.log().some(({ msg }) => msg === 'state handed over'));
  again.send('SIGKILL');
  await again.ended;
  const third = fleet.start(1);
  await waitForRuns(zero, moving);
  third.send('SIGKILL');
  await third.ended;
  // Set back to before the hand-over, with the number of daemons that it had then: it must not run what is elsewhere.
  rmSync(fleet.volumeOf(1), { recursive: true });
  cpSync(`${fleet.volumeOf(1)}-snapshot`, fleet.volumeOf(1), { recursive: true });
  zero.send('SIGSTOP');
  fleet.setDaemons(2);
  const back = fleet.start(1);
  const refused = (): number => back.log().filter(({ message }) => String(message).includes('is with daemon 0')).length;
  await waitUntil('it refuses all of them', () => refused() >= moving.length);
  expect(moving.flatMap((name) => runsOf(back, name))).toEqual([]);
  zero.send('SIGCONT');
  await waitForRuns(back, moving);
  expectOnce(fleet);
});

test('a daemon whose volume is lost runs nothing of what was on it', async () => {
  const fleet = await openFleet(2);
  const zero = fleet.start(0);
  const own = ownedBy(0, 2);
  await waitForRuns(zero, own);
  zero.send('SIGKILL');
  await zero.ended;
  rmSync(fleet.volumeOf(0), { recursive: true });
  const again = fleet.start(0);
  const refused = (): number =>
    again.log().filter(({ message }) => String(message).includes('is with daemon 0 (volume')).length;
  await waitUntil('it refuses all of them', () => refused() >= own.length);
  expect(own.flatMap((name) => runsOf(again, name))).toEqual([]);
});
