import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createFingerprint } from '../../src/reconcile/build-change.js';
import { oneIn, sweep } from '../depth.js';
import { person } from '../scenarios/company.js';
import { openStory, type Story } from '../scenarios/kit.js';

/** Two guards hold: one for too many creates, one for too many changed titles. */
async function openCompany(): Promise<Story> {
  const story = await openStory();
  story.deliver(['E1', 'E2', 'E3'].map((id) => person(id)));
  await story.sync();
  story.takeWrites();
  return story;
}

/** The file with other contents, and with everything that can be calculated without the key. */
function forge(text: string, edit: (text: string) => string): string {
  const edited = edit(text);
  const end = edited.lastIndexOf(',"fingerprint":"');
  const body = edited.slice(0, end);
  const ids = createFingerprint();
  const { toService, toSources } = JSON.parse(`${body}}`) as Record<string, readonly { readonly id: string }[]>;
  for (const { id } of [...(toService ?? []), ...(toSources ?? [])]) ids.add(id);
  const content = `${body},"fingerprint":"${ids.digest()}"`;
  const sha256 = createHash('sha256').update(content).digest('hex');
  const [, seal = ''] = /,"seal":"([0-9a-f]{64})"/.exec(text) ?? [];
  return `${content},"sha256":"${sha256}","seal":"${seal}"}\n`;
}

const rename = (text: string): string => text.replaceAll('"Lead"', '"Boss"');
const unchanged = (text: string): string => text;

sweep("forges a plan like the program's, except for the key", async () => {
  const story = await openCompany();
  story.deliver([person('E1', { title: 'Lead' }), person('E2'), person('E3')]);
  const { file, plan } = (await story.plan()).json;
  writeFileSync(file, forge(readFileSync(file, 'utf8'), unchanged));
  expect((await story.apply(plan)).json.done).toBe(1);
});

const FORGERIES: readonly (readonly [string, (text: string) => string])[] = [
  ['edited, with matching digests', (text) => forge(text, rename)],
  ['with a made-up seal', (text) => forge(text, rename).replace(/"seal":"[0-9a-f]+"/, `"seal":"${'0'.repeat(64)}"`)],
  ['with an empty seal', (text) => text.replace(/"seal":"[0-9a-f]+"/, '"seal":""')],
  ['with a short seal', (text) => text.replace(/"seal":"([0-9a-f]{62})[0-9a-f]+"/, '"seal":"$1"')],
  ['without a seal, like plans of earlier versions', (text) => text.replace(/,"seal":"[0-9a-f]+"/, '')],
  ['with a later expiry', (text) => forge(text, (whole) => whole.replace(/"expires":"\d{4}/, '"expires":"2999'))],
];

test.each(oneIn(2, FORGERIES))('rejects a plan: %s', async (_, edit) => {
  const story = await openCompany();
  story.deliver([person('E1', { title: 'Lead' }), person('E2'), person('E3')]);
  const { file, plan } = (await story.plan()).json;
  const whole = readFileSync(file, 'utf8');
  writeFileSync(file, edit(whole));
  expect(readFileSync(file, 'utf8')).not.toBe(whole);
  const ran = await story.apply(plan);
  expect(ran).toMatchObject({ code: 1, error: { code: 'SYNC_PLAN_DAMAGED', place: file } });
  expect(ran.error?.remedy).toContain('talent-sync plan');
  expect(await story.approve({ guard: 'users.create' })).toMatchObject({ error: { code: 'SYNC_PLAN_DAMAGED' } });
  expect((await story.type('export', 'report', 'plan', '--format', 'md', '--out', '-')).stderr).toContain(
    'SYNC_PLAN_DAMAGED',
  );
  expect(story.takeWrites()).toEqual([]);
  // A new plan is the way back.
  expect((await story.plan()).code).toBe(0);
  expect((await story.apply()).json.done).toBe(1);
});

test('rejects a plan of another state, even of the same owner', async () => {
  const [story, other] = [await openCompany(), await openCompany()];
  other.deliver([person('E1', { title: 'Lead' }), person('E2'), person('E3')]);
  const foreign = (await other.plan()).json;
  const file = join(story.folder, 'var', 'plans', `${foreign.plan}.json`);
  copyFileSync(foreign.file, file);
  expect(await story.apply(foreign.plan)).toMatchObject({ code: 1, error: { code: 'SYNC_PLAN_DAMAGED' } });
  expect(await story.apply(foreign.file)).toMatchObject({ code: 1, error: { code: 'SYNC_PLAN_DAMAGED' } });
});

sweep('accepts a plan after a backup and its restore, since the key is part of them', async () => {
  const story = await openCompany();
  story.deliver([person('E1', { title: 'Lead' }), person('E2'), person('E3')]);
  const backup = await story.backup();
  const { plan } = (await story.plan()).json;
  await story.restore(backup.json.file);
  expect((await story.apply(plan)).json.done).toBe(1);
});

sweep('stores the key in state.db and its backups, and nowhere else', async () => {
  const story = await openCompany();
  story.deliver([person('E1', { title: 'Lead' }), person('E2'), person('E3')]);
  await story.plan({ report: [{ format: 'html', file: null, bom: false }] });
  await story.sync();
  const folder = join(story.folder, 'var');
  const key = /plan\.key([0-9a-f]{64})/.exec(readFileSync(join(folder, 'state.db'), 'latin1'))?.[1];
  expect(key).toBeDefined();
  const said = await Promise.all(
    [
      ['status', '--json'],
      ['runs', '--json'],
      ['audit', 'list', '--json'],
    ].map((words) => story.type(...words)),
  );
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const found = files
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => readFileSync(file, 'latin1').includes(key ?? ''));
  expect(found).toEqual([join(folder, 'state.db')]);
  for (const { stdout, stderr } of said) expect(`${stdout}${stderr}`).not.toContain(key);
});

sweep("leaves a forged plan out of a run's report", async () => {
  const story = await openCompany();
  story.deliver([person('E1', { title: 'Lead' }), person('E2'), person('E3')]);
  const { json } = await story.sync();
  const folder = join(story.folder, 'var', 'plans');
  for (const name of readdirSync(folder)) {
    const text = readFileSync(join(folder, name), 'utf8');
    writeFileSync(join(folder, name), forge(text, rename));
  }
  const shown = await story.type('export', 'report', 'run', json.run, '--format', 'md', '--out', '-');
  expect(shown.stdout).toContain(json.run);
  expect(shown.stdout).toContain('Lead');
  expect(shown.stdout).not.toContain('Boss');
  rmSync(folder, { recursive: true });
  mkdirSync(folder);
});
