import { type Clock, isoNow } from '../base/clock.js';
import type { Failure } from '../model/failure.js';
import type { Json } from '../model/json.js';
import type { WriteOutcome } from '../model/write-back.js';
import { isEmpty } from '../reconcile/fields/compare.js';
import { hashLeaf } from '../reconcile/fields/leaves.js';
import { appendEvent } from '../store/audit/audit-log.js';
import type { Stores } from '../store/open-stores.js';
import type { ReadyChange } from './prepare-writes.js';

export interface RecordingContext {
  readonly run: string;
  readonly stores: Stores;
  readonly clock: Clock;
}

/**
 * Records the outcome of a write. Call this function within a transaction, so that outcome and audit entry are written
 * to disk together.
 */
export function recordOutcome(
  outcome: WriteOutcome,
  changes: readonly ReadyChange[],
  source: string,
  { stores, run, clock }: RecordingContext,
): void {
  const { record, status, at: where, requestId, message, mayBeRepeated } = outcome;
  const settled = status === 'done' ? 'sent' : status;
  stores.outbox.settle(source, record, mayBeRepeated === true ? 'again' : settled, message ?? null);
  for (const { change, cells } of changes) {
    const { id, entity, key, label, reason, approval } = change;
    const sideOf = (side: 'before' | 'after'): Json =>
      Object.fromEntries(cells.map((cell) => [cell.column, cell[side]]));
    appendEvent(stores.audit, {
      kind: 'source told',
      at: isoNow(clock),
      run,
      change: id,
      source,
      record,
      entity,
      key,
      label,
      cause: reason,
      approval,
      before: sideOf('before'),
      after: sideOf('after'),
      result: status,
      where,
      request_id: requestId,
      error: message ?? null,
    });
    if (status === 'done') countWritten(stores, { change, cells, run, at: isoNow(clock) });
    if (approval !== null && status === 'done') stores.history.spendApproval(id);
  }
}

interface WrittenChange extends ReadyChange {
  readonly run: string;
  readonly at: string;
}

/**
 * Counts a record with overwritten values, for the guards of later runs. An overwrite that undoes an earlier overwrite
 * cancels it instead.
 */
function countWritten(
  { carriedOut, heldChanges }: Stores,
  { change: { source, record, approval }, cells, run, at }: WrittenChange,
): void {
  const scope = `sources.${source}`;
  const overwritten = cells.filter(({ before }) => !isEmpty(before));
  const sideOf = (side: 'before' | 'after'): string =>
    hashLeaf(Object.fromEntries(overwritten.map((cell) => [cell.column, cell[side]])));
  const one = { scope, what: 'overwrite', key: record };
  const isBack = overwritten.length > 0 && carriedOut.takeBackTo(one, sideOf('after'));
  if (overwritten.length > 0 && !isBack && approval === null)
    carriedOut.carryOut(one, { before: sideOf('before'), run, at });
  for (const { column } of cells) heldChanges.forget(scope, record, { field: column });
}

/** Returns the code, message and remedy for a failed write. */
export function explainOutcome({
  status,
  at,
  message,
  mayBeRepeated,
}: WriteOutcome): Pick<Failure, 'code' | 'message' | 'remedy'> {
  if (status === 'refused') {
    return {
      code: 'SYNC_WRITE_BACK_REFUSED',
      message: `The source rejected it (${at}): ${message ?? 'no reason given'}`,
      remedy:
        mayBeRepeated === true
          ? 'No action needed: the next run sends it again.'
          : 'Correct the value in the service, or the mapping of the write-back. The value is sent again when one of the two sides changes.',
    };
  }
  return {
    code: 'SYNC_WRITE_BACK_LOST',
    message: `It is not known if the source accepted the value (${at}): ${message ?? 'no answer'}`,
    remedy: 'The next run sends the value again unless the source shows it; setting a value twice does no harm.',
  };
}
