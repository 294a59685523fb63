import { isJsonObject, type Json } from '../../../model/json.js';
import type { SentRecord } from '../../http/send-records.js';
import { splitPointer, stepInto } from '../../rows/pointer.js';

const ALONE = /^\{(key|cells|cells\.[^{}]+)\}$/;
const WITHIN = /\{(key|cells\.[^{}]+)\}/g;

/**
 * Fills `{key}`, `{cells}` and `{cells.<column>}` in a JSON template. A text that consists of one placeholder becomes
 * the value itself. If a column is not written, its placeholder is left out together with the property name.
 */
export function fillBody(template: Json, sent: SentRecord): Json {
  return fill(template, sent) ?? {};
}

function fill(template: Json, sent: SentRecord): Json | undefined {
  if (typeof template === 'string') return fillText(template, sent);
  if (Array.isArray(template)) {
    return (template as readonly Json[]).flatMap((item) => {
      const filled = fill(item, sent);
      return filled === undefined ? [] : [filled];
    });
  }
  if (!isJsonObject(template)) return template;
  const entries: [string, Json][] = [];
  for (const [name, value] of Object.entries(template)) {
    const filled = fill(value, sent);
    if (filled !== undefined) entries.push([name, filled]);
  }
  return Object.fromEntries(entries);
}

function fillText(text: string, sent: SentRecord): Json | undefined {
  const alone = ALONE.exec(text)?.[1];
  if (alone !== undefined) return readPlaceholder(alone, sent);
  const names = [...text.matchAll(WITHIN)].map(([, name = '']) => name);
  if (names.some((name) => readPlaceholder(name, sent) === undefined)) return undefined;
  return text.replaceAll(WITHIN, (_, name: string) => {
    const value = readPlaceholder(name, sent) ?? '';
    return typeof value === 'object' ? JSON.stringify(value) : String(value);
  });
}

function readPlaceholder(name: string, { record, cells }: SentRecord): Json | undefined {
  if (name === 'key') return record;
  return name === 'cells' ? cells : cells[name.slice('cells.'.length)];
}

/** Nests columns at the places where they are read: `/properties/name` → `{ properties: { name: … } }`. */
export function nestCells(cells: Readonly<Record<string, Json>>, place: (column: string) => string): Json {
  const root: Record<string, Json> = {};
  for (const [column, value] of Object.entries(cells)) {
    const steps = splitPointer(place(column));
    let into = root;
    for (const step of steps.slice(0, -1)) {
      const inner = stepInto(into, step);
      const next: Record<string, Json> = isJsonObject(inner) ? { ...inner } : {};
      into[step] = next;
      into = next;
    }
    const last = steps.at(-1);
    if (last !== undefined) into[last] = value;
  }
  return root;
}
