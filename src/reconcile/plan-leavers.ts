import type { Candidate } from '../model/desired.js';
import type { Observed } from '../model/observed.js';
import { formatPlace } from '../model/place.js';
import type { Change, Reason } from '../model/plan.js';
import { buildChange } from './build-change.js';
import type { EntitySettings, ReconcilePorts } from './ports.js';
import { guardProtected } from './protect.js';

const PAGE = 500;

/** Deactivates who is proven absent: linked, active, and in no row of the sources. */
export function planMissing(settings: EntitySettings, ports: ReconcilePorts): void {
  for (let key = ''; ; ) {
    const page = ports.missing('users', key, PAGE);
    for (const link of page) {
      key = link.key;
      // Somebody who is here matches the account under another key: its person may only have been given a new one.
      if (ports.claimants('users', link.id).length > 0) continue;
      const observed = ports.observed('users', link.id);
      const verdict = ports.absentLeaver(link.key);
      if (observed === null || !verdict.due) continue;
      planDeactivation(
        observed,
        { key: link.key, place: 'absent' },
        { kind: verdict.sinceEdit === true ? 'absent_since_edit' : 'absent', text: verdict.text },
        settings,
        ports,
      );
    }
    if (page.length === 0) return;
  }
}

/** Deactivates who is in the source but not in scope, where the configuration lets that be a leaving. */
export function planOutOfScope(settings: EntitySettings, ports: ReconcilePorts): void {
  for (let key = ''; ; ) {
    const page = ports.outOfScope('users', key, PAGE);
    for (const link of page) {
      key = link.key;
      const observed = ports.observed('users', link.id);
      const verdict = ports.outOfScopeLeaver(link.key);
      // A row in scope that matches the account stands for it: a person may have two, of which one is out of scope.
      if (observed === null || !verdict.due || ports.claimants('users', link.id).length > 0) continue;
      const record = { key: link.key, place: formatPlace(link.place) };
      planDeactivation(observed, record, { kind: 'out_of_scope', text: verdict.text }, settings, ports);
    }
    if (page.length === 0) return;
  }
}

export function planDeactivation(
  observed: Observed,
  record: Candidate | { readonly key: string; readonly place: string },
  reason: Reason,
  settings: EntitySettings,
  ports: ReconcilePorts,
): void {
  const key = 'desired' in record ? record.desired.key : record.key;
  const place = 'desired' in record ? formatPlace(record.desired.place) : record.place;
  if (guardProtected({ key, place }, observed, { deactivated: true }, 'deactivate', ports) === 'held') return;
  const change: Omit<Change, 'id'> = {
    entity: 'users',
    action: 'deactivate',
    key,
    target: observed.id,
    label: observed.label,
    fields: ['deactivated'],
    before: { deactivated: false },
    after: { deactivated: true },
    reason,
    place,
    needs: [],
    observedHash: observed.hash,
    desiredHash: 'desired' in record ? record.desiredHash : null,
  };
  ports.plan(buildChange(change, settings.configDigest));
}
