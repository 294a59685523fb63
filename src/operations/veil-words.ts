import { isJsonObject, type Json } from '../model/json.js';

/**
 * Fields of a run's or plan's document with texts that are not about a person: ids, codes, times, names in the
 * configuration. All other texts are left out, including texts of parts added later.
 */
const SHOWN: ReadonlySet<string> = new Set(
  `run plan file fingerprint expires undoes id ids entity key place code field action change changes guard guards kind of source
  sources at since until started_at ended_at stopped digest head runs run_before paths report delivery status state command by via who
  batch setting last next due created mirror policy asked_at question winner side result
  channel answer approval decline plan_id sent_at`.split(/\s+/),
);
/** Parts about guards, errors and reads. These parts also keep texts about sources and numbers, but without quotations. */
const TOLD: ReadonlySet<string> = new Set(['guards', 'errors', 'stale', 'incomplete', 'overlooked', 'missing_people']);
const TOLD_WORDS: ReadonlySet<string> = new Set(
  'cause detail message remedy because text name error_code in_use arrived files unknown'.split(' '),
);
/** Parts that contain only names and values of people. */
const OF_VALUES: ReadonlySet<string> = new Set(
  'adoption understood near_misses before after value values shown sent got excerpt samples examples'.split(' '),
);

/**
 * Prepares a document for readers who see no names. Records appear by key, and their reasons only as a code. Samples of
 * adoptions and near matches are left out.
 *
 * @param instead the replacement for texts; null to leave their fields out
 */
export function replaceWords(document: object, instead: string | null): object {
  const parts = Object.entries(document as { readonly [name: string]: Json }).map(([name, value]) => {
    return [name, keepShown(name, value, { instead, isTold: TOLD.has(name) })] as const;
  });
  return Object.fromEntries(parts.filter(([, value]) => value !== undefined));
}

interface Kept {
  readonly instead: string | null;
  readonly isTold: boolean;
}

/** Returns undefined if the part is left out. */
function keepShown(name: string, value: Json, kept: Kept): Json | undefined {
  if (OF_VALUES.has(name)) return undefined;
  if (typeof value === 'string') {
    if (SHOWN.has(name)) return value;
    return kept.isTold && TOLD_WORDS.has(name) ? leaveOutQuoted(value) : (kept.instead ?? undefined);
  }
  if (Array.isArray(value))
    return value.map((item: Json) => keepShown(name, item, kept)).filter((item) => item !== undefined);
  if (!isJsonObject(value)) return value;
  const parts = Object.entries(value).map(([part, item]) => [part, keepShown(part, item, kept)] as const);
  return Object.fromEntries(parts.filter((part): part is [string, Json] => part[1] !== undefined));
}

/** Hides texts in double quotes. Text between backticks stays, because it is from the configuration or is something to type. */
function leaveOutQuoted(text: string): string {
  return text
    .split('`')
    .map((part, i) => (i % 2 === 0 ? part.replaceAll(/"(?:[^"\\]|\\.)*"/g, '"…"') : part))
    .join('`');
}
