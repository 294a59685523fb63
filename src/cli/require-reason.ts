import { SyncError } from '../base/errors.js';
import type { AskingContext } from './context.js';

/** Requires a reason in scripts, where nobody remembers why; at a terminal, the person can be asked later. */
export function requireReason({ console }: AskingContext, reason: string, message: string): void {
  const isTyped = console.stdout.isTTY === true || console.stderr.isTTY === true;
  if (!isTyped) checkReason(reason, message);
}

/** The same at a terminal: a daemon elsewhere decides nothing without a reason. @throws SyncError SYNC_CLI_USAGE */
export function checkReason(reason: string, message: string): void {
  if (reason.trim() !== '') return;
  throw new SyncError('SYNC_CLI_USAGE', {
    message,
    place: '--reason',
    remedy: 'Write `--reason "site closed, ticket 4711"`; it is kept in the audit log.',
  });
}
