import type { Hold } from '../../model/desired.js';
import { officeKey } from '../../model/directory.js';
import type { Action } from '../../model/entity.js';
import { isJsonObject, type Json, textOf, type Values } from '../../model/json.js';
import { foldKey, type Observed } from '../../model/observed.js';
import { personalFields } from '../../model/person-fields.js';
import type { Change } from '../../model/plan.js';
import { typedName } from '../../model/typed.js';
import { eachWithPauses } from '../each-with-pauses.js';
import type { PlanPort, ServicePort, SourcePort } from '../ports.js';

export interface SamePersonPorts {
  readonly sources: Pick<SourcePort, 'stagedState'>;
  readonly service: Pick<ServicePort, 'findIds' | 'observed' | 'linkedKey'>;
  readonly plan: Pick<PlanPort, 'changesOf' | 'plannedByTarget' | 'claimants' | 'suspect'>;
  /** Whether a run has created the account, not long ago. */
  isRecent(id: string): boolean;
  /** Whether the rows of two accounts were both active in one complete read. */
  wereBothHere(a: string, b: string): boolean;
}

/**
 * Finds leavers and joiners who look like one person under another key or address: a rename, a rehire or a conversion,
 * which would cost somebody the account and leave a second, empty one.
 *
 * | the joiner looks like an account that …            | →                                             |
 * |----------------------------------------------------|-----------------------------------------------|
 * | is deactivated, or deleted, by this plan           | both changes wait                             |
 * | is missing, or leaving, and not due yet            | the create waits                              |
 * | is deactivated already, or nobody's                | the create waits: a rehire                    |
 * | has a row of its own in this run                   | nothing: they are colleagues of one name      |
 * | the leaver looks like one created not long ago     | the deactivation, or deletion, waits          |
 * | both were active in one complete read, with another e-mail and UPN | nothing: they are two         |
 *
 * Driven by the creates and deactivations of the plan, each a look-up by key, so its cost is theirs. With pauses, in which
 * other work gets its turn.
 */
export function* suspectSamePersons(ports: SamePersonPorts): Generator<void, void> {
  const leavers = new Map<string, readonly string[]>();
  yield* eachWithPauses(ports.plan.changesOf('users', ...TAKES_AWAY), (change) => indexLeaver(change, leavers, ports));
  yield* eachWithPauses(ports.plan.changesOf('users', 'create', ...TAKES_AWAY), (change) => {
    if (change.action === 'create') suspectJoiner(change, leavers, ports);
    else suspectLeaver(change, ports);
  });
}

/** To deactivate somebody, or to delete somebody who was deactivated long ago. */
const TAKES_AWAY: readonly Action[] = ['deactivate', 'delete'];

function takesAway({ action }: Change): boolean {
  return TAKES_AWAY.includes(action);
}

/** Accounts that the plan takes away, by what is before the @: who marries keeps at least that, or the name. */
function indexLeaver({ target }: Change, leavers: Map<string, readonly string[]>, { service }: SamePersonPorts): void {
  const part = target === null ? null : localPart(service.observed('users', target)?.values.email);
  if (part !== null && target !== null) leavers.set(part, [...(leavers.get(part) ?? []), target]);
}

function suspectJoiner(joiner: Change, leavers: ReadonlyMap<string, readonly string[]>, ports: SamePersonPorts): void {
  const { name, email } = joiner.after;
  const part = localPart(email);
  const ids = new Set([
    ...(typeof name === 'string' ? ports.service.findIds('users', 'name', name) : []),
    ...(part === null ? [] : (leavers.get(part) ?? [])),
  ]);
  for (const id of ids) {
    const account = ports.service.observed('users', id);
    const likeness = account === null || hasOwnRow(id, ports) ? null : findLikeness(joiner.after, account.values);
    if (account === null || likeness === null) continue;
    const leaver = ports.plan.plannedByTarget('users', id);
    const state = describeState(account, leaver, ports);
    const reason = `${joiner.label} looks like ${account.label} (${id}), ${state}: ${likeness}. Creating would give one person a second account.`;
    const relink = { key: joiner.key, id };
    hold(joiner, reason, ports, relink);
    if (leaver === null || !takesAway(leaver)) continue;
    hold(
      leaver,
      `${account.label} looks like the joiner ${joiner.label} (${joiner.place}): ${likeness}.`,
      ports,
      relink,
    );
  }
}

function suspectLeaver(leaver: Change, ports: SamePersonPorts): void {
  const account = leaver.target === null ? null : ports.service.observed('users', leaver.target);
  const name = account?.values.name;
  if (account === null || typeof name !== 'string') return;
  for (const id of ports.service.findIds('users', 'name', name)) {
    const other = id === account.id ? null : ports.service.observed('users', id);
    if (other?.active !== true || !ports.isRecent(id)) continue;
    if (areTwo(other, account, ports)) continue;
    const likeness = findLikeness(other.values, account.values);
    if (likeness !== null)
      hold(leaver, `${account.label} looks like ${other.label} (${id}), created not long ago: ${likeness}.`, ports);
  }
}

/** Namesakes: HR had both at work at the same time, and no address or name of one is the other's. */
function areTwo(a: Observed, b: Observed, ports: SamePersonPorts): boolean {
  const shares = (name: string): boolean => isSame(folded(a.values[name]), folded(b.values[name]));
  return !personalFields('address').some(shares) && ports.wereBothHere(a.id, b.id);
}

function hold(change: Change, reason: string, ports: SamePersonPorts, relink?: Hold['relink']): void {
  const { entity, key, place } = change;
  const [who, why] = [typedName('users', relink?.key ?? key), '--reason "…"'];
  const same =
    relink === undefined
      ? 'give both sides the same key or address'
      : `\`talent-sync holds resolve ${who} --same ${why}\``;
  const remedy = `If they are one person, ${same}; if they are two, \`talent-sync holds resolve ${who} --new ${why}\`.`;
  ports.plan.suspect(`${entity}:${key}`, {
    entity,
    key,
    place,
    code: 'SYNC_PROBABLE_SAME_PERSON',
    reason,
    remedy,
    ...(relink === undefined ? {} : { relink }),
  });
}

/** Somebody who is in this run's source, in scope and staying, is a person besides the joiner. */
function hasOwnRow(id: string, ports: SamePersonPorts): boolean {
  if (ports.plan.claimants('users', id).length > 0) return true;
  const key = ports.service.linkedKey('users', id);
  const state = key === null ? null : ports.sources.stagedState('users', key);
  return state !== null && state !== 'leaver' && state !== 'out' && state !== 'gone';
}

function describeState(account: Observed, leaver: Change | null, ports: SamePersonPorts): string {
  if (leaver?.action === 'deactivate') return 'who is about to be deactivated';
  if (leaver?.action === 'delete') return 'who is about to be deleted for good';
  if (!account.active) return 'who is deactivated';
  return ports.service.linkedKey('users', account.id) === null
    ? 'without a record'
    : 'who is missing from the source or out of it';
}

/**
 * What two people have in common, when it is enough to ask; null when it is not. Years of birth that are both known and
 * differ settle it: a common name is no sign of anything. Where they are not known, the name alone is not enough either.
 */
export function findLikeness(a: Values, b: Values): string | null {
  const [yearA, yearB] = [yearOf(a.born_year), yearOf(b.born_year)];
  const known = yearA !== null && yearB !== null;
  if (known && yearA !== yearB) return null;
  const sameLocal = isSame(localPart(a.email), localPart(b.email));
  if (isSame(folded(a.upn), folded(b.upn))) return 'the same name at the identity provider';
  if (!isSame(folded(a.name), folded(b.name))) {
    return known && sameLocal ? 'the same address before the @ and the same year of birth' : null;
  }
  if (known) return 'the same name and the same year of birth';
  if (sameLocal) return 'the same name and the same address before the @';
  if (isSame(officeOf(a.office), officeOf(b.office))) return 'the same name and the same office';
  return sharesText(a.title, b.title) ? 'the same name and the same title' : null;
}

function isSame(a: string | null, b: string | null): boolean {
  return a !== null && a === b;
}

function folded(value: Json | undefined): string | null {
  return typeof value === 'string' && value.trim() !== '' ? foldKey(value) : null;
}

/** A year of birth, where it is one. */
export function yearOf(value: Json | undefined): number | null {
  const year = Number(value);
  return Number.isFinite(year) && year > 0 ? year : null;
}

function localPart(email: Json | undefined): string | null {
  const part = /^([^@]+)@/.exec(textOf(email))?.[1];
  return part === undefined ? null : foldKey(part);
}

function officeOf(value: Json | undefined): string | null {
  if (!isJsonObject(value) || value.name === undefined || value.name === null) return null;
  return officeKey(String(value.country ?? ''), String(value.name));
}

function sharesText(a: Json | undefined, b: Json | undefined): boolean {
  if (!isJsonObject(a) || !isJsonObject(b)) return false;
  return Object.entries(a).some(([language, text]) => isSame(folded(text), folded(b[language])));
}
