import { basename, resolve } from 'node:path';
import { isoNow } from '../base/clock.js';
import { SyncError } from '../base/errors.js';
import type { Config } from '../config/config.js';
import { newId } from '../planning/saved/summary.js';
import { plural } from '../report/sections/words.js';
import { joinLines, worded } from '../report/writers/style.js';
import { appendEvent } from '../store/audit/audit-log.js';
import { type ErasedAgain, eraseAgain } from '../store/audit/erasure/erase-again.js';
import { takeOverErased } from '../store/audit/erasure/erased-people.js';
import { type BackupFile, backUpState, backupFile, inspectBackup, restoreState } from '../store/backup.js';
import { openStores } from '../store/open-stores.js';
import {
  type CommandContext,
  type CommandResult,
  type CommonOptions,
  type LockFlags,
  nameOperator,
} from './context.js';
import { holdRunLock } from './run-lock.js';

/** `state backup [FILE]`: makes one consistent copy, even during a run. */
export function runStateBackup(
  { config, clock }: CommandContext,
  { file }: CommonOptions & { readonly file?: string },
): CommandResult {
  const target = file === undefined ? backupFile(config.state, isoNow(clock), 'by-hand') : resolve(file);
  const backup = backUpState(config.state, target);
  return { json: describeBackup(backup), text: `Backed up and checked.\n${renderBackup(backup)}` };
}

/** `state restore FILE`: restores a backup, and keeps the previous state. */
export async function runStateRestore(
  context: CommandContext,
  flags: LockFlags & { readonly file: string },
): Promise<CommandResult> {
  const { config, clock } = context;
  const file = resolve(flags.file);
  const backup = inspectBackup(file);
  checkAccount(config, backup);
  return await holdRunLock(context, 'state restore', flags, async () => {
    const at = isoNow(clock);
    const kept = await restoreState(config.state, file, at);
    const replaced = kept === null ? null : inspectKept(kept);
    const again = recordRestore(config, { at, endedAt: isoNow(clock), run: newId('r', clock), file, kept, replaced });
    const before = kept === null ? '' : worded`\nThe previous state is kept in ${kept}.`;
    const next =
      'The next run reads the entire account again. Give approvals again. Changes that take something away also need an approval that covers the lost period: `talent-sync approve --guard state.restored`.';
    return {
      json: { ...describeBackup(backup), kept, erasures: again },
      text: `Restored.\n${renderBackup(backup)}${before}${renderErasures(again, file)}\n${next}`,
    };
  });
}

/** Describes the kept previous state. Null if this program cannot read it, for example because a newer version wrote it. */
function inspectKept(file: string): BackupFile | null {
  try {
    return inspectBackup(file);
  } catch (error) {
    if (error instanceof SyncError) return null;
    throw error;
  }
}

interface Restored {
  readonly at: string;
  readonly endedAt: string;
  readonly run: string;
  readonly file: string;
  readonly kept: string | null;
  readonly replaced: BackupFile | null;
}

/** Erasures since the backup; null if they are unknown because there was no state to read. */
type ErasuresSince = ErasedAgain | null;

function renderErasures(again: ErasuresSince, file: string): string {
  if (again === null)
    return '\n! No previous state shows who was erased since the backup: erase those people again (`talent-sync audit erase`).';
  const { made, due } = again;
  if (made + due === 0) return '';
  const done =
    made === 0 ? '' : `\n${plural(made, 'erasure')} made since the backup ${made === 1 ? 'was' : 'were'} repeated.`;
  const open =
    due === 0
      ? ''
      : `\n! ${plural(due, 'erasure')} made since the backup ${due === 1 ? 'is' : 'are'} pending, because the outcome of some calls is not known yet: the next run looks it up, and erases.`;
  return `${done}${open}\n! ${file} still contains those people: delete it once you no longer need it.`;
}

/**
 * Records the restore in the history and in the restored audit log, and prints the audit head from before the restore. Also
 * keeps the current list of erasures, and repeats those since the backup before anyone else can see the data.
 */
function recordRestore(config: Config, { at, endedAt, run, file, kept, replaced }: Restored): ErasuresSince {
  const stores = openStores(config.state, { lockedAt: at }, config.audit);
  try {
    stores.state.transaction(() => {
      const [last] = stores.history.lastRuns(1);
      stores.lostState.noteRestored({ from: last?.endedAt ?? last?.startedAt ?? at, to: at });
      const lacking = takeOverErased(stores, replaced?.erased ?? []);
      stores.history.startRun({ id: run, command: 'restore', startedAt: at, configDigest: config.digest });
      const result = JSON.stringify({ restored: file, kept });
      stores.history.endRun(run, { endedAt, plan: null, exitCode: 0, result });
      appendEvent(stores.audit, {
        kind: 'state restored',
        at,
        by: nameOperator(),
        run,
        file: basename(file),
        replaced: replaced === null ? null : { entries: replaced.auditEntries, head: replaced.auditHead },
        erasures_undone: lacking.length,
      });
    });
    const again = eraseAgain(stores, { at, by: nameOperator() });
    return replaced === null ? null : again;
  } finally {
    stores.close();
  }
}

/** Links to one account are wrong for any other. */
function checkAccount(config: Config, { account, file }: BackupFile): void {
  const { hostname } = new URL(config.service.baseUrl);
  if (account === null || account === hostname) return;
  throw new SyncError('SYNC_STATE_OTHER_ACCOUNT', {
    message: `The backup belongs to ${account}, but the configuration names ${hostname}.`,
    place: file,
    remedy: `Name the configuration of that account with --config, or another backup. If the account has moved since, restore with the old \`service.base_url\`, then run \`talent-sync state move --to ${config.service.baseUrl}\`.`,
  });
}

function describeBackup({ file, bytes, account, links, auditEntries, auditHead, openIntents }: BackupFile): object {
  return { file, bytes, account, links, open_intents: openIntents, audit: { entries: auditEntries, head: auditHead } };
}

function renderBackup(backup: BackupFile): string {
  const { file, bytes, account, links, auditEntries, openIntents } = backup;
  const open = openIntents === 0 ? '' : `, ${plural(openIntents, 'call')} without an outcome`;
  return joinLines([
    `  ${file} (${(bytes / 1024).toFixed(0)} KiB)`,
    `  account ${account ?? 'none yet'}: ${plural(links, 'link')}, audit of ${plural(auditEntries, 'entry', 'entries')}${open}`,
  ]);
}
