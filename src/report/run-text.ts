import type { Failure } from '../apply/outcome.js';
import type { Hold } from '../model/desired.js';
import { ENTITIES } from '../model/entity.js';
import type { Cost, Counts, GuardTrip } from '../model/plan.js';
import { formatSeconds } from './plan-text.js';
import { clip, createStyle, plural } from './style.js';

export interface RunText {
  readonly run: string;
  readonly counts: Counts;
  readonly calls: { readonly reads: number; readonly writes: number };
  readonly cost: Cost;
  readonly done: number;
  readonly failed: readonly Failure[];
  readonly held: readonly Hold[];
  readonly guards: readonly GuardTrip[];
  readonly left: number;
  readonly stopped: string | null;
  readonly leftOut: readonly { readonly label: string; readonly because: string }[];
  readonly seconds: number;
  readonly color: boolean;
}

const SHOWN = 12;

/** How a run ended, for a terminal: what was done first, then whatever needs a person. */
export function renderRun(run: RunText): string {
  const style = createStyle(run.color);
  const kinds = ENTITIES.flatMap((entity) =>
    Object.entries(run.counts[entity] ?? {}).map(([action, count]) => `${entity.replace('_', ' ')} ${action} ${count}`),
  );
  const lines = [
    `${style.bold('Run')} ${run.run}: ${style.good(`${plural(run.done, 'change')} done`)}${run.failed.length > 0 ? style.bad(`, ${run.failed.length} failed`) : ''}${run.held.length > 0 ? style.warn(`, ${plural(run.held.length, 'record')} held`) : ''}`,
    kinds.length === 0 ? '  both sides were equal' : `  planned: ${kinds.join(', ')}`,
    `  calls: ${plural(run.calls.reads, 'read')}, ${plural(run.calls.writes, 'write')} (forecast ${plural(run.cost.writes, 'write')}), in ${formatSeconds(run.seconds)}`,
  ];
  for (const trip of run.guards) {
    lines.push(
      style.bad(
        `! guard ${trip.guard} holds ${plural(trip.held, 'change')}: ${trip.found} found, ${trip.limit} allowed`,
      ),
      `    cause: ${trip.cause} — ${trip.detail}`,
      `    to let them pass: talent-sync approve --guard ${trip.guard} --reason "…", then run again`,
    );
  }
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
  for (const hold of run.held.slice(0, SHOWN)) {
    lines.push(
      style.warn(`? held ${hold.entity} ${hold.key} (${hold.place})`),
      `    ${hold.code}: ${clip(hold.reason, 300)}`,
      style.dim(`    ${hold.remedy}`),
    );
  }
  if (run.held.length > SHOWN) lines.push(style.dim(`  … and ${run.held.length - SHOWN} more held; --json shows them`));
  for (const { label, because } of run.leftOut.slice(0, SHOWN))
    lines.push(`- left out of the plan: ${label} (${because})`);
  return `${lines.join('\n')}\n`;
}
