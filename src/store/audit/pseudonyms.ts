import { createHmac } from 'node:crypto';
import { canonicalJson, isJsonObject, type Json, type Values } from '../../model/json.js';
import { foldKey } from '../../model/observed.js';
import type { AuditStore } from '../state/audit-store.js';
import type { JournalStore } from '../state/journal-store.js';
import type { AuditEntry } from './audit-entry.js';
import type { AuditEvent, DecidedRecord, SourceWritten } from './events.js';
import { OPEN_FIELDS, PEOPLE_FIELDS, PERSONAL_ENTITIES, SHOWN_FIELDS } from './people.js';

export const EMAIL = /[\p{L}\p{N}._%+'-]+@[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+/gu;
const PSEUDONYM = /^p_[0-9a-f]{20}$/;
/** Minimum length. Shorter values occur in too many texts by chance. */
const SHORTEST_NAMED = 4;

/** Returns `p_3f9c…`. With the same key, a value always has the same pseudonym, regardless of case. */
export function pseudonymOf(key: string, value: string): string {
  return `p_${createHmac('sha256', key).update(foldKey(value)).digest('hex').slice(0, 20)}`;
}

/**
 * Replaces personal data: names, addresses, numbers, birth year, nationality, and everything in CV sections. The label
 * becomes the pseudonym of the e-mail, so that entries about one person can still be connected. Source key, service id
 * and external id stay, so that the entry can be traced in the systems that store the person.
 */
export function pseudonymiseEntry(key: string, entry: AuditEntry): AuditEntry {
  const replaced = new Map<string, string>();
  const isPerson = PERSONAL_ENTITIES.has(entry.entity);
  const values = (side: Json): Json => (isJsonObject(side) ? veilFields(key, side, isPerson, replaced) : side);
  const before = values(entry.before);
  const after = values(entry.after);
  const text = (plain: string): string => veilText(key, plain, replaced);
  return {
    ...entry,
    before,
    after,
    label: isPerson ? labelOf(key, entry.label) : entry.label,
    cause: { ...entry.cause, text: text(entry.cause.text) },
    error: entry.error === null ? null : text(entry.error),
    approval: entry.approval === null ? null : text(entry.approval),
    ...(entry.undoes?.reason === undefined ? {} : { undoes: { ...entry.undoes, reason: text(entry.undoes.reason) } }),
    pseudonymised: true,
  };
}

/** Returns the entry as a reader of pseudonyms sees it, which may be less than the log stores. */
export function veilEntry(key: string, entry: AuditEntry): AuditEntry {
  const kept = entry.pseudonymised === true ? entry : pseudonymiseEntry(key, entry);
  if (!PERSONAL_ENTITIES.has(entry.entity)) return kept;
  const hide = (side: Json): Json =>
    isJsonObject(side) && side.title !== undefined ? { ...side, title: veil(key, side.title, new Map()) } : side;
  return { ...kept, before: hide(kept.before), after: hide(kept.after) };
}

/** An operator's free text may contain a person's address. */
export function pseudonymiseEvent(key: string, event: AuditEvent): AuditEvent {
  if (event.kind === 'source told') return veilWritten(key, event);
  // The path contains names. The id still identifies the document's owner.
  if (event.kind === 'document delivered' || event.kind === 'document removed')
    return { ...event, file: pseudonymOf(key, event.file) };
  return {
    ...event,
    ...('reason' in event ? { reason: veilText(key, event.reason, new Map()) } : {}),
    ...('records' in event ? { records: event.records?.map((record) => veilRecord(key, record)) } : {}),
  };
}

/** The source key stays, as in the entry of a change. A label that is already a pseudonym stays too. */
function veilRecord(key: string, record: DecidedRecord): DecidedRecord {
  const isOpen = !PERSONAL_ENTITIES.has(record.entity) || PSEUDONYM.test(record.label);
  return isOpen ? record : { ...record, label: labelOf(key, record.label) };
}

/** Sources can name their columns freely, so all of a person's values are veiled. */
function veilWritten(key: string, event: SourceWritten): SourceWritten {
  const isPerson = PERSONAL_ENTITIES.has(event.entity);
  const replaced = new Map<string, string>();
  const values = (side: Json): Json => (isPerson ? veil(key, side, replaced) : side);
  const [before, after] = [values(event.before), values(event.after)];
  const text = (plain: string): string => veilText(key, plain, replaced);
  const label = isPerson ? labelOf(key, event.label) : text(event.label);
  return { ...event, before, after, label, error: event.error === null ? null : text(event.error) };
}

/**
 * Returns the entry with the sent values, while the journal stores them (90 days). Returns null after that, or if the
 * journal's values do not match the entry.
 *
 * @returns the entry itself if it is not pseudonymised
 */
export function originalOf(
  { journal, audit }: { readonly journal: JournalStore; readonly audit: AuditStore },
  entry: AuditEntry,
): AuditEntry | null {
  if (entry.pseudonymised === undefined) return entry;
  const key = audit.pseudonymKey();
  if (key === null) return null;
  const change = journal.changeOf(entry.run, entry.change);
  if (change === null) return null;
  const { pseudonymised: _veiled, ...rest } = entry;
  const original: AuditEntry = { ...rest, label: change.label, before: change.before, after: change.after };
  const veiled = pseudonymiseEntry(key, original);
  const same = (a: AuditEntry): string => canonicalJson([a.label, a.before, a.after]);
  return same(veiled) === same(entry) ? original : null;
}

export function labelOf(key: string, label: string): string {
  return pseudonymOf(key, emailOf(label) ?? label);
}

/** Veils the shown values of one change in the same way as an audit entry. */
export function createVeil(key: string, { entity, label }: { readonly entity: string; readonly label: string }) {
  const isPerson = PERSONAL_ENTITIES.has(entity);
  const replaced = new Map<string, string>();
  const name = emailOf(label) === null ? label : label.replace(/\s*<[^>]*>\s*$/, '');
  if (isPerson) for (const plain of [label, name]) replaced.set(plain, labelOf(key, label));
  return {
    label: isPerson ? labelOf(key, label) : veilText(key, label, replaced),
    /** @param field a path such as `name.first`; null if any value may identify the person, as in a source record */
    value(field: string | null, plain: string): string {
      const top = field?.replace(/[.[].*$/, '') ?? '';
      const isOpen = isPerson ? field !== null && SHOWN_FIELDS.has(top) : !PEOPLE_FIELDS.has(top);
      if (isOpen || plain === '') return veilText(key, plain, replaced);
      const pseudonym = pseudonymOf(key, plain);
      replaced.set(plain, pseudonym);
      return pseudonym;
    },
    text: (plain: string): string => veilText(key, plain, replaced),
  };
}

/** Veils free text. Only addresses can be recognised in it. */
export function veilAddresses(key: string, text: string): string {
  return veilText(key, text, new Map());
}

/** Returns the address in `Jane Doe <jane@example.com>`. */
export function emailOf(label: string): string | null {
  return /<([^>]*)>\s*$/.exec(label)?.[1] ?? null;
}

function veilFields(key: string, values: Values, isPerson: boolean, replaced: Map<string, string>): Values {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => {
      const isPersonal = isPerson ? !OPEN_FIELDS.has(name) : PEOPLE_FIELDS.has(name);
      return [name, isPersonal ? veil(key, value, replaced) : value];
    }),
  );
}

function veil(key: string, value: Json, replaced: Map<string, string>): Json {
  if (value === null || typeof value === 'boolean' || value === '') return value;
  if (Array.isArray(value)) return value.map((item: Json) => veil(key, item, replaced));
  if (isJsonObject(value))
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, veil(key, item, replaced)]));
  const plain = String(value);
  const pseudonym = pseudonymOf(key, plain);
  replaced.set(plain, pseudonym);
  return pseudonym;
}

export function veilText(key: string, text: string, replaced: ReadonlyMap<string, string>): string {
  let veiled = text.replace(EMAIL, (email) => pseudonymOf(key, email));
  for (const [plain, pseudonym] of replaced)
    if (plain.length >= SHORTEST_NAMED) veiled = veiled.replaceAll(plain, pseudonym);
  return veiled;
}
