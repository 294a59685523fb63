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

/** The record of another office that is to have this name and cannot get it: which of the two is meant, nobody knows. */
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

/** What a word will mean once the changes planned so far are made: null where that is yet to be created. */
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
 * What a word will mean once the changes planned so far are made: the object that takes the word, or, for one that is yet
 * to be created, its own name, which is no object's id.
 */
export function plannedIdOf(ports: TakerPorts): IdOf {
  const idOf = idOfIn(ports.service.directory);
  return (to, word) => {
    const taker = takerOf(to, word, ports);
    return taker === null ? idOf(to, word) : (taker.target ?? `${taker.entity}:${taker.key}`);
  };
}

/** Whom words mean from before the planned changes until after them, and who is there at all. */
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

/** Whether a person is about to get another word: the old one may mean nobody by the time it is needed. */
function isRenamed(id: string, { plan }: ReconcilePorts): boolean {
  const after = plan.plannedByTarget('users', id)?.after ?? {};
  return (TRAITS.users.words ?? []).some((name) => after[name] !== undefined);
}

/** The name that an office is about to have instead of this one; null when it keeps it. */
export function newNameOf(officeId: string, natural: string, ports: ReconcilePorts): string | null {
  const change = ports.plan.plannedByTarget('offices', officeId);
  const name = change?.after.name;
  if (typeof name !== 'string') return null;
  const country = ports.service.observed('offices', officeId)?.values.country ?? '';
  return officeKey(String(country), name) === natural ? null : name;
}
