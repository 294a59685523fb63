import { SyncError } from '../../base/errors.js';
import { isJsonObject, type Json } from '../../model/json.js';
import { nearestName } from '../../model/nearest.js';
import { splitPointer, stepInto } from '../rows/pointer.js';
import { quoteName, quoteNames } from '../rows/quote-names.js';

/** Follows a JSON pointer (RFC 6901) to the list of rows. */
export function findRows(document: Json, pointer: string, at: string): readonly Json[] {
  let value: Json | undefined = document;
  const steps = splitPointer(pointer);
  for (const [walked, name] of steps.entries()) {
    const names: readonly string[] = isJsonObject(value) ? Object.keys(value) : [];
    value = stepInto(value, name);
    if (value === undefined) throw refuseNoName(steps, walked, names, at);
  }
  if (Array.isArray(value)) return value;
  const names = isJsonObject(value) ? `an object with ${quoteNames(Object.keys(value))}` : null;
  throw refuseNoRows(pointer, names ?? `a ${typeof value}`, at);
}

/** @param walked the number of steps of the pointer that were found */
export function refuseNoName(
  steps: readonly string[],
  walked: number,
  names: readonly string[],
  at: string,
): SyncError {
  const name = steps[walked] ?? '';
  const place = walked === 0 ? 'the top' : `/${steps.slice(0, walked).join('/')}`;
  const near = nearestName(name, names);
  const advice = near === null ? '' : ` Nearest: ${quoteName(near)}.`;
  return refuseRows(`There is no "${name}" at ${place}, found: ${quoteNames(names)}.${advice}`, at);
}

export function refuseNoRows(pointer: string, found: string, at: string): SyncError {
  return refuseRows(`Expected a list of rows at "${pointer}", found ${found}.`, at);
}

export function refuseRows(message: string, at: string): SyncError {
  return new SyncError('SYNC_SOURCE_FORMAT', {
    message,
    place: at,
    remedy: "Set the stream's `rows` to the JSON pointer of the list, such as /results; '' means the document itself.",
  });
}
