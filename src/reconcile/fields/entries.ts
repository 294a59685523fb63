import type { Entity } from '../../model/entity.js';
import { FIELDS } from '../../model/fields.js';
import { isJsonObject, type Json, type JsonObject, listOf, objectOf, type Values } from '../../model/json.js';

/** An entry with the text that the source asks for. */
export interface EntryText {
  readonly value: JsonObject;
  readonly label?: JsonObject;
}
/** An entry in the service. */
export interface Entry extends EntryText {
  readonly id: string;
}

/** One entry to change: `before` is null if it is created, `after` is null if it is deleted. */
export interface EntryChange {
  readonly before: Entry | null;
  /** The parts to send: only those that differ, each complete, with the languages that are not ours. */
  readonly after: Partial<EntryText> | null;
}

export interface Alignment {
  readonly slots: readonly EntryChange[];
  /** Id → text of the entries that hold the desired text; they are ours from now on. */
  readonly ours: Readonly<Record<string, EntryText>>;
}

/**
 * Entries have no key in the service, and colleagues add their own. So each entry of the source looks for a match:
 *
 * | there is an entry …                                   | →                                |
 * |-------------------------------------------------------|----------------------------------|
 * | that says it already (in the languages we own)        | keep it: it is ours              |
 * | that we wrote for the same text, changed by others    | update it                        |
 * | that we wrote for another text, now unwanted          | update it, in the order of both  |
 * | without any text, such as a new project's first one   | update it                        |
 * | none of these                                         | create one                       |
 * | left over that we wrote                               | delete it; those of others stay  |
 *
 * @param ours id → text of the entries we wrote, as last remembered
 */
export function alignEntries(
  wanted: readonly EntryText[],
  there: readonly Entry[],
  ours: Readonly<Record<string, EntryText>>,
): Alignment {
  const free = new Map(there.map((entry) => [entry.id, entry]));
  const open = new Map(wanted.map((text, index) => [index, text]));
  const pairs = new Map<number, Entry>();
  const pair = (suits: (text: EntryText, entry: Entry) => boolean): void => {
    for (const [index, text] of open) {
      const entry = [...free.values()].find((one) => suits(text, one));
      if (entry === undefined) continue;
      pairs.set(index, entry);
      open.delete(index);
      free.delete(entry.id);
    }
  };
  pair((text, entry) => ours[entry.id] !== undefined && says(entry, text));
  pair((text, entry) => says(entry, text));
  pair((text, entry) => isSameText(ours[entry.id], text));
  pair((_, entry) => ours[entry.id] !== undefined);
  pair((_, entry) => isBlank(entry));
  const slots = wanted.flatMap((text, index): readonly EntryChange[] => {
    const entry = pairs.get(index) ?? null;
    const after = entry === null ? text : difference(entry, text, ours[entry.id]);
    return Object.keys(after).length === 0 ? [] : [{ before: entry, after }];
  });
  const leftOver = [...free.values()].filter(({ id }) => ours[id] !== undefined);
  return {
    slots: [...slots, ...leftOver.map((entry) => ({ before: entry, after: null }))],
    ours: Object.fromEntries(
      wanted.flatMap((text, index) => {
        const entry = pairs.get(index);
        return entry === undefined ? [] : [[entry.id, text]];
      }),
    ),
  };
}

/** True if an entry contains everything in a text. Languages and labels that the text does not name belong to others. */
export function says(entry: EntryText, text: Partial<EntryText>): boolean {
  return Object.keys(difference(entry, text)).length === 0;
}

/** The parts to send. A language that we wrote and the source no longer has is removed; languages of others stay. */
function difference(entry: EntryText, text: Partial<EntryText>, formerly?: EntryText): Partial<EntryText> {
  const parts: { value?: JsonObject; label?: JsonObject } = {};
  for (const part of ['value', 'label'] as const) {
    const [want, have] = [text[part] ?? {}, entry[part] ?? {}];
    const stale = Object.keys(formerly?.[part] ?? {}).filter((one) => !(one in want) && trimmedText(have[one]) !== '');
    const differs = Object.entries(want).some(
      ([language, words]) => trimmedText(have[language]) !== trimmedText(words),
    );
    if (!differs && stale.length === 0) continue;
    const kept = Object.entries(have).filter(([language]) => !stale.includes(language));
    const next = { ...Object.fromEntries(kept), ...want };
    // At least one language is required (spec, Conventions 4), so the last one is sent blank.
    parts[part] = Object.keys(next).length > 0 ? next : Object.fromEntries(stale.map((language) => [language, '']));
  }
  return parts;
}

function isSameText(a: EntryText | undefined, b: EntryText): boolean {
  return a !== undefined && says(a, b) && says(b, a);
}

function isBlank({ value, label }: Entry): boolean {
  return [value, label ?? {}].every((texts) => Object.values(texts).every((text) => trimmedText(text) === ''));
}

/** The service may trim texts, so they are compared trimmed. */
function trimmedText(text: Json | undefined): string {
  return typeof text === 'string' ? text.normalize('NFC').trim() : '';
}

/** Reads a list of entries from a plan, the mirror or a base. */
export function readEntries(value: Json | undefined): readonly Entry[] {
  return readTexts(value).filter((one): one is Entry => typeof (one as Partial<Entry>).id === 'string');
}

export function readTexts(value: Json | undefined): readonly EntryText[] {
  return listOf(value).flatMap((item) =>
    isJsonObject(item) ? [{ ...item, value: objectOf(item.value) } as EntryText] : [],
  );
}

/** The slots of a change, built from its two aligned lists. */
export function readSlots(before: Json | undefined, after: Json | undefined): readonly EntryChange[] {
  const old = listOf(before);
  return listOf(after).map((item, index) => ({
    before: readEntries([old[index] ?? null])[0] ?? null,
    after: isJsonObject(item) ? (item as Partial<EntryText>) : null,
  }));
}

/**
 * Id → text of the entries that we wrote, as remembered with the link. If only a base exists, which has no ids, the
 * entries with its texts are ours.
 */
export function readOurs(
  written: Json | undefined,
  base: Json | undefined,
  there: readonly Entry[],
): Readonly<Record<string, EntryText>> {
  if (isJsonObject(written)) return written as unknown as Readonly<Record<string, EntryText>>;
  return alignEntries(readTexts(base), there, {}).ours;
}

/** True if the entries of an object have the state that a change asked for. */
export function areSlotsDone(slots: readonly EntryChange[], there: readonly Entry[]): boolean {
  return slots.every(({ before, after }) => {
    if (after === null) return !there.some(({ id }) => id === before?.id);
    return there.some((entry) => (before === null || entry.id === before.id) && isSlotDone(before, after, entry));
  });
}

/** True if the entry has everything that was sent, and no language that was left out. */
export function isSlotDone(before: Entry | null, after: Partial<EntryText>, entry: Entry): boolean {
  if (!says(entry, after)) return false;
  return (['value', 'label'] as const).every((part) => {
    const sent = after[part];
    if (sent === undefined) return true;
    const left = Object.keys(before?.[part] ?? {}).filter((language) => !(language in sent));
    return left.every((language) => trimmedText(entry[part]?.[language]) === '');
  });
}

/** Both sides of an object with entries, and the values remembered about it. */
export interface EntrySides {
  readonly entity: Entity;
  readonly desired: Values;
  readonly observed: Values;
  readonly written: Values;
  readonly base: Values | null;
}

/**
 * Updates the memory of the entries that we wrote: id → text. Entries with the desired texts are ours; those that we
 * wrote before stay ours until they are removed.
 */
export function rememberEntries({ entity, desired, observed, written, base }: EntrySides): Values {
  const names = Object.keys(desired).filter((name) => FIELDS[entity][name]?.shape === 'entries');
  const found = names.flatMap((name): readonly (readonly [string, Json])[] => {
    if (observed[name] === undefined) return [];
    const there = readEntries(observed[name]);
    const before = readOurs(written[name], base?.[name], there);
    const kept = Object.entries(before).filter(([id]) => there.some((entry) => entry.id === id));
    const now = Object.entries(alignEntries(readTexts(desired[name]), there, before).ours).filter(([id, text]) =>
      there.some((entry) => entry.id === id && says(entry, text)),
    );
    return [[name, Object.fromEntries([...kept, ...now]) as unknown as Json]];
  });
  return found.length === 0 ? written : { ...written, ...Object.fromEntries(found) };
}
