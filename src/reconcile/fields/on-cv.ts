import { type Entity, liesOnCv } from '../../model/entity.js';
import type { Values } from '../../model/json.js';
import { standingOf, whyLeftAlone } from '../../model/left-alone.js';
import type { Change } from '../../model/plan.js';
import type { ReconcilePorts } from '../ports.js';
import { idOfPlanned, takerOfWord } from './planned-places.js';

/**
 * The ports for planning a record on somebody's CV, by the state of the account after the run:
 *
 * | the account                          | →                                                                |
 * |--------------------------------------|------------------------------------------------------------------|
 * | is active, or is created             | planned                                                          |
 * | is inactive, or was deleted          | left alone: null                                                 |
 * | is about to be activated             | planned, and waits for that: a guard that holds it holds both    |
 * | is about to be deactivated           | left alone, and planned only if a guard holds the deactivation   |
 * | may be another person's              | planned, and waits for the answer                                |
 */
export function portsOnCv(
  entity: Entity,
  { values, userId }: { readonly values: Values; readonly userId: string | null },
  ports: ReconcilePorts,
): ReconcilePorts | null {
  if (!liesOnCv(entity)) return ports;
  const { plan, service } = ports;
  const idOf = idOfPlanned(ports);
  const people = {
    idOf,
    observed: service.observed,
    // A person who returns gets a new account, with everything that belongs on the CV.
    wasDeleted: (word: string) => takerOfWord('users', word, ports) === null && service.wasDeleted(word),
    plannedByTarget: plan.plannedByTarget,
  };
  const id = userId ?? (typeof values.user === 'string' ? idOf('users', values.user) : null);
  if (id === null) return whyLeftAlone(entity, values, people) === null ? ports : null;
  const standing = standingOf(id, people);
  const asked = plan.isInQuestion('users', id) ? plan.plannedByTarget('users', id) : null;
  if (asked !== null) return waitingFor(asked, ports);
  if (standing.kind === 'open') return ports;
  if (standing.kind === 'closed') return null;
  if (standing.kind === 'opens') return waitingFor(standing.change, ports);
  const ref = `${standing.change.entity}:${standing.change.key}`;
  const add = (change: Change): void => {
    plan.add(change);
    plan.keepUnless(`${change.entity}:${change.key}`, ref);
  };
  return { ...ports, plan: { ...plan, add, hold: () => undefined } };
}

function waitingFor({ entity, key }: Change, ports: ReconcilePorts): ReconcilePorts {
  const ref = `${entity}:${key}`;
  const add = (change: Change): void =>
    ports.plan.add({ ...change, needs: [...new Set([...change.needs, ref])].sort() });
  return { ...ports, plan: { ...ports.plan, add } };
}
