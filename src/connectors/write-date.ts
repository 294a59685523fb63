/** Writes an instant as a date or datetime cell has it: the counterpart of `dates.ts`. */
export type WriteDate = (instant: Date) => string;

const PARTS = /'((?:[^']|'')*)'|yyyy|MM|dd|HH|mm|ss/g;

/**
 * Without a format a `date` is its day in the zone, as 2026-01-31, and a `datetime` the instant in UTC. With one, both are the
 * zone's wall clock.
 */
export function compileDateWriter(type: 'date' | 'datetime', format: string | null, timezone: string): WriteDate {
  if (format === null && type === 'datetime') return (instant) => instant.toISOString();
  const clock = new Intl.DateTimeFormat('en-US', {
    timeZone: timezone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  });
  return (instant) => {
    const parts = new Map(clock.formatToParts(instant).map((part) => [part.type, part.value]));
    const words: Readonly<Record<string, string | undefined>> = {
      yyyy: parts.get('year')?.padStart(4, '0'),
      MM: parts.get('month'),
      dd: parts.get('day'),
      HH: parts.get('hour'),
      mm: parts.get('minute'),
      ss: parts.get('second'),
    };
    return (format ?? 'yyyy-MM-dd').replaceAll(PARTS, (part, quoted?: string) => {
      if (quoted === undefined) return words[part] ?? part;
      return quoted === '' ? "'" : quoted.replaceAll("''", "'");
    });
  };
}
