import { isJsonObject, type Json, type JsonObject, listOf, objectOf } from '../../../model/json.js';
import { buildQuestion, type Dialect, listPlaces } from '../../listed/dialect.js';
import type { ListedStreamConfig } from '../../listed/listed-stream.js';
import { buildAddress } from '../../listed/next-page.js';
import type { Question } from '../../listing/question.js';
import { splitPointer } from '../../rows/pointer.js';

/** The documentation states no largest page. */
export const PAGE = 100;

/** Fields to which a list can be limited. Without a selection, it also shows bank accounts and home addresses. */
const SELECTABLE: ReadonlySet<string> = new Set([
  ...['id', 'title', 'active', 'companyId', 'officeId', 'managerEmployeeId', 'departmentId', 'costCenterId'],
  ...['employmentId', 'employmentTypeId', 'employmentCountry', 'compensationId', 'userId', 'userName', 'division'],
  ...['organization', 'employeeNumber', 'workEmail', 'workPhone', 'workPhoneSanitized', 'hireDate', 'endDate'],
  ...['hasOccupationalPension', 'privateEmail', 'firstName', 'lastName', 'ssn', 'privatePhone'],
  ...['privatePhoneSanitized', 'birthDate', 'age', 'nationality', 'gender', 'pronoun', 'created', 'updated'],
]);

/** Related records that each page lists once, next to the people, and the field of a person that names one. */
const RELATIONS: Readonly<Record<string, string>> = {
  office: 'officeId',
  department: 'departmentId',
  costCenter: 'costCenterId',
  employment: 'employmentId',
  employmentType: 'employmentTypeId',
  managerEmployee: 'managerEmployeeId',
};
const ALWAYS = ['id', 'updated'];

/** Version 1 of the API: people by pages, each page with the offices, departments and employments of its people. */
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
  // A customer's own fields cannot be selected.
  const select = fields.every((field) => SELECTABLE.has(field)) ? { select: [...new Set(fields)].join(',') } : {};
  const url = buildAddress(`${stream.baseUrl}${stream.path}`, {
    ...select,
    ...(relations.length === 0 ? {} : { relations: relations.join(',') }),
    ...filters,
    // In an order that may change, paging would miss people.
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
