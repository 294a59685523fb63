import { type Json, objectOf, type Values } from '../model/json.js';
import type { PlannedChange } from '../model/plan.js';

/** Leaves a field out of a change; a path such as `custom_fields.headcount` leaves out one part of it. */
export function withoutField(change: PlannedChange, path: string): PlannedChange {
  const [before, after] = [omit(change.before, path), omit(change.after, path)];
  return { ...change, before, after, fields: change.fields.filter((name) => after[name] !== undefined) };
}

/** Splits a path such as `custom_fields.headcount`. */
export function splitPath(path: string): readonly [name: string, part: string | null] {
  const at = path.indexOf('.');
  return at < 0 ? [path, null] : [path.slice(0, at), path.slice(at + 1)];
}

function omit(values: Values, path: string): Values {
  const [name, part] = splitPath(path);
  const { [name]: value, ...others } = values;
  if (value === undefined || part === null) return others;
  const { [part]: _left, ...parts } = objectOf(value);
  return Object.keys(parts).length === 0 ? others : { ...others, [name]: parts as Json };
}
