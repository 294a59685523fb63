import type { DeliveredReport } from '../../config/resolve-deliveries.js';
import { describeCvReport } from './cv-report.js';
import type { Deliverable, DescribeDeliverable } from './deliverable.js';
import { describeReferenceReport } from './reference-report.js';

/** Kind in the configuration → its implementation. Each further kind of report needs a row here. */
const KINDS: { readonly [K in DeliveredReport['kind']]: DescribeDeliverable<Extract<DeliveredReport, { kind: K }>> } = {
  cv: describeCvReport,
  reference: describeReferenceReport,
};

export function describeDeliverable(report: DeliveredReport): Deliverable {
  return (KINDS[report.kind] as DescribeDeliverable)(report);
}
