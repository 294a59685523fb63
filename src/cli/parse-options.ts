import { InvalidArgumentError } from 'commander';

/** `8080`; 0 for any free one. */
export function parsePort(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw new InvalidArgumentError('A port is a number from 0 to 65535.');
}

/** `4`: one or more. */
export function parseCount(text: string): number {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Name a number, 1 or more.');
}

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000 };

/** `25s` → milliseconds. */
export function parseTime(text: string): number {
  const [, amount = '', unit = ''] = /^(\d+(?:\.\d+)?)(ms|s|m)$/.exec(text) ?? [];
  if (amount === '') throw new InvalidArgumentError('Name a length of time such as 25s or 2m.');
  return Math.round(Number(amount) * (UNITS[unit] ?? 0));
}

/** `3,4`: only those two say that the run went through, and that something is left for a person. */
export function parseCompletedCodes(text: string): readonly number[] {
  if (/^[34](,[34])*$/.test(text)) return text.split(',').map(Number);
  throw new InvalidArgumentError('Name 3, 4, or both as 3,4.');
}
