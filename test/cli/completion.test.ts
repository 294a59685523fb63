import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { buildCompletion, SHELLS } from '../../src/cli/completion.js';
import type { Console } from '../../src/cli/context.js';
import { buildProgram } from '../../src/cli/program.js';
import { makeFolder } from '../samples.js';

const program = buildProgram({ stdout: process.stdout, stderr: process.stderr, env: {} } as unknown as Console);

/** Bash's suggestions after these words. */
function complete(...words: readonly string[]): readonly string[] {
  const file = join(makeFolder(), 'completion.bash');
  writeFileSync(file, buildCompletion(program, 'bash'));
  const typed = ['talent-sync', ...words].map((word) => `'${word}'`).join(' ');
  const script = `source ${file}; COMP_WORDS=(${typed}); COMP_CWORD=${words.length}; _talent_sync; printf '%s\\n' "\${COMPREPLY[@]}"`;
  return execFileSync('bash', ['-c', script], { encoding: 'utf8' }).trim().split('\n');
}

test('bash completes commands, commands of a group, and options', () => {
  expect(complete('pl')).toEqual(['plan']);
  expect(complete('holds', '')).toEqual(expect.arrayContaining(['list', 'show', 'resolve', 'ack']));
  expect(complete('holds', 'ack', 'abc', '--un')).toEqual(['--until']);
  expect(complete('plan', '--only', 'user:x', '--de')).toEqual(['--detailed-exitcode']);
});

test('completes the words of an argument like commands', () => {
  expect(complete('completion', '')).toEqual(expect.arrayContaining(['bash', 'zsh', 'fish']));
});

test('zsh uses the same paths as bash', () => {
  const inner = (text: string): string => /case "\$next" in\n.*\n/.exec(text)?.[0] ?? '';
  expect(inner(buildCompletion(program, 'zsh'))).toBe(inner(buildCompletion(program, 'bash')));
  expect(buildCompletion(program, 'zsh')).toContain('"holds") compadd -- list show resolve ack --help ;;');
});

test('fish offers a word only where it belongs, with its description', () => {
  const text = buildCompletion(program, 'fish');
  expect(text).toContain(
    `complete -c talent-sync -n '__talent_sync_at "mirror"' -f -a status -d 'show the contents of the mirror,`,
  );
  expect(text).toContain(`complete -c talent-sync -n '__talent_sync_at "holds ack"' -l until -d 'a day, a time,`);
  expect(text).toContain(`contains -- "$next" 'init' 'try' 'check' 'plan'`);
});

test('completes every command in every shell', () => {
  for (const shell of SHELLS) {
    const text = buildCompletion(program, shell);
    for (const word of ['approve', 'export', 'report', 'csv-import', 'completion', 'unpin'])
      expect([shell, text.includes(word)]).toEqual([shell, true]);
  }
});
