import { resolve } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { SyncError } from '../base/errors.js';
import { createDraft } from '../base/new-file.js';
import type { Hold } from '../model/desired.js';
import { isAccount } from '../model/entity.js';
import { chooseExitCode } from '../report/exit-code.js';
import { exportUsers, type UsersExport } from '../report/export-users.js';
import { countWaiting, isBroken, listErrors, listIncomplete } from '../report/read-faults.js';
import { renderExport } from '../report/texts/export-text.js';
import { type CommandContext, type CommandResult, type LockFlags, printFitted } from './context.js';
import { printPiece } from './print.js';
import { withApp } from './with-app.js';

export interface PeopleExportFlags extends LockFlags {
  readonly out?: string;
  readonly separator?: ',' | ';';
  readonly language?: string;
  readonly formulas?: 'guard' | 'write';
  readonly asOf?: string;
  readonly full?: boolean;
}

/**
 * `export csv-import`: writes the desired people as the service's own import file, and lists the data that the file cannot
 * contain.
 */
export function runExportImport(context: CommandContext, flags: PeopleExportFlags): Promise<CommandResult> {
  if (flags.json === true && flags.out === undefined) {
    throw new SyncError('SYNC_CLI_USAGE', {
      message: 'Without `--out`, the file and the document of `--json` would both go to stdout.',
      place: '--json',
      remedy: 'Add `--out FILE`.',
    });
  }
  return withApp('export csv-import', context, flags, async (app) => {
    const { bulkLoad } = app.config.users ?? { bulkLoad: null };
    const exported = await exportUsers(app, {
      full: flags.full === true,
      separator: flags.separator ?? bulkLoad?.separator ?? ',',
      language: flags.language ?? bulkLoad?.language ?? 'en',
      formulas: flags.formulas ?? 'guard',
    });
    if (flags.out === undefined) {
      for (const piece of exported.write()) await printPiece(context.console.stdout, piece);
    } else await writeFile(resolve(flags.out), exported);
    return report(exported, [...app.stores.work.holds()], context, flags);
  });
}

function report(
  exported: UsersExport,
  holds: readonly Hold[],
  { console, color }: CommandContext,
  flags: PeopleExportFlags,
): CommandResult {
  const { derived, write: _write, ...summary } = exported;
  const file = flags.out === undefined ? null : resolve(flags.out);
  const [errors, incomplete] = [listErrors(derived), listIncomplete(derived)];
  const text = renderExport(summary, file, color);
  if (file === null) void printFitted(console.stderr, text);
  return {
    json: { file, ...summary, ...errors, ...incomplete },
    text: file === null ? '' : text,
    exitCode: chooseExitCode({
      broken: isBroken(derived),
      failed: 0,
      incomplete: 'incomplete' in incomplete,
      held: holds.filter(({ entity }) => isAccount(entity)),
      guards: summary.guards,
      left: countWaiting(derived, summary.guards),
      detailed: false,
      changes: 0,
    }),
  };
}

/** The file gets its final name once it is complete. Only its owner can read it, because it lists people. */
async function writeFile(file: string, exported: UsersExport): Promise<void> {
  try {
    const draft = createDraft(file);
    try {
      for (const piece of exported.write()) {
        draft.write(piece);
        await setImmediate();
      }
      draft.finish();
    } finally {
      draft.discard();
    }
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error)) throw error;
    throw new SyncError('SYNC_CLI_USAGE', {
      message: `The file cannot be written: ${error.message}`,
      place: file,
      remedy: 'Name a file in an existing folder that you can write to, on a disk with room.',
      cause: error,
    });
  }
}
