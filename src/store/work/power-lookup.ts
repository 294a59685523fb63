import type { Entity } from '../../model/entity.js';
import { PLAIN_ROLES } from '../../model/fields.js';
import type { Change, Power } from '../../model/plan.js';
import { packedValue } from '../packed-values.js';
import type { Sqlite } from '../sqlite.js';
import { createStatements, eachRow } from '../statements.js';

const PLAIN = PLAIN_ROLES.map((role) => `'${role}'`).join(', ');
const rules = (list: string): string =>
  `EXISTS (SELECT 1 FROM json_each(coalesce(${list}, '[]')) r WHERE r.value NOT IN (${PLAIN}))`;
/** True if the account `o` has a role with power over others. */
const RULES = `(${rules(packedValue('o.body', 'roles'))} OR coalesce(${packedValue('o.body', 'role')}, 'consultant') NOT IN (${PLAIN}))`;
const ACCOUNT = "main.objects o ON o.entity = 'users' AND o.id =";

/** Finds the people in the plan who have power or would get it. No other people are examined individually. */
export function createPowerLookup(sqlite: Sqlite) {
  const { all, run, values } = createStatements(sqlite);
  const ruling = all<{ ref: string; body: string }>(
    `SELECT p.ref, p.body FROM planned p LEFT JOIN ${ACCOUNT} p.target
     WHERE +p.entity = 'users' AND p.ref > $ref AND p.part_of IS NULL AND p.action IN ('create', 'update', 'relink', 'reactivate')
       AND (${rules("json_extract(p.body, '$.after.roles')")} OR ${RULES}) ORDER BY p.ref LIMIT 500`,
  );
  // If the object already has the record's own number, it was linked to this record before.
  const adopted = all<{ key: string; id: string }>(
    `SELECT a.key, a.id FROM adopted a JOIN ${ACCOUNT} a.id
     WHERE a.entity = 'users' AND a.key > $key AND a.by NOT LIKE 'external_unique_id%' AND ${RULES}
     ORDER BY a.key LIMIT 500`,
  );
  const leaving = values<string>(
    `SELECT ref FROM planned WHERE entity = 'users' AND action = 'deactivate' AND body ->> '$.power' IS NOT NULL ORDER BY ref`,
  );
  const parts = values<string>('SELECT body FROM planned WHERE part_of = $ref ORDER BY ref');
  const mark = run("UPDATE planned SET body = json_set(body, '$.power', $power) WHERE ref = $ref");
  const unadopt = run('INSERT OR IGNORE INTO unadopted VALUES ($entity, $key)');
  return {
    /** Changes to people who have a role with power or would get one. */
    *ruling(): Iterable<Change> {
      for (const { body } of eachRow(ruling, { ref: '' })) yield JSON.parse(body) as Change;
    },
    /** Records that this run matches to the account of a person with power. */
    adoptedRulers: (): Iterable<{ readonly key: string; readonly id: string }> => eachRow(adopted, { key: '' }),
    /** Deactivations of people to whom this program gave power. */
    leavingRulers: leaving,
    /** Changes that are made only because of another change. */
    partsOf: (ref: string) => parts({ ref }).map((body) => JSON.parse(body) as Change),
    /** Marks the power that a change gives. The change keeps its id. */
    markPower: (ref: string, power: Power) => void mark({ ref, power }),
    /** Removes a match that needs approval, so that nothing about it is stored. */
    unadopt: (entity: Entity, key: string) => void unadopt({ entity, key }),
  };
}
