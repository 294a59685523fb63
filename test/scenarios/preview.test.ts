import { copyFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { loadConfig } from '../../src/config/load.js';
import type { Preview } from '../../src/model/preview.js';
import { lockPreview } from '../../src/store/preview-copy.js';
import { acquireRunLock } from '../../src/store/run-lock.js';
import { closeAfterTest } from '../closing.js';
import { tenant } from '../daemon/web/operator/facts.js';
import { openPages } from '../daemon/web/operator/pages.js';
import { IS_THOROUGH, sweep } from '../depth.js';
import { merge, person, type Yaml } from './company.js';
import { openStory, type Story } from './kit.js';

const GONE = { users: { leaver: { when: 'record.?status.orValue("") == "gone"' } } };

/** Six colleagues are up to date; two of them have a status that no mapping reads yet. */
async function openInStep(): Promise<Story> {
  const story = await openStory();
  story.configure({ guards: { users: { deactivate: { max: 1 } } } });
  const statusOf = (key: string): string => (['E5', 'E6'].includes(key) ? 'gone' : 'here');
  story.deliver(
    ['E1', 'E2', 'E3', 'E4', 'E5', 'E6'].map((key) => person(key, { title: 'Lead', status: statusOf(key) })),
  );
  await story.sync();
  return story;
}

/** Writes the configuration in force with a patch to a file elsewhere. */
function edit(story: Story, patch: { readonly [key: string]: Yaml }): string {
  const file = join(story.folder, 'elsewhere.yaml');
  writeFileSync(file, stringify(merge(parse(readFileSync(story.configFile, 'utf8')) as Yaml, patch)));
  return file;
}

async function preview(story: Story, patch: { readonly [key: string]: Yaml }, ...words: readonly string[]) {
  const asked = ['--config', edit(story, patch), '--against', story.configFile, ...words];
  const { code, stdout, stderr } = await story.type('preview', ...asked);
  return { code, stdout, stderr, document: () => JSON.parse(stdout) as Preview };
}

/** The files of a state that last. */
function snapshot({ folder }: Story) {
  const state = join(folder, 'var');
  const read = (name: string): string => readFileSync(join(state, name)).toString('base64');
  const plans = join(state, 'plans');
  return {
    state: read('state.db'),
    mirror: read('mirror.db'),
    plans: existsSync(plans) ? readdirSync(plans) : [],
    copy: existsSync(join(state, 'preview/copy')),
  };
}

test('shows the changes of a leaver rule that a plan then makes, even during a run, and changes nothing', async () => {
  const story = await openInStep();
  const calls = story.sandbox.calls().length;
  const before = snapshot(story);

  const lock = acquireRunLock(join(story.folder, 'var'), 'a run');
  const { code, document } = await preview(story, GONE, '--json');
  lock.close();

  expect(code).toBe(3);
  expect(document()).toMatchObject({
    paths: ['users.leaver.when'],
    counts: [{ entity: 'users', action: 'deactivate', in_force: 0, edited: 2 }],
    fields: [],
    guards: [{ guard: 'users.deactivate', limit: 1, found: 2, held: 2, held_in_force: 0 }],
    stopped: [],
    sources: [{ source: 'hr', rows: 6, complete: true }],
  });
  expect(document()).not.toHaveProperty('changes');
  expect(story.sandbox.calls().length).toBe(calls);
  expect(snapshot(story)).toEqual(before);
  copyFileSync(join(story.folder, 'elsewhere.yaml'), story.configFile);
  expect((await story.plan()).json.counts).toEqual({ users: { deactivate: 2 } });
});

sweep('counts what is held under the configuration in force too, and lists only what the edit adds', async () => {
  const story = await openInStep();
  story.deliver(
    ['E1', 'E2', 'E3', 'E4', 'E5', 'E6'].map((key) => person(key, { title: key === 'E1' ? 'Chief' : 'Lead' })),
  );

  const edited = { users: { fields: { title: { en: '"Dr. @boss " + record.?title.orValue("")' } } } };
  const { code, stderr, document } = await preview(story, edited, '--json', '--values');

  expect([code, stderr]).toEqual([0, '']);
  const { counts, fields, changes = [], more } = document();
  expect(counts).toEqual([{ entity: 'users', action: 'update', in_force: 1, edited: 6 }]);
  expect(fields).toEqual([{ entity: 'users', field: 'title', in_force: 1, edited: 6 }]);
  expect([changes.length, more]).toEqual([6, 0]);
  expect(changes[0]).toEqual({
    ...{ entity: 'users', action: 'update', key: 'E1', label: 'Person E1 <e1@example.com>' },
    fields: [{ field: 'title.en', before: 'Lead', after: 'Dr. @boss Chief' }],
  });
});

test('makes only one preview at a time', async () => {
  const story = await openInStep();
  const other = lockPreview(join(story.folder, 'var'), 'another preview');
  const { code, stderr } = await preview(story, GONE);
  other.close();
  expect([code, stderr]).toEqual([1, expect.stringContaining('SYNC_PREVIEW_BUSY')]);
});

sweep.each([
  ['paths that must not differ', { state: './other', service: { timeout: '9s' } }, ['`state`', '`service.timeout`']],
  ['problems with their places', { users: { scope: 'record.nothing == "x"' } }, ['talent-sync.yaml:']],
] as const)('says in the comment why it cannot preview: %s', async (_, patch, named) => {
  const story = await openInStep();
  const { code, stdout } = await preview(story, patch as { readonly [key: string]: Yaml }, '--markdown');
  expect(code).toBe(1);
  expect(stdout).toContain('**Cannot be previewed.**');
  for (const name of named) expect(stdout).toContain(name);
});

sweep('has nothing to preview before the first run', async () => {
  const story = await openStory();
  story.deliver([person('E1')]);
  const { code, stderr } = await preview(story, GONE);
  expect([code, stderr]).toEqual([1, expect.stringContaining('SYNC_PREVIEW_RECORDS')]);
});

test('rejects the configuration in force itself, and a missing one', async () => {
  const story = await openInStep();
  const itself = await story.type('preview', '--config', story.configFile, '--against', story.configFile);
  expect([itself.code, itself.stderr]).toEqual([1, expect.stringContaining('SYNC_CLI_USAGE')]);
  const gone = await story.type('preview', '--config', join(story.folder, 'gone.yaml'), '--against', story.configFile);
  expect([gone.code, gone.stderr]).toEqual([1, expect.stringContaining('SYNC_CONFIG_UNREADABLE')]);
});

const GRANTS = [
  { role: 'previewer', who: ['ci'], pseudonyms: false },
  { role: 'previewer', who: ['veiled'], pseudonyms: true },
  { role: 'viewer', who: ['viewer'], pseudonyms: false },
  { role: 'operator', who: ['operator'], pseudonyms: false },
] as const;

test('asks a daemon with a token that allows nothing else', async () => {
  const story = await openInStep();
  const config = loadConfig(story.configFile, story.env);
  const grants = GRANTS.map((grant) => ({ ...grant, groups: [], tenants: ['acme'] }));
  const pages = await openPages({ settings: { grants }, tenants: [{ ...tenant('acme'), config }, tenant('globex')] });
  closeAfterTest({ close: () => void delete (story.env as { TALENT_SYNC_TOKEN?: string }).TALENT_SYNC_TOKEN });
  const ask = (who: string, ...words: readonly string[]) => {
    Object.assign(story.env, { TALENT_SYNC_TOKEN: pages.giveToken(who) });
    return story.type(...words, '--daemon', pages.url);
  };
  const asked = ['preview', '--config', edit(story, GONE)];

  const { code, stdout } = await ask('ci', ...asked, '--values', '--json');
  expect([code, (JSON.parse(stdout) as Preview).guards.length]).toEqual([3, 1]);
  expect(stdout).toContain('"key": "E5"');
  if (IS_THOROUGH) expect((await ask('operator', ...asked)).code).toBe(3);
  expect((await ask('viewer', ...asked)).stderr).toContain('previewer');
  expect((await ask('ci', 'status', '--tenant', 'acme')).stderr).toContain('viewer');
  const values = await ask('veiled', ...asked, '--values', '--json');
  expect([values.code, values.stdout]).toEqual([1, expect.stringContaining('pseudonyms')]);
  const veiled = await ask('veiled', ...asked, '--json');
  expect([veiled.code, veiled.stdout]).toEqual([3, expect.not.stringContaining('@example.com')]);
});
