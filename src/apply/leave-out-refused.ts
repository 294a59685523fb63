import { FIELDS, type Field, isOneOwners } from '../model/fields.js';
import { isJsonObject, type Json, type Values } from '../model/json.js';
import type { PlannedChange } from '../model/plan.js';
import { ServiceError, WORD_KEYS } from '../service/service-error.js';
import { StepFailure } from './send-or-find.js';
import type { RefusedField } from './step.js';
import { withoutField } from './without-field.js';

/** A change without the fields that a rejection names. */
export interface RefusedPart {
  readonly rest: PlannedChange;
  readonly refusals: readonly RefusedField[];
  readonly error: ServiceError;
}

/**
 * Splits off the fields that the service names in a rejection, so that the other fields can be sent; null if all of the
 * change fails.
 *
 * | the rejection                                    | the call                                         |
 * |--------------------------------------------------|--------------------------------------------------|
 * | 422, and it names sent fields                    | is repeated without them                         |
 * | names power or a place                           | is repeated without any field of power and place |
 * | names a field that a new object must have        | fails                                            |
 * | names no field, or nothing is left without it    | fails                                            |
 *
 * Only creates and updates are split. A reactivation without its new e-mail address would reopen the old log-in.
 */
export function leaveOutRefused(change: PlannedChange, failure: unknown): RefusedPart | null {
  const error = failure instanceof StepFailure && failure.outcome === 'refused' ? failure.reason : null;
  if (!(error instanceof ServiceError) || error.status !== 422) return null;
  const { action, undoes, apart } = change;
  if ((action !== 'create' && action !== 'update') || undoes !== undefined || apart !== undefined) return null;
  const named = findNamed(change, error.details ?? error.words);
  if (named.length === 0) return null;
  const refused = Object.keys(change.after).filter((field) => named.some((one) => goTogether(change, one, field)));
  if (action === 'create' && refused.some((name) => isNeededByNew(FIELDS[change.entity][name]))) return null;
  const rest = refused.reduce(withoutField, change);
  if (rest.fields.length === 0) return null;
  return { rest, refusals: refused.map((field) => ({ field, error, leftOut: true })), error };
}

/** True if the fields are sent together or not at all: a role without its scope or place gives more power than was approved. */
function goTogether({ entity }: PlannedChange, one: string, other: string): boolean {
  const [a, b] = [FIELDS[entity][one], FIELDS[entity][other]];
  const givesPower = (field: Field | undefined): boolean => field?.access === 'power' || field?.access === 'place';
  return one === other || a?.sentWith === other || b?.sentWith === one || (givesPower(a) && givesPower(b));
}

/** True if a new object without this field is not the object that the source means, or gets a default that gives access. */
function isNeededByNew(field: Field | undefined): boolean {
  return field?.required === true || isOneOwners(field) || field?.access !== undefined || field?.personal === 'name';
}

/** The service's words for fields that it does not call by their names (spec, Endpoints). */
const ALSO_CALLED: Readonly<Record<string, readonly string[]>> = {
  office: ['country', 'country id', 'office id', 'department'],
  roles: ['role', 'extra roles'],
  tags: ['custom tags', 'ensure unique custom tag ids by category'],
};

/**
 * Finds the sent fields that a rejection names. The spec does not define the body of an error, so these forms are
 * understood: a member called like the field, and a clause that begins with the field, such as `Email is invalid`.
 */
function findNamed({ entity, after }: PlannedChange, body: Json): readonly string[] {
  const names = Object.entries(FIELDS[entity]).flatMap(([name, field]) =>
    callsOf(name, field).map((called) => ({ name, called })),
  );
  // The longest name counts, because "Name multilang is invalid" does not mean the name.
  names.sort((a, b) => b.called.length - a.called.length);
  const meant = [...eachClause(body)].map(
    (clause) => names.find(({ called }) => clause === called || clause.startsWith(`${called} `))?.name,
  );
  return [...new Set(meant)].filter((name) => name !== undefined && after[name] !== undefined) as readonly string[];
}

function callsOf(name: string, { ids, word }: Field): readonly string[] {
  const own = [name, ids ?? name, word ?? name].map(plainOf);
  return [...new Set([...own, ...own.map((one) => one.replace(/ ids?$/, '')), ...(ALSO_CALLED[name] ?? [])])];
}

/** Yields the service's sentences, and the names of members that may be fields. An echo of the sent object is left out. */
function* eachClause(body: Json): Iterable<string> {
  if (typeof body === 'string') yield* body.split(/[:;,]\s+|\.\s+|\n/).map(plainOf);
  else if (Array.isArray(body)) for (const one of body as readonly Json[]) yield* eachClause(one);
  else if (isJsonObject(body)) yield* eachMember(body);
}

function* eachMember(members: Values): Iterable<string> {
  const words = Object.keys(members).filter((name) => WORD_KEYS.includes(name));
  for (const name of words.length > 0 ? words : Object.keys(members)) {
    yield plainOf(name);
    yield* eachClause(members[name] ?? null);
  }
}

function plainOf(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[_.\s]+/g, ' ')
    .trim();
}
