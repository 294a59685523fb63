import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { acquireRunLock } from '../../src/store/run-lock.js';
import { closeAfterTest } from '../closing.js';
import { IS_THOROUGH, oneIn, sweep } from '../depth.js';
import { person } from '../scenarios/company.js';
import { openGate } from '../scenarios/gate.js';
import { CREATE_USER, openStory, type Story, UPDATE_USER } from '../scenarios/kit.js';
import { type DaemonProcess, listRuns, oweRun, settleIn, startDaemon, waitUntil, YEARLY } from './daemon-process.js';
import { expectAllDoneOnce, openDue } from './due-story.js';

/** From now on, the key is in a file with this content. */
function keepKeyInFile(story: Story, held: string): { replace(by: string): void } {
  const file = join(story.folder, 'key');
  writeFileSync(file, `${held}\n`);
  writeFileSync(story.configFile, readFileSync(story.configFile, 'utf8').replace('env: TALENT_API_KEY', 'file: ./key'));
  return {
    replace(by) {
      writeFileSync(`${file}.new`, `${by}\n`);
      renameSync(`${file}.new`, file);
    },
  };
}

const STAFF = [person('E1'), person('E2'), person('E3'), person('E4')];

/** The tenant of a single configuration is named after its file. */
const NAME = 'talent-sync';

test('makes up for a missed run once, answers health checks and scrapes, and logs no names of people', async () => {
  const story = await openStory();
  story.deliver([
    person('E0', { first: 'Gunvor', last: 'Zeta' }),
    person('E1', { first: 'Torbjorn', last: 'Ypsilon' }),
  ]);
  await settleIn(story, { guards: { users: { deactivate: { max: 0 } } } });
  story.deliver([
    person('E0', { first: 'Gunvor', last: 'Zeta', status: 'left' }),
    person('E1', { first: 'Torbjorn', last: 'Ypsilon', title: 'Lead' }),
    person('E2', { first: 'Aslaug', last: 'Omega' }),
    person('E3', { first: 'Sigrid', last: 'Kappa', office: 'Atlantis' }),
    person('E4', { first: 'Ragnhild', last: 'Lambda', email: 'ragnhild@elsewhere.test' }),
  ]);
  oweRun(story);
  const daemon = startDaemon(story, { env: { LOG_LEVEL: 'debug' } });
  // A held record, a rejected write and a guard that holds: the log has every reason to mention people.
  expect(await daemon.logged('run ended')).toMatchObject({ exit_code: 4, done: 2, failed: 1, held: 1, tenant: NAME });
  expect(await daemon.logged('run starts')).toMatchObject({
    slot: `${new Date().getUTCFullYear()}-01-01T00:00:00.000Z`,
  });
  expect(story.takeWrites().toSorted()).toEqual([CREATE_USER, CREATE_USER, UPDATE_USER]);

  expect(await daemon.get('/livez')).toEqual({ status: 200, text: 'ok\n' });
  expect(await daemon.get('/readyz')).toEqual({ status: 200, text: 'ready\n' });
  expect((await daemon.get('/')).status).toBe(404);
  expect(await daemon.metric(`talent_sync_runs_total{tenant="${NAME}",result="faults"}`)).toBe(1);
  expect(await daemon.metric(`talent_sync_slots_missed_total{tenant="${NAME}"}`)).toBeGreaterThanOrEqual(1);
  const done = `talent_sync_changes_total{tenant="${NAME}",entity="users",action="create",result="done"}`;
  expect(await daemon.metric(done)).toBe(1);
  const { text } = await daemon.get('/metrics');

  daemon.send('SIGTERM');
  expect(await daemon.ended).toEqual({ code: 0, signal: null });
  expect(daemon.stdout()).toBe('');
  const lines = daemon.stderr().trimEnd().split('\n');
  expect(daemon.log()).toHaveLength(lines.length);
  for (const line of daemon.log()) {
    expect(line).toMatchObject({
      msg: expect.stringMatching(/./),
      level: expect.stringMatching(/^(debug|info|warn|error)$/),
    });
    expect(Number.isNaN(Date.parse(line.time))).toBe(false);
  }
  const persons = /gunvor|zeta|torbjorn|ypsilon|aslaug|omega|sigrid|kappa|ragnhild|lambda|@|elsewhere/i;
  expect(lines.filter((line) => persons.test(line))).toEqual([]);
  expect(text.split('\n').filter((line) => persons.test(line))).toEqual([]);

  // A quick run leaves the restart to the daemons without a process: day.test.ts.
  if (!IS_THOROUGH) return;
  const again = startDaemon(story);
  await waitUntil('the second one is ready', async () => (await again.get('/readyz')).status === 200);
  // If it considered a run due, it would hold the lock.
  expect((await story.sync()).code).toBe(4);
  expect(listRuns(story)).toEqual(['sync 0', 'daemon 4', 'sync 4']);
  again.send('SIGINT');
  expect(await again.ended).toEqual({ code: 0, signal: null });
});

test.each(oneIn(1, ['SIGTERM', 'SIGINT'] as const))(
  '%s finishes the call in flight, and leaves the remaining work to the next start',
  async (signal) => {
    const story = await openDue(STAFF);
    let daemon: DaemonProcess | undefined;
    const gate = await openGate(story.sandbox.url, 2, async (forward) => {
      daemon?.send(signal);
      await daemon?.logged('stopping: calls in flight are finished');
      await forward();
      return true;
    });
    story.configure({ service: { base_url: gate.url } });
    daemon = startDaemon(story);
    expect(await daemon.ended).toEqual({ code: 0, signal: null });
    expect(daemon.log().at(-1)).toMatchObject({ msg: 'stopped' });
    expect(gate.writes()).toBe(2);
    expect((await story.status()).json.open_intents).toBe(0);
    expect((await story.audit()).map(({ key, result }) => `${key} ${result}`)).toEqual([
      'E0 done',
      'E1 done',
      'E2 done',
    ]);

    const next = startDaemon(story);
    expect(await next.logged('run ended')).toMatchObject({ exit_code: 0, done: 2 });
    next.send(signal);
    expect(await next.ended).toEqual({ code: 0, signal: null });
    expect(listRuns(story)).toEqual(['sync 0', 'daemon 3', 'daemon 0']);
    expect(gate.writes()).toBe(STAFF.length);
    await expectAllDoneOnce(story, STAFF);
  },
);

sweep.each(
  oneIn(
    1,
    [
      { signal: 'SIGTERM', code: 143 },
      { signal: 'SIGINT', code: 130 },
    ] as const,
    1,
  ),
)('a second $signal ends the daemon immediately, and the next run looks for the call', async ({ signal, code }) => {
  const story = await openDue(STAFF);
  let daemon: DaemonProcess | undefined;
  const gate = await openGate(story.sandbox.url, 2, async () => {
    daemon?.send(signal);
    await daemon?.logged('stopping: calls in flight are finished');
    daemon?.send(signal);
    return new Promise<never>(() => undefined);
  });
  story.configure({ service: { base_url: gate.url } });
  daemon = startDaemon(story);
  expect(await daemon.ended).toEqual({ code, signal: null });
  expect((await story.status()).json.open_intents).toBe(1);
  story.configure({ service: { base_url: story.sandbox.url } });
  expect(await story.sync()).toMatchObject({ code: 0, json: { done: 3 } });
  await expectAllDoneOnce(story, STAFF);
});

sweep('leaves a call that exceeds the grace period in the journal, and finds it in the next run', async () => {
  const story = await openDue(STAFF);
  let daemon: DaemonProcess | undefined;
  const gate = await openGate(story.sandbox.url, 2, async (forward) => {
    await forward();
    daemon?.send('SIGTERM');
    return new Promise<never>(() => undefined);
  });
  story.configure({ service: { base_url: gate.url } });
  daemon = startDaemon(story, { args: ['--grace', '1s'] });
  expect(await daemon.ended).toEqual({ code: 0, signal: null });
  expect(daemon.log().at(-1)?.msg).toBe('stopped with unanswered calls: the next run looks them up');
  expect((await story.status()).json.open_intents).toBe(1);
  expect(await story.sync()).toMatchObject({ code: 0, json: { done: 2 } });
  expect(gate.writes()).toBe(STAFF.length);
  await expectAllDoneOnce(story, STAFF);
});

sweep('continues when nobody reads its log any more', async () => {
  const story = await openStory();
  story.configure({ schedule: YEARLY });
  const daemon = startDaemon(story);
  const url = await daemon.url();
  daemon.closeStderr();
  story.configure({ plan: { expires: '1h' } });
  daemon.send('SIGHUP');
  await waitUntil('the configuration is taken', async () => {
    const text = await fetch(`${url}/metrics`).then((response) => response.text());
    return text.includes(`talent_sync_config_reloads_total{tenant="${NAME}",result="taken"} 2`);
  });
  daemon.send('SIGTERM');
  expect(await daemon.ended).toEqual({ code: 0, signal: null });
});

sweep('SIGHUP applies an edited configuration, and keeps the earlier one if the edit is broken', async () => {
  const story = await openDue(STAFF);
  const lock = acquireRunLock(join(story.folder, 'var'), 'apply, process 4711 on worker-1');
  const daemon = startDaemon(story);
  await daemon.logged('waits for the state');
  const first = await daemon.logged('configuration taken');
  story.configure({ users: { fields: { title: { en: '"Consultant"' } } } });
  daemon.send('SIGHUP');
  expect((await daemon.logged('configuration taken', 2)).digest).not.toBe(first.digest);
  lock.close();
  expect(await daemon.logged('run ended')).toMatchObject({ exit_code: 0, done: 5 });
  expect(story.users().map(({ title }) => title.en)).toEqual(Array.from({ length: 5 }, () => 'Consultant'));
  expect(await daemon.metric(`talent_sync_config_good{tenant="${NAME}"}`)).toBe(1);

  const good = readFileSync(story.configFile, 'utf8');
  writeFileSync(story.configFile, good.replace('policy: sync', 'policy: whatever'));
  daemon.send('SIGHUP');
  const refused = await daemon.logged('configuration rejected: the earlier one stays active');
  expect(refused).toMatchObject({ level: 'error', tenant: NAME, code: 'SYNC_CONFIG_INVALID' });
  expect(refused.place).toMatch(/^talent-sync\.yaml:\d+:\d+/);
  expect(refused.remedy).not.toBe('');
  expect(await daemon.metric(`talent_sync_config_good{tenant="${NAME}"}`)).toBe(0);
  expect(await daemon.metric(`talent_sync_config_reloads_total{tenant="${NAME}",result="refused"}`)).toBe(1);
  expect((await daemon.get('/readyz')).status).toBe(200);

  writeFileSync(story.configFile, good);
  daemon.send('SIGHUP');
  await daemon.logged('configuration taken', 3);
  expect(await daemon.metric(`talent_sync_config_good{tenant="${NAME}"}`)).toBe(1);
  daemon.send('SIGTERM');
  expect(await daemon.ended).toEqual({ code: 0, signal: null });
});

sweep('rejects an edit that removes the schedule, and continues with the earlier one and new secrets', async () => {
  const story = await openDue(STAFF);
  const key = keepKeyInFile(story, 'the-key-of-last-month');
  const lock = acquireRunLock(join(story.folder, 'var'), 'apply, process 4711 on worker-1');
  const daemon = startDaemon(story);
  await daemon.logged('waits for the state');
  const good = readFileSync(story.configFile, 'utf8');
  writeFileSync(story.configFile, good.replace(/^schedule:\n( .*\n)+/m, ''));
  key.replace(story.env.TALENT_API_KEY);
  lock.close();
  daemon.send('SIGHUP');
  expect(await daemon.logged('configuration rejected: the earlier one stays active')).toMatchObject({
    code: 'SYNC_CONFIG_INVALID',
    place: expect.stringContaining('schedule.every'),
  });
  expect(await daemon.logged('run ended')).toMatchObject({ exit_code: 0, done: STAFF.length });
  // Reading the configuration again finds the same: working, on schedule, with a bad configuration.
  daemon.send('SIGHUP');
  await daemon.logged('configurations are read again', 2);
  expect((await daemon.get('/livez')).status).toBe(200);
  expect(await daemon.metric(`talent_sync_config_good{tenant="${NAME}"}`)).toBe(0);
  expect(await daemon.metric(`talent_sync_next_run_seconds{tenant="${NAME}"}`)).toBeGreaterThan(0);
  daemon.send('SIGTERM');
  expect((await daemon.ended).code).toBe(0);
});

sweep(
  'starts the next run at the minute, with the current secret from its file',
  async () => {
    const story = await openStory();
    story.deliver([person('E0')]);
    const every = { every: '* * * * *', timezone: 'UTC' };
    await settleIn(story, { schedule: every });
    story.deliver([person('E0'), person('E1')]);
    oweRun(story, every);
    const key = keepKeyInFile(story, 'the-key-of-last-month');
    const daemon = startDaemon(story, { minuteInMs: 6_000 });
    expect(await daemon.logged('run failed')).toMatchObject({ code: 'SYNC_SERVICE_UNAUTHENTICATED' });
    key.replace(story.env.TALENT_API_KEY);
    expect((await daemon.get('/readyz')).status).toBe(200);
    // If a busy machine started the program late, the run comes a minute later.
    expect(await daemon.logged('run ended', 1, 120_000)).toMatchObject({ exit_code: 0, done: 1 });
    expect(daemon.stderr()).not.toContain('the-key-of-last-month');
    expect(daemon.stderr()).not.toContain(story.env.TALENT_API_KEY);
    expect(listRuns(story).slice(0, 2)).toEqual(['sync 0', 'daemon 1']);
    expect(listRuns(story).at(-1)).toBe('daemon 0');
    expect(story.takeWrites()).toEqual([CREATE_USER]);
  },
  150_000,
);

/** Returns the message on stderr; stdout must be empty. */
async function expectRefusal(daemon: DaemonProcess): Promise<string> {
  expect(await daemon.ended).toEqual({ code: 1, signal: null });
  expect(daemon.stdout()).toBe('');
  expect(daemon.stderr()).toMatch(/^ {2}what to do: \S/m);
  return daemon.stderr();
}

sweep('does not start on a port that another program uses', async () => {
  const story = await openStory();
  story.configure({ schedule: YEARLY });
  const other = createServer().listen(0, '127.0.0.1');
  closeAfterTest({ close: async () => void other.close() });
  await waitUntil('the port is taken', () => other.address() !== null);
  const address = other.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const said = await expectRefusal(startDaemon(story, { args: ['--port', String(port)] }));
  expect(said).toMatch(/^error SYNC_WEB_LISTEN: .*EADDRINUSE/m);
  expect(said).toContain(`127.0.0.1:${port}`);
});

sweep('does not start without a configuration, a schedule, or a usable tenant', async () => {
  const story = await openStory();
  const empty = join(story.folder, 'tenants');
  mkdirSync(empty);
  writeFileSync(join(empty, 'README.md'), 'one file per tenant');
  const missing = join(story.folder, 'nowhere.yaml');
  const [none, bare, unscheduled] = await Promise.all([
    expectRefusal(startDaemon(story, { target: missing })),
    expectRefusal(startDaemon(story, { target: empty })),
    expectRefusal(startDaemon(story)),
  ]);
  expect(none).toMatch(/^error SYNC_CONFIG_UNREADABLE: .*ENOENT/m);
  expect(none).toContain(`where: ${missing}`);
  expect(bare).toMatch(/^error SYNC_CONFIG_INVALID: There is no configuration in the folder/m);
  expect(bare).toContain(`where: ${empty}`);
  expect(unscheduled).toMatch(/^error SYNC_CONFIG_INVALID: The configuration does not say when to run/m);
  expect(unscheduled).toContain('schedule.every');
});

sweep('does not start with --no-wait while another process holds the state', async () => {
  const story = await openDue(STAFF);
  const lock = acquireRunLock(join(story.folder, 'var'), 'apply, process 4711 on worker-1');
  const said = await expectRefusal(startDaemon(story, { args: ['--no-wait'] }));
  expect(said).toMatch(/^error SYNC_STATE_LOCKED: .*apply, process 4711 on worker-1/m);
  lock.close();
  expect(listRuns(story)).toEqual(['sync 0']);
});

sweep('runs the other tenant of a folder if one configuration is rejected, and is ready', async () => {
  const story = await openDue(STAFF);
  story.configure({
    state: join(story.folder, 'var'),
    sources: { hr: { drop: join(story.folder, 'drop/hr') } },
  });
  const folder = join(story.folder, 'tenants');
  mkdirSync(folder);
  renameSync(story.configFile, join(folder, 'acme.yaml'));
  writeFileSync(join(folder, 'globex.yml'), 'service: {}\n');
  const daemon = startDaemon(story, { target: folder });
  expect(await daemon.logged('configuration rejected: the tenant does not run')).toMatchObject({
    tenant: 'globex',
    code: 'SYNC_CONFIG_INVALID',
  });
  expect(await daemon.logged('run ended')).toMatchObject({ tenant: 'acme', exit_code: 0, done: STAFF.length });
  expect(await daemon.get('/readyz')).toEqual({ status: 200, text: 'ready\n' });
  expect((await daemon.get('/livez')).status).toBe(200);
  expect(await daemon.metric('talent_sync_config_good{tenant="acme"}')).toBe(1);
  expect(await daemon.metric('talent_sync_config_good{tenant="globex"}')).toBe(0);
  expect(await daemon.metric('talent_sync_tenant_ready{tenant="globex"}')).toBe(0);
  expect(await daemon.metric('talent_sync_tenant_phase{tenant="globex",phase="refused"}')).toBe(1);
});

sweep('answers on its port before many configurations are loaded, and stops without waiting for them', async () => {
  const story = await openStory();
  story.configure({ schedule: YEARLY, sources: { hr: { drop: join(story.folder, 'drop/hr') } } });
  const folder = join(story.folder, 'tenants');
  mkdirSync(folder);
  const text = readFileSync(story.configFile, 'utf8');
  for (let at = 0; at < 100; at += 1) writeFileSync(join(folder, `t${at}.yaml`), text.replace('./var', `./var/${at}`));
  const daemon = startDaemon(story, { target: folder });
  const url = String((await daemon.logged('listening')).url);
  expect(await (await fetch(`${url}/livez`)).text()).toBe('ok\n');
  expect(await (await fetch(`${url}/readyz`)).text()).toBe('not ready\nconfigurations are being loaded\n');
  daemon.send('SIGTERM');
  expect(await daemon.ended).toEqual({ code: 0, signal: null });
  expect(daemon.log().filter(({ msg }) => msg === 'configuration taken').length).toBeLessThan(100);
  expect(daemon.log().at(-1)).toMatchObject({ msg: 'stopped' });
});

const AFAR = Object.values(networkInterfaces())
  .flatMap((all) => all ?? [])
  .filter(({ internal, family }) => !internal && family === 'IPv4')
  .slice(0, 1);

sweep.each(AFAR)('from $address, shows metrics only to clients with the token', async ({ address }) => {
  const story = await openStory();
  story.configure({ schedule: YEARLY });
  const args = ['--host', '0.0.0.0'];
  const [open, guarded] = [
    startDaemon(story, { args }),
    startDaemon(story, { args, env: { TALENT_SYNC_METRICS_TOKEN: 'scrape-me' } }),
  ];
  const ask = async (daemon: DaemonProcess, host: string, path: string, token?: string) => {
    const { port } = new URL(await daemon.url());
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const response = await fetch(`http://${host}:${port}${path}`, { headers });
    return { status: response.status, text: await response.text() };
  };
  expect(await ask(open, address, '/metrics')).toMatchObject({ status: 401, text: expect.stringMatching(/TOKEN/) });
  expect((await ask(open, address, '/metrics', 'scrape-me')).status).toBe(401);
  expect((await ask(open, '127.0.0.1', '/metrics')).status).toBe(200);
  expect((await ask(open, address, '/livez')).status).toBe(200);

  for (const host of [address, '127.0.0.1']) {
    expect((await ask(guarded, host, '/metrics')).status).toBe(401);
    expect((await ask(guarded, host, '/metrics', 'scrape-mf')).status).toBe(401);
    const seen = await ask(guarded, host, '/metrics', 'scrape-me');
    expect(seen).toMatchObject({ status: 200, text: expect.stringContaining('talent_sync_build_info{version="') });
    expect(seen.text).not.toContain('scrape-me');
  }
  expect((await ask(guarded, address, '/livez')).status).toBe(200);
});
