import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ROOT } from './module-graph.js';

/** A sentence and the lint's finding in it; null if it is plain. */
const SENTENCES: readonly (readonly [string, string | null])[] = [
  ['What is missing there is asked for by its id.', 'What'],
  ['What does `check` verify?', null],
  ['Whether it is active is unknown.', 'Whether'],
  ['It looks up each missing object.', null],
  ['Of a person who left nothing is kept.', 'Of'],
  ['The log is whole.', 'whole'],
  ['It is a whole number.', null],
  ['A guard lets them pass.', 'lets them pass'],
  ['The user is told.', 'is told'],
  ['The call `refuse` ends.', null],
  ['The service refuses it.', 'refuses'],
  ['It is no growth.', 'It is no'],
  ['The port is in use by another program.', null],
  ['The account is in use.', 'in use'],
  [`${'nb no nn '.repeat(12)}en`, null],
  [`${'word '.repeat(36)}ends.`, '37 words in a sentence'],
];
const HOSTS = {
  md: (sentence: string) => `# Title\n\n- ${sentence}\n\n\`\`\`\nWhat a block shows is no sentence.\n\`\`\`\n`,
  ts: (sentence: string) => `const whole = 1;\n/**\n * ${sentence}\n */\nfunction tell() {}\n`,
  yaml: (sentence: string) => `whole: tell\n# ${sentence}\n`,
};
const folder = mkdtempSync(join(tmpdir(), 'talent-sync-english-'));
/** The findings of the lint, started in a folder. */
function lint(cwd: string, ...args: readonly string[]): readonly string[] {
  const script = join(ROOT, 'scripts/lint-english.mjs');
  const { stderr } = spawnSync(process.execPath, [script, ...args], { cwd, encoding: 'utf8' });
  return stderr.trim().split('\n');
}

let found: readonly string[] = [];

beforeAll(() => {
  const files = SENTENCES.flatMap(([sentence], at) =>
    Object.entries(HOSTS).map(([end, host]) => {
      writeFileSync(join(folder, `${at}.${end}`), host(sentence));
      return join(folder, `${at}.${end}`);
    }),
  );
  writeFileSync(join(folder, 'texts.ts'), "throw new Error('the run is whole and mended');\nconst tells = 'whole';\n");
  writeFileSync(join(folder, 'values.yaml'), `key: value # ${'word '.repeat(9)}\n`.repeat(9));
  found = lint(folder, ...files, join(folder, 'texts.ts'), join(folder, 'values.yaml'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const findingsIn = (name: string): readonly string[] =>
  found.filter((line) => line.startsWith(`${join(folder, name)}:`));

it.each(SENTENCES.map(([sentence, fault], at) => ({ sentence, fault, at })))('$sentence', ({ fault, at }) => {
  for (const end of Object.keys(HOSTS)) {
    const lines = findingsIn(`${at}.${end}`);
    expect(lines.length, lines.join('\n')).toBe(fault === null ? 0 : 1);
    if (fault !== null) expect(lines[0]).toContain(fault);
  }
});

it('checks messages, not names', () => {
  expect(findingsIn('texts.ts').map((line) => line.split(': ')[1])).toEqual(['"mended"', '"whole"']);
});

it('checks each comment after a value by itself', () => {
  expect(findingsIn('values.yaml')).toEqual([]);
});

it('checks old lines too, but only in tracked text files', () => {
  const repository = join(folder, 'repository');
  const git = (...args: readonly string[]) =>
    spawnSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], { cwd: repository });
  const write = (name: string, text: string) => writeFileSync(join(repository, 'src', name), text);
  mkdirSync(join(repository, 'src'), { recursive: true });
  write('texts.ts', "test('the run is complete');\ntest('the run is whole again');\n");
  for (const name of ['people.csv', 'people.xlsx']) write(name, '# The log is whole.\n');
  git('init', '-q');
  git('add', '.');
  git('commit', '-qm', 'Add texts');
  write('other.ts', '// The log is whole.\n');
  git('commit', '-q', '--allow-empty', '-m', 'Added nothing');
  expect(lint(repository, '--base', 'HEAD~1')).toEqual([
    expect.stringMatching(/^src\/texts\.ts:2: "whole"/),
    expect.stringMatching(/^commit \w+: begin with a verb/),
    expect.stringMatching(/^2 places/),
  ]);
});

it('says that it checks nothing outside a git checkout', () => {
  mkdirSync(join(folder, 'outside'));
  expect(lint(join(folder, 'outside'))).toEqual(['The English is not checked: this is not a git checkout.']);
});
