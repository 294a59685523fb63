import type { App } from '../app.js';
import type { PlannedRun } from '../cycle.js';
import { planRun } from '../cycle.js';
import { cleanLine } from '../model/clean-text.js';
import { parseSelector } from '../planning/only.js';
import { chooseExitCode, splitHolds } from '../report/exit-code.js';
import { countWaiting, isBroken, listErrors, listIncomplete, listStale, tellStale } from '../report/read-faults.js';
import { renderPlan } from '../report/writers/terminal.js';
import { wireApp } from '../wire.js';
import {
  type CommandContext,
  type CommandResult,
  type CommonOptions,
  type Console,
  describeHolder,
  formatError,
  nameOperator,
  runCommand,
} from './context.js';
import { openPlanReport } from './open-report.js';
import { print, printProgress } from './print.js';
import { checkTargets, tellReports, writeReports } from './report-files.js';
import type { ReportTarget } from './report-target.js';
import { type LockFlags, tellLocked } from './run-lock.js';

export interface PlanFlags extends CommonOptions, LockFlags {
  readonly only?: string;
  readonly asOf?: string;
  readonly full?: boolean;
  readonly all?: boolean;
  readonly detailedExitcode?: boolean;
  readonly report?: readonly ReportTarget[];
}

/** Opens the tenant's state for one command, and closes it whatever happens. */
export async function withApp<T>(
  command: string,
  { config, logger, clock, signal, console }: CommandContext,
  flags: LockFlags & { readonly asOf?: string; readonly only?: string; readonly ignoreQuietHours?: boolean },
  work: (app: App) => Promise<T>,
): Promise<T> {
  const holder = describeHolder(command);
  if (flags.only !== undefined) parseSelector(flags.only, '--only');
  const progress = createProgress(console.stderr);
  const app = await wireApp(config, {
    clock,
    logger,
    signal,
    holder,
    operator: nameOperator(),
    asOf: flags.asOf ?? null,
    onUnsettled: (message) => void print(console.stderr, `${cleanLine(message)}\n`),
    onChange: progress.count,
    ignoreQuietHours: flags.ignoreQuietHours === true,
    ...(flags.wait === true ? { onLocked: tellLocked(console) } : {}),
  });
  try {
    return await work(app);
  } finally {
    progress.clear();
    await app.close();
  }
}

/** One line that counts on a terminal; nothing in a pipe. */
function createProgress(stderr: Console['stderr']): { count(): void; clear(): void } {
  const live = stderr.isTTY === true;
  let shown = false;
  let ended = 0;
  return {
    count() {
      if (!live) return;
      shown = true;
      ended += 1;
      printProgress(stderr, `${ended} changes done …`);
    },
    clear: () => void (shown && printProgress(stderr, '')),
  };
}

/** `plan`: what would be done, saved, and nothing sent but reads. */
export async function runPlan(console: Console, flags: PlanFlags): Promise<void> {
  await runCommand(console, flags, (context) =>
    withApp('plan', context, flags, async (app) => {
      checkTargets(flags.report ?? [], app.config.state);
      const planned = await planRun(app, { full: flags.full === true, only: flags.only ?? null }, 'plan');
      const reports = await writeReports(flags.report, app.config.state, () =>
        openPlanReport(app.config, app.stores, planned.head.plan),
      );
      return addReports(await reportPlan(app, planned, context, flags), reports);
    }),
  );
}

/** What a run left alone: of the service's refusals each names all that rests on it. */
export function tellLeftAlone({ stopped, unread, staged }: Pick<PlannedRun, 'stopped' | 'unread' | 'staged'>): string {
  const refusals = new Set<unknown>(unread.map(({ error }) => error.cause));
  const ofSources = stopped.filter(({ error }) => !refusals.has(error));
  return [
    ...ofSources.map(({ entity, error }) => `${entity} left alone: ${formatError(error)}`),
    ...unread.map(({ error }) => formatError(error)),
    ...tellStale(staged),
  ].join('');
}

/** A report that could not be written is a fault of its own, whatever else the command did. */
export function addReports(report: CommandResult, reports: Awaited<ReturnType<typeof writeReports>>): CommandResult {
  const { json, text } = tellReports(reports);
  return {
    json: { ...(report.json as object), ...json },
    text: `${report.text}${text}`,
    exitCode: reports.error === null ? report.exitCode : 1,
  };
}

export async function reportPlan(
  app: App,
  planned: PlannedRun,
  context: CommandContext,
  flags: Pick<PlanFlags, 'all' | 'detailedExitcode'>,
): Promise<CommandResult> {
  const { head } = planned;
  const { work } = app.stores;
  const { counts, toSources, cost, guards, adoption, bulkLoad, deliveries } = head.summary;
  const errors = listErrors(planned);
  const incomplete = listIncomplete(planned);
  const text = await renderPlan({
    head,
    changes: () => work.inOrder('all'),
    toSources: () => work.writeBackChanges('all'),
    holds: () => work.holds(),
    color: context.color,
    width: context.width,
    all: flags.all === true,
  });
  return {
    json: {
      plan: head.plan,
      file: head.file,
      fingerprint: head.fingerprint,
      expires: head.expires,
      ...(head.undoes === undefined ? {} : { undoes: head.undoes.run }),
      counts,
      ...(Object.keys(toSources).length === 0 ? {} : { to_sources: toSources }),
      cost,
      ...splitHolds(work.holds()),
      guards,
      ...(bulkLoad === null ? {} : { bulk_load: bulkLoad }),
      ...(deliveries.length === 0 ? {} : { deliveries }),
      ...(adoption === null ? {} : { adoption }),
      ...errors,
      ...listStale(planned),
      ...incomplete,
    },
    text: `${tellLeftAlone(planned)}${text}`,
    exitCode: chooseExitCode({
      broken: isBroken(planned),
      failed: 0,
      incomplete: 'incomplete' in incomplete,
      held: work.holds(),
      guards,
      left: countWaiting(planned),
      detailed: flags.detailedExitcode === true,
      changes: sumCounts(counts) + Object.values(toSources).reduce((sum, { records }) => sum + records, 0),
    }),
  };
}

function sumCounts(counts: PlannedRun['head']['summary']['counts']): number {
  return Object.values(counts).reduce((sum, actions) => sum + Object.values(actions).reduce((a, b) => a + b, 0), 0);
}
