import { isoNow } from '../base/clock.js';
import { SyncError } from '../base/errors.js';
import { appendEvent } from '../store/audit/audit-log.js';
import { findHold, findMembers, findQuestion, type WaitingMember } from './find-hold.js';
import type { TenantOperation } from './operation.js';
import { type DecisionContext, decide } from './with-stores.js';

/**
 * The document of `holds ack --json`. Times are ISO 8601. `until` is null if the acknowledgement lasts until something else
 * is held.
 */
export interface GivenAcknowledgement {
  readonly acknowledged: string;
  readonly holds: number;
  readonly who: string;
  readonly reason: string;
  readonly until: string | null;
  readonly at: string;
}

export interface RevokedAcknowledgement {
  readonly revoked: string;
  readonly who: string;
  readonly reason: string;
}

export interface ResolvedConflict {
  readonly resolved: string;
  readonly take: string;
  readonly who: string;
  readonly reason: string;
}

/** A decision on the hold with this id or id prefix. */
interface HoldDecision {
  readonly hold: string;
  readonly reason: string;
}

export const ACKNOWLEDGE: TenantOperation<HoldDecision & { readonly until: string | null }, GivenAcknowledgement> = {
  name: 'acknowledgeHold',
  needs: 'a word',
  perform: (context, { hold: id, reason, until }) => acknowledge(context, { id, reason, until }),
};

export const FORGET_ACKNOWLEDGEMENT: TenantOperation<HoldDecision, RevokedAcknowledgement> = {
  name: 'revokeAcknowledgement',
  needs: 'a word',
  perform: (context, { hold: id, reason }) => forgetAcknowledgement(context, { id, reason }),
};

interface ConflictDecision extends HoldDecision {
  readonly take: 'source' | 'service';
  /** True to decide only a conflict without an earlier decision. */
  readonly isOpen?: boolean;
}

export const RESOLVE: TenantOperation<ConflictDecision, ResolvedConflict> = {
  name: 'resolveHold',
  needs: 'a word',
  perform: (context, { hold: id, take, reason, isOpen }) =>
    resolveConflict(context, { id, take, reason }, isOpen === true ? findHold : findQuestion),
};

/** A decision on a conflict that was revoked before a run carried it out. */
export interface RevokedResolution {
  readonly revoked: string;
  readonly who: string;
  readonly reason: string;
}

/** Reopens a conflict, which then waits for a new decision. */
export const REVOKE_RESOLUTION: TenantOperation<HoldDecision, RevokedResolution> = {
  name: 'revokeResolution',
  needs: 'a word',
  async perform(context, { hold: id, reason }) {
    const { entity, key, conflict: question = '' } = await findQuestion(context, id);
    const { by } = context;
    const at = isoNow(context.clock);
    let isGiven = false;
    await decide(context, ({ outbox, audit }) => {
      isGiven = outbox.decisionOn(question) !== null;
      if (!isGiven) return;
      outbox.forgetDecision(question);
      appendEvent(audit, { kind: 'conflict reopened', at, by, question, entity, key, reason });
    });
    if (isGiven) return { revoked: question, who: by, reason };
    throw new SyncError('SYNC_HOLD_UNKNOWN', {
      message: 'Nobody has decided this conflict, or a run has carried out the decision.',
      place: 'holds resolve',
      remedy: '`talent-sync holds list` shows what is held.',
    });
  },
};

/**
 * Acknowledges a hold, or all holds with one cause, but does not release them.
 *
 * @param until ISO 8601; null to acknowledge until something else is held
 * @throws SyncError SYNC_HOLD_UNKNOWN, SYNC_CLI_USAGE without a reason
 */
export async function acknowledge(
  context: DecisionContext,
  { id, reason, until }: { readonly id: string; readonly reason: string; readonly until: string | null },
): Promise<GivenAcknowledgement> {
  requireReason(reason);
  const found = await findMembers(context, id);
  const { by } = context;
  const at = isoNow(context.clock);
  await decide(context, (stores) => {
    for (const { hold, entity, key, code } of found) {
      stores.acknowledgements.acknowledge({ hold, entity, key, who: by, reason, until, at });
      appendEvent(stores.audit, { kind: 'hold acknowledged', at, by, hold, entity, key, code, reason, until });
    }
  });
  const { name, holds } = nameMembers(found, id);
  return { acknowledged: name, holds, who: by, reason, until, at };
}

/** @throws SyncError SYNC_HOLD_UNKNOWN if the hold is not acknowledged */
export async function forgetAcknowledgement(
  context: DecisionContext,
  { id, reason }: { readonly id: string; readonly reason: string },
): Promise<RevokedAcknowledgement> {
  const found = await findMembers(context, id);
  const known = found.filter(({ acknowledged }) => acknowledged !== undefined);
  const { name: revoked } = nameMembers(found, found[0]?.hold ?? '');
  if (known.length === 0) {
    throw new SyncError('SYNC_HOLD_UNKNOWN', {
      message: `Nobody has acknowledged ${revoked}.`,
      place: '--revoke',
      remedy: '`talent-sync holds list` shows what is held, and which of it is acknowledged.',
    });
  }
  const { by } = context;
  const at = isoNow(context.clock);
  await decide(context, (stores) => {
    for (const { hold, entity, key } of known) {
      stores.acknowledgements.forget(hold);
      appendEvent(stores.audit, { kind: 'acknowledgement revoked', at, by, hold, entity, key, reason });
    }
  });
  return { revoked, who: by, reason };
}

/**
 * Decides which side of a conflict is right, or changes that decision. The decision is valid while both sides keep their
 * values.
 *
 * @param find looks up the hold. A page opened before another person decided must not replace that person's decision
 * @throws SyncError SYNC_HOLD_UNKNOWN, SYNC_HOLD_UNDECIDABLE
 */
export async function resolveConflict(
  context: DecisionContext,
  { id, take, reason }: { readonly id: string; readonly take: 'source' | 'service'; readonly reason: string },
  find: typeof findHold = findHold,
): Promise<ResolvedConflict> {
  const hold = await find(context, id);
  const { entity, key, conflict: question } = hold;
  if (question === undefined) {
    throw new SyncError('SYNC_HOLD_UNDECIDABLE', {
      message: `${hold.id} (${hold.code}) is not a conflict between two sides: ${hold.reason}`,
      place: hold.place,
      remedy: hold.remedy,
    });
  }
  const { by } = context;
  const at = isoNow(context.clock);
  await decide(context, (stores) => {
    stores.outbox.resolve({ question, entity, key, winner: take, who: by, reason, at });
    appendEvent(stores.audit, { kind: 'conflict resolved', at, by, question, entity, key, winner: take, reason });
  });
  return { resolved: question, take, who: by, reason };
}

function requireReason(reason: string): void {
  if (reason.trim() !== '') return;
  throw new SyncError('SYNC_CLI_USAGE', {
    message: 'Say why it may stay held.',
    place: '--reason',
    remedy: 'Write `--reason "agreed with sales"`; the audit log keeps it.',
  });
}

/** Names one hold by its full id, or a cause by the typed text. Also returns the number of holds. */
function nameMembers(found: readonly WaitingMember[], typed: string): { name: string; holds: number } {
  const [first] = found;
  return { name: found.length === 1 && first !== undefined ? first.hold : typed, holds: found.length };
}
