import { existsSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sweep } from '../depth.js';
import { person } from '../scenarios/company.js';
import type { ErrorDocument } from '../scenarios/documents.js';
import { openGate } from '../scenarios/gate.js';
import {
  type DaemonProcess,
  listRuns,
  type Program,
  runProgram,
  startDaemon,
  startProgram,
  waitUntil,
} from './daemon-process.js';
import { expectAllDoneOnce, openDue } from './due-story.js';

const STAFF = [person('E1'), person('E2'), person('E3'), person('E4'), person('E5')];

function hasLogged(daemon: DaemonProcess, msg: string): boolean {
  return daemon.log().some((line) => line.msg === msg);
}

/** At this level, the log shows which daemon runs. */
const DEBUG = { env: { LOG_LEVEL: 'debug' } };

sweep('two daemons on one state perform one run per slot', async () => {
  const story = await openDue(STAFF);
  let daemons: readonly DaemonProcess[] = [];
  // The first write waits until the other daemon has met the lock, so both work at the same time.
  const gate = await openGate(story.sandbox.url, 1, async () => {
    await waitUntil('the other one waits', () => daemons.some((one) => hasLogged(one, 'waits for the state')));
    return true;
  });
  story.configure({ service: { base_url: gate.url } });
  daemons = [startDaemon(story, DEBUG), startDaemon(story, DEBUG)];
  const isReady = async (daemon: DaemonProcess) => (await daemon.get('/readyz')).status === 200;
  for (const daemon of daemons) await waitUntil('both are ready', () => isReady(daemon));
  await waitUntil('one has run', () => daemons.some((one) => hasLogged(one, 'run ended')));

  expect(daemons.filter((one) => hasLogged(one, 'run starts'))).toHaveLength(1);
  expect(daemons.flatMap((one) => one.log()).filter(({ level }) => level === 'error')).toEqual([]);
  for (const daemon of daemons) daemon.send('SIGTERM');
  expect((await Promise.all(daemons.map(({ ended }) => ended))).map(({ code }) => code)).toEqual([0, 0]);
  const status = await runProgram<{ readonly runs: readonly { readonly command: string }[] }>(story, 'status');
  expect(status.code).toBe(0);
  expect(status.json.runs.map(({ command }) => command)).toEqual(['daemon', 'sync']);
  await expectAllDoneOnce(story, STAFF);
});

test('one daemon finishes the work when the other is killed during its run', async () => {
  const story = await openDue(STAFF);
  let daemons: readonly DaemonProcess[] = [];
  const gate = await openGate(story.sandbox.url, 3, async (forward) => {
    await waitUntil('the other one waits', () => daemons.some((one) => hasLogged(one, 'waits for the state')));
    await forward();
    daemons.find((one) => hasLogged(one, 'run starts'))?.send('SIGKILL');
    return false;
  });
  story.configure({ service: { base_url: gate.url } });
  daemons = [startDaemon(story, DEBUG), startDaemon(story, DEBUG)];
  await Promise.race(daemons.map(({ ended }) => ended));
  const [left] = daemons.filter((one) => one.isRunning());
  // It finds the call whose answer was lost with the process, and does not repeat it.
  expect(await left?.logged('finished what an earlier run had left open')).toMatchObject({ found: 1, lost: 0 });
  expect(await left?.logged('run ended')).toMatchObject({ exit_code: 0, done: 2 });
  expect(gate.writes()).toBe(STAFF.length);
  expect(listRuns(story)).toEqual(['sync 0', 'daemon -', 'daemon 0']);
  left?.send('SIGTERM');
  expect((await left?.ended)?.code).toBe(0);
  await expectAllDoneOnce(story, STAFF);
});

sweep('while a daemon works, commands that write end or wait, and commands that read answer', async () => {
  const story = await openDue(STAFF);
  const looked: unknown[] = [];
  let waiting: Program | undefined;
  const gate = await openGate(story.sandbox.url, 2, async () => {
    waiting = startProgram(story, ['sync', '--wait', '--json', '--config', story.configFile]);
    const [sync, status, verify, backup] = await Promise.all([
      runProgram<{ readonly error: ErrorDocument }>(story, 'sync'),
      runProgram<{ readonly open_intents: number }>(story, 'status'),
      runProgram<{ readonly ok: boolean }>(story, 'audit', 'verify'),
      runProgram<{ readonly open_intents: number }>(story, 'state', 'backup', join(story.folder, 'copy.db')),
    ]);
    await waitUntil('the waiting one says so', () => waiting?.stderr().includes('Waiting for it') === true);
    looked.push(sync, status, verify, backup);
    return true;
  });
  story.configure({ service: { base_url: gate.url } });
  const daemon = startDaemon(story);
  expect(await daemon.logged('run ended')).toMatchObject({ exit_code: 0, done: STAFF.length });
  const locked = {
    code: 'SYNC_STATE_LOCKED',
    message: `Another run holds this state: daemon, process ${daemon.pid} on ${hostname()}.`,
    place: join(story.folder, 'var', 'run.lock'),
  };
  expect(looked).toMatchObject([
    { code: 1, json: { error: locked } },
    { code: 0, json: { open_intents: 1 } },
    { code: 0, json: { ok: true } },
    { code: 0, json: { open_intents: 1 } },
  ]);
  expect(existsSync(join(story.folder, 'copy.db'))).toBe(true);
  expect(await waiting?.ended).toEqual({ code: 0, signal: null });
  expect(JSON.parse(waiting?.stdout() ?? '')).toMatchObject({ counts: {}, done: 0 });
  expect(waiting?.stderr()).toContain(locked.message);
  expect(listRuns(story)).toEqual(['sync 0', 'daemon 0', 'sync 0']);
  await expectAllDoneOnce(story, STAFF);
});

sweep("the daemon names the operator's run it waits for, and runs afterwards", async () => {
  const story = await openDue(STAFF);
  let daemon: DaemonProcess | undefined;
  const gate = await openGate(story.sandbox.url, 2, async () => {
    daemon = startDaemon(story);
    await daemon.logged('waits for the state');
    // The daemon is unready only until it has opened its state for the first time, and says why.
    expect(await daemon.get('/readyz')).toEqual({ status: 503, text: expect.stringContaining(holderOf(operator)) });
    return true;
  });
  story.configure({ service: { base_url: gate.url } });
  const operator = startProgram(story, ['sync', '--config', story.configFile]);
  expect((await operator.ended).code).toBe(0);
  expect(await daemon?.logged('waits for the state')).toMatchObject({
    level: 'warn',
    code: 'SYNC_STATE_LOCKED',
    message: `Another run holds this state: ${holderOf(operator)}.`,
  });
  expect(await daemon?.logged('run ended')).toMatchObject({ exit_code: 0, done: 0 });
  expect((await daemon?.get('/readyz'))?.status).toBe(200);
  expect(listRuns(story)).toEqual(['sync 0', 'sync 0', 'daemon 0']);
  await expectAllDoneOnce(story, STAFF);
});

function holderOf({ pid }: Program): string {
  return `sync, process ${pid} on ${hostname()}`;
}
