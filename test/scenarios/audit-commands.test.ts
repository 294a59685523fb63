import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sweep } from '../depth.js';
import { CRM, HOUR, KEY, person } from './company.js';
import { openStory, type Story } from './kit.js';

async function openHistory(): Promise<Story> {
  const story = await openStory();
  story.configure({ guards: { users: { deactivate: { max: 0 } } } });
  story.deliver([person('E1'), person('E2')]);
  await story.sync();
  story.deliver([person('E1', { title: 'Lead' }), person('E2', { status: 'left' })]);
  await story.sync();
  return story;
}

interface Line {
  readonly seq: number;
  readonly kind: string;
  readonly [name: string]: unknown;
}

async function list(story: Story, ...flags: readonly string[]): Promise<readonly Line[]> {
  const { code, stdout } = await story.type('audit', 'list', '--json', ...flags);
  expect(code).toBe(0);
  return (JSON.parse(stdout) as { readonly entries: readonly Line[] }).entries;
}

const kinds = (lines: readonly Line[]): readonly string[] => lines.map(({ kind }) => kind);

sweep('records runs with their configuration, approvals, what they released, and approvals that expired', async () => {
  const story = await openHistory();
  await story.approve({ guard: 'users.deactivate', reason: 'case 7' });
  const ran = await story.sync();
  expect(ran.json.done).toBe(1);
  const lines = await list(story);
  expect(kinds(lines)).toEqual([
    'run started',
    'change',
    'change',
    'run started',
    'change',
    'approval given',
    'run started',
    'change',
  ]);
  expect(lines[0]).toMatchObject({
    command: 'sync',
    by: expect.stringMatching(/^.+: sync, process \d+ on /),
    config: expect.stringMatching(/^[0-9a-f]{12}$/),
  });
  const [given, spent] = [lines[5], lines[7]];
  expect(given).toMatchObject({ reason: 'case 7', guards: ['users.deactivate'], changes: [spent?.change] });
  expect(spent).toMatchObject({ action: 'deactivate', result: 'done', run: ran.json.run });
  expect(spent?.approval).toContain(String(given?.approval));

  // The approval is given again for the other person, and not carried out in time.
  story.configure({ approvals: { expires: '1h' } });
  story.deliver([person('E1', { status: 'left' }), person('E2', { status: 'left' })]);
  await story.sync();
  await story.approve({ guard: 'users.deactivate' });
  story.clock.advance(2 * HOUR);
  await story.sync();
  const lapsed = (await list(story)).filter(({ kind }) => kind === 'approval lapsed');
  expect(lapsed).toMatchObject([{ approval: expect.stringMatching(/^a/), changes: [expect.any(String)] }]);
  expect((await story.verify()).json.ok).toBe(true);
});

sweep('records a revoked approval: who, why, and which changes wait again', async () => {
  const story = await openHistory();
  const { approval } = (await story.approve({ guard: 'users.deactivate', reason: 'case 7' })).json;
  const [given] = (await list(story)).slice(-1);

  const revoked = await story.type('approve', '--revoke', approval, '--reason', 'wrong list');
  expect(revoked).toMatchObject({ code: 0, stdout: expect.stringContaining('1 change needs an approval again') });
  expect((await list(story)).slice(-1)).toMatchObject([
    { kind: 'approval revoked', approval, by: given?.by, changes: given?.changes, reason: 'wrong list' },
  ]);
  expect((await story.type('audit', 'list', '--last', '1')).stdout).toContain(
    `approval revoked  ${String(given?.by)} revoked an approval; the deactivation of Person E2 not carried out: wrong list  [${approval}]`,
  );

  expect((await story.sync()).json.guards).toMatchObject([{ guard: 'users.deactivate', held: 1 }]);
  // Nothing is left to revoke or to record.
  expect((await story.approve({ revoke: approval })).error).toMatchObject({ code: 'SYNC_APPROVAL_NOTHING' });
  expect(kinds(await list(story)).filter((kind) => kind === 'approval revoked')).toHaveLength(1);
  expect((await story.verify()).json.ok).toBe(true);
});

sweep('reports that an expired approval has lapsed, instead of revoking it', async () => {
  const story = await openHistory();
  const { approval } = (await story.approve({ guard: 'users.deactivate', expires: HOUR })).json;
  story.clock.advance(2 * HOUR);
  expect((await story.approve({ revoke: approval })).error).toMatchObject({ code: 'SYNC_APPROVAL_NOTHING' });
  await story.sync();
  expect(kinds(await list(story)).filter((kind) => kind.startsWith('approval'))).toEqual([
    'approval given',
    'approval lapsed',
  ]);
});

test('prints the head of the log with each run and status, so that a cut end is found', async () => {
  const story = await openHistory();
  const ran = await story.sync();
  const { entries, head } = (ran.json as unknown as { audit: { entries: number; head: string } }).audit;
  expect((await story.verify()).json).toMatchObject({ entries, head });
  expect((await story.type('status')).stdout).toMatch(new RegExp(`Audit +\\d+ entries, head ${head}`));
  expect((await story.type('sync')).stdout).toMatch(/audit: \d+ entries, head [0-9a-f]{64}/);
  const verified = await story.type('audit', 'verify', '--head', head.slice(0, 16));
  expect(verified).toMatchObject({ code: 0, stdout: expect.stringContaining(`is that of entry ${entries}`) });
  const unknown = await story.type('audit', 'verify', '--head', 'f'.repeat(64));
  expect(unknown).toMatchObject({ code: 1, stdout: expect.stringContaining('truncated or rewritten') });
  expect(await story.type('audit', 'verify', '--head', 'xyz')).toMatchObject({ code: 1 });
});

sweep('lists entries by run, object, time and number', async () => {
  const story = await openHistory();
  const [first] = await list(story);
  expect(kinds(await list(story, '--run', String(first?.run)))).toEqual(['run started', 'change', 'change']);
  expect((await list(story, '--who', 'E1@example.com')).map(({ action }) => action)).toEqual(['create', 'update']);
  expect((await list(story, '--who', 'user:E2')).map(({ action }) => action)).toEqual(['create']);
  expect(await list(story, '--who', 'customer:E2')).toEqual([]);
  expect(kinds(await list(story, '--last', '2'))).toEqual(['run started', 'change']);
  expect(await list(story, '--since', '1h')).toHaveLength(5);
  expect(await list(story, '--since', '2999-01-01')).toEqual([]);
  expect(await story.type('audit', 'list', '--since', 'yesterday')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('"yesterday" is not a time'),
  });
  expect((await story.type('audit', 'list', '--who', 'nobody')).stdout).toBe('  no entry matches\n');
});

test('lists and exports entries by kind, entity, action, field and name, and counts them', async () => {
  const story = await openHistory();
  expect(kinds(await list(story, '--kind', 'runs'))).toEqual(['run started', 'run started']);
  expect((await story.type('audit', 'list', '--kind', 'runs')).stdout).toMatch(/ started a run: sync {2}\[r\S+\]\n/);
  expect((await list(story, '--field', 'title', '--action', 'update')).map(({ key }) => key)).toEqual(['E1']);
  expect(await list(story, '--entity', 'projects')).toEqual([]);
  expect((await list(story, '--who', 'person e2')).map(({ action }) => action)).toEqual(['create']);
  expect((await list(story, '--to', '2020-01-01')).length).toBe(0);
  const counted = await story.type('audit', 'list', '--entity', 'people', '--counts');
  expect(counted.stdout).toMatch(/\n {2}people {2}2 created, 1 updated\n$/);
  const several = await story.type('audit', 'list', '--who', 'person');
  expect(several).toMatchObject({ code: 1, stderr: expect.stringContaining('user:E1 (Person E1 <e1@example.com>)') });
  expect((await story.type('audit', 'list', '--entity', 'castles')).stderr).toContain(
    '"castles" is not a kind of object',
  );
  const exported = (await story.type('audit', 'export', '--kind', 'changes', '--action', 'create')).stdout;
  expect(exported.trim().split('\n')).toHaveLength(2);
});

sweep('shows one entry in words, or those of a run or change, and reports what does not exist', async () => {
  const story = await openHistory();
  const change = (await list(story)).find(({ action }) => action === 'update');
  const shown = (await story.type('audit', 'show', String(change?.seq))).stdout;
  const [call] = (change?.calls ?? []) as readonly { readonly request_id: string }[];
  for (const part of [
    `Entry ${change?.seq}: ${change?.at}`,
    'what      update user Person E1 <e1@example.com>',
    'object    source key E1, id ',
    'why       changed: ',
    'source    hr employees-02.csv:2',
    'approved  not needed: no guard held it',
    'fields    title.en  (empty) → "Lead"',
    `calls     PUT /api/v1/users/{user_id} → 200, request id ${call?.request_id}`,
    `run       ${change?.run}`,
  ])
    expect(shown).toContain(part);
  const ofRun = (await story.type('audit', 'show', String(change?.run))).stdout;
  expect(ofRun.match(/^Entry \d+/gm)).toHaveLength(2);
  const ofChange = await story.type('audit', 'show', String(change?.change).slice(0, 10), '--json');
  expect(JSON.parse(ofChange.stdout)).toEqual({ entries: [change] });
  for (const what of ['99', 'r-none', 'abcdef00']) {
    const { code, stderr } = await story.type('audit', 'show', what);
    expect([what, code, stderr.split(':')[0]]).toEqual([what, 1, 'error SYNC_NOT_FOUND']);
  }
});

sweep('exports to stdout or to a new private file: everything, or a time range or run', async () => {
  const story = await openHistory();
  const all = await list(story);
  const { stdout } = await story.type('audit', 'export');
  expect(
    stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown),
  ).toEqual(all);
  const file = join(story.folder, 'audit.csv');
  const words = ['audit', 'export', '--format', 'csv', '--run', String(all[0]?.run), '--out', file];
  expect(await story.type(...words)).toMatchObject({ code: 0, stdout: expect.stringContaining('Wrote 3 entries') });
  expect(readFileSync(file, 'utf8').trimEnd().split('\r\n')).toHaveLength(4);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(await story.type(...words)).toMatchObject({ code: 1, stderr: expect.stringContaining('SYNC_AUDIT_EXPORT') });
  expect((await story.type('audit', 'export', '--from', '2999-01-01')).stdout).toBe('');
  expect((await story.type('audit', 'export', '--to', '2999-01-01')).stdout).toBe(stdout);
  expect((await story.type('audit', 'export', '--json')).stderr).toContain('SYNC_CLI_USAGE');
  expect(existsSync(join(story.folder, '--json'))).toBe(false);
});

sweep('removes entries older than audit.keep at the end of a run; the remaining ones still verify', async () => {
  const story = await openHistory();
  story.configure({ audit: { keep: '30d' } });
  story.clock.advance(31 * 24 * HOUR);
  const ran = await story.sync();
  expect(ran.code).toBe(3);
  expect(kinds(await list(story))).toEqual(['run started', 'entries expired']);
  const verified = await story.type('audit', 'verify');
  expect(verified.stdout).toContain('It begins after entry 5: older entries were removed by ');
  const gone = await story.type('audit', 'show', '2');
  expect(gone.stderr).toContain('Entry 2 was removed as audit.keep specifies');
});

test('names nobody in list, show or export with pseudonyms, but still finds a known person', async () => {
  const story = await openStory();
  story.configure({ audit: { pseudonymise: true } });
  story.deliver([person('E1', { first: 'Jane', last: 'Quimby', email: 'jane@example.com' })]);
  await story.sync();
  for (const words of [['list'], ['list', '--json'], ['export'], ['export', '--format', 'csv'], ['show', '2']]) {
    const { stdout } = await story.type('audit', ...words);
    expect(stdout).toContain('p_');
    expect(stdout).not.toMatch(/jane|quimby/i);
  }
  expect((await story.type('audit', 'list', '--who', 'jane@example.com')).stdout).toMatch(/done {8}p_\S+ was created/);
  // The command erases by a name that the log does not have.
  const erased = await story.type('audit', 'erase', 'jane@example.com', '--reason', 'case 7', '--yes');
  expect(erased).toMatchObject({ code: 0, stdout: expect.stringContaining('1 audit entry about the person') });
  expect((await story.verify()).json).toMatchObject({ ok: true, erased: 1 });
});

sweep('keeps secrets out of entries and exports, whatever fails', async () => {
  const story = await openStory();
  const token = 'idp-secret-token';
  story.env.IDP_TOKEN = token;
  story.configure({
    ...CRM,
    sources: {
      ...(CRM.sources as object),
      idp: { type: 'scim', base_url: story.sandbox.url, auth: { bearer: { env: 'IDP_TOKEN' } } },
    },
    users: { enrich: { idp: { join: 'idp.externalId == hr.id' } } },
  });
  story.deliver([person('E1'), person('E2', { email: 'e1@example.com' })]);
  story.deliverCompanies([{ id: 'C1', name: `Acme ${KEY}` }]);
  story.deliverDeals([]);
  await story.sync();
  story.deliver([person('E1', { email: 'x@elsewhere.example' }), person('E3')]);
  await story.sync();
  const texts = await Promise.all(
    [['list', '--json'], ['export'], ['export', '--format', 'csv']].map(
      async (words) => (await story.type('audit', ...words)).stdout,
    ),
  );
  for (const text of texts) {
    expect(text).toContain('C1');
    expect(text).not.toContain(KEY);
    expect(text).not.toContain(token);
  }
});
