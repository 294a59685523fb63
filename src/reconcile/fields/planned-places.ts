import { OFFICE_IDS } from '../../model/desired.js';
import { idOfIn, officeKey } from '../../model/directory.js';
import { type Entity, type IdOf, TRAITS } from '../../model/entity.js';
import { FIELDS } from '../../model/fields.js';
import { isJsonObject, itemsOf, type Json, type Values } from '../../model/json.js';
import { foldKey, type Observed } from '../../model/observed.js';
import type { Change } from '../../model/plan.js';
import type { PlanPort, ReconcilePorts, ServicePort } from '../ports.js';
import { isSameValue } from './compare.js';
import type { Difference } from './diff.js';

export interface TakerPorts {
  readonly plan: Pick<PlanPort, 'claimants' | 'find'>;
  readonly service: { readonly directory: Pick<ServicePort['directory'], 'find'> };
}

/** The change by which an office of the feed is created under this name, or gets it. */
export function takerOfOffice(natural: string, ports: TakerPorts): Change | null {
  return firstPlanned(
    'offices',
    ports.plan.claimants('offices.natural', natural),
    ports,
    ({ after }) => after.name !== undefined,
  );
}

/** The change by which an object comes to be called so: a country its code, a category or person an external id. */
export function takerOfWord(to: Entity, word: string, ports: TakerPorts): Change | null {
  for (const name of TRAITS[to].words ?? []) {
    const taker = firstPlanned(to, ports.plan.claimants(`${to}.${name}`, foldKey(word)), ports, () => true);
    if (taker !== null) return taker;
  }
  return null;
}

function firstPlanned(
  entity: Entity,
  keys: readonly string[],
  ports: TakerPorts,
  fits: (change: Change) => boolean,
): Change | null {
  for (const key of keys) {
    const change = ports.plan.find(`${entity}:${key}`);
    if (change !== null && change.action !== 'delete' && fits(change)) return change;
  }
  return null;
}

/** What a word means now, or will mean once what is planned is done: an object that is about to be called so. */
export function idOfPlanned(ports: TakerPorts): IdOf {
  const idOf = idOfIn(ports.service.directory);
  return (to, word) => idOf(to, word) ?? (to === 'industries' ? null : (takerOfWord(to, word, ports)?.target ?? null));
}

/**
 * What a word will mean once the changes planned so far are made: the object that takes the word, or, for one that is yet
 * to be created, its own name, which is no object's id.
 */
export function plannedIdOf(ports: TakerPorts): IdOf {
  const idOf = idOfIn(ports.service.directory);
  return (to, word) => {
    const taker = to === 'industries' ? null : takerOfWord(to, word, ports);
    return taker === null ? idOf(to, word) : (taker.target ?? `${taker.entity}:${taker.key}`);
  };
}

/** The name that an office is about to have instead of this one; null when it keeps it. */
export function newNameOf(officeId: string, natural: string, ports: ReconcilePorts): string | null {
  const change = ports.plan.plannedByTarget('offices', officeId);
  const name = change?.after.name;
  if (typeof name !== 'string') return null;
  const country = ports.service.observed('offices', officeId)?.values.country ?? '';
  return officeKey(String(country), name) === natural ? null : name;
}

/**
 * Nobody moves, and no scope does, because an office is called differently:
 *
 * | the source names                       | the person is in           | →                        |
 * |----------------------------------------|----------------------------|--------------------------|
 * | a name that an office is about to get  | that office                | stays, nothing to write  |
 * | the name at the last agreement, which  | the office that was agreed | stays, nothing to write: |
 * | no office has any more                 | on, called differently now | the source is behind     |
 *
 * A scope that has to go along with roles is sent by the names of now.
 */
export function ignoreRenamedOffices(
  { before, after }: Difference,
  agreed: Values | null,
  observed: Observed | null,
  ports: ReconcilePorts,
): Difference {
  const left = { before: { ...before }, after: { ...after } };
  for (const name of Object.keys(OFFICE_IDS)) {
    const verdict = judgeNames(name, after[name], agreed, observed?.values ?? {}, ports);
    if (verdict === 'moved' || (verdict === 'renamed' && isCompanion(name, after))) continue;
    if (isCompanion(name, after)) {
      left.after[name] = observed?.values[name] ?? null;
      continue;
    }
    delete left.after[name];
    delete left.before[name];
  }
  return { fields: Object.keys(left.after).sort(), ...left };
}

function isCompanion(name: string, after: Values): boolean {
  return FIELDS.users[name]?.ofRole !== undefined && after.roles !== undefined;
}

function judgeNames(
  field: string,
  named: Json | undefined,
  agreed: Values | null,
  observed: Values,
  ports: ReconcilePorts,
): 'moved' | 'renamed' | 'behind' {
  const ids = OFFICE_IDS[field] ?? '';
  const shown = idsOf(observed[ids]);
  const offices = itemsOf(named).filter(isJsonObject);
  if (shown.length === 0 || offices.length === 0) return 'moved';
  let isBehind = false;
  const meant: string[] = [];
  for (const office of offices) {
    const [country, name] = [String(office.country ?? ''), String(office.name ?? '')];
    const taker = takerOfOffice(officeKey(country, name), ports);
    const id = taker === null ? ports.service.directory.officeId(country, name) : taker.target;
    if (id !== null) meant.push(id);
    else if (taker === null) isBehind = true;
    else return 'moved';
  }
  if (!isBehind) return meant.length === shown.length && meant.every((id) => shown.includes(id)) ? 'renamed' : 'moved';
  const wasAgreed = isSameValue({ shape: field === 'office' ? 'office' : 'offices' }, named, agreed?.[field]);
  return wasAgreed && idsOf(agreed?.[ids]).join() === shown.join() ? 'behind' : 'moved';
}

function idsOf(value: Json | undefined): readonly string[] {
  return itemsOf(value).map(String).sort();
}
