import { type Batches, inBatches, mapBatches } from '../../base/clock.js';
import { addSeconds } from '../../model/date-in-zone.js';
import type { DeliveryResult } from '../../model/delivery.js';
import type { Hold } from '../../model/desired.js';
import type { Failure } from '../../model/failure.js';
import type { GuardTrip } from '../../model/plan.js';
import type { PlanDocument } from '../../planning/saved/plan-document.js';
import type { AuditEntry } from '../../store/audit/audit-entry.js';
import type { SourceWritten } from '../../store/audit/events.js';
import { describeUnderWay, ENDINGS, type PastRun } from '../texts/run-lines.js';
import { problemText, titleOf } from './deliveries.js';
import { listPlanned } from './plan-report.js';
import { listReadNotes } from './reads.js';
import type { Report, ReportChange } from './report.js';
import { aboutFailure, changeOfEntry, changeOfWritten } from './report-change.js';
import type { ReportFact } from './section.js';
import { capitalise, formatMinute, formatSeconds } from './words.js';

/** The stored data about a run: its line in the history, its document, its audit entries, and its plans if still stored. */
export interface RunSources {
  readonly run: PastRun;
  readonly entries: () => Iterable<AuditEntry>;
  readonly written: () => Iterable<SourceWritten>;
  /** The plan that the run carried out: its own plan, or the saved plan of `apply`. Null if no longer stored. */
  readonly plan: PlanDocument | null;
  /** The plan that the run derived itself, with its reads; null if no longer stored. */
  readonly derived: PlanDocument | null;
}

/** The parts of a run's document that reports show. */
export interface RunResult {
  readonly calls: { readonly reads: number; readonly writes: number };
  readonly seconds: number;
  readonly failed: readonly Failure[];
  readonly held: readonly Hold[];
  readonly guards: readonly GuardTrip[];
  readonly deliveries?: readonly DeliveryResult[];
  readonly left: number;
  readonly stopped: string | null;
  readonly left_out?: readonly { readonly id: string; readonly label: string; readonly because: string }[];
}

/** A stored result. Documents of failed runs and of earlier versions lack some parts. */
type Result = Partial<RunResult> & { readonly conflicts?: readonly Hold[]; readonly error?: unknown };

export function reportRun(sources: RunSources, tenant: string | null = null): Report {
  const { run, derived } = sources;
  const result = (run.result ?? {}) as Result;
  const { calls } = result;
  return {
    kind: 'run',
    id: run.id,
    tenant,
    at: run.started_at,
    facts: [...(tenant === null ? [] : [{ name: 'Tenant', value: tenant }]), ...listFacts(run, result, sources)],
    notes: listNotes(run, result, sources),
    guards: result.guards ?? [],
    plan: derived,
    spent: calls === undefined ? null : { ...calls, seconds: result.seconds ?? 0 },
    delivered: result.deliveries ?? [],
    changes: () => listChanges(sources, result),
    holds: () => inBatches([...(result.held ?? []), ...(result.conflicts ?? [])]),
  };
}

function listFacts(run: PastRun, result: Result, { plan, derived }: RunSources): readonly ReportFact[] {
  const { started_at: began, ended_at: ended } = run;
  // Two times in the same minute would look the same.
  const format = began.slice(0, 16) === ended?.slice(0, 16) ? formatSecond : formatMinute;
  const facts: readonly (ReportFact | null)[] = [
    { name: 'Command', value: run.command },
    { name: 'Began', value: format(began) },
    { name: 'Ended', value: ended === null ? describeUnended(run) : format(ended) },
    run.exit_code === null ? null : { name: 'It ended', value: ENDINGS[run.exit_code] ?? `with ${run.exit_code}` },
    result.seconds === undefined ? null : { name: 'Took', value: formatSeconds(result.seconds) },
    plan === null ? null : { name: 'Plan', value: plan.meta.plan },
    derived === null ? null : { name: 'Configuration', value: derived.meta.config },
    derived === null ? null : { name: 'Mirror', value: `brought up to date by ${derived.meta.mirror}` },
  ];
  return facts.filter((fact) => fact !== null);
}

function formatSecond(iso: string): string {
  return addSeconds(formatMinute(iso), iso);
}

function describeUnended({ under_way }: PastRun): string {
  return under_way === undefined ? 'did not end' : `under way: ${describeUnderWay(under_way)}`;
}

function listNotes(run: PastRun, result: Result, { plan, derived }: RunSources): readonly string[] {
  const notes: string[] = derived === null ? [] : [...listReadNotes(derived.evidence)];
  if (run.result === null)
    notes.push(
      'The document of this run is missing: the run did not end, or is too old. The audit log lists its changes.',
    );
  if (typeof result.error === 'string') notes.push(`It could not run: ${result.error}`);
  if (typeof result.stopped === 'string')
    notes.push(`Stopped: ${result.stopped}. The next run makes the remaining changes.`);
  for (const { entity, key, change, code, message, remedy } of result.failed ?? [])
    if (change === '' && key === '*')
      notes.push(`The source ${entity} could not be written to: ${problemText({ code, message, remedy })}`);
  for (const { report, of, error } of result.deliveries ?? [])
    if (error !== undefined) notes.push(`${capitalise(titleOf(report, of))} not delivered: ${problemText(error)}`);
  if (plan === null && run.result !== null)
    notes.push('The plan is no longer stored, so changes that were not attempted and the reads are unknown.');
  return notes;
}

/** Yields the attempted changes in the order of their end, then the remaining changes of the plan. */
async function* listChanges({ entries, written, plan }: RunSources, result: Result): Batches<ReportChange> {
  const failures = new Map((result.failed ?? []).map((failure) => [failure.change, failure]));
  const leftOut = new Map((result.left_out ?? []).map(({ id, because }) => [id, because]));
  // Keep only ids, because the values of a first load of 100,000 people would not fit in memory.
  const tried = new Set<string>();
  yield* mapBatches(inBatches(entries()), (entry) => {
    tried.add(entry.change);
    return changeOfEntry(entry, failures.get(entry.change));
  });
  yield* mapBatches(inBatches(written()), (event) => {
    tried.add(event.change);
    return changeOfWritten(event, failures.get(event.change));
  });
  if (plan === null) return;
  const describe = (planned: ReportChange): ReportChange => {
    const failure = failures.get(planned.id);
    if (failure !== undefined) return { ...planned, state: 'failed', about: aboutFailure(failure) };
    return describeUntried(planned, leftOut.get(planned.id), result);
  };
  for await (const batch of listPlanned(plan)) yield batch.filter(({ id }) => !tried.has(id)).map(describe);
}

function describeUntried(planned: ReportChange, leftOut: string | undefined, { stopped }: Result): ReportChange {
  if (planned.state === 'declined' || (leftOut === undefined && planned.state === 'waits')) return planned;
  return { ...planned, state: 'left', about: leftOut ?? stopped ?? 'not attempted in this run' };
}
