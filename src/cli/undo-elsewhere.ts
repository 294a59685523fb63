import { SyncError } from '../base/errors.js';
import { PLAN_UNDO, type ToldUndo, UNDO_NOW } from '../operations/ask-work.js';
import type { ToldWork } from '../operations/work-order.js';
import { joinLines, worded } from '../report/writers/style.js';
import { type AskFlags, type AskingContext, type CommandResult, type RunFlags, readReason } from './context.js';
import { checkReason } from './require-reason.js';
import { complete } from './run-apply.js';
import { toOrder } from './run-plan.js';

export interface UndoFlags extends RunFlags, AskFlags {
  /** The run to undo, or with `--daemon` a plan that undoes it. */
  readonly run?: string;
  readonly plan?: boolean;
  /** With `--daemon`, carries the plan out. */
  readonly yes?: boolean;
  readonly unpin?: string;
  /** With `--unpin`, releases only this value. */
  readonly field?: string;
}

/** Matches the id of a plan. The id of a run begins with `r`. */
const PLAN_ID = /^p\d{8}T/;
/** The exit code while changes need an approval. */
const WAITS = 3;

/**
 * `undo RUN --daemon URL`: shows the plan first, as on the page of the run, and `--yes` confirms it. If two people must
 * confirm, the second names the plan of the first.
 */
export async function undoElsewhere(context: AskingContext, named: string, flags: UndoFlags): Promise<CommandResult> {
  const { only, full, look } = toOrder(context, flags);
  const isPlan = PLAN_ID.test(named);
  if (flags.yes !== true && isPlan) throw namesPlan();
  const reason = readReason(flags);
  if (flags.yes === true) checkReason(reason, 'A reason is required.');
  const planned = isPlan ? null : await context.perform(PLAN_UNDO, { run: named, only, full, look });
  const plan = planned === null ? named : String((planned.json as { readonly plan?: unknown }).plan);
  const where = Object.entries({ daemon: flags.daemon, tenant: flags.tenant }).filter(([, name]) => name !== undefined);
  const again = `talent-sync undo ${plan} --yes --reason "…"${where.map(([option, name]) => ` --${option} ${name}`).join('')}`;
  if (planned !== null && flags.yes !== true) {
    return {
      ...planned,
      text: `${planned.text}\n${joinLines(['Nothing was written. To carry it out:', `  ${again}`])}`,
    };
  }
  const done = await context.perform(UNDO_NOW, { plan, reason, look });
  const { json, text, exitCode } = tellUndo(done, again);
  const all = planned === null ? text : `${planned.text}\n${text}`;
  return { json, text: all, exitCode: complete(exitCode, flags) };
}

function tellUndo({ told, ...weighed }: ToldUndo, again: string): ToldWork {
  if (told !== null) return told;
  const said = worded`Confirmed the plan ${weighed.plan} as the first of two people. A second person carries it out:`;
  return { json: weighed, text: joinLines([said, `  ${again}`]), exitCode: WAITS };
}

function namesPlan(): SyncError {
  const remedy = 'Write --yes and --reason to carry it out.';
  return new SyncError('SYNC_CLI_USAGE', { message: 'This is the id of a plan, not of a run.', place: 'undo', remedy });
}
