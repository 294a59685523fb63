import type { App } from '../app.js';
import type { Config } from '../config/config.js';
import { type PlannedRun, planRun } from '../cycle.js';
import { openPlanReport } from '../operations/open-report.js';
import { chooseExitCode, splitHolds } from '../report/exit-code.js';
import { countWaiting, describeStale, isBroken, listErrors, listIncomplete, listStale } from '../report/read-faults.js';
import { renderPlan } from '../report/writers/terminal.js';
import { type CommandContext, type CommandResult, formatError, type RunFlags } from './context.js';
import { addReports, checkTargets, writeReports } from './report-files.js';
import { withApp } from './with-app.js';

export interface PlanFlags extends RunFlags {
  readonly detailedExitcode?: boolean;
}

/** `plan`: what would be done, saved, and nothing sent but reads. */
export function runPlan(context: CommandContext, flags: PlanFlags): Promise<CommandResult> {
  return withApp('plan', context, flags, async (app) => {
    checkTargets(flags.report ?? [], app.config.state);
    const planned = await planRun(app, { full: flags.full === true, only: flags.only ?? null }, 'plan');
    const reports = await writeReports(flags.report, app.config.state, () =>
      openPlanReport(app.config, app.stores, planned.head.plan),
    );
    return addReports(await reportPlan(app, planned, context, flags), reports);
  });
}

/** What a run left alone: of the service's refusals each names all that rests on it. */
export function describeLeftAlone(
  { stopped, unread, staged }: Pick<PlannedRun, 'stopped' | 'unread' | 'staged'>,
  { timezone }: Pick<Config, 'timezone'>,
): string {
  const refusals = new Set<unknown>(unread.map(({ error }) => error.cause));
  const ofSources = stopped.filter(({ error }) => !refusals.has(error));
  return [
    ...ofSources.map(({ entity, error }) => `${entity} left alone: ${formatError(error)}`),
    ...unread.map(({ error }) => formatError(error)),
    ...describeStale(staged, timezone),
  ].join('');
}

export async function reportPlan(
  app: App,
  planned: PlannedRun,
  context: CommandContext,
  flags: Pick<PlanFlags, 'all' | 'detailedExitcode' | 'json'>,
): Promise<CommandResult> {
  const { head } = planned;
  const { work } = app.stores;
  const { counts, toSources, guards } = head.summary;
  const incomplete = listIncomplete(planned);
  const render = (): Promise<string> =>
    renderPlan({
      head,
      changes: () => work.inOrder('all'),
      toSources: () => work.writeBackChanges('all'),
      holds: () => work.holds(),
      color: context.color,
      width: context.width,
      all: flags.all === true,
    });
  return {
    json: { ...describePlan(planned, work), ...listErrors(planned), ...listStale(planned), ...incomplete },
    // To walk over a long plan for nobody takes seconds.
    text: flags.json === true ? '' : `${describeLeftAlone(planned, app.config)}${await render()}`,
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

function describePlan({ head }: PlannedRun, work: App['stores']['work']): object {
  const { counts, toSources, cost, guards, adoption, bulkLoad, deliveries } = head.summary;
  return {
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
  };
}

function sumCounts(counts: PlannedRun['head']['summary']['counts']): number {
  return Object.values(counts).reduce((sum, actions) => sum + Object.values(actions).reduce((a, b) => a + b, 0), 0);
}
