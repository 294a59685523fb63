import { hideSecrets } from '../../base/secrets/secret.js';
import {
  type Acknowledgement,
  CONFLICT,
  type HeldCounts,
  type Hold,
  type NamedHold,
  NOTE,
} from '../../model/desired.js';
import type { Entity } from '../../model/entity.js';
import type { Values } from '../../model/json.js';
import type { Sqlite } from '../sqlite.js';
import { createStatements, eachRow, jsonOrNull, parseOrNull } from '../statements.js';
import { createHoldCauses, type HoldCauses } from './hold-causes.js';
import { nameHold } from './name-hold.js';

interface HoldRow extends Omit<Hold, 'field' | 'conflict' | 'relink' | 'about'> {
  readonly row: number;
  readonly cause: string;
  readonly field: string | null;
  readonly relink: string | null;
  readonly conflict: string | null;
  readonly id: string;
  readonly acknowledged: string | null;
}

function toHold({ row: _row, id, field, cause, conflict, relink, acknowledged, ...rest }: HoldRow): NamedHold {
  const known = parseOrNull<Acknowledgement>(acknowledged);
  return {
    id,
    ...rest,
    ...(field === null ? {} : { field }),
    cause,
    ...(conflict === null ? {} : { conflict }),
    ...(relink === null ? {} : { relink: JSON.parse(relink) as NonNullable<Hold['relink']> }),
    ...(known === null ? {} : { acknowledged: known }),
  };
}

/**
 * Values of `listed`: 0 if the hold only counts in the sum of its cause, 1 if it is listed, 2 if the plan covers
 * another object.
 */
const [LISTED, OF_OTHERS] = [1, 2];

/** Stores everything that a run sets aside, and changes that need attention. */
export function createHeldStore(sqlite: Sqlite) {
  const { all, any, count, one, run } = createStatements(sqlite);
  const causes = createHoldCauses(sqlite);
  const select = `SELECT rowid AS row, id, entity, key, place, code, reason, remedy, field, cause, conflict, relink, acknowledged FROM held`;
  const isHeld = any('SELECT 1 FROM held WHERE entity = $entity AND key = $key');
  const isHeldAs = any('SELECT 1 FROM held WHERE id = $id');
  const acknowledge = run('UPDATE held SET acknowledged = $one WHERE id = $id');
  // Streams of one entity are read one after another. Streams of different entities are read in parallel.
  const page = all<HoldRow>(
    `${select} WHERE (entity, rowid) > ($entity, $row) AND listed = ${LISTED} ORDER BY entity, rowid LIMIT 500`,
  );
  const ofRecord = all<HoldRow>(`${select} WHERE entity = $entity AND key = $key`);
  const counts = one<HeldCounts>(
    `SELECT count(*) FILTER (WHERE code <> '${CONFLICT}' AND field IS NULL) AS records,
       count(*) FILTER (WHERE code NOT IN ('${CONFLICT}', '${NOTE}') AND field IS NOT NULL) AS fields,
       count(*) FILTER (WHERE code = '${CONFLICT}') AS conflicts FROM held WHERE (listed = ${OF_OTHERS}) = $ofOthers`,
  );
  const everyone = all<Pick<Hold, 'entity' | 'key' | 'place'> & { readonly row: number }>(
    'SELECT rowid AS row, entity, key, place FROM held WHERE rowid > $row ORDER BY rowid LIMIT 500',
  );
  const tell = run('UPDATE held SET listed = $listed WHERE rowid = $row');
  const countHolds = count(
    'SELECT count(*) FROM held WHERE entity = $entity AND code IN (SELECT value FROM json_each($codes))',
  );
  return {
    ...createSuspects(sqlite),
    ...createFaulty(sqlite),
    hold: createHold(sqlite, causes),
    /** Yields up to a thousand holds per cause, then one hold that sums up the others. Equal reads give the same order. */
    *holds(): Iterable<NamedHold> {
      for (const row of eachRow(page, { entity: '', row: 0 })) yield toHold(row);
      yield* causes.sums();
    },
    holdsOf: (entity: string, key: string) => ofRecord({ entity, key }).map(toHold),
    countHolds: (entity: Entity, codes: readonly string[]) => countHolds({ entity, codes: JSON.stringify(codes) }),
    isHeld: (entity: string, key: string) => isHeld({ entity, key }),
    isHeldAs: (id: string) => isHeldAs({ id }) || [...causes.sums()].some((sum) => sum.id === id),
    /** Marks acknowledged holds. */
    acknowledgeHolds(inForce: ReadonlyMap<string, Acknowledgement>): void {
      causes.acknowledge(inForce);
      for (const [id, one] of inForce) acknowledge({ id, one: JSON.stringify(one) });
    },
    /** Limits the list to these holds, each listed separately. Other holds stay, but are counted separately. */
    tellOnly(isAbout: (hold: Pick<Hold, 'entity' | 'key' | 'place'>) => boolean): void {
      for (const { row, ...hold } of eachRow(everyone, { row: 0 }))
        tell({ row, listed: isAbout(hold) ? LISTED : OF_OTHERS });
    },
    holdCount: count(`SELECT count(*) FROM held WHERE listed <> ${OF_OTHERS}`),
    /** @param ofOthers true to count the holds that `tellOnly` left out */
    heldCounts: (ofOthers = false) => counts({ ofOthers: ofOthers ? 1 : 0 }) ?? { records: 0, fields: 0, conflicts: 0 },
  };
}

function createHold(sqlite: Sqlite, causes: HoldCauses) {
  const insert = createStatements(sqlite).run(
    `INSERT INTO held (entity, key, place, code, reason, remedy, field, conflict, relink, id, cause, listed)
     VALUES ($entity, $key, $place, $code, $reason, $remedy, $field, $conflict, $relink, $id, $cause, $listed)`,
  );
  return (hold: Hold): void => {
    const { conflict = null, field = null } = hold;
    // The text quotes unusable content, which may be a key file delivered by mistake.
    const [place, reason] = [hideSecrets(hold.place), hideSecrets(hold.reason)];
    const { cause, listed } = causes.judge({ ...hold, place, reason });
    const id = nameHold(hold);
    insert({
      ...hold,
      place,
      reason,
      field,
      conflict,
      relink: jsonOrNull(hold.relink),
      id,
      cause,
      listed: listed ? LISTED : 0,
    });
  };
}

export interface HeldPart {
  readonly key: string;
  readonly place: string;
  readonly values: Values;
}

/** Rows with a valid key and some unusable cells. Leavers' rows are stored separately. */
function createFaulty(sqlite: Sqlite) {
  const { all, run } = createStatements(sqlite);
  const insert = run('INSERT INTO faulty VALUES ($entity, $key, $hold)');
  const ofEntity = all<{ key: string; hold: string }>(
    'SELECT key, hold FROM faulty WHERE entity = $entity ORDER BY rowid',
  );
  const insertPart = run('INSERT INTO held_in_part VALUES ($entity, $key, $place, $body)');
  const parts = all<{ key: string; place: string; body: string }>(
    'SELECT key, place, body FROM held_in_part WHERE entity = $entity ORDER BY rowid',
  );
  return {
    /** Stores the readable part of an unusable row. */
    keepPart: (entity: Entity, { key, place, values }: HeldPart) =>
      void insertPart({ entity, key, place, body: JSON.stringify(values) }),
    heldInPart: (entity: Entity): readonly HeldPart[] =>
      parts({ entity }).map(({ body, ...part }) => ({ ...part, values: JSON.parse(body) as Values })),
    /** Stores the hold for a leaver's row, which only applies if the account is active. */
    keepFaulty: (entity: Entity, key: string, hold: Hold) => void insert({ entity, key, hold: JSON.stringify(hold) }),
    faultyLeavers: (entity: Entity) =>
      ofEntity({ entity }).map(({ key, hold }) => ({ key, hold: JSON.parse(hold) as Hold })),
  };
}

function createSuspects(sqlite: Sqlite) {
  const { all, any, run } = createStatements(sqlite);
  const insert = run('INSERT INTO suspects VALUES ($ref, $hold)');
  const suspects = all<{ ref: string; hold: string }>('SELECT ref, hold FROM suspects ORDER BY rowid');
  const isPlanned = any('SELECT 1 FROM planned WHERE ref = $ref');
  const drop = run("DELETE FROM held WHERE entity || ':' || key = $ref AND code = $code");
  return {
    /** Stores a change that needs attention, with the hold that explains it. */
    suspect: (ref: string, hold: Hold) => void insert({ ref, hold: JSON.stringify(hold) }),
    suspects: () => suspects().map(({ ref, hold }) => ({ ref, hold: JSON.parse(hold) as Hold })),
    /** Removes the records' (`users:E17`) holds with that code. Returns how many of these records have no change. */
    dropHolds(refs: Iterable<string>, code: string): number {
      let idle = 0;
      for (const ref of refs) if (drop({ ref, code }) > 0 && !isPlanned({ ref })) idle += 1;
      return idle;
    },
  };
}
