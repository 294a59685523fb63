import { once } from 'node:events';
import { expect, test } from 'vitest';
import { startScimmy } from '../connectors/scim/scimmy-server.js';
import { startOpenSsh } from '../connectors/sftp/openssh.js';
import { oneIn, sweep } from '../depth.js';
import { type Both, openBoth, PHONE_OF_SERVICE, readDeliveries } from './both.js';
import { person } from './company.js';
import { openStory, type Story, summarise } from './kit.js';
import { startProgram } from './program.js';

const KILLER = new URL('./kill-at-step.mjs', import.meta.url).href;

interface ToldEntry {
  readonly kind: string;
  readonly record: string;
  readonly result: string;
  readonly after: unknown;
}

/** The results in the audit of values written back to a source: `E1 done`. */
async function listTold(story: Story): Promise<readonly string[]> {
  const { stdout } = await story.type('audit', 'list', '--json');
  const { entries } = JSON.parse(stdout) as { readonly entries: readonly ToldEntry[] };
  return entries.flatMap(({ kind, record, result }) => (kind === 'source told' ? [`${record} ${result}`] : []));
}

/** Two numbers that are to be written back to HR. */
async function openEdited(): Promise<Both> {
  const both = await openBoth({ telephone: PHONE_OF_SERVICE });
  both.deliver(['E1', { phone: '1' }], ['E2', { phone: '1' }]);
  await both.story.sync();
  for (const id of ['E1', 'E2']) await both.story.editUser(id, { telephone: '2' });
  return both;
}

const BOTH = { E1: { phone: '2' }, E2: { phone: '2' } };

// Two intents, which reach the disk together; then the file; then two outcomes.
const PLACES = [1, 2, 3, 4].flatMap((step) => [[step, 'before'] as const, [step, 'after'] as const]);

test.each(oneIn(3, PLACES))(
  'writes back to HR once after a kill at step %i, %s it is on disk, and audits it once',
  async (step, moment) => {
    const { story, deliver, deliveries } = await openEdited();
    const child = startProgram(story, ['sync'], {
      args: ['--import', KILLER],
      env: { KILL_AT_STEP: String(step), KILL_WHEN: moment, KILL_TABLE: 'outbox' },
    });
    expect(await once(child, 'exit')).toEqual([null, 'SIGKILL']);
    expect(deliveries()).toHaveLength(step < 3 ? 0 : 1);
    expect((await story.sync()).code).toBe(0);
    expect(deliveries()).toEqual([BOTH]);
    expect((await listTold(story)).filter((line) => line.endsWith('done')).sort()).toEqual(['E1 done', 'E2 done']);
    expect((await story.verify()).json.ok).toBe(true);
    deliver(['E1', { phone: '2' }], ['E2', { phone: '2' }]);
    for (let run = 0; run < 2; run++) expect((await story.sync()).code).toBe(0);
    expect(deliveries()).toEqual([BOTH]);
  },
  60_000,
);

sweep('holds a value that the file cannot hold, writes the others back, and sends it once corrected', async () => {
  const both = await openBoth({ telephone: PHONE_OF_SERVICE }, { encoding: 'windows-1252' });
  const { story, deliver, deliveries } = both;
  deliver(['E1', { phone: '1' }], ['E2', { phone: '1' }]);
  await story.sync();
  await story.editUser('E1', { telephone: '電話' });
  await story.editUser('E2', { telephone: '2' });
  const ran = await story.sync();
  expect(ran).toMatchObject({
    code: 4,
    json: { to_sources: { hr: 1 }, failed: [{ code: 'SYNC_WRITE_BACK_REFUSED' }] },
  });
  expect(deliveries()).toEqual([{ E2: { phone: '2' } }]);
  expect(summarise((await story.sync()).json.held)).toEqual(['E1 SYNC_WRITE_BACK_REFUSED']);
  expect(deliveries()).toHaveLength(1);
  await story.editUser('E1', { telephone: '3' });
  expect((await story.sync()).code).toBe(0);
  expect(deliveries()[1]).toEqual({ E1: { phone: '3' } });
  expect([...(await listTold(story))].sort()).toEqual(['E1 done', 'E1 refused', 'E2 done']);
});

sweep('repeats a write-back cut off by a lost connection unless it arrived, and sends the others', async () => {
  const ids = ['E1', 'E2', 'E3'];
  const { server, store, baseUrl } = await startScimmy(
    ids.map((id) => ({
      id: `p${id}`,
      userName: `${id}@example.com`,
      externalId: id,
      phoneNumbers: [{ value: '1', type: 'mobile' }],
    })),
  );
  const story = await openStory();
  story.configure({
    sources: {
      idp: { type: 'scim', base_url: baseUrl, auth: { bearer: { env: 'IDP_TOKEN' } }, write_back: true },
    },
    users: {
      enrich: { idp: { join: 'idp.externalId == hr.id' } },
      fields: { telephone: { value: 'idp.?phone', authority: 'service', write_back: true } },
    },
  });
  story.deliver(ids.map((id) => person(id)));
  await story.sync();
  for (const id of ids) await story.editUser(id, { telephone: '2' });
  for (let times = 0; times < 30; times++) server.failNext('reset after', /PATCH .*pE2/);
  for (let times = 0; times < 30; times++) server.failNext('reset', /PATCH .*pE3/);
  const ran = await story.sync();
  expect(ran.code).toBe(4);
  const phones = () => ids.map((id) => JSON.stringify(store.get(`p${id}`)?.phoneNumbers).replace(/\D/g, ''));
  expect(phones()).toEqual(['2', '2', '1']);
  server.faults.length = 0;
  server.requests.length = 0;
  await story.sync();
  expect(phones()).toEqual(['2', '2', '2']);
  // E2 now shows that it arrived.
  const patched = () => server.requests.filter(({ method }) => method === 'PATCH').map(({ path }) => path);
  expect(patched()).toEqual([expect.stringContaining('pE3')]);
  for (let run = 0; run < 2; run++) expect((await story.sync({ full: true })).code).toBe(0);
  expect(patched()).toHaveLength(1);
});

sweep('writes back to HR once over SFTP with a real OpenSSH, and is quiet after HR takes it in', async () => {
  const { drop, port, username, keyFile, fingerprint } = await startOpenSsh();
  const sftp = { username, private_key: { file: keyFile }, host_key: fingerprint };
  const { story, deliver } = await openBoth(
    { telephone: PHONE_OF_SERVICE },
    { drop: `sftp://127.0.0.1:${port}${drop}`, sftp },
  );
  deliver(['E1', { phone: '1' }]);
  await story.sync();
  await story.editUser('E1', { telephone: '2' });
  expect((await story.sync()).json).toMatchObject({ to_sources: { hr: 1 } });
  expect(readDeliveries(drop)).toEqual([{ E1: { phone: '2' } }]);
  await story.sync();
  deliver(['E1', { phone: '2' }]);
  for (let run = 0; run < 2; run++) expect((await story.sync()).code).toBe(0);
  expect(readDeliveries(drop)).toHaveLength(1);
});
