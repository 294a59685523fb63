import { type Entity, TRAITS, wordFor } from '../../model/entity.js';
import { FIELDS, type Field, type FieldShape } from '../../model/fields.js';
import { isJsonObject, itemsOf, type Json, objectOf, type Values } from '../../model/json.js';
import { standingOf } from '../../model/left-alone.js';
import { foldKey } from '../../model/observed.js';
import { typed } from '../../model/typed.js';
import { type NameContext, type NameProblem, needOffice, needTag } from './missing-names.js';
import { takerOfWord } from './planned-places.js';
import { type FieldResolution, resolveCustomFields, resolveIndustry, type UnresolvedField } from './resolve-values.js';

export interface ResolvedReferences {
  /** `after` without the values that could not be resolved. */
  readonly after: Values;
  readonly unresolved: readonly UnresolvedField[];
  /** `entity:key` of the changes that must come first. */
  readonly needs: readonly string[];
}

/**
 * Checks every name in `after` against the service: offices, tags, customers, people, projects. A missing object that
 * may be created becomes a change of its own, which this one needs. Other missing names are left out and reported.
 */
export function resolveNames(after: Values, context: NameContext): ResolvedReferences {
  const kept: Record<string, Json> = {};
  const unresolved: UnresolvedField[] = [];
  const needs = new Set<string>();
  for (const [field, value] of Object.entries(after)) {
    const result = resolveField(field, value, context);
    for (const need of result.needs) needs.add(need);
    unresolved.push(...result.unresolved);
    if (result.value !== undefined) kept[field] = result.value;
  }
  return { after: kept, unresolved, needs: [...needs].sort() };
}

function fine(value: Json, needs: readonly string[] = []): FieldResolution {
  return { value, needs, unresolved: [] };
}

/** A field that names objects of an entity. */
type Reference = Pick<Field, 'activeOnly' | 'additive'> & { readonly name: string; readonly to: Entity };

function resolveField(name: string, value: Json, context: NameContext): FieldResolution {
  const field = FIELDS[context.entity][name];
  if (field?.shape === 'office') return resolveOffices(name, [value], context, () => value);
  // Null clears the field and refers to nothing.
  if (field === undefined || value === null) return fine(value);
  const resolve = RESOLVERS[field.shape];
  if (resolve !== undefined) return resolve(name, value, context);
  if (field.to === undefined || isJsonObject(value)) return fine(value);
  const reference = { ...field, name, to: field.to };
  return Array.isArray(value)
    ? resolveReferences(reference, value, context)
    : resolveReference(reference, String(value), context);
}

/** Resolvers for values that are not plain references. */
const RESOLVERS: Readonly<
  Partial<Record<FieldShape, (name: string, value: Json, context: NameContext) => FieldResolution>>
> = {
  offices: (name, value, context) =>
    Array.isArray(value) ? resolveOffices(name, value, context, (good) => good) : fine(value),
  tags: resolveTags,
  tag_sets: resolveTags,
  custom_fields: (name, value, { ports }) =>
    isJsonObject(value) ? resolveCustomFields(name, value, ports.service.directory) : fine(value),
  industry: (name, value, { ports }) => resolveIndustry(name, String(value), ports.service.directory),
};

function resolveOffices(
  field: string,
  offices: readonly Json[],
  context: NameContext,
  whole: (good: readonly Json[]) => Json,
): FieldResolution {
  const needs: string[] = [];
  const unresolved: UnresolvedField[] = [];
  const good: Json[] = [];
  for (const office of offices) {
    if (!isJsonObject(office)) continue;
    const [country, name] = [String(office.country ?? ''), String(office.name ?? '')];
    const problem = needOffice(country, name, context, needs);
    if (problem === null) good.push(office);
    else unresolved.push({ field, ...problem });
  }
  return { value: good.length > 0 ? whole(good) : undefined, needs, unresolved };
}

function resolveTags(field: string, tags: Json, context: NameContext): FieldResolution {
  if (!isJsonObject(tags)) return fine(tags);
  const needs: string[] = [];
  const unresolved: UnresolvedField[] = [];
  const good: Record<string, Json> = {};
  for (const [category, value] of Object.entries(tags)) {
    // Null clears the category and refers to nothing.
    if (value === null) {
      good[category] = value;
      continue;
    }
    const wanted = itemsOf(value).map(String);
    const known = wanted.filter((tag) => {
      const problem = needTag(category, tag, context, needs);
      if (problem !== null) unresolved.push({ field: `${field}.${category}`, ...problem });
      return problem === null;
    });
    // While a name is unresolved, all current tags stay, because the list replaces the one in the service.
    if (known.length === wanted.length) good[category] = value;
    else if (known.length > 0) good[category] = [...known, ...tagsThere(field, category, known, context)];
  }
  return { value: Object.keys(good).length > 0 ? good : undefined, needs, unresolved };
}

function tagsThere(
  field: string,
  category: string,
  but: readonly string[],
  { observed }: NameContext,
): readonly string[] {
  const tags = objectOf(observed?.values[field])[category];
  return Array.isArray(tags) ? tags.map(String).filter((tag) => !but.includes(tag)) : [];
}

/**
 * Checks that the service has the object, or will have it by a change that is added to `needs`.
 *
 * @returns null if so, otherwise the problem
 */
function needObject(to: Entity, word: string, { ports }: NameContext, needs: string[]): NameProblem | null {
  const ids = ports.service.directory.find(to, word);
  const kind = TRAITS[to].singular;
  if (ids.length > 1) {
    return {
      reason: `"${word}" may mean ${ids.length} objects of the service: ${kind} ${ids.join(', ')}.`,
      remedy: 'Make the external id unique in the service.',
    };
  }
  const taker = takerOfWord(to, word, ports);
  if (taker !== null) {
    needs.push(`${to}:${taker.key}`);
    return null;
  }
  if (ids.length === 1) return ports.plan.isInQuestion(to, ids[0] ?? '') ? askedWho(to, word) : null;
  const missing = `The service has no ${kind} "${word}" (by ${(TRAITS[to].words ?? []).join(' or ')})`;
  if (isDelivered(to, word, ports.sources)) {
    return {
      reason: `${missing}, and its record is held or left out.`,
      remedy: `Correct the cause of that hold: \`talent-sync explain ${wordFor(to)} ${typed(word)}\` shows it.`,
    };
  }
  return {
    reason: `${missing}, and none will be created.`,
    remedy: `Deliver the ${kind} in its source, or correct the word; the record goes through automatically once it exists.`,
  };
}

function askedWho(to: Entity, word: string): NameProblem {
  return {
    reason: `The guard users.other_person asks whether "${word}" is still the same ${TRAITS[to].singular}.`,
    remedy: `Answer the question: \`talent-sync explain ${wordFor(to)} ${typed(word)}\` shows it.`,
  };
}

/** True if the sources have an unusable record under this key, or a record that will get this word. */
function isDelivered(to: Entity, word: string, sources: NameContext['ports']['sources']): boolean {
  if (!sources.isStaged(to, word)) return false;
  const values = sources.desired(to, word)?.values;
  const taken = foldKey(word);
  return values === undefined || (TRAITS[to].words ?? []).some((name) => foldKey(String(values[name] ?? '')) === taken);
}

/**
 * Keeps people who are inactive, or about to be deactivated, out of a proposal. Those already in it stay, and a planned
 * reactivation comes first.
 */
function refuseInactive(
  { to, activeOnly }: Reference,
  word: string,
  { ports }: NameContext,
  needs: string[],
): NameProblem | null {
  const [id] = activeOnly === true ? ports.service.directory.find(to, word) : [];
  if (id === undefined) return null;
  const standing = standingOf(id, {
    observed: ports.service.observed,
    plannedByTarget: ports.plan.plannedByTarget,
  });
  if (standing.kind === 'opens') needs.push(`users:${standing.change.key}`);
  if (standing.kind === 'closed') return inactive(`${standing.because} in the service`);
  return standing.kind === 'closes' ? inactive(standing.because) : null;
}

function inactive(reason: string): NameProblem {
  return {
    reason: `${reason} and is not put into a proposal.`,
    remedy: 'Name an active person, or activate this one first.',
  };
}

function resolveReference(reference: Reference, word: string, context: NameContext): FieldResolution {
  const needs: string[] = [];
  const problem = needObject(reference.to, word, context, needs) ?? refuseInactive(reference, word, context, needs);
  if (problem === null) return fine(word, needs);
  return { value: undefined, needs: [], unresolved: [{ field: reference.name, ...problem }] };
}

/** The list replaces the one in the service. While a word is unresolved nobody is removed, because the word may mean that person. */
function resolveReferences(reference: Reference, words: readonly Json[], context: NameContext): FieldResolution {
  const { name: field, additive } = reference;
  const needs: string[] = [];
  const unresolved: UnresolvedField[] = [];
  const good: string[] = [];
  for (const word of words.map(String)) {
    const problem = needObject(reference.to, word, context, needs) ?? refuseInactive(reference, word, context, needs);
    if (problem === null) good.push(word);
    else unresolved.push({ field, ...problem });
  }
  const there = context.observed?.values[field];
  if (unresolved.length > 0 && additive !== true && Array.isArray(there)) {
    const named = new Set(good.map(foldKey));
    good.push(...there.map(String).filter((word) => !named.has(foldKey(word))));
  }
  return { value: good.length > 0 ? good : undefined, needs, unresolved };
}
