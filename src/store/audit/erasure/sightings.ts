import { join } from 'node:path';
import { type Json, type JsonObject, objectOf, textOf } from '../../../model/json.js';
import type { Stores } from '../../open-stores.js';
import type { AuditEntry } from '../audit-entry.js';
import { parseRow } from '../audit-log.js';
import type { AuditEvent } from '../events.js';
import { contentOf, recordsIn } from '../log-filter.js';
import { stringOf } from './person.js';
import { eachLine, listFiles, parseLine } from './person-files.js';

/** One stored occurrence of an object, with all values that it contains. */
export interface Sighting {
  readonly entity: string;
  readonly key: string | null;
  readonly id: string | null;
  /** The id of the change, if the occurrence is a change; otherwise null. */
  readonly change: string | null;
  readonly label: string | null;
  /** The values of the object: base and written, or before and after. */
  readonly sides: readonly JsonObject[];
}

/** Yields every stored object: links, absences, documents, mirror, journal, audit log and saved plans. */
export function* eachSighting({ erasure, audit, folder }: Stores): Iterable<Sighting> {
  for (const { entity, source_key: key, service_id: target, agreed, written } of erasure.rows('state', 'links'))
    yield sight({ entity, key, target, before: parseCell(agreed), after: parseCell(written) });
  for (const { entity, source_key: key } of erasure.rows('state', 'absences')) yield sight({ entity, key });
  for (const { entity, key: target, laid } of erasure.rows('state', 'delivered_documents'))
    yield sight({ entity, target, after: { external_unique_id: objectOf(parseCell(laid)).externalId ?? null } });
  for (const { entity, id, body } of erasure.rows('mirror', 'objects'))
    yield sight({ entity, target: id, after: parseCell(body) });
  for (const { change } of erasure.rows('state', 'journal')) yield sight(objectOf(parseCell(change)));
  for (const row of audit.rows()) yield* listLogged(parseRow(row));
  // A change that needs approval is stored only in its plan.
  for (const file of listFiles(join(folder, 'plans')))
    for (const line of eachLine(file)) yield sight(objectOf(parseLine(line)));
}

/** Lists the objects in an entry of the audit log: of a change, or of a decision. */
function listLogged(line: AuditEntry | AuditEvent | null): readonly Sighting[] {
  if (line === null) return [];
  const content = contentOf(line);
  if (content.kind === 'change') return [sight({ ...(content as unknown as JsonObject), id: content.change })];
  return recordsIn(content).map(({ change: id, entity, key, label }) => sight({ entity, key, label, id }));
}

/** Converts a change as plans, the journal and the audit log store it. */
function sight(change: Readonly<Record<string, Json | undefined>>): Sighting {
  const { entity, key, target, id, label, before, after } = change;
  return {
    entity: textOf(entity),
    key: stringOf(key),
    id: stringOf(target),
    change: stringOf(id),
    label: stringOf(label),
    sides: [objectOf(before), objectOf(after)],
  };
}

/** Parses a cell that contains JSON. */
export function parseCell(cell: Json | undefined): Json {
  return typeof cell === 'string' ? (JSON.parse(cell) as Json) : null;
}
