import { isJsonObject, type Json, type JsonObject, listOf, objectOf } from '../../../model/json.js';
import { buildQuestion, type Dialect, listPlaces } from '../../listed/dialect.js';
import type { ListedStreamConfig } from '../../listed/listed-stream.js';
import { buildAddress } from '../../listed/next-page.js';
import type { Question } from '../../listing/question.js';
import { splitPointer } from '../../rows/pointer.js';

/** The page size. The documentation states no maximum. */
export const PAGE = 100;

/** Fields that a list request can select. Without a selection, the response also contains bank accounts and home addresses. */
const SELECTABLE: ReadonlySet<string> = new Set([
  ...['id', 'title', 'active', 'companyId', 'officeId', 'managerEmployeeId', 'departmentId', 'costCenterId'],
  ...['employmentId', 'employmentTypeId', 'employmentCountry', 'compensationId', 'userId', 'userName', 'division'],
  ...['organization', 'employeeNumber', 'workEmail', 'workPhone', 'workPhoneSanitized', 'hireDate', 'endDate'],
  ...['hasOccupationalPension', 'privateEmail', 'firstName', 'lastName', 'ssn', 'privatePhone'],
  ...['privatePhoneSanitized', 'birthDate', 'age', 'nationality', 'gender', 'pronoun', 'created', 'updated'],
]);

/** Related records that each page lists once next to the people, with the person's field that refers to the record. */
const RELATIONS: Readonly<Record<string, string>> = {
  office: 'officeId',
  department: 'departmentId',
  costCenter: 'costCenterId',
  employment: 'employmentId',
  employmentType: 'employmentTypeId',
  managerEmployee: 'managerEmployeeId',
};
const ALWAYS = ['id', 'updated'];

/** Reads version 1 of the API. Each page contains people with their offices, departments and employments. */
export const READ: Dialect = {
  whole: (stream) => [ask(stream, {})],
  changes: (stream, { timeMs }) => [ask(stream, { 'filters[updated][$gte]': new Date(timeMs).toISOString() })],
  lookUp: ({ baseUrl, path }, id) => ({
    url: buildAddress(`${baseUrl}${path}/${encodeURIComponent(id)}`, { select: 'id' }),
    at: `${baseUrl}${path}/{id}`,
  }),
};

function ask(stream: ListedStreamConfig, filters: Readonly<Record<string, string>>): Question {
  const tops = [...new Set(listPlaces(stream).map((place) => splitPointer(place)[0] ?? ''))];
  const relations = tops.filter((top) => Object.hasOwn(RELATIONS, top));
  const fields = [...ALWAYS, ...tops.map((top) => RELATIONS[top] ?? top)];
  // Custom fields cannot be selected.
  const select = fields.every((field) => SELECTABLE.has(field)) ? { select: [...new Set(fields)].join(',') } : {};
  const url = buildAddress(`${stream.baseUrl}${stream.path}`, {
    ...select,
    ...(relations.length === 0 ? {} : { relations: relations.join(',') }),
    ...filters,
    // A fixed order is necessary, because paging in a changing order would miss people.
    'sort[id]': 'asc',
    limit: String(PAGE),
    offset: '0',
  });
  const question = buildQuestion(stream, { url });
  let join = joinNothing;
  return {
    ...question,
    findRows(answer) {
      join = compileJoin(objectOf(objectOf(answer.body).relations), relations);
      return question.findRows(answer);
    },
    complete: (rows) => [rows.map((row) => (isJsonObject(row) ? join(row) : row))],
  };
}

type Join = (row: JsonObject) => Json;
const joinNothing: Join = (row) => row;

function compileJoin(shown: JsonObject, relations: readonly string[]): Join {
  const byId = relations.map((name): readonly [string, ReadonlyMap<Json | undefined, Json>] => [
    name,
    new Map(listOf(shown[name]).map((one) => [objectOf(one).id, one])),
  ]);
  return (row) => {
    const joined = byId.map(([name, all]) => [name, all.get(row[RELATIONS[name] ?? '']) ?? null]);
    return { ...row, ...Object.fromEntries(joined) };
  };
}
