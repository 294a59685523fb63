const UNITS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

const SIZES = { KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3 } as const;

/**
 * Converts `64MiB` to bytes.
 * @throws RangeError for any other form
 */
export function parseSize(text: string): number {
  const found = /^(\d+)(KiB|MiB|GiB)$/.exec(text);
  const unit = found?.[2] as keyof typeof SIZES | undefined;
  if (found === null || unit === undefined)
    throw new RangeError(`"${text}" is not a size such as 900KiB, 64MiB or 1GiB`);
  return Number(found[1]) * SIZES[unit];
}

/**
 * Converts `90s`, `1.5h` or `0d` to milliseconds.
 * @throws RangeError for any other form
 */
export function parseDuration(text: string): number {
  const found = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(text);
  const unit = found?.[2] as keyof typeof UNITS | undefined;
  if (found === null || unit === undefined)
    throw new RangeError(`"${text}" is not a length of time such as 30s, 5m, 12h or 1d`);
  return Math.round(Number(found[1]) * UNITS[unit]);
}
