import type { App } from '../app/app.js';
import type { PlannedRun } from '../cycle.js';
import { chooseExitCode } from '../report/exit-code.js';
import { countWaiting, isBroken, listErrors, listIncomplete, listStale } from '../report/read-faults.js';
import { describeLeftAlone } from '../report/texts/left-alone.js';
import { renderPlan } from '../report/writers/terminal.js';
import { veilAddresses } from '../store/audit/pseudonyms.js';
import { describePlan } from './describe-plan.js';
import { veilReport } from './veil-report.js';
import type { ToldWork, WorkLook, WorkOrder } from './work-order.js';

/** Describes a newly derived plan, as the result of `plan`. */
export async function tellPlan(
  { stores, config }: Pick<App, 'stores' | 'config'>,
  planned: PlannedRun,
  { look, isDetailed }: Pick<WorkOrder, 'look' | 'isDetailed'>,
): Promise<ToldWork> {
  const { work } = stores;
  const { told, others } = planned;
  const { counts, toSources, guards } = planned.head.summary;
  const incomplete = listIncomplete(told);
  // Rendering a long plan takes seconds, so it is skipped if nobody reads the text.
  const text = look === null ? '' : await renderAll({ stores, config }, planned, look);
  return {
    json: {
      ...describePlan(planned.head, planned.head.summary, work.holds()),
      ...(others === null ? {} : { others }),
      ...listErrors(told),
      ...listStale(told),
      ...incomplete,
    },
    text,
    exitCode: chooseExitCode({
      broken: isBroken(told),
      failed: 0,
      incomplete: 'incomplete' in incomplete,
      held: work.holds(),
      guards,
      left: countWaiting(told, guards),
      detailed: isDetailed,
      changes: sumCounts(counts) + Object.values(toSources).reduce((sum, { records }) => sum + records, 0),
    }),
  };
}

async function renderAll(
  { stores: { work }, config }: Pick<App, 'stores' | 'config'>,
  planned: PlannedRun,
  { color, width, all, veil }: WorkLook,
): Promise<string> {
  const text = await renderPlan({
    head: planned.head,
    others: planned.others,
    changes: () => work.inOrder('all'),
    toSources: () => work.writeBackChanges('all'),
    holds: () => work.holds(),
    veil: veil === null ? null : (report) => veilReport(veil, report),
    color,
    width,
    all,
  });
  const whole = `${describeLeftAlone(planned.told, config.timezone)}${text}`;
  return veil === null ? whole : veilAddresses(veil, whole);
}

function sumCounts(counts: PlannedRun['head']['summary']['counts']): number {
  return Object.values(counts).reduce((sum, actions) => sum + Object.values(actions).reduce((a, b) => a + b, 0), 0);
}
