import { createVeil, veilAddresses } from '../audit/pseudonyms.js';
import type { Report, ReportChange } from '../report/sections/report.js';

/** The report for somebody who may not see who it is about. Holds say what they found in words of the sources: they are left out. */
export function veilReport(key: string, report: Report): Report {
  const text = (plain: string): string => veilAddresses(key, plain);
  return {
    ...report,
    notes: report.notes.map(text),
    guards: report.guards.map((trip) => ({ ...trip, detail: text(trip.detail) })),
    plan: report.plan === null ? null : { ...report.plan, adoption: null, nearMisses: [] },
    async *changes() {
      for await (const change of report.changes()) yield veilChange(key, change);
    },
    holds: () => [],
  };
}

function veilChange(key: string, change: ReportChange): ReportChange {
  const { sourceRecord, reason, approval } = change;
  const veil = createVeil(key, change);
  const value = (field: string, plain: string | null): string | null =>
    plain === null ? null : veil.value(sourceRecord === null ? field : null, plain);
  const differences = change.differences.map((one) => ({
    ...one,
    before: value(one.field, one.before),
    after: value(one.field, one.after),
  }));
  return {
    ...change,
    label: veil.label,
    key: veil.text(change.key),
    place: veil.text(change.place),
    about: veil.text(change.about),
    needs: change.needs.map(veil.text),
    approval: approval === null ? null : veil.text(approval),
    differences,
    reason: { ...reason, text: veil.text(reason.text) },
  };
}
