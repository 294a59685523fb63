/** Matches `/Date(1577836800000)/` and, with the zone's offset in minutes, `/Date(1577836800000+0060)/`. */
const ODATA = /^\/Date\((-?\d{1,15})(?:([+-])(\d{4}))?\)\/$/;

/** Converts an OData version 2 time to ISO 8601; returns any other text unchanged. */
export function spellODataTime(text: string): string {
  const [, milliseconds, sign, digits = '0'] = ODATA.exec(text) ?? [];
  if (milliseconds === undefined) return text;
  const minutes = Number(digits);
  // The milliseconds are always in UTC.
  const local = new Date(Number(milliseconds) + (sign === '-' ? -minutes : minutes) * 60_000).toISOString();
  if (minutes === 0) return local;
  return `${local.slice(0, -1)}${sign}${twoDigits(Math.floor(minutes / 60))}:${twoDigits(minutes % 60)}`;
}

function twoDigits(number: number): string {
  return String(number).padStart(2, '0');
}
