import { isJsonObject, type Json, type JsonObject } from '../../model/json.js';
import type { Attribute } from './attributes.js';
import { defineAny, findPart, isCustom, locateCustom } from './custom-extension.js';
import type { ComparisonOperator, Filter, FilterValue } from './parse-filter.js';
import { type AttributePath, comparedPart, findPath, type ResourceType, readValues } from './resource-type.js';
import { invalidFilter, ScimError } from './scim-error.js';

export type Match = (item: JsonObject) => boolean;

/** A name in a filter, with its attribute and a function that reads its values. */
interface Operand {
  readonly attribute: Attribute;
  read(item: JsonObject): readonly Json[];
}
type FindOperand = (path: string) => Operand | null;

/**
 * Compiles a filter on entire resources. An attribute that the type lacks has no value (RFC 7644, 3.4.2.1), and its name
 * in a filter is not an error.
 */
export function compileFilter(filter: Filter, type: ResourceType): Match {
  return compile(filter, (text) => {
    if (isCustom(type, text)) return operandOfCustom(text);
    const path = findPath(type, text);
    return path === null ? null : operandAt(path);
  });
}

/** Compiles a filter on one element of a multi-valued attribute. */
export function compileElementFilter(filter: Filter, attribute: Attribute): Match {
  return compile(filter, (text) => operandIn(attribute, text));
}

function operandAt(path: AttributePath): Operand {
  // A path to an entire extension only tests if the extension exists.
  const attribute = path.sub ?? path.attribute ?? defineAny(path.extension?.name ?? '');
  if (attribute.returned === 'never') throw new ScimError(400, 'Passwords cannot be filtered.', 'sensitive');
  return { attribute, read: (item) => readValues(item, path) };
}

function operandOfCustom(text: string): Operand {
  const read = (item: JsonObject): readonly Json[] => {
    const path = locateCustom(item, text);
    return path === null ? [] : readValues(item, path);
  };
  return { attribute: defineAny(text), read };
}

function operandIn(parent: Attribute, text: string): Operand | null {
  const attribute = findPart(parent, text);
  if (attribute === null) return null;
  return { attribute, read: (item) => readValues(item, { extension: null, attribute, sub: null }) };
}

function compile(filter: Filter, find: FindOperand): Match {
  switch (filter.op) {
    case 'and':
    case 'or': {
      const parts = filter.parts.map((part) => compile(part, find));
      return filter.op === 'and'
        ? (item) => parts.every((part) => part(item))
        : (item) => parts.some((part) => part(item));
    }
    case 'not': {
      const part = compile(filter.part, find);
      return (item) => !part(item);
    }
    case 'pr': {
      const operand = find(filter.path);
      return (item) => operand?.read(item).some(hasValue) === true;
    }
    case '[]':
      return compileValuePath(filter, find);
    default:
      return compileComparison(filter.op, filter.value, find(filter.path));
  }
}

function compileValuePath({ path, inner, also }: Filter & { readonly op: '[]' }, find: FindOperand): Match {
  const list = find(path);
  if (list === null) return () => false;
  if (list.attribute.type !== 'complex' && list.attribute.type !== 'any')
    throw invalidFilter(`${list.attribute.name} has no parts to filter by.`);
  const isOne = compileElementFilter(inner, list.attribute);
  const isAlso = also === null ? () => true : compileElementFilter(also, list.attribute);
  return (item) => list.read(item).some((element) => isJsonObject(element) && isOne(element) && isAlso(element));
}

function compileComparison(op: ComparisonOperator, value: FilterValue, operand: Operand | null): Match {
  if (operand === null) return () => op === 'ne';
  const compared = comparedPart(operand.attribute);
  if (compared === null) throw invalidFilter(`${operand.attribute.name} is complex: name one of its parts.`);
  const isComplex = compared !== operand.attribute;
  const read = (item: JsonObject): readonly Json[] =>
    isComplex
      ? operand.read(item).flatMap((element) => (isJsonObject(element) ? [element[compared.name] ?? null] : []))
      : operand.read(item);
  if (value === null) return (item) => read(item).some(hasValue) === (op === 'ne');
  const isMatch = compareWith(op === 'ne' ? 'eq' : op, value, compared);
  return (item) => read(item).some(isMatch) === (op !== 'ne');
}

type ScalarOperator = Exclude<ComparisonOperator, 'ne'>;

/** The test of each operator on the sign of a difference. */
const ORDERS: Readonly<Partial<Record<ScalarOperator, (difference: number) => boolean>>> = {
  eq: (difference) => difference === 0,
  gt: (difference) => difference > 0,
  ge: (difference) => difference >= 0,
  lt: (difference) => difference < 0,
  le: (difference) => difference <= 0,
};
const TEXT_TESTS: Readonly<Partial<Record<ScalarOperator, (found: string, wanted: string) => boolean>>> = {
  co: (found, wanted) => found.includes(wanted),
  sw: (found, wanted) => found.startsWith(wanted),
  ew: (found, wanted) => found.endsWith(wanted),
};

/** Compares two values. An object never matches a text, and its conversion to a text may even throw. */
function compareWith(
  op: ScalarOperator,
  wanted: string | number | boolean,
  attribute: Attribute,
): (found: Json) => boolean {
  const isLike = compareScalar(op, wanted, attribute);
  return (found) => typeof found !== 'object' && isLike(found);
}

function compareScalar(
  op: ScalarOperator,
  wanted: string | number | boolean,
  { type, name, caseExact }: Attribute,
): (found: Json) => boolean {
  const isInOrder = ORDERS[op];
  if (isInOrder !== undefined && op !== 'eq' && (type === 'boolean' || type === 'binary'))
    throw invalidFilter(`${name} has no order: gt, ge, lt and le do not compare it.`);
  if (type === 'boolean') {
    const word = String(wanted).toLowerCase();
    return (found) => op === 'eq' && String(found) === word;
  }
  if (type === 'dateTime' && isInOrder !== undefined) {
    const wantedMs = Date.parse(String(wanted));
    if (Number.isNaN(wantedMs)) throw invalidFilter(`${name} is compared with a time such as 2026-01-31T12:00:00Z.`);
    return (found) => isInOrder(Date.parse(String(found)) - wantedMs);
  }
  const fold = (value: Json): string => (caseExact ? String(value) : String(value).toLowerCase());
  const folded = fold(wanted);
  if (isInOrder === undefined) return (found) => TEXT_TESTS[op]?.(fold(found), folded) === true;
  return (found) => {
    if (typeof found === 'number' && typeof wanted === 'number') return isInOrder(found - wanted);
    const text = fold(found);
    return isInOrder(text < folded ? -1 : Number(text > folded));
  };
}

function hasValue(value: Json): boolean {
  if (value === null || value === '') return false;
  return typeof value !== 'object' || Object.keys(value).length > 0;
}
