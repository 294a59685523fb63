import { canonicalJson } from '../../model/json.js';
import type { RunWork } from './run-work.js';
import type { Staying } from './undo-contents.js';
import type { Restoring } from './undo-fields.js';
import type { UndoPorts } from './undo-ports.js';

/** Reports a part of a run's work on an object that is not undone, with the reason. */
export function report(
  work: RunWork,
  code: 'SYNC_UNDO_MOVED' | 'SYNC_UNDO_IMPOSSIBLE',
  { because, remedy }: { readonly because: string; readonly remedy: string },
  ports: UndoPorts,
): void {
  const { entity, key, label } = work;
  ports.plan.hold({ entity, key, place: `run ${ports.undone.run}`, code, reason: `${label}: ${because}`, remedy });
}

export function reportStaying(work: RunWork, stays: readonly Staying[], ports: UndoPorts): void {
  for (const { field, word, because, moved } of stays) {
    const code = moved ? 'SYNC_UNDO_MOVED' : 'SYNC_UNDO_IMPOSSIBLE';
    const remedy = 'If nobody needs it, remove it from the proposal in the service by hand.';
    report(work, code, { because: `${field} ${word}: ${because}; it stays.`, remedy }, ports);
  }
}

export function reportMoved(work: RunWork, { moved }: Restoring, ports: UndoPorts): void {
  for (const { path, was, wrote, holds } of moved) {
    const because = `${path} has changed since: the run wrote ${canonicalJson(wrote)} (${canonicalJson(was)} before), and the service has ${canonicalJson(holds)} now.`;
    const remedy =
      'If the newer value is wrong, change it in the service or in the source. If a later run wrote it, undo that run first.';
    report(work, 'SYNC_UNDO_MOVED', { because, remedy }, ports);
  }
}

export function reportSent(work: RunWork, ports: UndoPorts): void {
  ports.plan.hold({
    entity: work.entity,
    key: work.key,
    place: `run ${ports.undone.run}`,
    code: 'SYNC_UNDO_SENT',
    reason: `${work.label}: The service sent the person an e-mail when the run did this; an e-mail cannot be undone.`,
    remedy: 'If it matters to the person, write to them.',
  });
}

/** An account that is created again would be empty, because the CV was deleted with the old one. */
export function reportForGood(work: RunWork, ports: UndoPorts): void {
  const because = 'the account and its CV were deleted for good; no call of the service restores them.';
  const remedy = 'If the person has returned, deliver the row: the next run creates a new account.';
  report(work, 'SYNC_UNDO_IMPOSSIBLE', { because, remedy }, ports);
}

/** The audit shows that a value was written, but not the value before. */
export function reportLost(work: RunWork, ports: UndoPorts): void {
  const what = work.turn === 'delete' ? 'the deleted value' : 'the value before';
  const because = `${work.lost.join(', ')}: the audit log has only a pseudonym of ${what}, and the journal no longer has the value.`;
  const remedy = 'If anyone knows it, enter it in the service by hand.';
  report(work, 'SYNC_UNDO_IMPOSSIBLE', { because, remedy }, ports);
}
