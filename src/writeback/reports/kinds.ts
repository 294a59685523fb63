import type { DeliveredReport } from '../../config/resolve-deliveries.js';
import { describeCvReport } from './cv-report.js';
import type { Deliverable, DescribeDeliverable } from './deliverable.js';
import { describeReferenceReport } from './reference-report.js';

/** Kind in the configuration → how to produce it. Add a row for each further kind of report. */
const KINDS: { readonly [K in DeliveredReport['kind']]: DescribeDeliverable<Extract<DeliveredReport, { kind: K }>> } = {
  cv: describeCvReport,
  reference: describeReferenceReport,
};

export function describeDeliverable(report: DeliveredReport): Deliverable {
  return (KINDS[report.kind] as DescribeDeliverable)(report);
}
