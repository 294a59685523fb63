import { isAccount } from '../../model/entity.js';
import type { Observed } from '../../model/observed.js';
import { listTexts, reduceText } from '../../model/raw-text.js';
import { idOfPlanned } from '../fields/planned-places.js';
import { createFinder, findByKey } from '../match/correlate.js';
import type { EntitySettings, ReconcilePorts } from '../ports.js';

/** A row that does not report its person as a leaver. */
export interface StayingRow {
  /** Null if its key cannot be trusted. */
  readonly key: string | null;
  readonly text: string;
}

/** @param key the record that reports the person as a leaver */
export type FindStaying = (account: Observed, key: string) => StayingRow | null;

/**
 * Finds another row of a leaver, by any entry of `match`, that has no link and does not report a leaver: a row out of
 * scope, or one that cannot be used. Usable rows claim their accounts themselves. An ended contract next to another
 * one, or an old row next to that of a rehire, does not make the person a leaver.
 *
 * The rows are indexed when the first person leaves, so a run without leavers does no extra work.
 */
export function createFindStaying(settings: EntitySettings, ports: ReconcilePorts): FindStaying {
  const { entity } = settings;
  if (!isAccount(entity)) return () => null;
  let rows: ReadonlyMap<string, StayingRow> | null = null;
  return (account, key) => {
    rows ??= indexRows(settings, ports);
    const row = rows.get(account.id);
    if (row !== undefined && row.key !== key) return row;
    const place = findOpen(account, settings, ports);
    return place === null
      ? null
      : { key: null, text: `the row at ${place}, which cannot be used, names the same person` };
  };
}

function indexRows({ entity, match }: EntitySettings, ports: ReconcilePorts): ReadonlyMap<string, StayingRow> {
  const rows = new Map<string, StayingRow>();
  const [finder, idOf] = [createFinder(entity, ports.service), idOfPlanned(ports)];
  const take = (key: string, values: Observed['values'], text: string): void => {
    for (const entry of match)
      for (const id of findByKey({ entity, values }, entry, finder, idOf)?.ids ?? [])
        if (!rows.has(id)) rows.set(id, { key, text });
  };
  for (const { key, values } of ports.sources.outsiders(entity))
    take(key, values, `record ${key}, which is out of scope, matches the same account`);
  for (const { key, values, place } of ports.sources.unusable(entity))
    if (ports.memory.link(entity, key) === null)
      take(key, values, `the row of ${key} at ${place}, which cannot be used, matches the same account`);
  return rows;
}

/** The place of a row whose key cannot be trusted and that names the person by an entry of `match`; null if there is none. */
function findOpen(account: Observed, { entity, match }: EntitySettings, ports: ReconcilePorts): string | null {
  for (const { fields } of match) {
    const places = fields.map((name) => {
      const phrases = listTexts(account.values[name]).map(reduceText);
      return ports.sources.openRowNaming(
        entity,
        phrases.filter((phrase) => phrase !== ''),
      );
    });
    const [place = null] = places;
    if (places.every((one) => one !== null)) return place;
  }
  return null;
}
