import { resolve } from 'node:path';
import { isoNow } from '../clock.js';
import type { Config } from '../config/config.js';
import { SyncError } from '../errors.js';
import { newId } from '../planning/summary.js';
import { plural } from '../report/style.js';
import { type BackupFile, backUpState, backupFile, inspectBackup, restoreState } from '../store/backup.js';
import { openStores } from '../store/open-stores.js';
import { waitForRunLock } from '../wire.js';
import {
  type CommandContext,
  type CommonOptions,
  type Console,
  describeHolder,
  type Report,
  runCommand,
} from './context.js';
import { type LockFlags, tellLocked } from './run-plan.js';

/** `state backup [FILE]`: one consistent copy, also in the middle of a run. */
export async function runStateBackup(console: Console, file: string | undefined, flags: CommonOptions): Promise<void> {
  await runCommand(console, flags, async ({ config, clock }) => {
    const target = file === undefined ? backupFile(config.state, isoNow(clock), 'by-hand') : resolve(file);
    const backup = backUpState(config.state, target);
    return { json: describeBackup(backup), text: `Backed up and checked.\n${renderBackup(backup)}`, exitCode: 0 };
  });
}

/** `state restore FILE`: puts a backup in place, and keeps what was there. */
export async function runStateRestore(console: Console, file: string, flags: CommonOptions & LockFlags): Promise<void> {
  await runCommand(console, flags, (context) => restore(context, resolve(file), flags));
}

async function restore(context: CommandContext, file: string, flags: LockFlags): Promise<Report> {
  const { config, clock } = context;
  const backup = inspectBackup(file);
  checkAccount(config, backup);
  const holder = describeHolder('state restore');
  const lock = await waitForRunLock(config.state, {
    ...context,
    holder,
    ...(flags.wait === true ? { onLocked: tellLocked(context.console) } : {}),
  });
  try {
    const at = isoNow(clock);
    const kept = await restoreState(config.state, file, at);
    const stores = openStores(config.state, { lockedAt: at });
    const result = { restored: file, kept };
    const run = { id: newId('r', clock), command: 'restore', startedAt: at, configDigest: config.digest };
    stores.history.startRun(run);
    stores.history.endRun(run.id, { endedAt: isoNow(clock), plan: null, exitCode: 0, result: JSON.stringify(result) });
    stores.close();
    const before = kept === null ? '' : `\nWhat was there before is kept in ${kept}.`;
    const next = 'The next run reads the whole account again; approvals have to be given anew.';
    return {
      json: { ...describeBackup(backup), kept },
      text: `Restored.\n${renderBackup(backup)}${before}\n${next}`,
      exitCode: 0,
    };
  } finally {
    lock.close();
  }
}

/** Links of one account are wrong for every other. */
function checkAccount(config: Config, { account, file }: BackupFile): void {
  const { hostname } = new URL(config.service.baseUrl);
  if (account === null || account === hostname) return;
  throw new SyncError('SYNC_STATE_OTHER_ACCOUNT', {
    message: `The backup belongs to ${account}, but the configuration names ${hostname}.`,
    place: file,
    remedy: 'Name the configuration of that account with --config, or another backup.',
  });
}

function describeBackup({ file, bytes, account, links, auditEntries, auditHead, openIntents }: BackupFile): object {
  return { file, bytes, account, links, open_intents: openIntents, audit: { entries: auditEntries, head: auditHead } };
}

function renderBackup(backup: BackupFile): string {
  const { file, bytes, account, links, auditEntries, openIntents } = backup;
  const open = openIntents === 0 ? '' : `, ${plural(openIntents, 'call')} on the way`;
  return [
    `  ${file} (${(bytes / 1024).toFixed(0)} KiB)`,
    `  account ${account ?? 'none yet'}: ${plural(links, 'link')}, audit of ${plural(auditEntries, 'entry', 'entries')}${open}`,
  ].join('\n');
}
