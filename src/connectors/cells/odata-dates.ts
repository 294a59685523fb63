/** `/Date(1577836800000)/`, and with the minutes of its zone: `/Date(1577836800000+0060)/`. */
const ODATA = /^\/Date\((-?\d{1,15})(?:([+-])(\d{4}))?\)\/$/;

/** A time as OData version 2 writes it in JSON, in ISO 8601; any other text unchanged. */
export function spellODataTime(text: string): string {
  const [, milliseconds, sign, digits = '0'] = ODATA.exec(text) ?? [];
  if (milliseconds === undefined) return text;
  const minutes = Number(digits);
  // The milliseconds are those of UTC, whatever the zone.
  const local = new Date(Number(milliseconds) + (sign === '-' ? -minutes : minutes) * 60_000).toISOString();
  if (minutes === 0) return local;
  return `${local.slice(0, -1)}${sign}${twoDigits(Math.floor(minutes / 60))}:${twoDigits(minutes % 60)}`;
}

function twoDigits(number: number): string {
  return String(number).padStart(2, '0');
}
