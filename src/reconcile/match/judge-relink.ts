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

/** What speaks for a record and an object being the same, and what against it, in words. */
export interface Evidence {
  readonly speaks: readonly string[];
  readonly against: readonly string[];
}

/** A record takes over the object that another key is linked to. */
export interface Relink {
  readonly from: string;
  readonly text: string;
  /** The old key is gone since the very read in which the configuration was edited: a person has to say so. */
  readonly sinceEdit: boolean;
}

/** The object of a record: its link's, a certain match, or one that it takes over from a key that is gone. */
export interface FoundObject {
  readonly observed: Observed | null;
  readonly adoptedBy: string | null;
  readonly relink: Relink | null;
}

export type RelinkVerdict = { readonly certain: Relink } | { readonly certain: null; readonly evidence: Evidence };

/** A record that matches an object which another key is linked to. */
export interface Takeover {
  readonly desired: Desired;
  readonly observed: Observed;
  readonly owner: string;
  /** Other records that claim the object. */
  readonly rivals: readonly string[];
}

/**
 * Whether the person of a record that no link knows is the one whose account another key is linked to:
 *
 * | an entry of `match` besides the key | the name | years of birth | the old record          | others claim it | →      |
 * |-------------------------------------|----------|----------------|-------------------------|-----------------|--------|
 * | agrees                              | agrees   | do not differ  | left, or gone from a complete read, at most `relink.within` ago | no | relink |
 * | anything else                       |          |                |                         |                 | held   |
 *
 * Only people are relinked by themselves: names of customers and projects are no proof.
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
  // Of whoever has left, the name may be one of the cells that cannot be read.
  const isNameless = desired.leaver && !isNamed;
  if (isAccount(entity) && !isNamed && !isNameless) more.push('no name to compare');
  if (state.since === null) more.push(state.text);
  else if (relinkWithinMs !== null && Date.parse(ports.memory.now) - state.since > relinkWithinMs) {
    // A date, and not how long ago: what is held keeps its name from day to day.
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

/** Said of people alone. */
export const SAME_NAME = 'same name';

/** Compares by every entry of `match` besides the key, by name and year of birth. */
export function weigh(
  desired: Desired,
  observed: Observed,
  { entity, match }: Pick<EntitySettings, 'entity' | 'match'>,
  ports: ReconcilePorts,
): Evidence & { readonly agree: readonly string[] } {
  const [agree, speaks, against]: [string[], string[], string[]] = [[], [], []];
  const finder = createFinder(entity, ports.service);
  for (const entry of match) {
    if (isKey(entry, desired) || entry.fields.every((name) => name === 'name')) continue;
    const ids = findByKey(desired, entry, finder, idOfPlanned(ports))?.ids;
    const word = FIELDS.users[nameMatchKey(entry)]?.word ?? nameMatchKey(entry);
    if (ids?.includes(observed.id) === true) {
      agree.push(word);
      speaks.push(`same ${word}`);
    } else if (ids !== undefined && ids.length > 0)
      against.push(`its ${word} is that of ${nameObjects(ids, entity, ports)}`);
  }
  const person = weighPerson(desired, observed);
  speaks.push(...person.speaks);
  against.push(...person.against);
  return { agree: [...new Set(agree)], speaks: [...new Set(speaks)], against };
}

/** The key in the dress of an external id proves nothing: it is what has changed. */
function isKey({ fields }: MatchKey, { key, values }: Desired): boolean {
  const external = values.external_unique_id;
  return (
    fields.every((name) => name === 'external_unique_id') && isText(external) && foldKey(external) === foldKey(key)
  );
}

/** By name and year of birth alone. */
export function weighPerson(
  desired: Desired,
  observed: Observed,
): { readonly speaks: string[]; readonly against: string[] } {
  const [speaks, against]: [string[], string[]] = [[], []];
  const [here, there] = [desired.values.name, observed.values.name];
  if (isAccount(desired.entity) && isText(here) && isText(there)) {
    if (foldKey(here) === foldKey(there)) speaks.push(SAME_NAME);
    else against.push(`another name (${here} here, ${there} there)`);
  }
  const [bornHere, bornThere] = [yearOf(desired.values.born_year), yearOf(observed.values.born_year)];
  if (bornHere !== null && bornThere !== null) {
    if (bornHere === bornThere) speaks.push('same year of birth');
    else against.push(`born in ${bornHere} here, ${bornThere} there`);
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
  /** ms: since when the old record is gone or has left; null while it is here, or nothing is proven. */
  readonly since: number | null;
  readonly text: string;
  readonly sinceEdit: boolean;
}

/** What the sources say of the key that the object is linked to. */
export function findDeparture(
  owner: string,
  observed: Observed,
  { entity, outOfScope }: Pick<EntitySettings, 'entity' | 'outOfScope'>,
  ports: ReconcilePorts,
): OldRecord {
  const state = ports.sources.stagedState(entity, owner);
  if (state === 'out' && outOfScope !== 'deactivate') return here(`the row of ${owner} is there, out of scope`);
  const verdict = judgeState(state, { entity, key: owner }, ports);
  if (verdict === null) {
    const isUsable = state === 'desired' || state === 'early';
    return here(`the row of ${owner} is there ${isUsable ? 'as well' : 'and cannot be used'}`);
  }
  if (verdict.since === undefined) return here(`${owner}: ${verdict.text}`);
  // Of an account out of use the service knows better since when.
  const { deactivated_at: stamp } = observed.values;
  const closed = !observed.active && isText(stamp) ? Date.parse(stamp) : Number.POSITIVE_INFINITY;
  const since = Math.min(Date.parse(verdict.since), closed);
  const word = state === null ? 'is gone from a complete read' : 'has left';
  return { since, text: `${owner} ${word}`, sinceEdit: verdict.sinceEdit === true };
}

/** Null where the row is there, or cannot be used. */
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
