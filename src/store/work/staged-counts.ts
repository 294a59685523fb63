import type { Entity } from '../../model/entity.js';
import { packedValue } from '../packed-values.js';
import type { Sqlite } from '../sqlite.js';
import { createStatements } from '../statements.js';
import type { SeenStaging } from './known-rows.js';
import type { Pending } from './pending.js';
import { PENDING_JOINED } from './work-tables.js';

/** CROSS, because there are few such objects and an index contains exactly these. */
const INACTIVE_LINKED = `(SELECT entity, id FROM main.objects WHERE active = 0) o
  CROSS JOIN state.links l ON l.entity = o.entity AND l.service_id = o.id`;

interface CountedOf {
  readonly entity: Entity;
  readonly source?: string;
}

/** Counts for guards and for decisions about entire sources. */
export function createStagedCounts(sqlite: Sqlite, { isAllOf }: SeenStaging, { takeIn }: Pending, isOwn: boolean) {
  const { count } = createStatements(sqlite);
  const remembered = isOwn ? forgetful : createMemory(sqlite);
  const unreadable = count(
    `SELECT count(*) FROM ${PENDING_JOINED} WHERE p.entity = $entity AND l.service_id IS NULL
       AND (s.state IN ('held', 'duplicate') OR (s.state = 'out' AND s.body IS NULL))`,
  );
  // Rows that are not pending have a link and an object, so only pending rows need this join.
  const DELIVERED = `s.source = $source AND s.state <> 'gone'`;
  const countPresent = (delivered: string) =>
    count(
      `SELECT (${delivered})
         - (SELECT count(*) FROM ${PENDING_JOINED} WHERE p.entity = $entity AND ${DELIVERED}
             AND (l.service_id IS NULL OR o.active IS 0))
         - (SELECT count(*) FROM ${INACTIVE_LINKED} CROSS JOIN staged s ON s.entity = l.entity AND s.key = l.source_key
             WHERE o.entity = $entity AND ${DELIVERED}
               AND NOT EXISTS (SELECT 1 FROM pending p WHERE p.entity = s.entity AND p.key = s.key))`,
    );
  const presentOfSome = countPresent(`SELECT count(*) FROM staged s WHERE s.entity = $entity AND ${DELIVERED}`);
  // Indexes have the answer, so no rows are read.
  const presentOfAll = countPresent(`SELECT count(*) - (SELECT count(*) FROM staged_rows s
      WHERE s.entity = $entity AND s.state = 'gone' AND s.state NOT IN ('desired', 'leaver'))
    FROM staged_rows s WHERE s.entity = $entity`);
  const linkedPresent = (named: CountedOf): number =>
    (isAllOf(named.entity, named.source ?? '') ? presentOfAll : presentOfSome)(named);
  const differs = (name: 'name' | 'email', partOf: (value: string) => string): string => {
    const [desired, observed] = [packedValue('s.body', name), packedValue('o.body', name)];
    return `lower(trim(${partOf(desired)})) <> lower(trim(${partOf(observed)}))`;
  };
  const whole = (value: string): string => value;
  const localPart = (email: string): string => `substr(${email}, 1, instr(${email}, '@'))`;
  const replacedPeople = count(
    `SELECT count(*) FROM ${PENDING_JOINED} WHERE p.entity = 'users' AND s.source = $source AND s.state = 'desired' AND o.active = 1
       AND l.desired_hash IS NOT s.hash AND ${differs('name', whole)} AND ${differs('email', localPart)}
       AND NOT EXISTS (SELECT 1 FROM main.object_keys k
         WHERE k.kind = (SELECT t.id FROM main.shared_texts t WHERE t.text = 'users.email') AND k.value = lower(trim(${packedValue('s.body', 'email')})))`,
  );
  const linkedActive = count(
    `SELECT (SELECT count(*) FROM state.links l WHERE l.entity = $entity)
       - (SELECT count(*) FROM pending p JOIN state.links l ON l.entity = p.entity AND l.source_key = p.key
           LEFT JOIN main.objects o ON o.entity = l.entity AND o.id = l.service_id
           WHERE p.entity = $entity AND o.id IS NULL)
       - (SELECT count(*) FROM ${INACTIVE_LINKED} WHERE o.entity = $entity)`,
  );
  const desired = count(`SELECT count(*) FROM staged s WHERE s.entity = $entity AND s.state = 'desired'`);
  const fresh = count(
    `SELECT count(*) FROM ${PENDING_JOINED} WHERE p.entity = $entity AND s.state = 'desired' AND l.service_id IS NULL`,
  );
  /** Returns a count that stays valid until its data is written. */
  const kept = (name: string, countAll: (named: CountedOf) => number) => (named: CountedOf) => {
    takeIn();
    return remembered(`${name} ${Object.values(named).join(' ')}`, () => countAll(named));
  };
  const counts = {
    present: kept('present', linkedPresent),
    active: kept('active', linkedActive),
    desired: kept('desired', desired),
  };
  return {
    /** Number of unlinked rows that cannot be used: held, duplicate, or both out of scope and unreadable. */
    unreadableUnlinked(entity: Entity): number {
      takeIn();
      return unreadable({ entity });
    },
    /** Number of linked objects with a row from a source, usable or not. Objects known to be inactive do not count. */
    linkedPresent: (entity: Entity, source: string) => counts.present({ entity, source }),
    /** Number of linked people with a row that has another name than their account, and an address that no account has. */
    replacedPeople(source: string): number {
      takeIn();
      return replacedPeople({ source });
    },
    /** Number of linked, active objects, which guards' percentages are based on. */
    linkedActive: (entity: Entity) => counts.active({ entity }),
    /** Number of people or objects in the sources, and how many of them had no link at the start of the run. */
    keyCounts: (entity: Entity) => ({ all: counts.desired({ entity }), fresh: fresh({ entity }) }),
  };
}

const forgetful = (_name: string, countAll: () => number): number => countAll();

/** Stores counts in mirror.db. Triggers delete them all when a row changes. */
function createMemory(sqlite: Sqlite) {
  const { run, value, values } = createStatements(sqlite);
  const find = value<number>('SELECT value FROM counted WHERE name = $name');
  const keep = run('INSERT OR REPLACE INTO counted (name, value) VALUES ($name, $value)');
  const shown = values<string>("SELECT entity || ' ' || source FROM shown ORDER BY entity, source");
  return (what: string, countAll: () => number): number => {
    // Hidden rows do not count, so the name includes the shown streams.
    const name = `${what}, of ${shown().join(', ')}`;
    const known = find({ name });
    if (known !== null) return known;
    const counted = countAll();
    keep({ name, value: counted });
    return counted;
  };
}
