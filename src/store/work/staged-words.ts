import { officeKey } from '../../model/directory.js';
import type { Entity } from '../../model/entity.js';
import type { Sqlite } from '../sqlite.js';
import { JOINED, MOVED } from './work-tables.js';

/**
 * What the staged records name: words for people, customers, projects and tags. They decide what a run reads, and what
 * may not be deleted yet.
 */
export interface StagedWords {
  /** Customers' external ids of the projects that may need a change. */
  customersOfCandidates(contextHash: string): readonly string[];
  customersOfStaged(): readonly string[];
  /** Words for the people whose CVs the staged records of an entity lie on. */
  usersOfStaged(entity: Entity): readonly string[];
  /** The same, of records that may need a change; `unlinked`: only of those without a link. */
  usersOfCandidates(entity: Entity, contextHash: string, unlinked: boolean): readonly string[];
  /** The same, as last agreed, of links whose record is not delivered any more. */
  usersOfMissing(entity: Entity): readonly string[];
  /** Active people whose record says something of a field, by the service's id. */
  linkedWith(field: string): readonly string[];
  /** Tags of a category as written last, each with how many active people it was written for. */
  writtenTags(category: string): readonly { readonly tag: string; readonly people: number }[];
  /** Whether a pair was found equal with the tag, or the office, before. */
  wasTagInBase(category: string, tag: string): boolean;
  wasOfficeInBase(country: string, name: string): boolean;
  /** Words for the projects of links that may have to be made. */
  projectsOfUnlinked(): readonly string[];
  /** Offices by their natural key that are in the scope of a manager: how many records name one, and one of them. */
  namersOfOffices(): ReadonlyMap<string, { readonly records: number; readonly first: string }>;
  /** Of a category's tags by external id: how many records name it in any of their fields, and one of them. */
  namersOfTags(category: string): ReadonlyMap<string, { readonly records: number; readonly first: string }>;
}

export function createStagedWords(sqlite: Sqlite): StagedWords {
  const customersMoved = sqlite
    .prepare<[string], string>(
      `SELECT DISTINCT json_extract(s.body, '$.customer') AS customer FROM ${JOINED}
       WHERE s.entity = 'projects' AND s.state = 'desired' AND customer IS NOT NULL AND ${MOVED} ORDER BY customer`,
    )
    .pluck();
  const customersAll = sqlite
    .prepare<[], string>(
      `SELECT DISTINCT json_extract(body, '$.customer') AS customer FROM staged
       WHERE entity = 'projects' AND state = 'desired' AND customer IS NOT NULL ORDER BY customer`,
    )
    .pluck();
  const naming = ['tags', 'cv_tags', 'role_allowed_tags'].map(
    (field) => `SELECT s.entity || ':' || s.key AS ref, item.value AS tag
      FROM staged s, json_each(json_extract(s.body, '$.${field}')) held,
        json_each(CASE held.type WHEN 'array' THEN held.value ELSE json_array(held.value) END) item
      WHERE s.state = 'desired' AND held.key = $category AND item.value IS NOT NULL`,
  );
  const namers = sqlite.prepare<[{ category: string }], { tag: string; records: number; first: string }>(
    `SELECT tag, count(*) AS records, min(ref) AS first FROM (${naming.join(' UNION ')}) GROUP BY tag`,
  );
  const scoped = sqlite.prepare<[], { country: string; name: string; records: number; first: string }>(
    `SELECT json_extract(item.value, '$.country') AS country, json_extract(item.value, '$.name') AS name,
        count(*) AS records, min(s.entity || ':' || s.key) AS first
      FROM staged s, json_each(json_extract(s.body, '$.role_allowed_offices')) item
      WHERE s.entity = 'users' AND s.state = 'desired' AND country IS NOT NULL AND name IS NOT NULL
        AND (json_extract(s.body, '$.roles') IS NULL
          OR EXISTS (SELECT 1 FROM json_each(json_extract(s.body, '$.roles')) role WHERE role.value = 'departmentmanager'))
      GROUP BY country, name`,
  );

  const usersAll = sqlite
    .prepare<[string], string>(
      `SELECT DISTINCT json_extract(body, '$.user') AS user FROM staged
       WHERE entity = ? AND state IN ('desired', 'leaver') AND user IS NOT NULL ORDER BY user`,
    )
    .pluck();
  const usersMoved = (condition: string) =>
    sqlite
      .prepare<[string, string], string>(
        `SELECT DISTINCT json_extract(s.body, '$.user') AS user FROM ${JOINED}
         WHERE s.entity = ? AND s.state IN ('desired', 'leaver') AND user IS NOT NULL AND ${MOVED} AND ${condition}
         ORDER BY user`,
      )
      .pluck();
  const [usersCandidate, usersUnlinked] = [usersMoved('1'), usersMoved('o.id IS NULL')];
  const usersMissing = sqlite
    .prepare<[string], string>(
      `SELECT DISTINCT json_extract(l.agreed, '$.user') AS user FROM state.links l
       WHERE l.entity = ? AND user IS NOT NULL
         AND NOT EXISTS (SELECT 1 FROM staged s WHERE s.entity = l.entity AND s.key = l.source_key) ORDER BY user`,
    )
    .pluck();
  const projectsUnlinked = sqlite
    .prepare<[], string>(
      `SELECT DISTINCT json_extract(s.body, '$.project') AS project FROM ${JOINED}
       WHERE s.entity = 'staffing' AND s.state = 'desired' AND project IS NOT NULL AND o.id IS NULL ORDER BY project`,
    )
    .pluck();

  const linkedWith = sqlite
    .prepare<[string], string>(
      `SELECT l.service_id FROM ${JOINED} WHERE s.entity = 'users' AND s.state = 'desired' AND o.active = 1
         AND json_extract(s.body, ?) IS NOT NULL ORDER BY l.service_id`,
    )
    .pluck();
  const writtenTags = sqlite.prepare<[string], { tag: string; people: number }>(
    `SELECT t.value AS tag, count(*) AS people FROM state.links l
     JOIN main.objects o ON o.entity = l.entity AND o.id = l.service_id, json_each(l.written, '$.tags') t
     WHERE l.entity = 'users' AND o.active = 1 AND t.key = ? AND t.value IS NOT NULL GROUP BY t.value ORDER BY t.value`,
  );

  const agreedTags = ['tags', 'cv_tags', 'role_allowed_tags'].map(
    (field) => `SELECT 1 FROM state.links l, json_each(l.agreed, '$.${field}') held,
        json_each(CASE held.type WHEN 'array' THEN held.value ELSE json_array(held.value) END) item
      WHERE held.key = $category AND item.value = $tag`,
  );
  const tagAgreed = sqlite
    .prepare<[{ category: string; tag: string }], number>(`${agreedTags.join(' UNION ALL ')} LIMIT 1`)
    .pluck();
  const officeAgreed = sqlite
    .prepare<[string, string], number>(
      `SELECT 1 FROM state.links l, (SELECT lower(?) AS country, lower(?) AS name) wanted WHERE l.entity = 'users' AND (
         lower(json_extract(l.agreed, '$.office.country')) = wanted.country
           AND lower(json_extract(l.agreed, '$.office.name')) = wanted.name
         OR EXISTS (SELECT 1 FROM json_each(l.agreed, '$.role_allowed_offices') item
           WHERE lower(json_extract(item.value, '$.country')) = wanted.country
             AND lower(json_extract(item.value, '$.name')) = wanted.name)) LIMIT 1`,
    )
    .pluck();

  return {
    wasTagInBase: (category, tag) => tagAgreed.get({ category, tag }) !== undefined,
    wasOfficeInBase: (country, name) => officeAgreed.get(country, name) !== undefined,
    customersOfCandidates: (contextHash) => customersMoved.all(contextHash),
    customersOfStaged: () => customersAll.all(),
    usersOfStaged: (entity) => usersAll.all(entity),
    usersOfCandidates: (entity, contextHash, unlinked) =>
      (unlinked ? usersUnlinked : usersCandidate).all(entity, contextHash),
    usersOfMissing: (entity) => usersMissing.all(entity),
    linkedWith: (field) => linkedWith.all(`$.${field}`),
    writtenTags: (category) => writtenTags.all(category),
    projectsOfUnlinked: () => projectsUnlinked.all(),
    namersOfOffices: () =>
      new Map(
        scoped
          .all()
          .map(({ country, name, records, first }) => [officeKey(country, name), { records, first }] as const),
      ),
    namersOfTags: (category) =>
      new Map(namers.all({ category }).map(({ tag, records, first }) => [tag, { records, first }] as const)),
  };
}
