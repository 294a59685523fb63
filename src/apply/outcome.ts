import type { AuditedCall } from '../audit/audit-log.js';
import { appendEntry, buildEntry } from '../audit/audit-log.js';
import type { SourcedEntity } from '../model/entity.js';
import type { Values } from '../model/json.js';
import type { Observed } from '../model/observed.js';
import type { Change } from '../model/plan.js';
import { diffValues } from '../reconcile/diff.js';
import type { Agreement, ContextOf } from '../store/link-store.js';
import type { Stores } from '../store/open-stores.js';
import { unreadableParts } from './verify.js';

/** Something a change could not do, for people and programs. */
export interface Failure {
  readonly entity: string;
  readonly key: string;
  readonly change: string;
  readonly code: string;
  readonly message: string;
  readonly place: string;
  readonly remedy: string;
}

export interface ChangeEnd {
  readonly change: Change;
  readonly run: string;
  readonly at: string;
  readonly approval: string | null;
  readonly calls: readonly AuditedCall[];
  readonly result: 'done' | 'already so' | 'not taken' | 'refused' | 'lost';
  readonly error: string | null;
  /** The object as the service has it now; null when it has none, or nothing is known. */
  readonly observed: Observed | null;
}

function sourcedEntity(change: Change): SourcedEntity | null {
  const { entity } = change;
  return entity === 'users' || entity === 'customers' || entity === 'projects' ? entity : null;
}

/**
 * Puts the end of a change on disk: link, base, audit entry and `settle` in one transaction of state.db, so that after a
 * crash either all of it is known or the intent is still open.
 */
export function recordEnd(stores: Stores, end: ChangeEnd, contextOf: ContextOf, settle: () => void): void {
  const { change, observed, run, at, calls, result, error, approval } = end;
  stores.state.transaction(() => {
    settle();
    const entity = sourcedEntity(change);
    if (
      entity !== null &&
      observed !== null &&
      (result === 'done' || result === 'already so' || result === 'not taken')
    ) {
      linkAndAgree(stores, entity, change, observed, {
        run,
        at,
        contextHash: contextOf(entity),
        whole: result !== 'not taken',
      });
    }
    if (approval !== null && (result === 'done' || result === 'already so')) stores.history.spendApproval(change.id);
    const target = observed?.id ?? change.target;
    appendEntry(stores.audit, buildEntry(change, { run, at, calls, result, error, target, approval }));
  });
}

function linkAndAgree(
  stores: Stores,
  entity: SourcedEntity,
  change: Change,
  observed: Observed,
  how: { readonly run: string; readonly at: string; readonly contextHash: string; readonly whole: boolean },
): void {
  const { links, work } = stores;
  const before = links.find(entity, change.key);
  if (change.action === 'create') {
    const { run, at } = how;
    links.link({ entity, sourceKey: change.key, serviceId: observed.id, origin: 'created', run, at });
  }
  const written = unreadableParts(
    change.action === 'create' ? null : (before?.written ?? null),
    change.after,
    observed,
  );
  links.remember(entity, change.key, written);
  if (change.action === 'deactivate') links.disagree(entity, change.key);
  const staged = work.stagedByKey(entity, change.key);
  if (!how.whole || staged?.desired == null || change.desiredHash === null || change.action === 'deactivate') return;
  // Only a pair with nothing left to do may be passed over next time; a field left unresolved must be looked at again.
  const rest = diffValues({ entity, desired: staged.desired.values, observed: observed.values, written, rules: {} });
  if (rest.fields.length > 0) return;
  links.agree(
    entity,
    change.key,
    buildAgreement(staged.desired.values, written, change.desiredHash, observed, how.contextHash),
  );
}

export function buildAgreement(
  agreed: Values,
  written: Values,
  desiredHash: string,
  observed: Pick<Observed, 'hash'>,
  contextHash: string,
): Agreement {
  return { agreed, written, desiredHash, observedHash: observed.hash, contextHash };
}
