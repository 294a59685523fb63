import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { buildProgram } from '../../src/cli/program.js';
import { ROOT } from '../module-graph.js';
import { findUnknown } from './find-unknown.js';

const { stdout, stderr } = process;
const program = buildProgram({ stdout, stderr, env: {}, setExitCode: () => undefined, exit: () => undefined });

/** The commands that a module's messages propose, with a word in place of each inserted value. */
function readProposed(file: string): readonly string[] {
  const text = readFileSync(join(ROOT, 'src', file), 'utf8').replaceAll(/\$\{(?:[^{}]|\{[^{}]*\})*\}/g, 'X');
  const quoted = [
    ...text.matchAll(/\\`talent-sync ([^`\\\n]+)\\`/g),
    ...text.matchAll(/'[^'\n]*`talent-sync ([^`'\n]+)`/g),
  ];
  return quoted.map(([, typed = '']) => typed);
}

const PROPOSED = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .flatMap((file) => readProposed(file).map((typed) => [typed, file] as const));

describe('commands that messages propose', () => {
  it.each(PROPOSED)('talent-sync %s (%s) exists', (typed) => {
    expect(findUnknown(program, typed)).toEqual([]);
  });

  it('finds proposed commands, and reports unknown ones', () => {
    expect(PROPOSED.length).toBeGreaterThan(50);
    expect(findUnknown(program, 'holds aknowledge ID --until 3d')).toEqual(['holds aknowledge']);
    expect(findUnknown(program, 'holds ack ID --untill 3d')).toEqual(['--untill']);
  });
});
