import { execFileSync } from 'node:child_process';
import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createSftpStore } from '../../src/connectors/drop/sftp-store.js';
import { quoteNames } from '../../src/connectors/rows/quote-names.js';
import { buildContext } from '../connectors/fixtures.js';
import { startOpenSsh } from '../connectors/sftp/openssh.js';
import { oneIn, sweep } from '../depth.js';
import { HEADER, line, person } from '../scenarios/company.js';
import { openStory, type Story } from '../scenarios/kit.js';

const TOKEN = 'planted-9f3c1d7e5b2a4860';
/** Files with secrets, each in its own form; all of them contain `planted`. */
const KEY_FILES = {
  'a private key': `-----BEGIN PRIVATE KEY-----\nplanted0MC4CAQAwBQYDK2VwBCIEIPlanted\n-----END PRIVATE KEY-----\n`,
  'a token': `${TOKEN}\n`,
  'a list of variables': `API_KEY=${TOKEN}\nOTHER=1\n`,
  'a list of logins': `hr,${TOKEN},admin\n`,
  'a table of logins': `id;${TOKEN};first\n`,
};

function dropOf(story: Story, ...path: readonly string[]): string {
  return join(story.folder, 'drop', 'hr', ...path);
}

/** A company of three that was synced once, so that a wrong read could lose somebody. */
async function openSynced(): Promise<Story> {
  const story = await openStory();
  story.deliver(['E1', 'E2', 'E3'].map((id) => person(id)));
  expect((await story.sync()).code).toBe(0);
  story.takeWrites();
  return story;
}

/** All outputs of a day of commands, and the contents of the state folder. */
async function gatherOutputs(story: Story): Promise<string> {
  const commands = [
    ['plan'],
    ['plan', '--json'],
    ['sync', '--json'],
    ['check'],
    ['check', '--json'],
    ['status', '--json'],
    ['holds', 'list', '--json'],
    ['runs', '--json'],
    ['explain', 'user', 'E1', '--json'],
    ['audit', 'list', '--json'],
  ];
  const texts: string[] = [];
  for (const words of commands) {
    const { stdout, stderr } = await story.type(...words);
    texts.push(stdout, stderr);
  }
  return `${texts.join('\n')}${readAll(join(story.folder, 'var'))}`;
}

function readAll(folder: string): string {
  return readdirSync(folder, { withFileTypes: true })
    .map((entry) => {
      const path = join(folder, entry.name);
      return entry.isDirectory() ? readAll(path) : entry.isFile() ? readFileSync(path, 'latin1') : '';
    })
    .join('\n');
}

describe('a link in the drop folder', () => {
  for (const [kind, content] of oneIn(2, Object.entries(KEY_FILES))) {
    test(`is rejected if it leads to ${kind}, and nothing of the file appears in any output`, async () => {
      const story = await openSynced();
      writeFileSync(join(story.folder, 'key.pem'), content);
      symlinkSync(join(story.folder, 'key.pem'), dropOf(story, 'employees-99.csv'));
      const ran = await story.sync();
      expect([ran.code, ran.error?.code]).toEqual([1, 'SYNC_SOURCE_LINK']);
      expect(ran.error?.message).toMatch(/link that leads out of the drop folder/);
      expect(story.takeWrites()).toEqual([]);
      expect(await gatherOutputs(story)).not.toMatch(/planted/i);
    });

    sweep(`shows nothing of ${kind} through a hard link, which is an ordinary file with a wrong header`, async () => {
      const story = await openSynced();
      writeFileSync(join(story.folder, 'key.pem'), content);
      linkSync(join(story.folder, 'key.pem'), dropOf(story, 'employees-99.csv'));
      const ran = await story.sync();
      expect([ran.code, ran.error?.code]).toEqual([1, 'SYNC_SOURCE_HEADER']);
      expect(story.takeWrites()).toEqual([]);
      const outputs = await gatherOutputs(story);
      expect(outputs).not.toMatch(/planted0|9f3c1d/i);
    });
  }

  sweep('is rejected through a chain, relative, through a linked folder, to nowhere, or to a pipe', async () => {
    const story = await openSynced();
    const outside = join(story.folder, 'outside');
    mkdirSync(outside);
    writeFileSync(join(outside, 'people.csv'), `${HEADER}\n${line(person('E1'))}\n`);
    execFileSync('mkfifo', [join(outside, 'pipe')]);
    const links: Readonly<Record<string, readonly [target: string, name: string][]>> = {
      chain: [
        ['zz-second', 'employees-99.csv'],
        [join(outside, 'people.csv'), 'zz-second'],
      ],
      relative: [['../../outside/people.csv', 'employees-99.csv']],
      folder: [
        [outside, 'zz-folder'],
        ['zz-folder/people.csv', 'employees-99.csv'],
      ],
      nowhere: [['not-there.csv', 'employees-99.csv']],
      circle: [['employees-99.csv', 'employees-99.csv']],
      pipe: [[join(outside, 'pipe'), 'employees-99.csv']],
    };
    for (const [kind, planted] of Object.entries(links)) {
      for (const [target, name] of planted) symlinkSync(target, dropOf(story, name));
      const ran = await story.sync();
      expect([kind, ran.code, ran.error?.code]).toEqual([kind, 1, 'SYNC_SOURCE_LINK']);
      for (const [, name] of planted) rmSync(dropOf(story, name));
    }
    expect(story.takeWrites()).toEqual([]);
    expect((await story.sync()).code).toBe(0);
  });

  sweep('is rejected too if it is only the manifest of a delivery', async () => {
    const story = await openSynced();
    story.configure({ sources: { hr: { manifest: { pattern: '{file}.json', rows: '/rows' } } } });
    writeFileSync(join(story.folder, 'secret.json'), `{"rows": "${TOKEN}"}`);
    symlinkSync(join(story.folder, 'secret.json'), dropOf(story, 'employees-01.csv.json'));
    const ran = await story.sync();
    expect([ran.code, ran.error?.code]).toEqual([1, 'SYNC_SOURCE_LINK']);
    expect(await gatherOutputs(story)).not.toMatch(/planted/);
  });

  sweep('is followed with `follow_links: true`', async () => {
    const story = await openSynced();
    story.configure({ sources: { hr: { follow_links: true } } });
    writeFileSync(
      join(story.folder, 'people.csv'),
      `${HEADER}\n${['E1', 'E2', 'E3', 'E4'].map((id) => line(person(id))).join('\n')}\n`,
    );
    symlinkSync(join(story.folder, 'people.csv'), dropOf(story, 'employees-99.csv'));
    expect((await story.sync()).code).toBe(0);
    expect(story.user('E4').deactivated).toBe(false);
  });

  sweep('is followed within the folder, as Kubernetes mounts files; the drop folder itself may be a link', async () => {
    const story = await openStory();
    const real = join(story.folder, 'volume');
    mkdirSync(join(real, '..2026_11_22'), { recursive: true });
    mkdirSync(join(story.folder, 'drop'), { recursive: true });
    writeFileSync(join(real, '..2026_11_22', 'employees-01.csv'), `${HEADER}\n${line(person('E1'))}\n`);
    symlinkSync('..2026_11_22', join(real, '..data'));
    symlinkSync('..data/employees-01.csv', join(real, 'employees-01.csv'));
    symlinkSync(real, join(story.folder, 'drop', 'hr'));
    expect((await story.sync()).code).toBe(0);
    expect(story.user('E1').deactivated).toBe(false);
  });

  sweep('delays nothing if it is older than the used delivery, and does not prevent archiving', async () => {
    const story = await openStory();
    story.configure({ sources: { hr: { after: 'archive' } } });
    const first = story.deliver([person('E1')]);
    await story.sync();
    symlinkSync(story.configFile, dropOf(story, 'employees-00.csv'));
    story.deliver([person('E1'), person('E2')]);
    expect((await story.sync()).code).toBe(0);
    expect(existsSync(dropOf(story, 'archive', first))).toBe(true);
  });
});

describe('over SFTP', () => {
  test('rejects a link out of the folder, follows one within it, and writes nothing through a link', async () => {
    const { access, drop } = await startOpenSsh();
    const secret = join(drop, '..', 'secret');
    mkdirSync(secret);
    writeFileSync(join(secret, 'key'), TOKEN);
    writeFileSync(join(drop, 'a.csv'), 'id\n');
    symlinkSync('a.csv', join(drop, 'inside.csv'));
    symlinkSync(join(secret, 'key'), join(drop, 'outside.csv'));
    symlinkSync('not-there', join(drop, 'nowhere.csv'));
    const store = createSftpStore(access, buildContext());
    expect(await store.stat('inside.csv')).toMatchObject({ size: 3 });
    const file = await store.open('inside.csv');
    await file.close();
    for (const name of ['outside.csv', 'nowhere.csv']) {
      await expect(store.stat(name)).rejects.toMatchObject({ code: 'SYNC_SOURCE_LINK' });
      await expect(store.open(name)).rejects.toMatchObject({ code: 'SYNC_SOURCE_LINK' });
    }
    symlinkSync(join(secret, 'key'), join(drop, 'list.csv.part'));
    await store.put('list.csv', 'whole');
    symlinkSync(join(secret, 'key'), join(drop, '.report.csv.partial'));
    await store.write(
      '.report.csv.partial',
      async function* () {
        yield Buffer.from('report');
      },
      6,
    );
    await store.rename('.report.csv.partial', 'report.csv');
    symlinkSync(secret, join(drop, 'rejects'));
    await expect(store.mkdir('rejects')).rejects.toMatchObject({ code: 'SYNC_SOURCE_UNWRITABLE' });
    mkdirSync(join(drop, 'archive'));
    symlinkSync(join(secret, 'key'), join(drop, 'archive', 'a.csv'));
    await store.putAway('a.csv', 'archive');
    expect(readFileSync(join(secret, 'key'), 'utf8')).toBe(TOKEN);
    expect(readdirSync(secret)).toEqual(['key']);
    expect(readFileSync(join(drop, 'list.csv'), 'utf8')).toBe('whole');
    expect(readFileSync(join(drop, 'report.csv'), 'utf8')).toBe('report');
    expect(readFileSync(join(drop, 'archive', 'a.2.csv'), 'utf8')).toBe('id\n');
    await store.close();
    const following = createSftpStore(access, buildContext(), undefined, true);
    expect(await following.stat('outside.csv')).toMatchObject({ size: TOKEN.length });
    await following.close();
  });
});

test.each([
  [[], 'no names'],
  [['employee_id', 'E-Mail (work)', 'Straße'], '"employee_id", "E-Mail (work)", "Straße"'],
  [['employee_id;email;office'], '"employ…" (24 characters)'],
  [['id', `API_KEY=${TOKEN}`], `"id", "API_KE…" (32 characters)`],
  [['id', TOKEN.slice(8)], '"id", "9f3c1d…" (16 characters)'],
  [['-----BEGIN PRIVATE KEY-----'], '"-----B…" (27 characters)'],
  [['id', 'a\u001b[2Jb', 'x'.repeat(100)], `"id", "a\\u001b[2Jb", "${'x'.repeat(32)}…" (100 characters)`],
  [
    Array.from({ length: 22 }, (_, i) => `c${i}`),
    `${Array.from({ length: 20 }, (_, i) => `"c${i}"`).join(', ')} and 2 more`,
  ],
])('quotes %j as %s', (names, quoted) => {
  expect(quoteNames(names)).toBe(quoted);
});
