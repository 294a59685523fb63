import { isJsonObject } from '../../model/json.js';
import type { World } from '../account/world.js';
import { renderCvPreview } from '../answers/render-cv.js';
import type { Call } from '../calls/call.js';
import { foldText } from '../fields/languages.js';
import { refuse } from '../fields/refusal.js';
import { isSectionType } from '../fields/section-kinds.js';
import { type Body, checkInteger, readBody } from '../fields/values.js';
import { type OwnedCv, readMasterCv } from '../records/cvs.js';

/**
 * Searches CVs. `size` is required. Without `must`, the response has additional fields that clients should not rely on (spec,
 * Search).
 */
export function searchCvs(call: Call): object {
  const { world, baseUrl } = call;
  const body = readBody(call);
  const offset = checkInteger(body.offset, 'offset', { min: 0, max: Number.MAX_SAFE_INTEGER, fallback: 0 });
  if (body.size === undefined || body.size === null) refuse(400, 'size is required: 1 to 500');
  const size = checkInteger(body.size, 'size', { min: 1, max: 500, fallback: 0 });
  const condition = readCvCondition(call, body);
  const isPlain = readClauses(body) === null;
  const found = findCvs(world, condition, offset, size);
  const cvs = found.map((owned, index) => ({
    ...(isPlain ? { id: offset + index, index: offset + index, highlight: '' } : {}),
    highlights: {},
    cv: renderCvPreview(call, owned),
    preview_url: `${baseUrl}/cvs/${owned.user.id}/${owned.cv.id}`,
  }));
  // An incomplete page is the last one, so the total is known without counting.
  const isLast = found.length < size && (found.length > 0 || offset === 0);
  const total = isLast ? offset + found.length : countCvs(world, condition);
  return { cvs, offset, total, ...(isPlain ? { facets: {} } : {}) };
}

/** Returns the clauses of `must`; null if there are none. Existing clients also send `{}` in this case. */
export function readClauses({ must = null }: Body): readonly unknown[] | null {
  if (must === null || (isJsonObject(must) && Object.keys(must).length === 0)) return null;
  return Array.isArray(must) ? must : refuse(400, 'must has to be a list of clauses');
}

/** A condition on the table of users. Each user has one master CV, and only master CVs are searched. */
export interface UserCondition {
  readonly sql: string;
  readonly values: readonly string[];
}

/** The filter of the CV search and the CV report. */
export function readCvCondition({ world, key, userId }: Call, body: Body): UserCondition {
  const { office_ids: offices = null } = body;
  const must = readClauses(body);
  const conditions: UserCondition[] = [{ sql: 'gone = 0', values: [] }];
  if (offices !== null && !Array.isArray(offices)) refuse(400, 'office_ids must be a list of ids');
  // An empty list means all offices, in the same way as for the languages of a report.
  if (Array.isArray(offices) && offices.length > 0) {
    conditions.push({
      sql: 'office_id IN (SELECT value FROM json_each(?))',
      values: [JSON.stringify(offices.map(String))],
    });
  }
  conditions.push(...(must ?? []).map((clause) => readClause(world, clause, 0)));
  // A key that may not read the CVs of others finds only its own CV.
  if (key.role === 'external' || key.role === 'limited_access') {
    conditions.push({ sql: 'id = ?', values: [userId ?? ''] });
  }
  return join(conditions, ' AND ');
}

function join(conditions: readonly UserCondition[], word: ' AND ' | ' OR '): UserCondition {
  return {
    sql: conditions.map(({ sql }) => `(${sql})`).join(word),
    values: conditions.flatMap(({ values }) => values),
  };
}

/** Reads a clause of a kind in the spec (CVs and sections, Search). `bool` may contain clauses of any kind, including `bool`. */
function readClause(world: World, clause: unknown, depth: number): UserCondition {
  if (!isJsonObject(clause) || depth > 8)
    refuse(400, 'each clause of must has to be an object, nested at most nine levels deep');
  const { bool, query, technology_skill: skill, exact } = clause;
  if (isJsonObject(bool)) return readBool(world, bool, depth);
  if (isJsonObject(query)) return readQuery(query);
  if (isJsonObject(skill) && typeof skill.tag === 'string') {
    const line = `\n${skill.tag}\n`;
    return { sql: 'cv_id IN (SELECT id FROM cvs WHERE instr(skills, ?) > 0)', values: [line] };
  }
  if (isJsonObject(exact) && exact.field === 'custom_tag_id') return readTag(world, String(exact.value ?? ''));
  return refuse(400, 'each clause of must has to be bool, query, technology_skill, or exact on custom_tag_id');
}

function readBool(world: World, bool: Body, depth: number): UserCondition {
  const readList = (name: 'should' | 'must'): UserCondition[] => {
    const list = bool[name];
    if (list === undefined) return [];
    if (!Array.isArray(list)) refuse(400, `bool.${name} must be a list of clauses`);
    return list.map((clause) => readClause(world, clause, depth + 1));
  };
  const [should, must] = [readList('should'), readList('must')];
  if (should.length + must.length === 0) refuse(400, 'bool needs clauses in should or must');
  return join([...must, ...(should.length > 0 ? [join(should, ' OR ')] : [])], ' AND ');
}

const USER_COLUMNS: Readonly<Record<string, string>> = { name: 'name_key', navn: 'name_key', email: 'email_key' };

/** Reads a partial match on one field or on all fields. */
function readQuery(query: Body): UserCondition {
  const value = foldText(String(query.value ?? '').trim());
  const { field = null } = query;
  if (field === null) {
    const sql =
      'instr(text_key, ?) > 0 OR cv_id IN (SELECT id FROM cvs WHERE instr(text_key, ?) > 0) OR cv_id IN ' +
      '(SELECT cv_id FROM links WHERE project_id IN (SELECT id FROM projects WHERE instr(text_key, ?) > 0))';
    return { sql, values: [value, value, value] };
  }
  if (typeof field !== 'string') refuse(400, 'field of a query must be a name');
  const column = Object.hasOwn(USER_COLUMNS, field) ? USER_COLUMNS[field] : undefined;
  if (column !== undefined) return { sql: `instr(${column}, ?) > 0`, values: [value] };
  if (isSectionType(field)) {
    return {
      sql: 'cv_id IN (SELECT id FROM cvs WHERE instr(field_text(body, ?), ?) > 0)',
      values: [field, value],
    };
  }
  return { sql: 'instr(field_text(body, ?), ?) > 0', values: [field, value] };
}

/** Matches the tags that the CV shows: its own, and also those of the user if a setting of the account says so. */
function readTag(world: World, tagId: string): UserCondition {
  const id = ` ${tagId} `;
  const own = 'cv_id IN (SELECT id FROM cvs WHERE has_tags = 1 AND instr(tags, ?) > 0)';
  if (!world.account.user_tags_on_cvs) return { sql: own, values: [id] };
  return { sql: `${own} OR (has_tags = 1 AND instr(tags, ?) > 0)`, values: [id, id] };
}

export function countCvs(world: World, condition: UserCondition): number {
  return world.store.users.count(`WHERE ${condition.sql}`, condition.values);
}

/**
 * Lists the ids of users with matching master CVs, sorted by name. A report can page through them even if the CVs change
 * meanwhile.
 */
export function listCvOwners(world: World, { sql, values }: UserCondition): readonly string[] {
  return world.store.users.ids(`WHERE ${sql} ORDER BY name_key, id`, values);
}

/** Reads the CVs in the order of the ids. Deleted users are skipped. */
export function readCvs(world: World, userIds: readonly string[]): readonly OwnedCv[] {
  return userIds.flatMap((id) => {
    const user = world.store.users.get(id);
    return user === undefined ? [] : [{ user, cv: readMasterCv(world, user) }];
  });
}

/** Returns one page sorted by name. The inner query finds the page without reading bodies. */
export function findCvs(world: World, condition: UserCondition, offset: number, size: number): readonly OwnedCv[] {
  const users = world.store.users.find(
    `WHERE id IN (SELECT id FROM users WHERE ${condition.sql} ORDER BY name_key, id LIMIT ? OFFSET ?) ORDER BY name_key, id`,
    [...condition.values, size, offset],
  );
  return users.map((user) => ({ user, cv: readMasterCv(world, user) }));
}
