import type { Config } from '../config/config.js';
import { ENTITIES, type Entity } from '../model/entity.js';
import type { Stores } from '../store/open-stores.js';
import { digestMapping } from './pins.js';

/** Path of each mapped field (`projects.workflow_stage`) → digest of its mapping, as of the last run that wrote. */
const MAPPINGS_FACT = 'mappings';

function digestAll(config: Config): Readonly<Record<string, string>> {
  const paths = ENTITIES.flatMap((entity) =>
    Object.keys(config.mappings[entity]?.fields ?? {}).map(
      (name) => [`${entity}.${name}`, digestMapping(config, entity, name)] as const,
    ),
  );
  return Object.fromEntries(paths);
}

/**
 * Fields whose mapping has changed since the last run that wrote. A value that did not stay under the old mapping may
 * stay under the new one, so it is tried again, even if it is the same.
 */
export function listRemapped(config: Config, { history }: Stores): (entity: Entity) => ReadonlySet<string> {
  const text = history.fact(MAPPINGS_FACT);
  if (text === null) return () => new Set();
  const then = JSON.parse(text) as Readonly<Record<string, string>>;
  const moved = Object.entries(digestAll(config)).filter(([path, digest]) => then[path] !== digest);
  return (entity) =>
    new Set(moved.flatMap(([path]) => (path.startsWith(`${entity}.`) ? [path.slice(entity.length + 1)] : [])));
}

/** Treats the remapped fields like all others from now on; none of them is frozen. */
export function settleRemapped(config: Config, stores: Stores): void {
  const { history, links, state } = stores;
  const remapped = listRemapped(config, stores);
  const now = JSON.stringify(digestAll(config));
  if (history.fact(MAPPINGS_FACT) === now) return;
  state.transaction(() => {
    for (const entity of ENTITIES) {
      const fields = remapped(entity);
      const isKept = (path: string): boolean => !fields.has(path.replace(/\..*$/, ''));
      for (const { key, untaken } of fields.size === 0 ? [] : links.frozen(entity)) {
        const kept = Object.entries(untaken).filter(([path]) => isKept(path));
        links.rememberUntaken(entity, key, Object.fromEntries(kept));
      }
    }
    history.setFact(MAPPINGS_FACT, now);
  });
}
