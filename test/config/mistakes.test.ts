import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { SyncError } from '../../src/base/errors.js';
import { formatError } from '../../src/cli/context.js';
import { loadConfig } from '../../src/config/load.js';
import { oneIn } from '../depth.js';
import { columnOf, openScope } from '../mapping/evaluate.js';
import { writeSample } from './sample.js';

/*
 * mistakes.txt has a correct configuration, then everyday mistakes. Each one removes the lines with `-`, adds those
 * with `+`, and shows the output on a terminal with 80 columns, without the line with the code.
 */
interface Mistake {
  readonly name: string;
  readonly right: string;
  readonly wrong: string;
  readonly said: string;
}

const [RIGHT = '', ...SECTIONS] = readFileSync(new URL('mistakes.txt', import.meta.url), 'utf8').split(/\n## /);
const MISTAKES = SECTIONS.map((section): Mistake => {
  const [name = '', ...lines] = section.trimEnd().split('\n');
  const marked = (mark: string): string =>
    lines.flatMap((line) => (line.startsWith(mark) ? [`${line.slice(1)}\n`] : [])).join('');
  const said = lines.filter((line) => !/^[-+]/.test(line)).join('\n');
  return { name, right: marked('-'), wrong: marked('+'), said };
});

function refuse(text: string): SyncError {
  const file = writeSample(text);
  try {
    loadConfig(file, { TALENT_API_KEY: 'key' });
  } catch (error) {
    if (error instanceof SyncError) return error;
    throw error;
  }
  throw new Error('the configuration is taken');
}

function put(right: string, wrong: string): string {
  const text = `\n${RIGHT}\n`;
  expect(text).toContain(`\n${right}`);
  return text.replace(`\n${right}`, () => `\n${wrong}`).slice(1);
}

function listSnippets(text: string): readonly string[] {
  return [...text.replaceAll(/\n\s+/g, ' ').matchAll(/`([^`]+)`/g)].map(([, snippet = '']) => snippet);
}

it('begins with a correct configuration', () => {
  expect(() => loadConfig(writeSample(RIGHT), { TALENT_API_KEY: 'key' })).not.toThrow();
  expect(MISTAKES.length).toBeGreaterThanOrEqual(40);
});

describe('reporting one mistake as one problem, with its place and a remedy', () => {
  it.each(oneIn(1 / 2, MISTAKES))('explains $name', ({ right, wrong, said }) => {
    const error = refuse(put(right, wrong));
    expect(formatError(error, 80).trimEnd().split('\n').slice(1).join('\n')).toBe(said);
    expect(error.problems).toHaveLength(1);
    const [problem] = error.problems;
    expect(problem?.place).toMatch(/^talent-sync\.yaml:\d+:\d+( [\w.[\]]+)?$/);
    expect(problem?.remedy).toBeTruthy();
    for (const line of said.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
  });
});

describe('suggesting only what can be written', () => {
  const surroundings = {
    columns: { id: columnOf('string'), name: columnOf('string'), x: columnOf('string') },
    maps: { countries: { Germany: 'de' } },
  };
  const snippets = MISTAKES.flatMap(({ name, wrong, right, said }) =>
    listSnippets(said.split('\n').slice(1).join('\n')).map((snippet) => ({ name, wrong, right, snippet })),
  );
  const lines = snippets.filter(({ snippet }) => /^\w+: /.test(snippet) && !/…|NAME|PATH/.test(snippet));

  it.each(oneIn(1 / 2, lines))('suggests for $name: $snippet', ({ wrong, right, snippet }) => {
    const key = snippet.split(':')[0] ?? '';
    const written = wrong.trimEnd().split('\n').at(-1) ?? '';
    expect(parse(snippet)).toHaveProperty(key);
    // Written in the place of the mistake, it fixes the configuration.
    const inside = new RegExp(`\\b${key}: [^,}]+?(?= *[,}])`);
    const indent = /^\s*/.exec(right)?.[0] ?? '';
    const mended = new RegExp(`^\\s*${key}:`).test(written) ? `${indent}${snippet}` : written.replace(inside, snippet);
    expect(() => loadConfig(writeSample(put(right, `${mended}\n`)), { TALENT_API_KEY: 'key' })).not.toThrow();
  });

  const expressions = snippets.filter(({ snippet }) =>
    /^(?:record\.|hr\.|has\(|timestamp\(|lookup\(|"\w)/.test(snippet),
  );
  it.each(expressions)('suggests for $name: $snippet', ({ snippet }) => {
    const scope = openScope(surroundings);
    const { ast } = scope.environment.parse(snippet.replaceAll('…', '""').replaceAll('"* * * * *"', '""'));
    expect(ast).toBeDefined();
  });
});
