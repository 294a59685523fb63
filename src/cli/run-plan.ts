import { hostname } from 'node:os';
import type { App } from '../app.js';
import type { PlannedRun } from '../cycle.js';
import { planRun } from '../cycle.js';
import { parseSelector } from '../planning/only.js';
import { renderPlan } from '../report/plan-text.js';
import { wireApp } from '../wire.js';
import {
  type CommandContext,
  type CommonOptions,
  type Console,
  describeError,
  formatError,
  type Report,
  runCommand,
} from './context.js';
import { chooseExitCode, splitHolds } from './exit-code.js';

export interface PlanFlags extends CommonOptions {
  readonly only?: string;
  readonly asOf?: string;
  readonly full?: boolean;
  readonly all?: boolean;
  readonly detailedExitcode?: boolean;
}

/** Opens the tenant's state for one command, and closes it whatever happens. */
export async function withApp<T>(
  command: string,
  { config, logger, clock, signal, console }: CommandContext,
  flags: { readonly asOf?: string; readonly only?: string },
  work: (app: App) => Promise<T>,
): Promise<T> {
  const holder = `${command}, process ${process.pid} on ${hostname()}`;
  if (flags.only !== undefined) parseSelector(flags.only, '--only');
  const progress = createProgress(console.stderr);
  const onProgress = progress.show;
  const app = await wireApp(config, { clock, logger, signal, holder, asOf: flags.asOf ?? null, onProgress });
  try {
    return await work(app);
  } finally {
    progress.clear();
    await app.close();
  }
}

/** One line that counts on a terminal; nothing in a pipe. */
function createProgress(stderr: Console['stderr']): { show(done: number): void; clear(): void } {
  const live = stderr.isTTY === true;
  let shown = false;
  return {
    show(done) {
      if (!live) return;
      shown = true;
      stderr.write(`\r\u001b[K${done} changes done …`);
    },
    clear: () => void (shown && stderr.write('\r\u001b[K')),
  };
}

/** `plan`: what would be done, saved, and nothing sent but reads. */
export async function runPlan(console: Console, flags: PlanFlags): Promise<void> {
  await runCommand(console, flags, (context) =>
    withApp('plan', context, flags, async (app) => {
      const planned = await planRun(app, { full: flags.full === true, only: flags.only ?? null }, 'plan');
      return reportPlan(app, planned, context, flags);
    }),
  );
}

function reportPlan(app: App, planned: PlannedRun, context: CommandContext, flags: PlanFlags): Report {
  const { head, stopped } = planned;
  const { work } = app.stores;
  const { counts, cost, guards } = head.summary;
  const errors = listErrors(planned);
  const incomplete = listIncomplete(planned);
  const text = renderPlan({
    head,
    changes: () => work.inOrder('all'),
    holds: () => work.holds(),
    color: context.color,
    all: flags.all === true,
  });
  return {
    json: {
      plan: head.plan,
      file: head.file,
      fingerprint: head.fingerprint,
      expires: head.expires,
      counts,
      cost,
      ...splitHolds(work.holds()),
      guards,
      ...errors,
      ...incomplete,
    },
    text: `${stopped.map(({ entity, error }) => `${entity} left alone: ${formatError(error)}`).join('')}${text}`,
    exitCode: chooseExitCode({
      broken: 'errors' in errors,
      failed: 0,
      incomplete: 'incomplete' in incomplete,
      held: work.holds(),
      guards,
      left: 0,
      detailed: flags.detailedExitcode === true,
      changes: sumCounts(counts),
    }),
  };
}

function sumCounts(counts: PlannedRun['head']['summary']['counts']): number {
  return Object.values(counts).reduce((sum, actions) => sum + Object.values(actions).reduce((a, b) => a + b, 0), 0);
}

/**
 * Sources that could not be read, in the form of errors; absent when there are none. The first one stands under `error`
 * too, where every command tells what went wrong.
 */
export function listErrors({ staged }: PlannedRun): { readonly error?: unknown; readonly errors?: readonly unknown[] } {
  const errors = staged
    .flatMap(({ deciding, enriching }) => [...deciding, ...enriching])
    .flatMap(({ source, error }) => (error === null ? [] : [{ source, ...describeError(error) }]));
  const [first] = errors;
  return first === undefined ? {} : { error: first.error, errors };
}

/** Sources that were read but cannot prove themselves whole; absent when there are none. */
export function listIncomplete({ staged }: PlannedRun): { readonly incomplete?: readonly unknown[] } {
  const open = staged
    .flatMap(({ deciding, enriching }) => [...deciding, ...enriching])
    .flatMap(({ evidence, error }) => (error === null && evidence?.complete === false ? [evidence] : []));
  if (open.length === 0) return {};
  return {
    incomplete: open.map(({ source, at, incompleteBecause }) => ({ source, at, because: incompleteBecause ?? null })),
  };
}
