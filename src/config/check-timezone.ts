import type { YamlPath } from '../base/settings/resolving.js';
import { nearestName } from '../model/nearest.js';
import { WINDOWS_ZONES } from './windows-zones.js';
import type { ConfigProblems } from './yaml/config-problems.js';

/** @returns the zone, or UTC if it is invalid */
export function checkTimezone(path: YamlPath, zone: string, report: ConfigProblems): string {
  if (isZone(zone)) return zone;
  report.add(path, `"${zone}" is not a time zone`, adviseZone(zone.trim()));
  return 'UTC';
}

/** Zones that are known to be valid. The cache avoids checking them again, which is slow. */
const zones = new Set<string>();

function isZone(zone: string): boolean {
  if (zones.has(zone)) return true;
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone });
    zones.add(zone);
    return true;
  } catch {
    return false;
  }
}

/** Abbreviation → zone. If several zones share an abbreviation, the one of a large European city is used. */
const BY_ABBREVIATION: Readonly<Record<string, string>> = {
  WET: 'Europe/Lisbon',
  WEST: 'Europe/Lisbon',
  BST: 'Europe/London',
  CET: 'Europe/Berlin',
  CEST: 'Europe/Berlin',
  MEZ: 'Europe/Berlin',
  MESZ: 'Europe/Berlin',
  EET: 'Europe/Helsinki',
  EEST: 'Europe/Helsinki',
  MSK: 'Europe/Moscow',
  EST: 'America/New_York',
  EDT: 'America/New_York',
  CST: 'America/Chicago',
  CDT: 'America/Chicago',
  MST: 'America/Denver',
  MDT: 'America/Denver',
  PST: 'America/Los_Angeles',
  PDT: 'America/Los_Angeles',
  IST: 'Asia/Kolkata',
  JST: 'Asia/Tokyo',
  AEST: 'Australia/Sydney',
  AEDT: 'Australia/Sydney',
};
/** Offset in winter, in hours → zone. */
const BY_OFFSET: Readonly<Record<number, string>> = {
  0: 'Europe/London',
  1: 'Europe/Berlin',
  2: 'Europe/Helsinki',
  3: 'Europe/Istanbul',
  4: 'Asia/Dubai',
  8: 'Asia/Singapore',
  9: 'Asia/Tokyo',
  10: 'Australia/Sydney',
  12: 'Pacific/Auckland',
  [-3]: 'America/Sao_Paulo',
  [-5]: 'America/New_York',
  [-6]: 'America/Chicago',
  [-7]: 'America/Denver',
  [-8]: 'America/Los_Angeles',
};

function adviseZone(written: string): string {
  const [, letters = '', sign, hours] = /^([A-Za-z]{0,5})\s*(?:([+-])(\d{1,2})(?::?\d\d)?)?$/.exec(written) ?? [];
  const offset = hours === undefined ? null : Number(`${sign}${hours}`);
  const known = BY_ABBREVIATION[letters.toUpperCase()];
  const meant = known ?? (offset === null ? null : BY_OFFSET[offset]) ?? findZone(written);
  if (meant == null) return 'Write an IANA name such as `Europe/Oslo` or `UTC`.';
  const why = known !== undefined || offset !== null ? ' Name a city, because summer time varies between places.' : '';
  return `Did you mean \`${meant}\`?${why}`;
}

/** Finds a zone by its Windows name, by a city, or by a similar spelling. */
function findZone(written: string): string | null {
  const windows = WINDOWS_ZONES.get(written.toLowerCase().replace(/ (standard|daylight) time$/, ''));
  if (windows !== undefined) return windows;
  const all = Intl.supportedValuesOf('timeZone');
  const byCity = new Map(all.map((zone) => [(zone.split('/').at(-1) ?? zone).replaceAll('_', ' '), zone]));
  const near = nearestName(written, [...all, ...byCity.keys()]);
  return near === null ? null : (byCity.get(near) ?? near);
}
