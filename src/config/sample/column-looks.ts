import { readStanding } from '../../model/standings.js';
import { codeOfCountry } from './countries.js';

/** The looks that a cell's text may have. A text may have several looks. */
const LOOKS = {
  email: (text) => text.length <= 254 && /^[^\s@,;]+@[^\s@]+\.[^\s@.]+$/.test(text),
  /** `Berg, Anna` */
  turnedName: (text) => /^\p{L}[\p{L}'’. -]*,\s*\p{L}[\p{L}'’. -]*$/u.test(text),
  name: (text) => text.length <= 80 && /^\p{L}[\p{L}\p{M}'’`.,() -]*$/u.test(text),
  phone: (text) => /^[+(]?\d[\d\s().\-/–]{4,22}$/.test(text) && text.replaceAll(/\D/g, '').length >= 6 && !isDay(text),
  url: (text) => /^https?:\/\/\S+$|^(?:[a-z0-9-]+\.)+[a-z]{2,}(?:\/\S*)?$/i.test(text),
  date: (text) => isDay(text),
  number: (text) => /^-?[\d.,\s]+$/.test(text),
  country: (text) => codeOfCountry(text) !== null,
  /** An id, neither a sentence nor an address. */
  code: (text) => text.length <= 64 && /^[^\s@]+$/.test(text),
  /** A short text, as in columns with few distinct words. */
  word: (text) => text.length <= 40 && !/@/.test(text),
  /** A word for a person's status: `Active`, `Terminated`. */
  standing: (text) => text.length <= 40 && readStanding(text) !== null,
  /** An id that a system assigns to its own objects: a GUID, `00u1a2b3…`, `S-1-5-21-…`. */
  object: (text) =>
    /[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\}?$|^__export__|^[0-9a-f]{24}$|^[0-9a-f]{8}(?:-[0-9a-f]{4}){1,3}$|^[0-9a-f]{32}$|^00u\w{8,17}$|^[UW][0-9A-Z]{8,10}$|^005\w{12}(?:\w{3})?$|^S-1-5-/i.test(
      text,
    ),
  /** A part of a name between first and last name: `van der`. */
  particle: (text) =>
    /^(?:van|von|de|der|den|het|'t|ten|ter|te|zu|zur|zum|af|av|di|da|del|della|dos|das|do|du|la|le|el|al|bin|ibn|in|op|[ '.])+$/i.test(
      text,
    ),
  text: (text) => /\p{L}/u.test(text),
  any: () => true,
} as const satisfies Readonly<Record<string, (text: string) => boolean>>;

export type CellLook = keyof typeof LOOKS;
export const LOOK_NAMES = Object.keys(LOOKS) as readonly CellLook[];

/** Look → share of the filled cells that have it, from 0 to 1. */
export type LookShares = Readonly<Record<CellLook, number>>;

function isDay(text: string): boolean {
  return (
    /^(?:\d{4}[-./]\d{1,2}[-./]\d{1,2}|\d{1,2}[-./]\d{1,2}[-./]\d{4})(?:[ T]\d{1,2}:\d{2}.*)?$/.test(text) ||
    /^\d{1,2}[-./ ]\p{L}{3,9}\.?[-./ ](?:\d{2}|\d{4})$|^\p{L}{3,9} \d{1,2}, \d{4}$|^\d{1,2}[./]\d{1,2}[./]\d{2}$/u.test(
      text,
    )
  );
}

/** Number of cells that are examined. More would not change the shares much. */
const MOST_LOOKED_AT = 2_000;

export interface LookCounter {
  take(text: string): void;
  shares(): LookShares;
}

export function createLookCounter(): LookCounter {
  const counts = Object.fromEntries(LOOK_NAMES.map((look) => [look, 0])) as Record<CellLook, number>;
  let seen = 0;
  return {
    take: (text) => {
      if (seen >= MOST_LOOKED_AT) return;
      seen++;
      for (const look of LOOK_NAMES) if (LOOKS[look](text)) counts[look]++;
    },
    shares: () =>
      Object.fromEntries(LOOK_NAMES.map((look) => [look, seen === 0 ? 0 : counts[look] / seen])) as LookShares,
  };
}
