import { isJsonObject, type Json } from '../../model/json.js';

/** Returns the steps of a JSON pointer (RFC 6901): `/a~1b/0` → `a/b`, `0`. */
export function splitPointer(pointer: string): readonly string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** Takes one step into a value; undefined if the step leads nowhere. */
export function stepInto(value: Json | undefined, name: string): Json | undefined {
  if (Array.isArray(value)) return /^\d+$/.test(name) ? value[Number(name)] : undefined;
  return isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

/**
 * Compiles a pointer that is used for every row. A null on the path gives null, because an account without an owner has
 * no owner's name either.
 */
export function compilePointer(pointer: string): (value: Json) => Json | undefined {
  const steps = splitPointer(pointer);
  return (root) => {
    let value: Json | undefined = root;
    for (const step of steps) {
      if (value === null || value === undefined) return value;
      value = stepInto(value, step);
    }
    return value;
  };
}
