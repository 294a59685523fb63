import { join } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { runTry } from '../../src/cli/run-try.js';
import { sweep } from '../depth.js';
import { person } from './company.js';
import { openStory, type Story } from './kit.js';

async function typeIn(story: Story, lines: readonly string[]): Promise<string> {
  const stdin = new PassThrough();
  stdin.end(`${lines.join('\n')}\n`);
  let shown = '';
  const stdout = new Writable({
    write(chunk, _encoding, done) {
      shown += String(chunk);
      done();
    },
  });
  const { env, clock, configFile: config } = story;
  await runTry(
    { stdin, stdout, stderr: stdout, env, clock, setExitCode: () => undefined, exit: () => undefined },
    { config },
  );
  return shown;
}

test('shows the result of an expression for the current rows of a source', async () => {
  const story = await openStory();
  story.deliver([person('E1', { title: 'Lead' }), person('E2'), person('E3')]);
  const { code, stdout } = await story.type('try', 'record.?title.optMap(t, t + "!")');
  expect([code, stdout]).toEqual([0, 'E1 (line 2): "Lead!"\nE2 (line 3): absent\nE3 (line 4): absent\n']);
  expect((await story.type('try', 'hr.first + " " + record.last', '--key', 'E2')).stdout).toBe(
    'E2 (line 3): "Person E2"\n',
  );
  expect((await story.type('try', 'record.id', '--row', '3')).stdout).toBe('E3 (line 4): "E3"\n');
  expect(await story.type('try', 'record.id', '--key', 'E9')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('There is no key "E9" among the 3 rows'),
  });
  expect(story.takeWrites()).toEqual([]);
});

test('marks the error in an expression with a proposal, and gives the same to programs', async () => {
  const story = await openStory();
  story.deliver([person('E1')]);
  const { code, stdout } = await story.type('try', 'record.frist + record.last');
  expect(code).toBe(1);
  expect(stdout).toContain('record.frist + record.last\n^^^^^^^^^^^^\n');
  expect(stdout).toContain('Did you mean `record.first`?');
  const json = JSON.parse((await story.type('try', 'record.first.size()', '--json')).stdout) as object;
  expect(json).toMatchObject({ source: 'hr', type: 'int', rows: [{ key: 'E1', line: 2, value: 6, failed: null }] });
  const failed = await story.type('try', 'int(record.first)');
  expect([failed.code, failed.stdout]).toMatchObject([1, expect.stringMatching(/^E1 \(line 2\): failed: /)]);
});

sweep('reads a file without any configuration, like init', async () => {
  const story = await openStory();
  const sample = join(import.meta.dirname, '../config/sample/vendors/datev/personal.csv');
  const { stdout } = await story.type(
    'try',
    'record["Nachname, Vorname"].firstNameFirst()',
    '--sample',
    sample,
    '--row',
    '5',
  );
  expect(stdout).toBe('00030 (line 6): "Katharina von Bülow"\n');
});

sweep('evaluates each line without an expression argument', async () => {
  const story = await openStory();
  story.deliver([person('E1')]);
  const shown = await typeIn(story, ['record.id', '', 'record.idd', '.columns', '.exit', 'record.last']);
  expect(shown).toContain('E1 (line 2): "E1"\n');
  expect(shown).toContain('Did you mean `record.id`?');
  expect(shown).toContain('\nemail\n');
  expect(shown).not.toContain('Person');
});

sweep('calls no service for a sample, so its key may be missing', async () => {
  const story = await openStory();
  const sample = join(story.folder, 'drop/hr', story.deliver([person('E1')]));
  story.env.TALENT_API_KEY = '';
  expect(await story.type('try', 'record.id', '--sample', sample)).toMatchObject({
    code: 0,
    stdout: 'E1 (line 2): "E1"\n',
  });
});
