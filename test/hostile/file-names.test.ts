import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createSftpStore } from '../../src/connectors/drop/sftp-store.js';
import { buildContext } from '../connectors/fixtures.js';
import { startOpenSsh } from '../connectors/sftp/openssh.js';
import { sweep } from '../depth.js';
import { HEADER, line, person } from '../scenarios/company.js';
import { openStory, type Story } from '../scenarios/kit.js';

const PEOPLE = `${HEADER}\n${line(person('E1'))}\n`;

/** Writes a file with any name, as bytes. */
function put(story: Story, name: Buffer | string, text = PEOPLE): void {
  const folder = join(story.folder, 'drop', 'hr');
  mkdirSync(folder, { recursive: true });
  writeFileSync(Buffer.concat([Buffer.from(`${folder}/`), Buffer.from(name)]), text);
}

describe('a file name that is not UTF-8', () => {
  const LATIN = Buffer.from('employees-99-M\xfcller\x1b\n.csv', 'latin1');
  const SHOWN = 'employees-99-M\\xfcller\\x1b\\x0a.csv';

  test('is reported by plan, sync, status and check, and does not hold the source', async () => {
    const story = await openStory();
    put(story, 'employees-01.csv');
    put(story, LATIN, 'never read');
    const unreadable_names = [{ source: 'hr', names: [SHOWN], files: 1 }];
    expect(await story.plan()).toMatchObject({ code: 0, json: { unreadable_names } });
    expect(await story.sync()).toMatchObject({ code: 0, json: { unreadable_names } });
    expect(await story.status()).toMatchObject({ code: 0, json: { unreadable_names } });
    for (const command of ['plan', 'check', 'status', 'sync']) {
      const { code, stdout } = await story.type(command);
      expect([command, code]).toEqual([command, 0]);
      expect(stdout, command).toMatch(/not read, as the name is not UTF-8: /i);
      expect(stdout, command).toContain(SHOWN);
    }
    expect(story.users()).toHaveLength(1);
  });

  sweep('is reported with the missing delivery if it is the only file', async () => {
    const story = await openStory();
    put(story, LATIN);
    const { code, error } = await story.sync();
    expect([code, error?.code]).toEqual([1, 'SYNC_SOURCE_MISSING']);
    expect(error?.message).toContain(SHOWN);
  });

  sweep('is not archived, and does not prevent archiving', async () => {
    const story = await openStory();
    story.configure({ sources: { hr: { after: 'archive', pattern: '*.csv' } } });
    put(story, 'a-01.csv');
    put(story, Buffer.from('a-00\xff.csv', 'latin1'));
    await story.sync();
    put(story, 'a-02.csv');
    expect((await story.sync()).code).toBe(0);
    expect(readdirSync(join(story.folder, 'drop', 'hr', 'archive'))).toEqual(['a-01.csv']);
  });

  sweep('is reported over SFTP as far as the name is known', async () => {
    const { access, drop } = await startOpenSsh();
    writeFileSync(join(drop, 'a.csv'), '');
    writeFileSync(Buffer.concat([Buffer.from(`${drop}/`), Buffer.from('b\xff.csv', 'latin1')]), '');
    const store = createSftpStore(access, buildContext());
    const odd: string[] = [];
    expect(await store.list((name) => void odd.push(name))).toEqual(['a.csv']);
    expect(odd).toEqual(['b\\ufffd.csv']);
    await store.close();
  });

  // ESC, a bell, a line break with a line chosen by an attacker, C1, bidi, a line separator; as long as a name can be.
  const NAME = 'employees-99\u001b[2J\u0007\nplan is safe\r\u009b31m\u202e\u2028.csv';
  // Our own lines end with a line feed only.
  const RAW = /(?!\n)[\p{Cc}\u202a-\u202e\u2028\u2029]|^plan is safe/mu;

  sweep('with terminal controls is read like any other, and escaped wherever it is printed', async () => {
    const story = await openStory();
    story.configure({ sources: { hr: { rejects: 'rejects' } } });
    put(story, NAME, `${PEOPLE}E2;too;few\n`);
    for (const words of [
      ['check'],
      ['plan'],
      ['plan', '--json'],
      ['sync'],
      ['sync', '--json'],
      ['status'],
      ['status', '--json'],
      ['holds', 'list'],
      ['holds', 'list', '--json'],
      ['explain', 'user', 'E2'],
      ['runs'],
      ['audit', 'list'],
    ]) {
      const { stdout, stderr } = await story.type(...words);
      expect(stdout, words.join(' ')).not.toMatch(RAW);
      expect(stderr, words.join(' ')).not.toMatch(RAW);
    }
    expect(story.user('E1').deactivated).toBe(false);
    expect(readdirSync(join(story.folder, 'drop', 'hr', 'rejects'))).toEqual([`${NAME}.rejects.csv`]);
  });

  sweep('with terminal controls is escaped in the errors about it', async () => {
    const story = await openStory();
    put(story, NAME, 'id;\u001b[31mred\n');
    for (const words of [['check'], ['plan'], ['sync'], ['sync', '--json']]) {
      const { stdout, stderr } = await story.type(...words);
      expect(`${stdout}${stderr}`, words.join(' ')).toContain('SYNC_SOURCE_HEADER');
      expect(stdout, words.join(' ')).not.toMatch(RAW);
      expect(stderr, words.join(' ')).not.toMatch(RAW);
    }
  });
});
