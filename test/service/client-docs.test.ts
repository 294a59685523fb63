import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ENDPOINTS, type EndpointName, formatTemplate } from '../../src/service/endpoints.js';
import * as clauses from '../../src/service/search-clauses.js';
import type { ServiceError } from '../../src/service/service-error.js';
import { createTalentService, type TalentServiceOptions } from '../../src/service/talent-service.js';
import { ROOT } from '../module-graph.js';

const page = readFileSync(join(ROOT, 'docs/reference/client.md'), 'utf8');

/** The rows of the tables under a heading. The first cell is code without its arguments. */
function readRows(heading: string): readonly (readonly string[])[] {
  const [, section = ''] = page.split(`\n## ${heading}\n`);
  return (
    section
      .split('\n## ')[0]
      ?.split('\n')
      .filter((line) => line.startsWith('| `'))
      .map((line) =>
        line
          .slice(1, -1)
          .split('|')
          .map((cell) => cell.trim()),
      ) ?? []
  );
}

function wordsOf(cell: string | undefined): readonly string[] {
  return [...(cell ?? '').matchAll(/`([^`]+)`/g)].map((match) => match[1] ?? '');
}

function listFunctions(part: object, path: string): readonly string[] {
  return Object.entries(part).flatMap(([name, value]: [string, unknown]) => {
    if (typeof value === 'function') return [`${path}.${name}`];
    return typeof value === 'object' && value !== null ? listFunctions(value, `${path}.${name}`) : [];
  });
}

describe('docs/reference/client.md', () => {
  const service = createTalentService({ baseUrl: 'https://acme.example.com', apiKey: 'key' });
  const functions = [...listFunctions(service.reader, 'reader'), ...listFunctions(service.writer, 'writer')];
  const rows = readRows('Functions');

  it('lists every function once, and no others', () => {
    const documented = rows.map(([first]) => wordsOf(first)[0]?.replace(/\(.*$/, ''));
    expect(functions.length).toBeGreaterThan(88);
    expect(documented.toSorted()).toEqual(functions.toSorted());
  });

  it('names every endpoint, and no others', () => {
    const named = new Set(rows.flatMap(([, call]) => wordsOf(call)));
    expect([...named].toSorted()).toEqual((Object.keys(ENDPOINTS) as EndpointName[]).map(formatTemplate).toSorted());
  });

  it('states the handling of a lost answer as in the table of endpoints', () => {
    const words = { idempotent: 'again', probe: 'look', hold: 'hold' } as const;
    const byTemplate = new Map(Object.entries(ENDPOINTS).map(([, row]) => [`${row.method} ${row.path}`, row]));
    for (const [first, call, lost] of rows) {
      const row = byTemplate.get(wordsOf(call)[0] ?? '');
      expect([first, lost]).toEqual([first, row === undefined || row.kind === 'link' ? '—' : words[row.repeat]]);
    }
  });

  it('describes each result', () => {
    expect(rows.filter((cells) => cells.length !== 4 || (cells[3]?.length ?? 0) < 4)).toEqual([]);
  });

  it('lists every example', () => {
    const files = readdirSync(join(ROOT, 'examples/client')).filter((name) => name.endsWith('.mjs'));
    const documented = [...page.matchAll(/^\| `([\w-]+\.mjs)` \|/gm)].map((match) => match[1]);
    expect(documented.toSorted()).toEqual(files.toSorted());
  });

  it('lists every option', () => {
    const options: Record<keyof TalentServiceOptions, true> = {
      baseUrl: true,
      apiKey: true,
      rateLimit: true,
      limiter: true,
      giveUpAfterMs: true,
      timeoutMs: true,
      maxAnswerBytes: true,
      clock: true,
      fetch: true,
      openSockets: true,
      unusedProxy: true,
      beforeWrite: true,
      onCall: true,
      random: true,
    };
    const documented = readRows('Options of createTalentService').map(([first]) => wordsOf(first)[0]);
    expect(documented.toSorted()).toEqual(Object.keys(options).toSorted());
  });

  it('lists the properties of an error', () => {
    const properties: Record<
      Exclude<keyof ServiceError, keyof Error | 'init' | 'kind' | 'place' | 'remedy' | 'problems' | 'trip'>,
      true
    > = {
      code: true,
      method: true,
      path: true,
      status: true,
      requestId: true,
      words: true,
      details: true,
      fault: true,
      outcome: true,
      retry: true,
      retryAfterMs: true,
    };
    const documented = readRows('When a call fails').flatMap(([first]) => wordsOf(first));
    expect(documented.toSorted()).toEqual(Object.keys(properties).toSorted());
  });

  it('lists every builder of search clauses', () => {
    const documented = readRows('Search').map(([first]) => wordsOf(first)[0]?.replace(/\(.*$/, ''));
    expect(documented.toSorted()).toEqual(Object.keys(clauses).toSorted());
  });
});
