import type { DueDeparture, Namers } from '../../model/departure.js';
import { ENTITIES, isAccount, liesOnCv, TRAITS } from '../../model/entity.js';
import { FIELDS } from '../../model/fields.js';
import { foldKey } from '../../model/observed.js';
import type { Place } from '../../model/place.js';
import { packedJson, packedValue } from '../packed-values.js';
import type { Sqlite } from '../sqlite.js';
import { createStatements, eachRow, parseOrNull } from '../statements.js';

/** Finds accounts that this run may delete permanently, and the records that prevent this. */
export function createDueDepartures(sqlite: Sqlite) {
  const { all, each, values } = createStatements(sqlite);
  const due = all<Omit<DueDeparture, 'place'> & { readonly place: string | null }>(
    `SELECT d.source_key AS key, d.service_id AS serviceId, d.run, d.at, d.stamp, d.deleted_at AS deletedAt, s.state, s.place
     FROM state.departures d
     JOIN state.links l ON l.entity = d.entity AND l.source_key = d.source_key AND l.service_id = d.service_id
     JOIN main.objects o ON o.entity = d.entity AND o.id = d.service_id AND o.active = 0
     LEFT JOIN staged s ON s.entity = d.entity AND s.key = d.source_key
     WHERE d.entity = 'users' AND d.deleted_at IS NULL AND d.at <= $before AND d.source_key > $key
       AND (s.key IS NULL OR s.state IN ('leaver', 'out')) ORDER BY d.source_key LIMIT 500`,
  );
  const naming = ENTITIES.filter((entity) => !liesOnCv(entity)).flatMap((entity) =>
    Object.entries(FIELDS[entity])
      .filter(([, { to }]) => isAccount(to))
      .map(
        ([field]) => `SELECT s.entity || ':' || s.key AS ref, item.value AS word
          FROM staged s, json_each(${packedJson('s.body', field)}) item
          WHERE s.entity = '${entity}' AND s.state = 'desired' AND item.value IS NOT NULL`,
      ),
  );
  const namers = each<{ ref: string; word: string }>(`${naming.join(' UNION ')} ORDER BY ref`);
  const words = (TRAITS.users.words ?? []).map((name) => packedValue('l.agreed', name, 'state'));
  const gone = values<string>(
    `SELECT DISTINCT w.value FROM state.links l
     LEFT JOIN main.objects o ON o.entity = l.entity AND o.id = l.service_id
     LEFT JOIN staged s ON s.entity = l.entity AND s.key = l.source_key, json_each(json_array(${words.join(', ')})) w
     WHERE l.entity = 'users' AND o.id IS NULL AND (s.key IS NULL OR s.state IN ('leaver', 'out')) AND w.value IS NOT NULL`,
  );
  return {
    /** Words for people whom no row asks for. Others deleted their accounts, or a run did that this state does not know. */
    wordsOfGone: () => gone(),
    /**
     * People whom talent-sync deactivated before a given time, who are still linked and inactive, and whom no row asks
     * for.
     */
    *dueDepartures(before: string): Iterable<DueDeparture> {
      for (const row of eachRow(({ key }) => due({ before, key }), { key: '' }))
        yield { ...row, place: parseOrNull<Place>(row.place) };
    },
    /** Maps folded words for people to the projects and proposals that name them. Data on CVs is deleted with the CV. */
    namersOfPeople(): ReadonlyMap<string, Namers> {
      const found = new Map<string, Namers>();
      for (const { ref, word } of namers()) {
        const known = found.get(foldKey(word));
        found.set(foldKey(word), { records: (known?.records ?? 0) + 1, first: known?.first ?? ref });
      }
      return found;
    },
  };
}
