import type { App } from '../app/app.js';
import { SyncError } from '../base/errors.js';
import { planRun } from '../cycle.js';
import { foldKey } from '../model/observed.js';
import { runOnce } from '../operations/run.js';
import { tellPlan } from '../operations/tell-plan.js';
import { findKeys, parseSelector } from '../planning/only.js';
import { plural } from '../report/sections/words.js';
import { renderRun } from '../report/texts/run-text.js';
import { worded } from '../report/writers/style.js';
import { renderPlan } from '../report/writers/terminal.js';
import type { Stores } from '../store/open-stores.js';
import { type CommandContext, type CommandResult, type RunFlags, readReason } from './context.js';
import { notifying } from './notifying.js';
import { complete } from './run-apply.js';
import { toOrder } from './run-plan.js';
import { withApp } from './with-app.js';

export interface UndoFlags extends RunFlags {
  readonly run?: string;
  readonly plan?: boolean;
  readonly unpin?: string;
}

/** `undo RUN`: makes the inverse changes of a run, through the same guards; `--unpin` lets them be made again. */
export function runUndo(context: CommandContext, flags: UndoFlags): Promise<CommandResult> {
  const { run } = flags;
  if ((run === undefined) === (flags.unpin === undefined)) throw wrongUse();
  if (flags.unpin !== undefined) parseSelector(flags.unpin, '--unpin');
  const work = (): Promise<CommandResult> =>
    withApp('undo', context, flags, (app) =>
      run === undefined ? unpin(app, flags.unpin ?? '') : undo(app, run, context, flags),
    );
  return run === undefined || flags.plan === true ? work() : notifying(context, work);
}

function wrongUse(): SyncError {
  return new SyncError('SYNC_CLI_USAGE', {
    message: 'Name the run to undo, or the object to --unpin, and not both.',
    place: 'undo',
    remedy: 'talent-sync undo RUN, with a run of `talent-sync runs`; or talent-sync undo --unpin user:jane@example.com',
  });
}

async function undo(app: App, run: string, context: CommandContext, flags: UndoFlags): Promise<CommandResult> {
  const how = { full: flags.full === true, only: flags.only ?? null, undo: { run, reason: readReason(flags) } };
  if (flags.plan === true) return tellPlan(app, await planRun(app, how, 'plan'), toOrder(context, flags));
  const { document, exitCode, planned, bySource, doneCounts } = await runOnce(app, {
    command: 'undo',
    saved: null,
    ...how,
  });
  const { work } = app.stores;
  const { head } = planned;
  const { color, width } = context;
  const plan = await renderPlan({
    head,
    others: null,
    changes: () => work.inOrder('all'),
    toSources: () => [],
    holds: () => work.holds(),
    color,
    width,
    all: flags.all === true,
  });
  const { cost, evidence } = head.summary;
  // The plan above already lists holds and their remedies.
  const ended = await renderRun({
    ...document,
    bySource,
    held: [],
    conflicts: [],
    waiting: 0,
    guards: [],
    doneCounts,
    cost,
    evidence,
    others: null,
    left_out: [],
    color,
    width,
  });
  return {
    json: document,
    text: `${plan}\n${ended}`,
    exitCode: complete(exitCode, flags),
  };
}

/** Forgets the undone values of one object, so that the next run writes the sources' values again. */
async function unpin({ stores }: App, selector: string): Promise<CommandResult> {
  const { entity, asked } = parseSelector(selector, '--unpin');
  const { pins } = stores;
  const keys = findPinnedKeys(stores, selector);
  const forgotten = keys.flatMap((key) => pins.ofRecord(entity, key));
  stores.state.transaction(() => {
    for (const key of keys) pins.unpin(entity, key);
  });
  if (forgotten.length === 0) {
    const known = pins.all().map((pin) => `${pin.entity}:${pin.key}`);
    throw new SyncError('SYNC_NOT_FOUND', {
      message: `Nothing of ${entity}:${asked} is kept undone.`,
      place: '--unpin',
      remedy:
        known.length === 0 ? 'Nothing at all is.' : `Kept undone are: ${[...new Set(known)].slice(0, 10).join(', ')}.`,
    });
  }
  const paths = forgotten.map(({ path }) => path);
  return {
    json: { unpinned: forgotten.map(({ key, path, undone, run, at }) => ({ entity, key, path, undone, run, at })) },
    text: worded`Forgot ${plural(paths.length, 'pin')} of ${entity}:${keys.join(', ')}: ${paths.join(', ')}.\nThe next run does again what the sources want.`,
  };
}

/** Finds keys by the written key, or by any other name of the object. */
function findPinnedKeys(stores: Stores, selector: string): readonly string[] {
  const { entity, words } = parseSelector(selector, '--unpin');
  const keyed = stores.pins.all().filter((pin) => pin.entity === entity && foldKey(pin.key) === words);
  const keys = keyed.length > 0 ? keyed.map(({ key }) => key) : findKeys(stores, entity, words).keys;
  return [...new Set(keys)];
}
