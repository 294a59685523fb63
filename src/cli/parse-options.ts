import { InvalidArgumentError } from 'commander';
import { parseDuration } from '../base/settings/duration.js';
import { FORMATS, isFormat, parseTarget, type ReportFileFormat, type ReportTarget } from './report-target.js';

/** `8080`, or 0 for any free port. */
export function parsePort(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw new InvalidArgumentError('A port is a number from 0 to 65535.');
}

/** `4`, or any other number from 1. */
export function parseCount(text: string): number {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Name a number, 1 or more.');
}

/** `0`, or any larger number. */
export function parseNumber(text: string): number {
  if (/^\d{1,7}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Name a number, 0 or more.');
}

/** `no,se`: two letters each. */
export function parseCountries(text: string): readonly string[] {
  const codes = text.toLowerCase().split(',');
  if (codes.every((code) => /^[a-z]{2}$/.test(code))) return [...new Set(codes)];
  throw new InvalidArgumentError('Name countries by their two letters, such as no,se,de.');
}

/** `25s` → milliseconds. */
export function parseTime(text: string): number {
  try {
    return parseDuration(text);
  } catch {
    throw new InvalidArgumentError('Name a length of time such as 25s or 2m.');
  }
}

/** `3,4`. Only these exit codes mean that the run succeeded and left something for a person. */
export function parseCompletedCodes(text: string): readonly number[] {
  if (/^[34](,[34])*$/.test(text)) return text.split(',').map(Number);
  throw new InvalidArgumentError('Name 3, 4, or both as 3,4.');
}

/** `en`, or `native` for the language of each person's country. */
export function parseLanguage(text: string): string {
  if (/^([a-z]{2}|native)$/.test(text)) return text;
  throw new InvalidArgumentError('Name a language by its two letters, such as en, or write native.');
}

/** `html`, or `out/plan.md`; the flag may be given several times. */
export function parseReport(text: string, before: readonly ReportTarget[] = []): readonly ReportTarget[] {
  const target = parseTarget(text);
  if (target !== null) return [...before, target];
  throw new InvalidArgumentError(`Name a format (${FORMATS.join(', ')}), or a file with such an ending.`);
}

export function parseFormat(text: string): ReportFileFormat {
  if (isFormat(text)) return text;
  throw new InvalidArgumentError(`Name one of ${FORMATS.join(', ')}.`);
}

/** An option that may be repeated. */
export function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

/** `10/1`: requests per seconds. */
export function parseRate(text: string): { requests: number; per_seconds: number } {
  const match = /^(\d{1,7})\/(\d+(?:\.\d+)?)$/.exec(text);
  const [requests, per_seconds] = [Number(match?.[1]), Number(match?.[2])];
  if (!match || requests < 1 || per_seconds <= 0) {
    throw new InvalidArgumentError('A rate is requests/seconds, such as 10/1.');
  }
  return { requests, per_seconds };
}
