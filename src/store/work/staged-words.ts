import type { Namers } from '../../model/departure.js';
import { officeKey } from '../../model/directory.js';
import type { Entity } from '../../model/entity.js';
import { FIELDS, isByCategory } from '../../model/fields.js';
import { PEOPLE_MEANT } from '../../model/people-meant.js';
import { packedJson, packedValue } from '../packed-values.js';
import type { Sqlite } from '../sqlite.js';
import { createStatements } from '../statements.js';
import type { Pending } from './pending.js';
import { JOINED, PENDING_JOINED } from './work-tables.js';

/** The two ends of a link, in the words that its record uses. */
export interface LinkEnds {
  readonly user: string;
  readonly project: string;
}

/**
 * Finds the words in staged records that name people, customers, projects and tags. They determine what a run reads and
 * what must not be deleted yet.
 */
export function createStagedWords(sqlite: Sqlite, pending: Pending) {
  return {
    ...createReferences(sqlite, pending),
    ...createPeopleOfTags(sqlite),
    ...createNamers(sqlite),
    ...createAgreed(sqlite),
  };
}

function createReferences(sqlite: Sqlite, { takeIn }: Pending) {
  const { all, values } = createStatements(sqlite);
  const wordsOf = (field: string, condition: string, from = 'staged s') =>
    values<string>(
      `SELECT DISTINCT ${packedValue('s.body', field)} AS word FROM ${from}
       WHERE s.entity = $entity AND word IS NOT NULL AND ${condition} ORDER BY word`,
    );
  const isWanted = `s.state = 'desired'`;
  const isHere = `s.state IN ('desired', 'leaver')`;
  const customersAll = wordsOf('customer', isWanted);
  const industriesAll = wordsOf('industry', isWanted);
  const usersAll = wordsOf('user', isHere);
  const endsUnlinked = all<LinkEnds>(
    `SELECT ${packedValue('s.body', 'user')} AS user, ${packedValue('s.body', 'project')} AS project FROM ${PENDING_JOINED}
     WHERE p.entity = $entity AND ${isHere} AND o.id IS NULL AND user IS NOT NULL AND project IS NOT NULL
     ORDER BY user, project`,
  );
  const projectsUnlinked = wordsOf('project', `p.entity = $entity AND ${isWanted} AND o.id IS NULL`, PENDING_JOINED);
  const usersMeant = values<string>(
    `SELECT DISTINCT meant.value FROM ${JOINED}, json_each(${packedJson('l.agreed', PEOPLE_MEANT, 'state')}) meant
     WHERE s.entity = $entity AND ${isHere} ORDER BY meant.value`,
  );
  const usersMissing = values<string>(
    `SELECT DISTINCT ${packedValue('l.agreed', 'user', 'state')} AS user
     FROM pending p CROSS JOIN state.links l ON l.entity = p.entity AND l.source_key = p.key
     WHERE p.entity = $entity
       AND NOT EXISTS (SELECT 1 FROM staged s WHERE s.entity = l.entity AND s.key = l.source_key) AND user IS NOT NULL
     ORDER BY user`,
  );
  return {
    /** The external ids of customers that staged projects name. */
    customersOfStaged: () => customersAll({ entity: 'projects' }),
    industriesOfStaged: () => industriesAll({ entity: 'customers' }),
    /** Words for the people who own an entity's staged records on their CVs, and ids that such words stood for. */
    usersOfStaged: (entity: Entity) => [...usersAll({ entity }), ...usersMeant({ entity })],
    /** The ends of links that this run may have to create. */
    endsOfUnlinked(entity: Entity): readonly LinkEnds[] {
      takeIn();
      return endsUnlinked({ entity });
    },
    /** People from the base of links that have lost their record. */
    usersOfMissing(entity: Entity): readonly string[] {
      takeIn();
      return usersMissing({ entity });
    },
    /** Words for the projects of links that this run may have to create. */
    projectsOfUnlinked(): readonly string[] {
      takeIn();
      return projectsUnlinked({ entity: 'staffing' });
    },
  };
}

function createPeopleOfTags(sqlite: Sqlite) {
  const { all, values } = createStatements(sqlite);
  const linkedWith = values<string>(
    `SELECT l.service_id FROM ${JOINED} WHERE s.entity = 'users' AND s.state = 'desired' AND o.active = 1
       AND ${packedValue('s.body', '$field')} IS NOT NULL ORDER BY l.service_id`,
  );
  const writtenTags = all<{ tag: string; people: number }>(
    `SELECT tag.value AS tag, count(*) AS people FROM state.links l
     JOIN main.objects o ON o.entity = l.entity AND o.id = l.service_id, json_each(${packedValue('l.written', 'tags', 'state')}) tag
     WHERE l.entity = 'users' AND o.active = 1 AND tag.key = $category AND tag.value IS NOT NULL
     GROUP BY tag.value ORDER BY tag.value`,
  );
  const wantedTags = all<{ tag: string; people: number }>(
    `SELECT tag.value AS tag, count(*) AS people FROM staged s, json_each(${packedValue('s.body', 'tags')}) tag
     WHERE s.entity = 'users' AND s.state = 'desired' AND tag.key = $category AND tag.value IS NOT NULL
     GROUP BY tag.value ORDER BY tag.value`,
  );
  return {
    /** Ids of active people with a record that has a value for the field. */
    linkedWith: (field: string) => linkedWith({ field }),
    /** Tags of a category as last written, with the number of active people that each was written for. */
    writtenTags: (category: string) => writtenTags({ category }),
    /** Tags of a category that the sources want, with the number of people that each is wanted for. */
    wantedTags: (category: string) => wantedTags({ category }),
  };
}

/** Fields with values of the form `{ category: tag }` or `{ category: [tag, …] }`. */
const TAG_FIELDS = [
  ...new Set(
    Object.values(FIELDS).flatMap((fields) => Object.keys(fields).filter((name) => isByCategory(fields[name]))),
  ),
];
const EACH_TAG = `json_each(CASE held.type WHEN 'array' THEN held.value ELSE json_array(held.value) END) item`;

function createNamers(sqlite: Sqlite) {
  const { all } = createStatements(sqlite);
  const naming = TAG_FIELDS.map(
    (field) => `SELECT s.entity || ':' || s.key AS ref, item.value AS tag
      FROM staged s, json_each(${packedValue('s.body', field)}) held, ${EACH_TAG}
      WHERE s.state = 'desired' AND held.key = $category AND item.value IS NOT NULL`,
  );
  const ofTags = all<Namers & { readonly tag: string }>(
    `SELECT tag, count(*) AS records, min(ref) AS first FROM (${naming.join(' UNION ')}) GROUP BY tag`,
  );
  const ofOffices = all<Namers & { readonly country: string; readonly name: string }>(
    `SELECT json_extract(item.value, '$.country') AS country, json_extract(item.value, '$.name') AS name,
        count(*) AS records, min(s.entity || ':' || s.key) AS first
      FROM staged s, json_each(${packedValue('s.body', 'role_allowed_offices')}) item
      WHERE s.entity = 'users' AND s.state = 'desired' AND country IS NOT NULL AND name IS NOT NULL
        AND (${packedValue('s.body', 'roles')} IS NULL
          OR EXISTS (SELECT 1 FROM json_each(${packedValue('s.body', 'roles')}) role WHERE role.value = 'departmentmanager'))
      GROUP BY country, name`,
  );
  return {
    /** Offices in managers' scopes, by natural key: how many records name each, with one of these records. */
    namersOfOffices: () =>
      new Map(ofOffices().map(({ country, name, ...namers }) => [officeKey(country, name), namers])),
    /** Tags of a category, by external id: how many records name each in any field, with one of these records. */
    namersOfTags: (category: string) => new Map(ofTags({ category }).map(({ tag, ...namers }) => [tag, namers])),
  };
}

function createAgreed(sqlite: Sqlite) {
  const { all, any } = createStatements(sqlite);
  const agreedTags = TAG_FIELDS.map(
    (field) => `SELECT 1 FROM state.links l, json_each(${packedValue('l.agreed', field, 'state')}) held, ${EACH_TAG}
      WHERE held.key = $category AND item.value = $tag`,
  );
  const tagAgreed = any(`${agreedTags.join(' UNION ALL ')} LIMIT 1`);
  const office = packedValue('l.agreed', 'office', 'state');
  const officeAgreed = any(
    `SELECT 1 FROM state.links l, (SELECT lower($country) AS country, lower($name) AS name) wanted WHERE l.entity = 'users' AND (
       lower(${office} ->> 'country') = wanted.country AND lower(${office} ->> 'name') = wanted.name
       OR EXISTS (SELECT 1 FROM json_each(${packedValue('l.agreed', 'role_allowed_offices', 'state')}) item
         WHERE lower(json_extract(item.value, '$.country')) = wanted.country
           AND lower(json_extract(item.value, '$.name')) = wanted.name)) LIMIT 1`,
  );
  const officesAgreed = all<{ country: string; name: string; id: string }>(
    `SELECT DISTINCT ${office} ->> 'country' AS country, ${office} ->> 'name' AS name,
       ${packedValue('l.agreed', 'office_id', 'state')} AS id
     FROM state.links l JOIN staged s ON s.entity = l.entity AND s.key = l.source_key
     WHERE l.entity = 'users' AND s.state = 'desired' AND country IS NOT NULL AND name IS NOT NULL AND id IS NOT NULL`,
  );
  return {
    /** Offices of present people who were found equal, by the names in their records. */
    officesAgreed,
    /** True if a pair with this tag was found equal before. `wasOfficeInBase` does the same for an office. */
    wasTagInBase: (category: string, tag: string) => tagAgreed({ category, tag }),
    wasOfficeInBase: (country: string, name: string) => officeAgreed({ country, name }),
  };
}
