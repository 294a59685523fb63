import { canonicalJson } from '../model/json.js';
import type { RunWork } from './run-work.js';
import { report } from './undo-change.js';
import type { Restoring } from './undo-fields.js';
import type { UndoPorts } from './undo-ports.js';

/** What an undo cannot take back, or leaves alone, each for itself. */

export function reportMoved(work: RunWork, { moved }: Restoring, ports: UndoPorts): void {
  for (const { path, was, wrote, holds } of moved) {
    report(
      work,
      'SYNC_UNDO_MOVED',
      `${path} has moved since: the run wrote ${canonicalJson(wrote)} (${canonicalJson(was)} before), the service holds ${canonicalJson(holds)} now.`,
      'Change it in the service or in the source, if the newer value is wrong; a later run that wrote it can be undone first.',
      ports,
    );
  }
}

export function reportSent(work: RunWork, ports: UndoPorts): void {
  const what =
    work.entity === 'users' ? 'The service has sent the person an e-mail' : 'The service has sent e-mails about it';
  ports.hold({
    entity: work.entity,
    key: work.key,
    place: `run ${ports.run}`,
    code: 'SYNC_UNDO_SENT',
    reason: `${work.label}: ${what} when the run did this; that cannot be undone.`,
    remedy: 'Write to the people, if it matters to them.',
  });
}

/** An account made anew would be empty: the CV went with the old one. */
export function reportForGood(work: RunWork, ports: UndoPorts): void {
  const because =
    'the account was deleted for good, and its CV with it; the service has no call that brings them back.';
  const remedy = 'If the person is here again, deliver the row: the next run makes a new account.';
  report(work, 'SYNC_UNDO_IMPOSSIBLE', because, remedy, ports);
}
