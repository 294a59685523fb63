import { createServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import type { Role } from '../../src/config/access/roles.js';
import { closeAfterTest } from '../closing.js';
import { makeCertificates } from '../connectors/http/certificates.js';
import { oneIn, sweep } from '../depth.js';
import { GRANTS, open, openWorking, withoutTimes } from './elsewhere.js';
import { openStory } from './kit.js';

test('prints the same text and document through the daemon as next to the state', async () => {
  const { here, there, story } = await open();
  const { runs } = JSON.parse((await here('runs', '--json')).stdout);
  const { holds } = JSON.parse((await here('holds', 'list', '--json')).stdout);
  const looks = [
    ['status'],
    ['runs'],
    ['runs', '--last', '1'],
    ['runs', runs[0].id],
    ['holds', 'list'],
    ['holds', 'list', '--all'],
    ['holds', 'show', holds[0].id.slice(0, 8)],
    ['approve', '--list'],
    ['audit', 'list'],
    ['audit', 'list', '--who', 'user:E1', '--since', '1d', '--last', '1'],
    ['audit', 'show', '2'],
    ['audit', 'verify'],
    ['notify', 'list'],
    ['explain', 'user', 'e3@example.com'],
  ];
  for (const words of oneIn(1, looks)) {
    for (const more of [[], ['--json']]) {
      const local = await here(...words, ...more);
      expect([words, await there('viewer', ...words, ...more)]).toEqual([words, local]);
    }
  }
  expect(story.takeWrites().length).toBeGreaterThan(0);
});

sweep('takes decisions through the daemon, and the next run carries them out', async () => {
  const { there, story } = await open();
  const approved = await there('approver', 'approve', '--guard', 'users.create', '--reason', 'new office');
  expect([approved.code, approved.stdout]).toEqual([0, expect.stringMatching(/^Approved 3 changes of plan p/)]);
  const again = await there('approver', 'approve', '--guard', 'users.create', '--reason', 'new office');
  expect(again.stdout).toMatch(/^Approved already: 3 changes/);
  const { approvals } = JSON.parse((await there('viewer', 'approve', '--list', '--json')).stdout);
  expect(approvals).toMatchObject([{ changes: 3, who: 'approver@example.com', reason: 'new office' }]);
  const revoked = await there('approver', 'approve', '--revoke', approvals[0].id);
  expect(revoked.stdout).toMatch(/^Revoked a.*: 3 changes need an approval again from the next run on\.\n$/);

  await there('approver', 'approve', '--who', 'E3', '--expires', '30d', '--reason', 'she begins today');
  const { holds } = JSON.parse((await there('viewer', 'holds', 'list', '--json')).stdout);
  const known = await there('approver', 'holds', 'ack', holds[0].id, '--reason', 'HR knows', '--until', '30d');
  expect([known.code, known.stdout]).toEqual([0, expect.stringContaining('Acknowledged')]);
  const { json } = await story.sync();
  // The approval left the two others out, so they stay held although they are within the limit.
  expect(json.done).toBe(1);
  expect((await there('viewer', 'holds', 'list')).stdout).toContain('HR knows');
  const forgotten = await there('approver', 'holds', 'ack', holds[0].id, '--revoke');
  expect(forgotten.stdout).toContain('counts again');
  const { entries } = JSON.parse((await there('viewer', 'audit', 'list', '--json')).stdout);
  const decided = entries.filter(({ by }: { readonly by?: string }) => by === 'approver@example.com');
  expect(decided.map(({ kind }: { readonly kind: string }) => kind)).toEqual([
    'approval given',
    'approval revoked',
    'approval given',
    'hold acknowledged',
    'acknowledgement revoked',
  ]);
});

sweep('plans and runs of the daemon end like those of a command next to the state', async () => {
  const { here, there, story } = await openWorking();
  const plans = [['plan'], ['plan', '--json'], ['plan', '--all', '--detailed-exitcode'], ['plan', '--only', 'user:E3']];
  for (const words of plans) {
    const [local, elsewhere] = [await here(...words), await there('approver', ...words)];
    expect([words, elsewhere.code, withoutTimes(elsewhere.stdout)]).toEqual([
      words,
      local.code,
      withoutTimes(local.stdout),
    ]);
  }
  expect((await there('approver', 'sync')).stderr).toMatch(/This needs the role operator/);
  expect((await there('viewer', 'plan')).stderr).toMatch(/This needs the role approver/);
  story.takeWrites();
  const ran = await there('operator', 'sync', '--complete-on', '3,4');
  expect([ran.code, ran.stderr]).toEqual([0, '']);
  expect(ran.stdout).toMatch(/^Run r.*: 0 changes done,\s+3 wait for an approval,\s+1 record held/);
  expect(story.takeWrites()).toEqual([]);
  await there('approver', 'approve', '--guard', 'users.create', '--reason', 'new office');
  const done = await there('operator', 'sync', '--json');
  expect([done.code, JSON.parse(done.stdout)]).toMatchObject([4, { done: 3, exit_code: 4 }]);
  const [again, local] = [await there('operator', 'sync'), await here('sync')];
  expect([again.code, withoutTimes(again.stdout)]).toEqual([local.code, withoutTimes(local.stdout)]);
  const { entries } = JSON.parse((await here('audit', 'list', '--json')).stdout);
  const by = entries.flatMap((one: { kind?: string; by?: string }) => (one.kind === 'run started' ? [one.by] : []));
  expect(by.filter((who: string) => who.startsWith('operator@example.com: '))).toHaveLength(3);
});

sweep('ends an order in the daemon with the same words as next to the state', async () => {
  const { here, there, story } = await openWorking();
  for (const words of [
    ['plan', '--only', 'user:nobody'],
    ['plan', '--only', 'thing'],
    ['sync', '--as-of', '2026-02-30'],
    ['sync', '--only', 'user:nobody', '--json'],
  ])
    expect([words, await there('operator', ...words)]).toEqual([words, await here(...words)]);
  await story.sandbox.close();
  const [local, elsewhere] = [await here('sync'), await there('operator', 'sync')];
  expect([elsewhere.code, elsewhere.stderr]).toEqual([local.code, local.stderr]);
});

sweep('shows a plan and a run without names to a person for whom the configuration hides them', async () => {
  const { there } = await openWorking();
  for (const words of [['plan', '--all'], ['plan', '--json'], ['sync'], ['sync', '--json']]) {
    const { code, stdout } = await there('veiled', ...words);
    expect([words, code, /Person E\d|@example\.com/.exec(stdout)]).toEqual([words, 4, null]);
  }
});

sweep('reports a rejection by the daemon in the same words as next to the state', async () => {
  const { here, there } = await open();
  const refused = [
    ['runs', 'r1'],
    ['holds', 'show', 'ffff'],
    ['holds', 'resolve', 'ffff', '--take', 'source'],
    ['approve', '--guard', 'users.delete', '--reason', 'x'],
    ['approve', '--revoke', 'a1'],
    ['holds', 'resolve', 'ffff', '--relink'],
    ['explain', 'user', 'nobody@example.com'],
    ['explain', 'thing', 'x'],
    ['audit', 'verify', '--head', 'zz'],
    ['audit', 'list', '--since', 'yesterday'],
  ];
  for (const words of refused)
    expect([words, await there('approver', ...words)]).toEqual([words, await here(...words)]);
});

sweep('says why a person may not do something, and what to do', async () => {
  const { there, story, pages } = await open();
  const ended = async (role: Role, ...words: readonly string[]) => (await there(role, ...words)).stderr;
  expect(await ended('viewer', 'approve', '--guard', 'users.create', '--reason', 'x')).toMatch(
    /^error SYNC_WEB_REFUSED: This needs the role approver\.\n {2}where: http.*\n {2}what to do: Ask for the role/,
  );
  expect(await ended('viewer', 'status', '--tenant', 'globex')).toMatch(/There is no such tenant\./);
  expect(await ended('operator', 'status')).toMatch(/You have no role for any tenant of this daemon\./);
  pages.configure({ grants: GRANTS.map((grant) => ({ ...grant, tenants: null })) });
  expect(await ended('viewer', 'status')).toMatch(/The daemon has several tenants\.[\s\S]*acme, globex/);
  expect((await there('viewer', 'status', '--tenant', 'acme')).code).toBe(0);
  Object.assign(story.env, { TALENT_SYNC_TOKEN: 'ts_unknown' });
  const wrong = await story.type('status', '--daemon', pages.url);
  expect(wrong.stderr).toMatch(/This token is unknown or has expired\.[\s\S]*operator add/);
  Object.assign(story.env, { TALENT_SYNC_TOKEN: '' });
  const none = await story.type('status', '--daemon', pages.url, '--json');
  expect(none.stderr).toMatch(/There is no personal token in TALENT_SYNC_TOKEN\./);
  expect(JSON.parse(none.stdout).error).toMatchObject({ code: 'SYNC_CLI_USAGE', place: '--daemon' });
});

async function listen(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closeAfterTest({ close: async () => void server.close() });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** An address where a server has stopped listening. */
async function listenNoMore(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}`;
}

sweep("distinguishes an answer that is not the daemon's from no answer", async () => {
  const story = await openStory();
  Object.assign(story.env, { TALENT_SYNC_TOKEN: 'ts_1234567890' });
  const told = async (url: string): Promise<string> =>
    (await story.type('status', '--daemon', url, '--tenant', 'acme')).stderr;
  const answers: readonly (readonly [RequestListener, RegExp])[] = [
    [(_, to) => to.writeHead(302, { location: 'https://login.example.com' }).end(), /redirects elsewhere, as a proxy/],
    [(_, to) => to.writeHead(502, { 'content-type': 'text/html' }).end('<h1>Bad'), /answered 502 with text\/html/],
    [(_, to) => to.writeHead(200, { 'content-type': 'application/json' }).end('{"a":'), /truncated or not JSON/],
    [(_, to) => to.writeHead(200, { 'content-type': 'application/json' }).end('{"a":1}'), /another version/],
    [(_, to) => to.writeHead(500, { 'content-type': 'application/json' }).end('{"a":1}'), /500 with unknown JSON/],
  ];
  for (const [answer, message] of answers) {
    const text = await told(await listen(answer));
    expect(text).toMatch(/^error SYNC_DAEMON_ANSWER: The address does not answer as the operator pages/);
    expect(text).toMatch(message);
    expect(text).not.toContain('ts_1234567890');
  }
  expect(await told(await listenNoMore())).toMatch(
    /^error SYNC_DAEMON_DOWN: The daemon does not answer: .*ECONNREFUSED/,
  );
  expect(await told('http://sync.example.com')).toMatch(/The token would be sent without encryption\./);
  expect(await told('sync.example.com')).toMatch(/"sync\.example\.com" is not an address of operator pages\./);
});

sweep('does not trust a certificate from an unknown issuer', async () => {
  const story = await openStory();
  const server = createTlsServer(makeCertificates(story.folder).server, (_, to) => void to.end());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closeAfterTest({ close: async () => void server.close() });
  Object.assign(story.env, { TALENT_SYNC_TOKEN: 'ts_1234567890' });
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { stderr } = await story.type('status', '--daemon', url);
  expect(stderr).toMatch(
    /^error SYNC_DAEMON_DOWN: The certificate of the daemon is not trusted: [\s\S]*NODE_EXTRA_CA_CERTS/,
  );
});

sweep('rejects options for a local state together with --daemon', async () => {
  const { story, pages } = await open();
  const refused = [
    ['status', '--config', 'acme.yaml'],
    ['explain', 'user', 'E1', '--wait'],
    ['explain', 'user', 'E1', '--as-of', '2027-01-01'],
    ['plan', '--wait'],
    ['plan', '--report', 'plan.html'],
    ['sync', '--config', 'acme.yaml'],
    ['undo', 'r1', '--wait'],
    ['undo', 'r1', '--during-pause'],
    ['undo', 'r1', '--plan', '--yes'],
  ];
  for (const words of refused) {
    await expect(story.type(...words, '--daemon', pages.url)).rejects.toThrow(/cannot be used with option/);
  }
  for (const words of [['apply'], ['check'], ['state', 'backup'], ['link', 'users', 'E1', 'id']]) {
    const asked = story.type(...words, '--daemon', pages.url);
    await expect(asked, words.join(' ')).rejects.toThrow(/^error: `\w+` cannot ask a daemon: run it next to the state/);
  }
  expect((await story.type('status', '--tenant', 'acme')).stderr).toMatch(/--daemon/);
});
