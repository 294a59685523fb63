import { type MatchKey, nameMatchKey } from '../../model/comparison.js';
import { formatSpan } from '../../model/departure.js';
import type { Desired } from '../../model/desired.js';
import { isAccount } from '../../model/entity.js';
import { FIELDS } from '../../model/fields.js';
import type { Json } from '../../model/json.js';
import { foldKey, type Observed } from '../../model/observed.js';
import { idOfPlanned } from '../fields/planned-places.js';
import type { EntitySettings, LeaverVerdict, ReconcilePorts } from '../ports.js';
import { createFinder, findByKey } from './correlate.js';
import { yearOf } from './same-person.js';

/** Evidence for and against the identity of a record and an object, in words. */
export interface Evidence {
  readonly speaks: readonly string[];
  readonly against: readonly string[];
}

/** The takeover of an object that is linked to another key. */
export interface Relink {
  readonly from: string;
  readonly text: string;
  /** True if the old key is gone since the read in which the configuration was edited, so that a person has to confirm it. */
  readonly sinceEdit: boolean;
}

/** The object of a record, found by its link or by a certain match, or taken over from a key that is gone. */
export interface FoundObject {
  readonly observed: Observed | null;
  readonly adoptedBy: string | null;
  readonly relink: Relink | null;
}

export type RelinkVerdict = { readonly certain: Relink } | { readonly certain: null; readonly evidence: Evidence };

/** A record that matches an object linked to another key. */
export interface Takeover {
  readonly desired: Desired;
  readonly observed: Observed;
  readonly owner: string;
  /** Other records that claim the object. */
  readonly rivals: readonly string[];
}

/**
 * Judges whether the person of an unlinked record owns the account that is linked to another key:
 *
 * | an entry of `match` other than the key | the name | years of birth | the old record                       | other claims | →      |
 * |----------------------------------------|----------|----------------|--------------------------------------|--------------|--------|
 * | agrees                                 | agrees   | do not differ  | gone or left, within `relink.within` | none         | relink |
 * | anything else                          |          |                |                                      |              | held   |
 *
 * A record counts as gone after a complete read. Only people are relinked automatically, because names of customers and
 * projects prove nothing.
 */
export function judgeRelink(
  { desired, observed, owner, rivals }: Takeover,
  settings: EntitySettings,
  ports: ReconcilePorts,
): RelinkVerdict {
  const { entity, relinkWithinMs } = settings;
  const { agree, speaks, against } = weigh(desired, observed, settings, ports);
  const state = findDeparture(owner, observed, settings, ports);
  const more: string[] = [];
  const isNamed = isText(desired.values.name) && isText(observed.values.name);
  // The name of a leaver may be in a cell that cannot be read.
  const isNameless = desired.leaver && !isNamed;
  if (isAccount(entity) && !isNamed && !isNameless) more.push('no name to compare');
  if (state.since === null) more.push(state.text);
  else if (relinkWithinMs !== null && Date.parse(ports.memory.now) - state.since > relinkWithinMs) {
    // A date, not a duration, so that the text of the hold stays the same every day.
    const day = ports.memory.dayOf(new Date(state.since).toISOString());
    more.push(`${owner} left on ${day}, more than ${formatSpan(relinkWithinMs)} ago`);
  }
  for (const rival of rivals) more.push(`record ${rival} claims it too`);
  const evidence = {
    speaks: state.since === null ? speaks : [...speaks, state.text],
    against: [...against, ...more],
  };
  const isCertain = agree.length > 0 && (isNameless || speaks.includes(SAME_NAME)) && evidence.against.length === 0;
  if (!isCertain) return { certain: null, evidence };
  const text = `${owner} → ${desired.key}: same ${listWords(isNameless ? agree : [...agree, 'name'])}`;
  return { certain: { from: owner, text, sinceEdit: state.sinceEdit } };
}

/** Used for people only. */
export const SAME_NAME = 'same name';

/** Compares a record and an object by every entry of `match` except the key, by name and by year of birth. */
export function weigh(
  desired: Desired,
  observed: Observed,
  { entity, match }: Pick<EntitySettings, 'entity' | 'match'>,
  ports: ReconcilePorts,
): Evidence & { readonly agree: readonly string[] } {
  const entries = match.filter((entry) => !isKey(entry, desired));
  const { agree, strays } = compareKeys(desired, observed, { entity, match: entries }, ports);
  const person = weighPerson(desired, observed);
  const speaks = [...agree.map((word) => `same ${word}`), ...person.speaks];
  return { agree, speaks: [...new Set(speaks)], against: [...strays.map(({ text }) => text), ...person.against] };
}

/** A key of a record that finds only other objects. */
export interface StrayKey {
  readonly text: string;
  readonly ids: readonly string[];
}

/** Looks up every entry of `match` except the name: those that find the object, and those that find only others. */
export function compareKeys(
  desired: Desired,
  { id }: Observed,
  { entity, match }: Pick<EntitySettings, 'entity' | 'match'>,
  ports: ReconcilePorts,
): { readonly agree: readonly string[]; readonly strays: readonly StrayKey[] } {
  const [agree, strays] = [new Set<string>(), [] as StrayKey[]];
  const finder = createFinder(entity, ports.service);
  for (const entry of match) {
    if (entry.fields.every((name) => name === 'name')) continue;
    const ids = findByKey(desired, entry, finder, idOfPlanned(ports))?.ids ?? [];
    const word = FIELDS.users[nameMatchKey(entry)]?.word ?? nameMatchKey(entry);
    if (ids.includes(id)) agree.add(word);
    else if (ids.length > 0) strays.push({ text: `its ${word} is that of ${nameObjects(ids, entity, ports)}`, ids });
  }
  return { agree: [...agree], strays };
}

/** An external id that only repeats the key proves nothing, because the key is what has changed. */
function isKey({ fields }: MatchKey, { key, values }: Desired): boolean {
  const external = values.external_unique_id;
  return (
    fields.every((name) => name === 'external_unique_id') && isText(external) && foldKey(external) === foldKey(key)
  );
}

/** Compares only name and year of birth. */
export function weighPerson(
  desired: Desired,
  observed: Observed,
): { readonly speaks: string[]; readonly against: string[] } {
  const [speaks, against]: [string[], string[]] = [[], []];
  const [here, there] = [desired.values.name, observed.values.name];
  if (isAccount(desired.entity) && isText(here) && isText(there)) {
    if (foldKey(here) === foldKey(there)) speaks.push(SAME_NAME);
    else against.push(`another name (${here} in the source, ${there} in the service)`);
  }
  const [bornHere, bornThere] = [yearOf(desired.values.born_year), yearOf(observed.values.born_year)];
  if (bornHere !== null && bornThere !== null) {
    if (bornHere === bornThere) speaks.push('same year of birth');
    else against.push(`born in ${bornHere} in the source, ${bornThere} in the service`);
  }
  return { speaks, against };
}

function nameObjects(ids: readonly string[], entity: Observed['entity'], ports: ReconcilePorts): string {
  return ids.map((id) => ports.service.observed(entity, id)?.label ?? id).join(' and ');
}

export function formatEvidence({ speaks, against }: Evidence): string {
  const sides = [
    speaks.length === 0 ? '' : `for it: ${speaks.join(', ')}`,
    against.length === 0 ? '' : `against it: ${against.join(', ')}`,
  ];
  return sides.filter((side) => side !== '').join('; ');
}

interface OldRecord {
  /**
   * Milliseconds: since when the old record is gone or reports a leaver; null while the record is present, or while
   * nothing is proven.
   */
  readonly since: number | null;
  readonly text: string;
  readonly sinceEdit: boolean;
}

/** Finds out from the sources whether the record that the object is linked to is gone or reports a leaver. */
export function findDeparture(
  owner: string,
  observed: Observed,
  { entity, outOfScope }: Pick<EntitySettings, 'entity' | 'outOfScope'>,
  ports: ReconcilePorts,
): OldRecord {
  const state = ports.sources.stagedState(entity, owner);
  if (state === 'out' && outOfScope !== 'deactivate')
    return here(`the source still has a row of ${owner}, out of scope`);
  const verdict = judgeState(state, { entity, key: owner }, ports);
  if (verdict === null) {
    const isUsable = state === 'desired' || state === 'early';
    return here(`the source still has a row of ${owner}${isUsable ? '' : ', which cannot be used'}`);
  }
  if (verdict.since === undefined) return here(`${owner}: ${verdict.text}`);
  // For an inactive account, the service may know an earlier time.
  const { deactivated_at: stamp } = observed.values;
  const closed = !observed.active && isText(stamp) ? Date.parse(stamp) : Number.POSITIVE_INFINITY;
  const since = Math.min(Date.parse(verdict.since), closed);
  const word = state === null ? 'is gone from a complete read' : 'has left';
  return { since, text: `${owner} ${word}`, sinceEdit: verdict.sinceEdit === true };
}

/** Null if the row is present, or cannot be used. */
function judgeState(
  state: string | null,
  { entity, key }: Pick<Desired, 'entity' | 'key'>,
  { sources }: ReconcilePorts,
): LeaverVerdict | null {
  if (state === null) return sources.absentLeaver(entity, key);
  if (state === 'leaver') return sources.explicitLeaver(entity, key);
  if (state === 'gone') return sources.goneLeaver(entity, key, 'the source');
  return state === 'out' ? sources.outOfScopeLeaver(entity, key) : null;
}

function here(text: string): OldRecord {
  return { since: null, text, sinceEdit: false };
}

function listWords(words: readonly string[]): string {
  const last = words.at(-1) ?? '';
  return words.length < 2 ? last : `${words.slice(0, -1).join(', ')} and ${last}`;
}

function isText(value: Json | undefined): value is string {
  return typeof value === 'string' && value.trim() !== '';
}
