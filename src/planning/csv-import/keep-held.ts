import type { FieldRule } from '../../config/config.js';
import { FIELDS, type FieldShape } from '../../model/fields.js';
import { isJsonObject, type Json, objectOf, type Values } from '../../model/json.js';

type FieldRules = Readonly<Record<string, FieldRule>>;

/**
 * Completes the row of a person whom the service already has. The spec does not say how the import treats an empty cell
 * or a missing roles column. So every cell that the source leaves open repeats the service's value:
 *
 * | the source says | rule `apply` | the service holds | cell    |
 * |-----------------|--------------|-------------------|---------|
 * | a value         | always       | anything          | source  |
 * | a value         | empty        | nothing           | source  |
 * | a value         | empty        | a value           | service |
 * | a value         | create       | anything          | service |
 * | nothing (keep)  | any          | anything          | service |
 * | clear           | always       | anything          | empty   |
 */
export function keepHeld(wanted: Values, held: Values, rules: FieldRules): Values {
  const kept: Record<string, Json> = {};
  const { role } = held;
  const roles = held.roles ?? (typeof role === 'string' ? [role] : null);
  // Roles are included even if they are not managed, because without them the import setting might apply its default.
  for (const name of new Set(['roles', ...Object.keys(wanted), ...managedFields(rules)])) {
    const value = pick(name, wanted[name], name === 'roles' ? roles : (held[name] ?? null), rules);
    if (value !== null) kept[name] = value;
  }
  return kept;
}

function managedFields(rules: FieldRules): readonly string[] {
  return Object.keys(rules).map((path) => path.replace(/\..*$/, ''));
}

const BY_PARTS: ReadonlySet<FieldShape> = new Set(['multilingual', 'tags']);

function pick(path: string, wanted: Json | undefined, held: Json, rules: FieldRules): Json {
  const shape = FIELDS.users[path]?.shape;
  if (shape !== undefined && BY_PARTS.has(shape)) {
    const [ours, theirs] = [objectOf(wanted), objectOf(held)];
    const parts = Object.keys({ ...theirs, ...ours }).map(
      (name) => [name, pickOne(ours[name], theirs[name] ?? null, rules[`${path}.${name}`])] as const,
    );
    return Object.fromEntries(parts.filter(([, value]) => value !== null));
  }
  return pickOne(wanted, held, rules[path]);
}

function pickOne(wanted: Json | undefined, held: Json, rule: FieldRule | undefined): Json {
  const isHeld = held !== null && held !== '';
  if (wanted === undefined || rule?.apply === 'create' || (rule?.apply === 'empty' && isHeld)) return held;
  return wanted;
}

/** Fields that the source wants to be empty; an import file cannot be relied on to clear anything. */
export function listCleared(wanted: Values, held: Values): readonly string[] {
  return Object.entries(wanted).flatMap(([name, value]) => {
    if (isJsonObject(value)) {
      const now = isJsonObject(held[name]) ? (held[name] as Values) : {};
      return Object.keys(value).flatMap((part) =>
        value[part] === null && (now[part] ?? '') !== '' ? [`${name}.${part}`] : [],
      );
    }
    return value === null && (held[name] ?? '') !== '' ? [name] : [];
  });
}
