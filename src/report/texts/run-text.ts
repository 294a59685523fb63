import type { DeliveryResult } from '../../model/delivery.js';
import type { Hold } from '../../model/desired.js';
import type { Failure } from '../../model/failure.js';
import type { Cost, Counts, GuardTrip, PlanEvidence } from '../../model/plan.js';
import type { WrittenSource } from '../../model/write-back.js';
import { renderDeliveries } from '../writers/delivery-text.js';
import { renderGuards } from '../writers/guards-text.js';
import { listHolds } from '../writers/holds-text.js';
import { listCounts } from '../writers/plan-text.js';
import { describeCalm, renderUnprovenReads } from '../writers/reads-text.js';
import { renderNear, renderWrittenSource } from '../writers/sources-text.js';
import { chooseWidth, clip, createStyle, formatSeconds, joinLines, plural } from '../writers/style.js';

export interface RunText {
  readonly run: string;
  readonly counts: Counts;
  readonly calls: { readonly reads: number; readonly writes: number };
  readonly cost: Cost;
  readonly evidence: PlanEvidence;
  readonly done: number;
  readonly failed: readonly Failure[];
  readonly held: readonly Hold[];
  readonly guards: readonly GuardTrip[];
  readonly deliveries?: readonly DeliveryResult[];
  /** What each source was told; none where there was nothing to tell. */
  readonly bySource?: readonly WrittenSource[];
  readonly near_misses?: number;
  readonly left: number;
  readonly stopped: string | null;
  readonly leftOut: readonly { readonly label: string; readonly because: string }[];
  readonly seconds: number;
  readonly audit: { readonly entries: number; readonly head: string | null };
  readonly color: boolean;
  /** Columns of the terminal; null where there is none. */
  readonly width: number | null;
}

const SHOWN = 12;

/** How a run ended, for a terminal: what was done first, then whatever needs a person. */
export function renderRun(run: RunText): string {
  const style = createStyle(run.color);
  const width = chooseWidth(run.width);
  const planned = listCounts(run.counts, width);
  const lines = [
    `${style.bold('Run')} ${run.run}: ${style.good(`${plural(run.done, 'change')} done`)}${run.failed.length > 0 ? style.bad(`, ${run.failed.length} failed`) : ''}${run.held.length > 0 ? style.warn(`, ${plural(run.held.length, 'record')} held`) : ''}`,
    ...(planned.length === 0 ? [`  ${describeCalm(run.evidence, run.held.length)}`] : planned),
    `  ${plural(run.calls.writes, 'write')} (forecast ${run.cost.writes}) and ${plural(run.calls.reads, 'read')} in ${formatSeconds(run.seconds)}`,
    ...(run.bySource ?? []).flatMap((told) => renderWrittenSource(told, style, width)),
    ...renderNear(run.near_misses ?? 0, style, width),
    ...renderUnprovenReads(run.evidence, style, width),
    ...renderGuards(run.guards, ', then run again', style, width),
  ];
  if (run.stopped !== null)
    lines.push(style.bad(`! stopped: ${run.stopped}; ${plural(run.left, 'change')} left for the next run`));
  for (const failure of run.failed.slice(0, SHOWN)) {
    lines.push(
      style.bad(`x ${failure.entity} ${failure.key} (${failure.place})`),
      `    ${failure.code}: ${clip(failure.message, 300)}`,
      style.dim(`    ${failure.remedy}`),
    );
  }
  if (run.failed.length > SHOWN)
    lines.push(style.dim(`  … and ${run.failed.length - SHOWN} more failed; --json shows them`));
  lines.push(...renderDeliveries(run.deliveries ?? [], style));
  lines.push(...listHolds(run.held, style, width));
  for (const { label, because } of run.leftOut.slice(0, SHOWN))
    lines.push(`- left out of the plan: ${label} (${because})`);
  if (run.leftOut.length > SHOWN) lines.push(style.dim(`  … and ${run.leftOut.length - SHOWN} more left out`));
  lines.push(style.dim(`  audit: ${plural(run.audit.entries, 'entry', 'entries')}, head ${run.audit.head ?? 'none'}`));
  return `${joinLines(lines)}\n`;
}
