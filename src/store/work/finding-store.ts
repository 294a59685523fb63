import type { Acknowledgement, Hold, NamedHold } from '../../model/desired.js';
import type { Entity } from '../../model/entity.js';
import type { Values } from '../../model/json.js';
import { hideSecrets } from '../../secrets/secret.js';
import type { Sqlite } from '../sqlite.js';
import { createHoldCauses } from './hold-causes.js';
import { nameHold } from './name-hold.js';
import { parseOrNull } from './work-tables.js';

/** A linked pair found equal in this run. */
export interface FoundAgreement {
  readonly entity: Entity;
  readonly key: string;
  readonly base: Values;
  readonly desiredHash: string;
  readonly observedHash: string;
}

/** What reconciliation finds besides changes: who claims what, certain matches, equal pairs, and what is held. */
export interface FindingStore {
  /** Counts a claim of `key` on something unique: an object (`users`), or a value of a field (`users.email`). */
  claim(what: string, id: string, key: string): void;
  claimants(what: string, id: string): readonly string[];
  /** @param by what it matched by, as `external_unique_id` or `name + born_year` */
  adopt(entity: Entity, key: string, id: string, by: string): void;
  agree(entity: Entity, key: string, base: Values, desiredHash: string, observedHash: string): void;
  /** The object that a record is matched to in this run, and by what; null where there is none. */
  adoption(entity: Entity, key: string): { readonly id: string; readonly by: string } | null;
  adoptions(): readonly { readonly entity: Entity; readonly key: string; readonly id: string }[];
  agreements(): Iterable<FoundAgreement>;
  /** A pin whose source value or mapping is another one by now. */
  unpin(entity: Entity, key: string, path: string): void;
  unpinned(): readonly { readonly entity: Entity; readonly key: string; readonly path: string }[];
  /** Entry of `match` → objects adopted by it in this run. */
  adoptedBy(entity: Entity): Readonly<Record<string, number>>;
  countHolds(entity: Entity, codes: readonly string[]): number;
  /** Active objects that nobody's link knows and no record of this run claims. */
  strangerIds(entity: Entity, afterId: string, limit: number): readonly string[];
  strangers(entity: Entity, samples: number): { readonly count: number; readonly samples: readonly string[] };
  hold(hold: Hold): void;
  /** Takes back what was held of these records (`users:E17`) for that reason; answers how many of them have no change. */
  dropHolds(refs: Iterable<string>, code: string): number;
  /** A change that waits until a person has looked at it, and what there is to see. */
  suspect(ref: string, hold: Hold): void;
  suspects(): readonly { readonly ref: string; readonly hold: Hold }[];
  /** Of one cause a thousand, then one that stands for all others of it. */
  holds(): Iterable<NamedHold>;
  /** All that is held of one record. */
  holdsOf(entity: string, key: string): readonly NamedHold[];
  /** Something of that record is set aside. */
  isHeld(entity: string, key: string): boolean;
  isHeldAs(id: string): boolean;
  /** Marks the holds that somebody knows of. */
  acknowledgeHolds(inForce: ReadonlyMap<string, Acknowledgement>): void;
  holdCount(): number;
}

const PAGE = 500;

interface HoldRow extends Omit<Hold, 'conflict' | 'relink' | 'about'> {
  row: number;
  relink: string | null;
  conflict: string | null;
  id: string;
  acknowledged: string | null;
}

function toHold({ row: _row, id, conflict, relink, acknowledged, ...rest }: HoldRow): NamedHold {
  const known = parseOrNull<Acknowledgement>(acknowledged);
  return {
    id,
    ...rest,
    ...(conflict === null ? {} : { conflict }),
    ...(relink === null ? {} : { relink: JSON.parse(relink) as NonNullable<Hold['relink']> }),
    ...(known === null ? {} : { acknowledged: known }),
  };
}

export function createFindingStore(sqlite: Sqlite): FindingStore {
  const claim = sqlite.prepare('INSERT OR IGNORE INTO claims VALUES (?, ?, ?)');
  const claimants = sqlite
    .prepare<[string, string], string>('SELECT key FROM claims WHERE what = ? AND id = ? ORDER BY key')
    .pluck();
  const adopt = sqlite.prepare('INSERT OR REPLACE INTO adopted VALUES (?, ?, ?, ?)');
  const adoption = sqlite.prepare<[string, string], { id: string; by: string }>(
    'SELECT id, by FROM adopted WHERE entity = ? AND key = ?',
  );
  const adoptions = sqlite.prepare<[], { entity: Entity; key: string; id: string }>('SELECT * FROM adopted');
  const agree = sqlite.prepare('INSERT OR REPLACE INTO agreed VALUES (?, ?, ?, ?, ?)');
  const agreements = sqlite.prepare<
    [string, string, number],
    { entity: Entity; key: string; agreed: string; desired_hash: string; observed_hash: string }
  >(
    // A record of which anything is held is looked at again in every run: what is held would be forgotten else.
    `SELECT entity, key, agreed, desired_hash, CASE WHEN EXISTS (SELECT 1 FROM held h WHERE h.entity = a.entity AND h.key = a.key)
       THEN '' ELSE observed_hash END AS observed_hash
     FROM agreed a WHERE (entity, key) > (?, ?) ORDER BY entity, key LIMIT ?`,
  );
  const unpin = sqlite.prepare('INSERT OR IGNORE INTO unpinned VALUES (?, ?, ?)');
  const unpinned = sqlite.prepare<[], { entity: Entity; key: string; path: string }>('SELECT * FROM unpinned');
  const hold = sqlite.prepare('INSERT INTO held VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, NULL, ?, ?)');
  const causes = createHoldCauses(sqlite);
  const heldRecord = sqlite
    .prepare<[string, string], number>('SELECT 1 FROM held WHERE entity = ? AND key = ?')
    .pluck();
  const heldAs = sqlite.prepare<[string], number>('SELECT 1 FROM held WHERE id = ?').pluck();
  const acknowledge = sqlite.prepare('UPDATE held SET acknowledged = ? WHERE id = ?');
  const holdPage = sqlite.prepare<[number, number], HoldRow>(
    'SELECT rowid AS row, id, entity, key, place, code, reason, remedy, conflict, relink, acknowledged FROM held WHERE rowid > ? AND listed = 1 ORDER BY rowid LIMIT ?',
  );
  const ofRecord = sqlite.prepare<[string, string], HoldRow>(
    'SELECT rowid AS row, id, entity, key, place, code, reason, remedy, conflict, relink, acknowledged FROM held WHERE entity = ? AND key = ?',
  );
  const holdCount = sqlite.prepare<[], number>('SELECT count(*) FROM held').pluck();
  const suspect = sqlite.prepare('INSERT INTO suspects VALUES (?, ?)');
  const isPlanned = sqlite.prepare<[string], unknown>('SELECT 1 FROM planned WHERE ref = ?');
  const dropHold = sqlite.prepare("DELETE FROM held WHERE entity || ':' || key = ? AND code = ?");
  const suspects = sqlite.prepare<[], { ref: string; hold: string }>('SELECT ref, hold FROM suspects ORDER BY rowid');
  const adoptedBy = sqlite.prepare<[string], { by: string; n: number }>(
    'SELECT by, count(*) AS n FROM adopted WHERE entity = ? GROUP BY by ORDER BY n DESC, by',
  );
  const countHolds = sqlite
    .prepare<[string, string], number>(
      'SELECT count(*) FROM held WHERE entity = ? AND code IN (SELECT value FROM json_each(?))',
    )
    .pluck();
  const STRANGERS = `FROM main.objects o WHERE o.entity = ? AND o.active = 1
     AND NOT EXISTS (SELECT 1 FROM state.links l WHERE l.entity = o.entity AND l.service_id = o.id)
     AND NOT EXISTS (SELECT 1 FROM claims c WHERE c.what IN (o.entity, o.entity || '.maybe', o.entity || '.left') AND c.id = o.id)`;
  const strangerCount = sqlite.prepare<[string], number>(`SELECT count(*) ${STRANGERS}`).pluck();
  const strangerIds = sqlite
    .prepare<[string, string, number], string>(`SELECT o.id ${STRANGERS} AND o.id > ? ORDER BY o.id LIMIT ?`)
    .pluck();
  const strangerLabels = sqlite
    .prepare<[string, number], string>(`SELECT o.label ${STRANGERS} ORDER BY o.label, o.id LIMIT ?`)
    .pluck();
  return {
    claim: (what, id, key) => void claim.run(what, id, key),
    claimants: (what, id) => claimants.all(what, id),
    adopt: (entity, key, id, by) => void adopt.run(entity, key, id, by),
    agree: (entity, key, base, desiredHash, observedHash) =>
      void agree.run(entity, key, JSON.stringify(base), desiredHash, observedHash),
    adoption: (entity, key) => adoption.get(entity, key) ?? null,
    adoptions: () => adoptions.all(),
    *agreements() {
      for (let [entity, key] = ['', '']; ; ) {
        const rows = agreements.all(entity, key, PAGE);
        for (const row of rows) {
          yield {
            entity: row.entity,
            key: row.key,
            base: JSON.parse(row.agreed) as Values,
            desiredHash: row.desired_hash,
            observedHash: row.observed_hash,
          };
        }
        const last = rows.at(-1);
        if (last === undefined) return;
        ({ entity, key } = last);
      }
    },
    unpin: (entity, key, path) => void unpin.run(entity, key, path),
    unpinned: () => unpinned.all(),
    dropHolds(refs, code) {
      let idle = 0;
      for (const ref of refs) if (dropHold.run(ref, code).changes > 0 && isPlanned.get(ref) === undefined) idle += 1;
      return idle;
    },
    hold: (h) => {
      const { entity, key, code, remedy, conflict = null } = h;
      const relink = h.relink === undefined ? null : JSON.stringify(h.relink);
      // It quotes what cannot be used, which may be a key file that lies there as a delivery.
      const [place, reason] = [hideSecrets(h.place), hideSecrets(h.reason)];
      const { cause, listed } = causes.judge(h);
      hold.run(entity, key, place, code, reason, remedy, conflict, relink, nameHold(h), cause, listed ? 1 : 0);
    },
    *holds() {
      for (let last = 0; ; ) {
        const rows = holdPage.all(last, PAGE);
        for (const row of rows) {
          last = row.row;
          yield toHold(row);
        }
        if (rows.length === 0) break;
      }
      yield* causes.sums();
    },
    holdsOf: (entity, key) => ofRecord.all(entity, key).map(toHold),
    suspect: (ref, one) => void suspect.run(ref, JSON.stringify(one)),
    suspects: () => suspects.all().map(({ ref, hold: one }) => ({ ref, hold: JSON.parse(one) as Hold })),
    adoptedBy: (entity) => Object.fromEntries(adoptedBy.all(entity).map(({ by, n }) => [by, n])),
    countHolds: (entity, codes) => countHolds.get(entity, JSON.stringify(codes)) ?? 0,
    strangerIds: (entity, afterId, limit) => strangerIds.all(entity, afterId, limit),
    strangers: (entity, samples) => ({
      count: strangerCount.get(entity) ?? 0,
      samples: strangerLabels.all(entity, samples),
    }),
    isHeld: (entity, key) => heldRecord.get(entity, key) !== undefined,
    isHeldAs: (id) => heldAs.get(id) !== undefined || [...causes.sums()].some((sum) => sum.id === id),
    acknowledgeHolds(inForce) {
      causes.acknowledge(inForce);
      for (const [id, one] of inForce) acknowledge.run(JSON.stringify(one), id);
    },
    holdCount: () => holdCount.get() ?? 0,
  };
}
