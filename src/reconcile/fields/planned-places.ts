import { idOfIn, officeKey } from '../../model/directory.js';
import { type Entity, type IdOf, TRAITS } from '../../model/entity.js';
import { foldKey } from '../../model/observed.js';
import type { Account } from '../../model/people-meant.js';
import type { Change } from '../../model/plan.js';
import type { PlanPort, ReconcilePorts, ServicePort } from '../ports.js';

export interface TakerPorts {
  readonly plan: Pick<PlanPort, 'claimants' | 'find'>;
  readonly service: { readonly directory: Pick<ServicePort['directory'], 'find'> };
}

/** The change that creates an office under this name, or renames one to it. */
export function takerOfOffice(natural: string, ports: TakerPorts): Change | null {
  return firstPlanned(
    'offices',
    ports.plan.claimants('offices.natural', natural),
    ports,
    ({ after }) => after.name !== undefined,
  );
}

/** The change that gives an object this word, such as a code to a country, or an external id to a category or person. */
export function takerOfWord(to: Entity, word: string, ports: TakerPorts): Change | null {
  for (const name of TRAITS[to].words ?? []) {
    const taken = foldKey(word);
    const taker = firstPlanned(
      to,
      ports.plan.claimants(`${to}.${name}`, taken),
      ports,
      ({ after }) => foldKey(String(after[name] ?? '')) === taken,
    );
    if (taker !== null) return taker;
  }
  return null;
}

/** The record of another office that should have this name and cannot get it, so that the name is ambiguous. */
export function rivalOfOffice(natural: string, officeId: string, { plan, memory }: ReconcilePorts): string | null {
  const isRival = (key: string): boolean => {
    const own = memory.link('offices', key)?.serviceId;
    return own !== undefined && own !== officeId && plan.find(`offices:${key}`)?.after.name === undefined;
  };
  return plan.claimants('offices.natural', natural).find(isRival) ?? null;
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

/** Resolves a word as it will be after the changes planned so far; null for an object that is yet to be created. */
export function idOfPlanned(ports: TakerPorts): IdOf {
  const idOf = idOfIn(ports.service.directory);
  return (to, word) => {
    const taker = takerOf(to, word, ports);
    return taker === null ? idOf(to, word) : taker.target;
  };
}

/** No change gives an industry its name. */
function takerOf(to: Parameters<IdOf>[0], word: string, ports: TakerPorts): Change | null {
  return to === 'industries' ? null : takerOfWord(to, word, ports);
}

/**
 * Resolves a word as it will be after the changes planned so far. An object that is yet to be created is returned as
 * `entity:key`, which is never an id.
 */
export function plannedIdOf(ports: TakerPorts): IdOf {
  const idOf = idOfIn(ports.service.directory);
  return (to, word) => {
    const taker = takerOf(to, word, ports);
    return taker === null ? idOf(to, word) : (taker.target ?? `${taker.entity}:${taker.key}`);
  };
}

/** Resolves the words that mean the same object before and after the planned changes, and checks which people exist. */
export function accountOf(ports: ReconcilePorts): Account {
  const idOf = plannedIdOf(ports);
  return {
    idOf(to, word) {
      const id = idOf(to, word);
      const isKept = takerOf(to, word, ports) === null;
      return id === null || (isKept && isRenamed(id, ports)) ? null : id;
    },
    isThere: (id) => ports.service.observed('users', id) !== null,
  };
}

/** True if a person is about to get another word, because the old one may mean nobody by the time it is needed. */
function isRenamed(id: string, { plan }: ReconcilePorts): boolean {
  const after = plan.plannedByTarget('users', id)?.after ?? {};
  return (TRAITS.users.words ?? []).some((name) => after[name] !== undefined);
}

/** The name that an office is about to get instead of this one; null if it keeps this one. */
export function newNameOf(officeId: string, natural: string, ports: ReconcilePorts): string | null {
  const change = ports.plan.plannedByTarget('offices', officeId);
  const name = change?.after.name;
  if (typeof name !== 'string') return null;
  const country = ports.service.observed('offices', officeId)?.values.country ?? '';
  return officeKey(String(country), name) === natural ? null : name;
}
