import { mapBatches } from '../base/clock.js';
import type { ReportedHold } from '../model/desired.js';
import type { Report, ReportChange } from '../report/sections/report.js';
import { PERSONAL_ENTITIES } from '../store/audit/people.js';
import { createVeil, veilAddresses } from '../store/audit/pseudonyms.js';

/** Hides the names of people in a report. Holds of people quote texts from the sources, so their texts are replaced. */
export function veilReport(key: string, report: Report): Report {
  const text = (plain: string): string => veilAddresses(key, plain);
  return {
    ...report,
    notes: report.notes.map(text),
    guards: report.guards.map((trip) => ({ ...trip, detail: text(trip.detail) })),
    plan: report.plan === null ? null : { ...report.plan, adoption: null, understood: null, nearMisses: [] },
    changes: () => mapBatches(report.changes(), (change) => veilChange(key, change)),
    holds: () => mapBatches(report.holds(), (hold) => veilHold(key, hold)),
  };
}

function veilHold(key: string, hold: ReportedHold): ReportedHold {
  const text = (plain: string): string => veilAddresses(key, plain);
  const { conflict: _, about: __, cause, ...rest } = hold;
  const open = { ...rest, key: text(hold.key), place: text(hold.place) };
  if (!PERSONAL_ENTITIES.has(hold.entity))
    return {
      ...open,
      ...(cause === undefined ? {} : { cause: text(cause) }),
      reason: text(hold.reason),
      remedy: text(hold.remedy),
    };
  const reason = 'This text is about a person whom you see under a pseudonym.';
  return { ...open, cause: reason, reason, remedy: 'Ask someone whose role shows names.' };
}

/** Texts of a change that identify no one. */
const OPEN: ReadonlySet<string> = new Set(['id', 'entity', 'action', 'target', 'state', 'at']);

function veilChange(key: string, change: ReportChange): ReportChange {
  const { sourceRecord, reason } = change;
  const veil = createVeil(key, change);
  const value = (field: string, plain: string | null): string | null =>
    plain === null ? null : veil.value(sourceRecord === null ? field : null, plain);
  const differences = change.differences.map((one) => ({
    ...one,
    before: value(one.field, one.before),
    after: value(one.field, one.after),
  }));
  // Everything not known to be safe is veiled, including fields added later.
  const texts = Object.entries(change).flatMap(([name, text]) =>
    typeof text === 'string' && !OPEN.has(name) ? [[name, veil.text(text)]] : [],
  );
  return {
    ...change,
    ...Object.fromEntries(texts),
    label: veil.label,
    needs: change.needs.map(veil.text),
    differences,
    reason: { ...reason, text: veil.text(reason.text) },
  };
}
