import { idOfIn } from '../model/directory.js';
import { type IdOf, REFERENCE_KEYS, type Referable } from '../model/entity-keys.js';
import { foldKey } from '../model/observed.js';
import type { ReconcilePorts } from './ports.js';

/**
 * What a word will mean once the changes planned so far are made: the object that takes the word, or, for one that is yet
 * to be created, its own name, which is no object's id.
 */
export function plannedIdOf(ports: Pick<ReconcilePorts, 'directory' | 'claimants' | 'planned'>): IdOf {
  const idOf = idOfIn(ports.directory);
  return (to: Referable, word) => {
    if (to === 'industries') return idOf(to, word);
    for (const name of REFERENCE_KEYS[to] ?? []) {
      for (const key of ports.claimants(`${to}.${name}`, foldKey(word))) {
        const taker = ports.planned(`${to}:${key}`);
        if (taker !== null) return taker.target ?? `${to}:${key}`;
      }
    }
    return idOf(to, word);
  };
}
