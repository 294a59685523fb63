import { execFileSync } from 'node:child_process';
import {
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished, test } from 'vitest';
import { createDraft, createFile, inFolder } from '../../src/base/new-file.js';
import { createLocalStore } from '../../src/connectors/drop/local-store.js';
import { showFile, writePartialFile } from '../../src/connectors/drop/partial-file.js';
import { sweep } from '../depth.js';
import { parseModule, readModules } from '../module-graph.js';
import { HEADER, line, person } from '../scenarios/company.js';
import { openStory, type Story } from '../scenarios/kit.js';

const VICTIM = 'ssh-ed25519 the only key that may log in\n';
/** A row with too few fields, whose key is a line for another person's file. */
const FORGED = '"E9\nssh-ed25519 the key of an attacker\n";too;few';

/** Memory, or the disk if tests write to memory. With only one of them, a move is not a copy. */
const OTHER_DISK =
  ['/dev/shm', '/tmp'].find((place) => existsSync(place) && statSync(place).dev !== statSync(tmpdir()).dev) ?? tmpdir();

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'talent-sync-written-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A file that must stay unchanged, in a folder that must get no other file. */
function plantVictim(folder: string): { readonly file: string; readonly folder: string; isUntouched(): boolean } {
  const at = join(folder, 'elsewhere');
  mkdirSync(at);
  const file = join(at, 'authorized_keys');
  writeFileSync(file, VICTIM);
  return { file, folder: at, isUntouched: () => readFileSync(file, 'utf8') === VICTIM && readdirSync(at).length === 1 };
}

function plantLink(target: string, ...path: readonly string[]): void {
  const at = join(...path);
  mkdirSync(dirname(at), { recursive: true });
  symlinkSync(target, at);
}

function dropOf(story: Story, ...path: readonly string[]): string {
  return join(story.folder, 'drop', 'hr', ...path);
}

async function openRejecting(): Promise<{ readonly story: Story; readonly name: string }> {
  const story = await openStory();
  story.configure({ sources: { hr: { rejects: 'rejects' } } });
  const name = story.deliverText(`${[HEADER, line(person('E1')), FORGED].join('\n')}\n`);
  return { story, name };
}

describe('lists of rejected rows', () => {
  for (const ending of ['.rejects.csv', '.rejects.csv.part', '.rejects.csv.partial']) {
    test(`removes a link under the name <file>${ending} instead of following it`, async () => {
      const { story, name } = await openRejecting();
      const victim = plantVictim(story.folder);
      plantLink(victim.file, dropOf(story, 'rejects', `${name}${ending}`));
      await story.sync();
      expect(victim.isUntouched()).toBe(true);
      const list = dropOf(story, 'rejects', `${name}.rejects.csv`);
      expect(lstatSync(list).isFile()).toBe(true);
      // One cell contains two lines of it: a table reader sees a header and one row.
      expect(readFileSync(list, 'utf8')).toContain('"E9\nssh-ed25519 the key of an attacker"');
      // Each run rewrites it, whatever exists there.
      expect((await story.sync()).code).toBe(4);
    });
  }

  test('writes nothing into a folder that is a link, continues, and says so', async () => {
    const { story } = await openRejecting();
    const victim = plantVictim(story.folder);
    plantLink(victim.folder, dropOf(story, 'rejects'));
    const ran = await story.sync();
    expect(victim.isUntouched()).toBe(true);
    expect(story.user('E1').deactivated).toBe(false);
    expect(ran.stderr).toMatch(/is a link/);
  });

  sweep('does not write into a file that has a second name elsewhere', async () => {
    const { story, name } = await openRejecting();
    const victim = plantVictim(story.folder);
    mkdirSync(dropOf(story, 'rejects'));
    linkSync(victim.file, dropOf(story, 'rejects', `${name}.rejects.csv`));
    linkSync(victim.file, dropOf(story, 'rejects', `${name}.rejects.csv.part`));
    await story.sync();
    expect(victim.isUntouched()).toBe(true);
  });
});

describe('archive', () => {
  async function openArchiving(): Promise<{ readonly story: Story; readonly first: string }> {
    const story = await openStory();
    story.configure({ sources: { hr: { after: 'archive' } } });
    const first = story.deliver([person('E1')]);
    await story.sync();
    story.deliver([person('E1'), person('E2')]);
    return { story, first };
  }

  test('writes nothing into a folder that is a link, and keeps the delivery', async () => {
    const { story, first } = await openArchiving();
    const victim = plantVictim(story.folder);
    plantLink(victim.folder, dropOf(story, 'archive'));
    const ran = await story.sync();
    expect(victim.isUntouched()).toBe(true);
    expect(existsSync(dropOf(story, first))).toBe(true);
    expect(ran.stderr).toMatch(/is a link/);
  });

  sweep('keeps a link or an earlier delivery with the archived name, and numbers the new one', async () => {
    const { story, first } = await openArchiving();
    const victim = plantVictim(story.folder);
    plantLink(victim.file, dropOf(story, 'archive', first));
    await story.sync();
    expect(victim.isUntouched()).toBe(true);
    expect(lstatSync(dropOf(story, 'archive', first)).isSymbolicLink()).toBe(true);
    expect(readFileSync(dropOf(story, 'archive', first.replace('.csv', '.2.csv')), 'utf8')).toContain('E1');
    expect(existsSync(dropOf(story, first))).toBe(false);
  });

  test('copies a delivery to another disk with its time, and through no link', async () => {
    const folder = makeFolder();
    const other = mkdtempSync(join(OTHER_DISK, 'talent-sync-written-'));
    onTestFinished(() => rmSync(other, { recursive: true, force: true }));
    const victim = plantVictim(folder);
    writeFileSync(join(folder, 'a.csv'), 'id\nE1\n');
    const { mtimeMs } = statSync(join(folder, 'a.csv'));
    // A folder below that is on another disk would need a mount, so the test asks the store from the other side.
    const store = createLocalStore('/');
    plantLink(victim.file, other, 'a.csv.part');
    await store.putAway(join(folder, 'a.csv'), other);
    expect(readFileSync(join(other, 'a.csv'), 'utf8')).toBe('id\nE1\n');
    expect(Math.round(statSync(join(other, 'a.csv')).mtimeMs)).toBe(Math.round(mtimeMs));
    expect(existsSync(join(folder, 'a.csv'))).toBe(false);
    expect(victim.isUntouched()).toBe(true);
  });
});

describe('deliveries', () => {
  const bytes = async function* () {
    yield Buffer.from('report');
  };

  test('replaces a link under the partial or the final name instead of following it', async () => {
    const folder = makeFolder();
    const victim = plantVictim(folder);
    plantLink(victim.file, folder, '.report.csv.partial');
    plantLink(victim.file, folder, 'report.csv');
    const store = createLocalStore(folder);
    await writePartialFile(store, { name: 'report.csv', size: 6, bytes });
    await showFile(store, { name: 'report.csv', size: 6 });
    expect(victim.isUntouched()).toBe(true);
    expect(lstatSync(join(folder, 'report.csv')).isFile()).toBe(true);
    expect(readFileSync(join(folder, 'report.csv'), 'utf8')).toBe('report');
  });

  sweep('writes nothing into a folder that is a link', async () => {
    const folder = makeFolder();
    const victim = plantVictim(folder);
    plantLink(victim.folder, folder, 'inbox');
    const store = createLocalStore(join(folder, 'inbox'));
    await expect(writePartialFile(store, { name: 'report.csv', size: 6, bytes })).rejects.toMatchObject({
      code: 'SYNC_SOURCE_UNWRITABLE',
      message: expect.stringContaining('is a link'),
    });
    await expect(store.checkWritable()).rejects.toMatchObject({ code: 'SYNC_SOURCE_UNWRITABLE' });
    expect(victim.isUntouched()).toBe(true);
  });

  test('never replaces a file of that name if promised, nor a link that leads nowhere', async () => {
    const folder = makeFolder();
    plantLink(join(folder, 'nowhere'), folder, 'back.csv');
    const store = createLocalStore(folder);
    await store.write('.back.csv.partial', bytes, 6);
    await expect(store.renameNew('.back.csv.partial', 'back.csv')).rejects.toMatchObject({
      code: 'SYNC_SOURCE_UNWRITABLE',
    });
    expect(existsSync(join(folder, 'nowhere'))).toBe(false);
  });
});

describe('files written by commands', () => {
  /** Every place next to the file itself that a command may write to. */
  function plantAround(story: Story, victim: string, name: string): string {
    const out = join(story.folder, 'out', name);
    for (const ending of ['', '.partial', '.part', '.tmp']) plantLink(victim, `${out}${ending}`);
    return out;
  }

  test('replaces a link with a file for reports, exports and a configuration', async () => {
    const story = await openStory();
    story.deliver([person('E1')]);
    const victim = plantVictim(story.folder);
    const report = plantAround(story, victim.file, 'plan.html');
    expect((await story.plan({ report: [{ format: 'html', file: report }] })).code).toBe(0);
    const users = plantAround(story, victim.file, 'users.csv');
    expect((await story.exportImport({ out: users })).code).toBe(0);
    const page = plantAround(story, victim.file, 'report.md');
    expect((await story.exportReport('plan', undefined, { out: page })).code).toBe(0);
    rmSync(story.configFile);
    symlinkSync(victim.file, story.configFile);
    expect((await story.init()).code).toBe(0);
    expect(victim.isUntouched()).toBe(true);
    for (const file of [report, users, page, story.configFile]) expect(lstatSync(file).isFile()).toBe(true);
  });

  test('creates no file behind a link that leads nowhere if it never replaces files', async () => {
    const story = await openStory();
    story.deliver([person('E1')]);
    await story.sync();
    const gone = join(story.folder, 'nowhere');
    const audit = join(story.folder, 'audit.jsonl');
    symlinkSync(gone, audit);
    expect((await story.type('audit', 'export', '--out', audit)).code).toBe(1);
    const backup = join(story.folder, 'state-copy.db');
    symlinkSync(gone, backup);
    await story.backup(backup);
    expect(existsSync(gone)).toBe(false);
  });

  sweep('writes plans and reports of the state into no linked folder', async () => {
    const story = await openStory();
    story.deliver([person('E1')]);
    const victim = plantVictim(story.folder);
    plantLink(victim.folder, story.folder, 'var', 'plans');
    expect((await story.plan()).error?.message).toMatch(/is a link/);
    rmSync(join(story.folder, 'var', 'plans'));
    plantLink(victim.folder, story.folder, 'var', 'reports');
    expect((await story.plan({ report: [{ format: 'html', file: null }] })).error?.message).toMatch(/is a link/);
    expect(victim.isUntouched()).toBe(true);
  });
});

describe('what an earlier process left', () => {
  it('is replaced, but a folder of that name is reported', async () => {
    const folder = makeFolder();
    writeFileSync(join(folder, 'a.csv.partial'), 'half of it');
    const draft = createDraft(join(folder, 'a.csv'));
    draft.write('whole');
    draft.finish();
    expect(readFileSync(join(folder, 'a.csv'), 'utf8')).toBe('whole');
    expect(readdirSync(folder)).toEqual(['a.csv']);
    mkdirSync(join(folder, 'b.csv.partial'));
    expect(() => createDraft(join(folder, 'b.csv'))).toThrow();
    await expect(createFile(join(folder, 'b.csv.partial'))).rejects.toThrow();
  });

  it('keeps a device, a pipe or a folder instead of replacing it with a file, even through a link', () => {
    const folder = makeFolder();
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    symlinkSync('pipe', join(folder, 'stdout'));
    mkdirSync(join(folder, 'folder'));
    for (const name of ['pipe', 'stdout', 'folder'])
      expect(() => createDraft(join(folder, name))).toThrow(/is not a file/);
    expect(readdirSync(folder)).toEqual(['folder', 'pipe', 'stdout']);
    expect(lstatSync(join(folder, 'pipe')).isFIFO()).toBe(true);
  });

  it('mixes no halves of two writers in one file', () => {
    const folder = makeFolder();
    const [first, second] = [createDraft(join(folder, 'a.csv')), createDraft(join(folder, 'a.csv'))];
    first.write('one');
    second.write('two');
    expect(() => first.finish()).toThrow(/another process/);
    second.finish();
    first.discard();
    expect(readFileSync(join(folder, 'a.csv'), 'utf8')).toBe('two');
  });

  it('still uses the real folder when it is swapped for a link in the meantime', async () => {
    // On other systems a handle cannot name a folder.
    if (process.platform !== 'linux') return;
    const folder = makeFolder();
    const victim = plantVictim(folder);
    mkdirSync(join(folder, 'rejects'));
    await inFolder(join(folder, 'rejects'), async (pathOf) => {
      renameSync(join(folder, 'rejects'), join(folder, 'aside'));
      symlinkSync(victim.folder, join(folder, 'rejects'));
      await (await createFile(pathOf('authorized_keys'))).close();
    });
    expect(victim.isUntouched()).toBe(true);
    expect(readdirSync(join(folder, 'aside'))).toEqual(['authorized_keys']);
  });

  it('names the folder in an error, and not its handle', async () => {
    const folder = makeFolder();
    mkdirSync(join(folder, 'list.csv'));
    const work = inFolder(folder, (pathOf) => createFile(pathOf('list.csv')));
    await expect(work).rejects.toThrow(`'${join(folder, 'list.csv')}'`);
  });
});

/** Names of node:fs that create a file or write through a name. */
const WRITES = /^(writeFile|appendFile|createWriteStream|copyFile|cp|symlink|link)(Sync)?$/;
/** These write only for themselves: an imitated service, and a story in its own folder. */
const OWN_FOLDERS = /^src\/(sandbox|cli\/demo)\//;

test('has no other module that creates files', () => {
  const writers = readModules('src')
    .filter(({ file }) => file !== 'src/base/new-file.ts' && !OWN_FOLDERS.test(file))
    // A module is parsed only if its text can name one of them.
    .filter(({ text }) => text.includes('node:fs'))
    .flatMap(({ imports }) => imports)
    .filter(({ target }) => /^node:fs/.test(target))
    .flatMap(({ from, names }) => names.filter((name) => WRITES.test(name)).map((name) => `${from}: ${name}`));
  expect(writers).toEqual([
    // It writes into a handle that `openNewSync` gave it.
    'src/cli/run-init.ts: writeFileSync',
    // It makes a link to its own file, which exists or not; and a copy into a folder just created for it.
  ]);
  const seen = parseModule('src/x.ts', "import { writeFile, readFile } from 'node:fs/promises';").imports;
  expect(seen.flatMap(({ names }) => names).filter((name) => WRITES.test(name))).toEqual(['writeFile']);
});
