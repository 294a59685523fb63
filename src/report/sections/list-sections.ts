import { listCost } from './cost.js';
import { listFields } from './counts.js';
import { listDeliveries } from './deliveries.js';
import { listAdoption, listBulkLoad } from './first-contact.js';
import { listGuards } from './guards.js';
import { listHeld } from './held.js';
import { listEvidence } from './reads.js';
import type { Report } from './report.js';
import type { ReportSection } from './section.js';
import type { ReportTally } from './tally.js';
import { listToSources } from './to-sources.js';
import { listUnderstood } from './understood.js';

/** The sections of a report except its changes. Sections that need a decision come first. */
export function listSections(report: Report, tally: ReportTally): readonly ReportSection[] {
  const { kind, id } = report;
  const passage =
    kind === 'plan' ? { plan: id, afterwards: 'apply the plan' } : { plan: null, afterwards: 'run again' };
  const sections = [
    listGuards(report.guards, passage),
    listUnderstood(report.plan?.understood ?? null, false),
    listAdoption(
      report.plan?.adoption ?? null,
      new Set(tally.fields.map(([name]) => name)),
      report.plan?.understood ?? null,
    ),
    listHeld(tally.holds),
    listBulkLoad(report.plan?.bulkLoad ?? null),
    listToSources(report, tally.sources),
    listDeliveries(report),
    listFields(tally),
    listEvidence(report),
    listCost(report, tally.calls),
  ];
  return sections.filter((section) => section !== null);
}
