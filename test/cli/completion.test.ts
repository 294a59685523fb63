import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { buildCompletion, SHELLS } from '../../src/cli/completion.js';
import type { Console } from '../../src/cli/context.js';
import { buildProgram } from '../../src/cli/program.js';
import { makeFolder } from '../samples.js';

const program = buildProgram({ stdout: process.stdout, stderr: process.stderr, env: {} } as unknown as Console);

/** What bash offers after these words. */
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

test('every shell is given every command', () => {
  for (const shell of SHELLS) {
    const text = buildCompletion(program, shell);
    for (const word of ['approve', 'export', 'report', 'csv-import', 'completion', 'unpin'])
      expect([shell, text.includes(word)]).toEqual([shell, true]);
  }
});
