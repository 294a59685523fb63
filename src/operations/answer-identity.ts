import { isoNow } from '../base/clock.js';
import { SyncError } from '../base/errors.js';
import type { Hold } from '../model/desired.js';
import { findEntity } from '../model/entity.js';
import { answerFor, asksIdentity, asksSameOrAnother, guardOfQuestion, OTHER_PERSON } from '../model/identity-guards.js';
import { foldKey } from '../model/observed.js';
import { sha256 } from '../model/sha256.js';
import { readNewestPlan } from '../planning/saved/newest-plan.js';
import type { SavedPlan } from '../planning/saved/read-plan.js';
import { newId } from '../planning/saved/summary.js';
import type { Stores } from '../store/open-stores.js';
import { type ApprovalText, writeApproval } from './approve.js';
import { readNewest } from './choose-approved.js';
import { holdersOf, isWho, listWaiting, type SavedChange } from './choose-changes.js';
import { findHold, type ListedHold, readHolds } from './find-hold.js';
import { linkBelongings } from './link-belongings.js';
import { type LinkedByHand, linkAll } from './link-by-hand.js';
import { weighApproval } from './weigh-approval.js';
import { type LockContext, withLockedStores } from './with-locked-stores.js';
import { type DecisionContext, decide } from './with-stores.js';

/** Answers one question, or all questions of a guard, about whether a record and an object are the same. */
export interface IdentityOrder {
  /** Id of a hold or the beginning of an id, or a record such as `user:E00050`. */
  readonly hold?: string;
  readonly guard?: string;
  readonly answer: 'same' | 'new';
  readonly reason: string;
}

/** The document of `holds resolve --same --json`. Times are ISO 8601. */
export interface GivenAnswer {
  readonly answer: 'same' | 'new';
  readonly guards: readonly string[];
  readonly approval: string;
  readonly plan: string;
  /** Number of answered questions. */
  readonly answered: number;
  /** Number of questions with an answer from the first of two people (`approvals.four_eyes`). */
  readonly waiting_for_second: number;
  /** Questions of the guard that name several objects or records. Each needs its own answer. */
  readonly left_open: readonly string[];
  /** Records that are now linked to their objects, including matching records that belong to them. */
  readonly linked: readonly LinkedByHand[];
  /** The run that linked the records; `undo` undoes this run. */
  readonly run: string | null;
  readonly who: string;
  readonly reason: string;
  readonly expires: string;
}

/** A record, the object that it may be the same as, and the changes that wait for the answer. */
interface IdentityQuestion {
  readonly hold: ListedHold;
  /** The record and the object that may be the same; null unless exactly one object is possible. */
  readonly relink: Hold['relink'] | null;
  readonly guard: string;
  readonly changes: readonly SavedChange[];
}

/**
 * Answers whether records and objects are the same:
 *
 * | the question | same | new |
 * |---|---|---|
 * | users.other_person | releases the change of the account | the row gets its own account |
 * | users.same_person, *.look_alike | links the record to the object immediately | both continue separately; guards still count |
 * | a claimed or doubtful match | links the record to the object immediately | releases a change that waits for it |
 *
 * The answer counts as an approval: it needs two people if approvals do, it expires, and the audit records it.
 *
 * @throws SyncError SYNC_HOLD_UNKNOWN, SYNC_HOLD_UNDECIDABLE, SYNC_APPROVAL_NOTHING, SYNC_APPROVAL_OVER,
 * SYNC_APPROVAL_SECOND, SYNC_APPROVAL_UNPROVEN, SYNC_LINK_TAKEN, SYNC_STATE_LOCKED
 */
export async function answerIdentity(
  context: DecisionContext & LockContext,
  order: IdentityOrder,
): Promise<GivenAnswer> {
  const saved = await readNewest(context);
  const { questions, open } = await findQuestions(context, order, saved);
  const given = questions.flatMap((question) => idsOf(question, order.answer).map((one) => ({ ...one, question })));
  const { config, clock, by: who, via } = context;
  const [id, now] = [newId('a', clock), isoNow(clock)];
  const expires = new Date(clock.now() + config.approvals.expiresMs).toISOString();
  const guards = [...new Set(questions.map(({ guard }) => guard))];
  const planned = questions.flatMap((question) => listAnswered(question, order.answer));
  const passing = new Set<string>();
  let half = 0;
  function write(stores: Stores): void {
    if (readNewestPlan(stores)?.plan !== saved.meta.plan) throw moved(saved);
    const word = { who, via, now, fourEyes: config.approvals.fourEyes, isTimed: false };
    const weighed = weighApproval(stores.history, given, word);
    const text = { id, plan: saved.meta.plan, guards, who, via, reason: order.reason, at: now, expires, planned };
    writeApproval(stores, weighed, text);
    half = weighed.half.length;
    for (const { changeId } of [...weighed.passing, ...weighed.already]) passing.add(changeId);
    for (const { instead, changeId } of given)
      if (instead !== null && passing.has(changeId)) stores.history.spendApproval(instead);
    if (config.schedule.every !== undefined) stores.history.keepUntilRun(id);
  }
  const isPassing = (question: IdentityQuestion): boolean =>
    given.some((one) => one.question === question && passing.has(one.changeId));
  let linked: readonly LinkedByHand[] = [];
  if (!questions.some((one) => isLinked(one, order))) await decide(context, write);
  else
    linked = await withLockedStores(context, (stores) => {
      stores.state.transaction(() => write(stores));
      const toLink = questions.filter((one) => isLinked(one, order) && isPassing(one));
      return toLink.length === 0 ? [] : linkAnswered(context, { saved, order, toLink, stores });
    });
  return {
    ...{ answer: order.answer, guards, approval: id, plan: saved.meta.plan },
    ...{ answered: questions.filter(isPassing).length, waiting_for_second: half, left_open: open },
    ...{ linked, run: linked[0]?.run ?? null, who, reason: order.reason, expires },
  };
}

/** A link is local, so it moves immediately, and the next run compares the record and the object. */
function isLinked({ guard }: IdentityQuestion, { answer }: IdentityOrder): boolean {
  return answer === 'same' && guard !== OTHER_PERSON;
}

interface AnsweredQuestions {
  readonly saved: SavedPlan;
  readonly order: IdentityOrder;
  readonly toLink: readonly IdentityQuestion[];
  readonly stores: Stores;
}

function linkAnswered(
  { clock, config, by, holder }: DecisionContext & LockContext,
  { saved, order: { reason }, toLink, stores }: AnsweredQuestions,
): readonly LinkedByHand[] {
  const orders = toLink.flatMap(({ hold, relink }) => (relink ? [{ entity: entityOf(hold), ...relink, reason }] : []));
  const all = [...orders, ...linkBelongings(orders, listWaitingOrBlocked(saved), stores)].filter(
    ({ entity, key, id }) => stores.links.find(entity, key)?.serviceId !== id,
  );
  const startedBy = `${by}: ${holder}`;
  const decided = { run: newId('r', clock), stores, clock, configDigest: config.digest, startedBy, alone: false };
  const linked = all.length === 0 ? [] : linkAll(all, decided);
  for (const question of toLink) stores.history.spendApproval(sameRecord(question));
  return linked;
}

function listWaitingOrBlocked({ changes }: SavedPlan): SavedPlan['changes'] {
  return changes.filter(({ withheld }) => withheld?.by === 'guard' || withheld?.by === 'blocked');
}

/** The ids that an answer approves, and the ids that the opposite answer would have approved. */
function idsOf(
  { changes, guard, ...question }: IdentityQuestion,
  answer: 'same' | 'new',
): readonly { readonly changeId: string; readonly guard: string; readonly instead: string | null }[] {
  if (guard === OTHER_PERSON)
    return changes.map(({ id, asks: other = answerFor(id) }) => {
      const same = id;
      return answer === 'same' ? { changeId: same, guard, instead: other } : { changeId: other, guard, instead: same };
    });
  if (answer === 'same') return [{ changeId: sameRecord({ changes, guard, ...question }), guard, instead: null }];
  return changes.map(({ id }) => ({ changeId: id, guard, instead: null }));
}

/** The objects that an answer is about, for the audit. */
function listAnswered(question: IdentityQuestion, answer: 'same' | 'new'): ApprovalText['planned'] {
  const { entity, key } = question.hold;
  const asked = { entity, key, action: 'relink', label: key };
  return idsOf(question, answer).map(({ changeId: id }, i) => ({ ...asked, ...question.changes[i], id }));
}

function sameRecord({ hold: { entity }, relink }: IdentityQuestion): string {
  return sha256(JSON.stringify(['same record', entity, relink]));
}

function entityOf({ entity, place, id, code, reason, remedy }: ListedHold) {
  const found = findEntity(entity);
  if (found !== undefined) return found;
  throw new SyncError('SYNC_HOLD_UNDECIDABLE', { message: `${id} (${code}): ${reason}`, place, remedy });
}

async function findQuestions(
  context: DecisionContext,
  { hold, guard, answer }: IdentityOrder,
  saved: SavedPlan,
): Promise<{ readonly questions: readonly IdentityQuestion[]; readonly open: readonly string[] }> {
  const waiting = listWaiting(saved);
  const { holds } = await readHolds(context);
  const asked = hold === undefined ? listAsked(holds, guard ?? '', saved) : await findAsked(context, hold, answer);
  const all = asked.map((one) => buildQuestion(one, holds, waiting));
  // One question may have two holds: one for the person who joins, one for the person who leaves.
  const single = [...new Map(all.map((one) => [JSON.stringify(one.relink ?? one.hold.id), one])).values()];
  const isAnswerable = (one: IdentityQuestion): boolean =>
    answer === 'new' || one.guard === OTHER_PERSON
      ? one.changes.length > 0
      : one.relink !== null && (hold !== undefined || isClear(one, single));
  const questions = single.filter(isAnswerable);
  const open = single.filter((one) => !questions.includes(one)).map((one) => one.hold.id);
  const [only] = single;
  if (hold !== undefined && questions.length === 0 && only !== undefined) throw undecidable(only.hold);
  if (questions.length > 0) return { questions, open };
  throw new SyncError('SYNC_APPROVAL_NOTHING', {
    message: `No question of ${guard ?? hold ?? ''} can be answered for all records together.`,
    place: saved.file,
    remedy: `Answer each one separately: \`talent-sync holds list --all\` shows ${open.length === 0 ? 'what is pending' : 'the records that may be several objects'}.`,
  });
}

/** True if the record matches only that object, and no other record matches the object. */
function isClear({ relink }: IdentityQuestion, all: readonly IdentityQuestion[]): boolean {
  return all.filter((one) => one.relink?.key === relink?.key || one.relink?.id === relink?.id).length === 1;
}

function listAsked(holds: readonly ListedHold[], guard: string, saved: SavedPlan): readonly ListedHold[] {
  if (!asksSameOrAnother(guard)) {
    const named = saved.guards.map((trip) => trip.guard).filter(asksSameOrAnother);
    throw new SyncError('SYNC_APPROVAL_NOTHING', {
      message: `${guard} does not ask whether a record and an object are the same.`,
      place: '--guard',
      remedy: `Pending in ${saved.meta.plan}: ${named.join(', ') || 'no such question'}.`,
    });
  }
  const held = new Set(
    listWaiting(saved).flatMap((change) =>
      holdersOf(change).includes(guard) ? [`${change.entity}:${keyOf(change)}`] : [],
    ),
  );
  // A doubtful match is asked through its guard if a change waits for it.
  const isAsked = ({ code, relink, entity, key }: ListedHold): boolean =>
    asksIdentity({ code }) || (relink !== undefined && held.has(`${entity}:${key}`));
  return holds.filter((hold) => isAsked(hold) && guardOfQuestion(hold) === guard);
}

/** Finds the holds of one question. If a record is none of several objects, one answer covers all of these objects. */
async function findAsked(
  context: DecisionContext,
  id: string,
  answer: IdentityOrder['answer'],
): Promise<readonly ListedHold[]> {
  if (!id.includes(':')) return [await findHold(context, id)];
  const { holds } = await readHolds(context);
  const asked = holds.filter(asksIdentity);
  const isOf = ({ entity: of }: ListedHold, key: string): boolean => {
    const entity = findEntity(of);
    return entity !== undefined && isWho({ entity, key, label: key }, id);
  };
  const own = asked.filter((hold) => isOf(hold, hold.key));
  // The record itself may wait for another reason. In that case, only the leaver has a question.
  const found = own.length > 0 ? own : asked.filter((hold) => hold.relink !== undefined && isOf(hold, hold.relink.key));
  if (found.length === 1 || (found.length > 1 && answer === 'new')) return found;
  throw new SyncError('SYNC_HOLD_UNKNOWN', {
    message: found.length === 0 ? `No open question is about ${id}.` : `${id} may be one of several objects.`,
    place: context.config.state,
    remedy:
      found.length === 0
        ? '`talent-sync holds list --all` shows what is held, with their ids.'
        : `Choose one: ${found.map(describeChoice).join(', ')}. If it is none of them, \`talent-sync holds resolve ${id} --new --reason "…"\`.`,
  });
}

function describeChoice({ id, relink }: ListedHold): string {
  return `\`talent-sync holds resolve ${id.slice(0, 12)} --same --reason "…"\` for ${relink?.id ?? 'that one'}`;
}

/** Adds the changes of all holds that wait for the same answer, both for the joiner and for the leaver. */
function buildQuestion(
  hold: ListedHold,
  holds: readonly ListedHold[],
  waiting: readonly SavedChange[],
): IdentityQuestion {
  const { relink = null } = hold;
  const guard = guardOfQuestion(hold);
  const together = relink === null ? [] : holds.filter((one) => isSameQuestion(one, hold));
  const keys = new Set([hold, ...together].map(({ key }) => foldKey(key)));
  const changes = waiting.filter(
    (change) => change.entity === hold.entity && keys.has(foldKey(keyOf(change))) && holdersOf(change).includes(guard),
  );
  return { hold, relink, guard, changes };
}

function isSameQuestion(a: ListedHold, b: ListedHold): boolean {
  return a.entity === b.entity && a.relink?.key === b.relink?.key && a.relink?.id === b.relink?.id;
}

/**
 * The key of the question to which a change belongs. A value that an account gives up for a record belongs to that record's
 * question.
 */
function keyOf({ key }: SavedChange): string {
  return key.replace(/~freed_\w+$/, '');
}

function undecidable({ id, code, reason, place, remedy }: ListedHold): SyncError {
  return new SyncError('SYNC_HOLD_UNDECIDABLE', {
    message: `${id} (${code}) does not ask whether a record and one object are the same: ${reason}`,
    place,
    remedy,
  });
}

function moved({ file }: SavedPlan): SyncError {
  return new SyncError('SYNC_APPROVAL_OVER', {
    message: 'A new plan was created in the meantime; nothing was decided.',
    place: file,
    remedy: 'Look at the newest plan, and answer again.',
  });
}
