import { InvalidArgumentError } from 'commander';
import { describe, expect, test } from 'vitest';
import { parseComing, parseMoment } from '../../src/cli/parse-moment.js';
import {
  parseCompletedCodes,
  parseCount,
  parseFormat,
  parseLanguage,
  parsePort,
  parseRate,
  parseReport,
  parseTime,
} from '../../src/cli/parse-options.js';
import { catchError } from '../samples.js';

interface Option {
  readonly parse: (text: string) => unknown;
  readonly taken: Readonly<Record<string, unknown>>;
  readonly refused: readonly string[];
}

const OPTIONS: Readonly<Record<string, Option>> = {
  'a port': {
    parse: parsePort,
    taken: { 0: 0, 8080: 8080, 65535: 65_535 },
    refused: ['', '65536', '-1', '8080.5', '80a', '0x50', '1e3', ' 80'],
  },
  'a count': {
    parse: parseCount,
    taken: { 1: 1, 4: 4, 999999: 999_999 },
    refused: ['', '0', '-1', '1.5', '04', '1000000', 'two'],
  },
  'a duration': {
    parse: parseTime,
    taken: { '25s': 25_000, '2m': 120_000, '1.5h': 5_400_000, '500ms': 500 },
    refused: ['', '25', 's', '25 s', '-2m', '2y'],
  },
  'exit codes that count as completed': {
    parse: parseCompletedCodes,
    taken: { 3: [3], 4: [4], '3,4': [3, 4], '4,3': [4, 3] },
    refused: ['', '0', '1', '3,', '3, 4', '34', '3,1'],
  },
  'a language': {
    parse: parseLanguage,
    taken: { en: 'en', no: 'no', native: 'native' },
    refused: ['', 'EN', 'eng', 'e', 'en-GB', 'natives'],
  },
  'a format': {
    parse: parseFormat,
    taken: { html: 'html', md: 'md', csv: 'csv' },
    refused: ['', 'HTML', 'pdf', 'out.html'],
  },
  'a rate': {
    parse: parseRate,
    taken: { '10/1': { requests: 10, per_seconds: 1 }, '150/0.5': { requests: 150, per_seconds: 0.5 } },
    refused: ['', '10', '0/1', '10/0', '-1/1', '10/1/1', 'a/b', '1.5/1'],
  },
};

describe.each(Object.entries(OPTIONS))('%s', (_, { parse, taken, refused }) => {
  test.each(Object.entries(taken))('accepts %s', (text, value) => {
    expect(parse(text)).toEqual(value);
  });

  test.each(refused)('rejects "%s"', (text) => {
    expect(() => parse(text)).toThrow(InvalidArgumentError);
  });
});

describe('a report', () => {
  test('is a format or a file, and may be repeated', () => {
    const once = parseReport('html');
    const twice = parseReport('out/plan.md', once);
    expect([once.length, twice.length]).toEqual([1, 2]);
    expect(twice[0]).toEqual(once[0]);
    expect(() => parseReport('plan.pdf')).toThrow(/Name a format \(.*html.*\)/);
  });
});

const NOW = Date.UTC(2026, 10, 20, 8);

describe('a typed time', () => {
  test.each([
    ['2026-11-20', '2026-11-20T00:00:00.000Z'],
    ['2024-02-29', '2024-02-29T00:00:00.000Z'],
    ['2026-11-20T08:00Z', '2026-11-20T08:00:00.000Z'],
    ['2026-11-20T08:00:00+01:00', '2026-11-20T07:00:00.000Z'],
    ['2026-11-20T08:00:00.5Z', '2026-11-20T08:00:00.500Z'],
    ['7d', '2026-11-13T08:00:00.000Z'],
    ['90m', '2026-11-20T06:30:00.000Z'],
  ])('reads %s as %s', (text, iso) => {
    expect(parseMoment(text, '--since', NOW)).toBe(iso);
  });

  test.each([
    '',
    'yesterday',
    '2026-02-30',
    '2025-02-29',
    '2026-13-01',
    '20.11.2026',
    '2026-11-20T08:00',
    '7 d',
    '-7d',
  ])('rejects "%s"', (text) => {
    expect(catchError(() => parseMoment(text, '--since', NOW))).toMatchObject({
      code: 'SYNC_CLI_USAGE',
      place: '--since',
      message: `"${text}" is not a time.`,
    });
  });

  test.each([
    ['7d', '2026-11-27T08:00:00.000Z'],
    ['2026-11-21', '2026-11-21T00:00:00.000Z'],
    ['2026-11-20T08:00:00.001Z', '2026-11-20T08:00:00.001Z'],
  ])('reads %s as the future time %s', (text, iso) => {
    expect(parseComing(text, '--for', NOW)).toBe(iso);
  });

  test.each(['2026-11-20', '2026-11-20T08:00:00Z', '0s'])('rejects %s as past', (text) => {
    expect(catchError(() => parseComing(text, '--for', NOW))).toMatchObject({
      code: 'SYNC_CLI_USAGE',
      message: `${text} has already passed.`,
    });
  });
});
