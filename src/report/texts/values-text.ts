import { canonicalJson, isJsonObject, type Json, type JsonObject } from '../../model/json.js';
import { clip, type TerminalLook, wrapItems } from '../writers/style.js';

/** A value of the model in short form: `no/Oslo`, `en "Engineer", no "Ingeniør"`, `(empty)`. */
export function showValue(value: Json | undefined, width: number): string {
  if (value === null || value === undefined || value === '') return '(empty)';
  if (typeof value === 'string') return clip(JSON.stringify(value), width);
  if (Array.isArray(value)) return clip(value.map(showItem).join(', ') || '(none)', width);
  if (isJsonObject(value)) return clip(showObject(value), width);
  return String(value);
}

function showItem(item: Json): string {
  if (typeof item === 'string') return item;
  return isJsonObject(item) ? showObject(item) : canonicalJson(item);
}

function showObject(value: JsonObject): string {
  const { country, name, ...others } = value;
  if (typeof country === 'string' && typeof name === 'string' && Object.keys(others).length === 0)
    return `${country}/${name}`;
  const parts = Object.entries(value).map(([key, item]) => `${key} ${canonicalJson(item)}`);
  return parts.length === 0 ? '(empty)' : parts.join(', ');
}

export const LONGEST_VALUE = 90;

/** Lists short pairs, several per line. */
export function listPairs(pairs: readonly string[], { style, width }: TerminalLook): readonly string[] {
  const room = width - 2;
  return wrapItems(
    pairs.map((pair) => clip(pair, room)),
    ' · ',
    room,
  ).map((line) => style.dim(`  ${line}`));
}
