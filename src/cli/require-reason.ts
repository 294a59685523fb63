import { SyncError } from '../base/errors.js';
import type { AskingContext } from './context.js';

/** Requires a reason in scripts, because a script cannot be asked later. */
export function requireReason({ console }: AskingContext, reason: string, message: string): void {
  const isTyped = console.stdout.isTTY === true || console.stderr.isTTY === true;
  if (!isTyped) checkReason(reason, message);
}

/** Requires a reason even at a terminal, because a remote daemon needs one. @throws SyncError SYNC_CLI_USAGE */
export function checkReason(reason: string, message: string): void {
  if (reason.trim() !== '') return;
  throw new SyncError('SYNC_CLI_USAGE', {
    message,
    place: '--reason',
    remedy: 'Write `--reason "site closed, ticket 4711"`; it is kept in the audit log.',
  });
}
