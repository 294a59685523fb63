import { breathe, goInSteps } from '../../base/clock.js';
import { type Action, ENTITIES, type Entity, isAccount } from '../../model/entity.js';
import { isHeldState } from '../../model/held-source.js';
import {
  answeredBy,
  asksSameOrAnother,
  describeAnswers,
  isAnswerOnly,
  LOOK_ALIKE,
  OTHER_PERSON,
  SAME_PERSON,
} from '../../model/identity-guards.js';
import type { GuardTrip, ReasonKind } from '../../model/plan.js';
import { plural } from '../../model/plural.js';
import {
  type ChangeNumbers,
  describeTrip,
  editedTrip,
  findExcess,
  findFieldExcess,
  type Guards,
  inRun,
  withCount,
} from '../../reconcile/guard.js';
import type { CauseEvidence } from '../../reconcile/guard-cause.js';
import type { Stores } from '../../store/open-stores.js';
import type { Approval } from '../../store/state/history-store.js';
import type { ContextOf } from '../../store/state/link-store.js';
import type { RunContext } from '../derive-context.js';
import type { Leavers } from '../leavers.js';
import type { StagedEntity } from '../staging/stage-sources.js';
import { listHeldSources } from '../suspicions/hold-sources.js';
import { holdUnknownWords } from '../vocabulary.js';
import { limitsOf } from './first-load.js';
import { createGuardNumbers } from './guard-numbers.js';
import {
  createHeldMemory,
  describeSince,
  findHeldPromotions,
  type HeldByGuard,
  type HeldMemory,
} from './held-memory.js';
import { holdDeclined } from './hold-declined.js';
import { judgePromotions } from './hold-promotions.js';
import { holdRestored } from './hold-restored.js';
import { holdShifted, SHIFTED } from './hold-shifted.js';
import { type PreviewOf, REASON_GUARDS } from './preview.js';

export interface GuardedDerivation {
  readonly evidenceOf: (entity: Entity) => CauseEvidence;
  readonly leavers: Pick<Leavers, 'toAsk'>;
  readonly staged: readonly StagedEntity[];
  readonly contextOf: ContextOf;
  /** True if the run is an undo. */
  readonly isUndo?: boolean;
}

/**
 * Marks the changes that an operator has approved, counts the others by the guards, and sets aside those that trip,
 * with everything that needs them. All other changes stay in the plan.
 *
 * @param preview derives the effect of the earlier configuration, but only if a guard trips under an edited one
 */
export async function holdGuarded(
  {
    config,
    stores,
    now,
    refresh,
  }: Pick<RunContext, 'config' | 'stores' | 'now'> & Partial<Pick<RunContext, 'refresh'>>,
  { evidenceOf: evidence, leavers, staged, contextOf, isUndo = false }: GuardedDerivation,
  preview: (() => Promise<PreviewOf>) | null = null,
): Promise<readonly GuardTrip[]> {
  const { work, history } = stores;
  const approvals = history.approvalsAt(now);
  const numbers = createGuardNumbers(stores, now);
  const promotions = judgePromotions(stores, {
    ...{ limits: config.guards.users?.promote, numbers, approved: listPassing(approvals), isUndo },
    answered: new Set([...approvals].flatMap(([changeId, { guard }]) => (isAnswerOnly(guard) ? [changeId] : []))),
    suspects: new Set(work.suspects().map(({ ref }) => ref)),
    ...{ configDigest: config.digest, isEdited: evidence('users').configurationChanged },
    ...findHeldPromotions(stores, { approvals, timezone: config.timezone, now }),
  });
  const answers = approveGiven(stores, approvals);
  const declined = isUndo ? [] : holdDeclined({ config, stores }, now);
  const { users = {}, ...others } = limitsOf(config, stores, isUndo);
  const pause = (): Promise<void> => breathe(refresh?.signal);
  const memory = isUndo ? null : createHeldMemory(stores, { approvals, timezone: config.timezone, now });
  const restored = isUndo ? [] : holdRestored(stores, now);
  const unlike = [
    ...restored,
    ...holdUnknownWords(config, stores),
    ...(await holdShifted(stores, contextOf('users'), pause)),
    ...promotions.hold(),
  ];
  await pause();
  const found = [...holdSuspects(stores, answers), ...holdReasons(leavers, stores), ...holdRelinks(stores)];
  await pause();
  found.push(...holdFreed(stores), ...(memory?.holdAgain('reason') ?? []));
  await pause();
  const counting = { stores, numbers, memory, signal: refresh?.signal };
  found.push(...(await holdNumbers({ users }, { ...counting, isMeant: isAccount })));
  // It is now known which people stay, so only the remaining changes are counted.
  work.propagateWithheld();
  work.dropSuperseded();
  work.dropUnneeded();
  await pause();
  found.push(...(await holdNumbers(others, { ...counting, isMeant: (entity) => !isAccount(entity) })));
  work.propagateWithheld();
  for (const [changeId, text] of answers) work.noteAnswer(changeId, answeredBy(text));
  const isEdited = found.some(({ entity }) => evidence(entity).configurationChanged);
  const previewOf = isEdited && preview !== null ? await preview() : null;
  const trips = found.map(({ held, because, since, about, ...excess }) => {
    const plain = evidence(excess.entity);
    const facts = previewOf === null ? plain : { ...plain, preview: previewOf(excess.guard, inRun(excess)) };
    const { guard } = excess;
    const renumbered = guard.endsWith('.relink') && plain.undoes === undefined && !plain.configurationChanged;
    const certain = renumbered
      ? describeRenumbering(excess.entity, stores)
      : CAUSES[guard.endsWith(LOOK_ALIKE) ? LOOK_ALIKE : guard];
    const told = because === undefined ? describeTrip(excess, facts) : editedTrip(excess, because, facts);
    const trip = { ...(certain === undefined ? told : withCount(excess, certain)), held };
    return since === undefined ? trip : { ...trip, ...about, detail: `${describeSince(since)}; ${trip.detail}` };
  });
  const ofChanges = [...declined, ...unlike, ...trips].map((trip) => (isUndo ? trip : nameTogether(trip, stores)));
  return [...listHeldSources(staged), ...ofChanges];
}

/** If two guards hold the same changes, approving one of them releases nothing, so the command names both. */
function nameTogether(trip: GuardTrip, { work }: Stores): GuardTrip {
  if (asksSameOrAnother(trip.guard))
    return { ...trip, remedy: `${describeAnswers(trip.guard, `--guard ${trip.guard}`)}.` };
  const all = trip.remedy === undefined && !isHeldState(trip.guard) ? work.guardsWith(trip.guard) : [];
  if (all.length < 2) return trip;
  const asking = all.filter(asksSameOrAnother);
  if (asking.length > 0) {
    const [first = ''] = asking;
    return {
      ...trip,
      remedy: `These changes are also held by ${first}. First ${describeAnswers(first, `--guard ${first}`)}.`,
    };
  }
  const others = all.filter((guard) => guard !== trip.guard).join(', ');
  const remedy = `These changes are also held by ${others}. To approve them: \`talent-sync approve --guard ${all.join(',')} --reason "…"\``;
  return { ...trip, remedy };
}

/** Holds leavers that an edit of the configuration caused: a narrowed scope or a changed key alone never makes a leaver. */
function holdReasons(leavers: Pick<Leavers, 'toAsk'>, { work }: Stores): readonly HeldByGuard[] {
  const toAsk = leavers.toAsk();
  return [...work.removalReasons('unapproved')].flatMap(([guard, found]): readonly HeldByGuard[] => {
    const [entity, kind] = guard.split('.') as [Entity, ReasonKind];
    const watched = REASON_GUARDS.find((one) => one === kind);
    if (watched === undefined || !toAsk.includes(watched)) return [];
    const held = work.withholdReason(entity, watched, guard);
    return [{ guard, entity, limit: 0, found, held, because: BECAUSE[watched] }];
  });
}

/** Holds relinks whose old keys are gone since an edit of the configuration. A person has to confirm who takes over which object. */
function holdRelinks({ work }: Stores): readonly HeldByGuard[] {
  const counts = work.counts();
  return ENTITIES.flatMap((entity): readonly HeldByGuard[] => {
    if (counts[entity]?.relink === undefined) return [];
    const held = work.withholdReason(entity, 'relinked_since_edit', `${entity}.relink`);
    if (held === 0) return [];
    return [{ guard: `${entity}.relink`, entity, limit: 0, found: held, held, because: BECAUSE.absent_since_edit }];
  });
}

/** Describes the cause, for example `50 of 50 keys are new; all 50 match accounts whose keys are gone` */
function describeRenumbering(entity: Entity, { work }: Stores): Pick<GuardTrip, 'cause' | 'detail'> {
  const { all, fresh } = work.keyCounts(entity);
  const relinks = work.counts()[entity]?.relink ?? 0;
  const what = isAccount(entity) ? 'accounts' : 'objects';
  const some = relinks === fresh ? `all ${relinks}` : `${relinks} of them`;
  return {
    cause: 'keys renumbered',
    detail: `${fresh} of ${plural(all, 'key')} ${fresh === 1 ? 'is' : 'are'} new; ${some} match ${what} whose keys are gone`,
  };
}

/** Lists approved changes, except answers about identity, which give nobody power. */
function listPassing(approvals: ReadonlyMap<string, Approval>): ReadonlySet<string> {
  return new Set([...approvals].flatMap(([changeId, { guard }]) => (isAnswerOnly(guard) ? [] : [changeId])));
}

/** Marks approved changes. Returns the answers about identity by change; they do not release changes from guards that count. */
function approveGiven({ work }: Stores, approvals: ReadonlyMap<string, Approval>): ReadonlyMap<string, string> {
  const answers = new Map<string, string>();
  for (const [changeId, { id, who, reason, guard }] of approvals) {
    const text = `${id} by ${who}: ${reason || 'no reason given'}`;
    if (!isAnswerOnly(guard)) work.approveId(changeId, text);
    else {
      answers.set(changeId, text);
      work.approveAnswer(changeId, text);
    }
  }
  return answers;
}

/**
 * Holds records that seem to duplicate a person or object, or to be about another one. An answered suspicion is neither
 * held nor reported.
 */
function holdSuspects({ work }: Stores, answers: ReadonlyMap<string, string>): readonly HeldByGuard[] {
  const refs = new Map<string, { readonly entity: Entity; readonly held: Set<string> }>();
  for (const { ref, hold } of work.suspects()) {
    const entity = hold.entity as Entity;
    const guard = suspectGuard(hold.code, entity);
    const known = refs.get(guard) ?? { entity, held: new Set() };
    // Shifted rows are one question, not one per row.
    if (guard === OTHER_PERSON && work.isHeldBy(ref, SHIFTED)) continue;
    if (!known.held.has(ref) && (isAnswered(ref) || work.withholdRefs([ref], guard) === 0)) continue;
    known.held.add(ref);
    refs.set(guard, known);
    work.hold(hold);
  }
  return [...refs].map(([guard, { entity, held }]) => ({ guard, entity, limit: 0, found: held.size, held: held.size }));

  function isAnswered(ref: string): boolean {
    return answers.size > 0 && answers.has(work.planned(ref)?.id ?? '');
  }
}

function suspectGuard(code: string, entity: Entity): string {
  if (code === 'SYNC_OTHER_PERSON') return OTHER_PERSON;
  return isAccount(entity) ? SAME_PERSON : `${entity}${LOOK_ALIKE}`;
}

/** Holds changes that free values of inactive accounts, because a person has to agree before an account loses a value. */
function holdFreed({ work }: Stores): readonly HeldByGuard[] {
  if (work.counts().users?.update === undefined) return [];
  const held = work.withholdReason('users', 'freed', FREE_VALUE);
  return held === 0 ? [] : [{ guard: FREE_VALUE, entity: 'users', limit: 0, found: held, held }];
}

const FREE_VALUE = 'users.free_value';
/** Guards that have only one cause. */
const CAUSES: Readonly<Record<string, Pick<GuardTrip, 'cause' | 'detail'>>> = {
  [SAME_PERSON]: {
    cause: 'real events',
    detail:
      'a leaver and a joiner look like one person under another key or address; each pair is listed with the held records',
  },
  [LOOK_ALIKE]: {
    cause: 'real events',
    detail: 'new records look like linked objects whose keys are gone; each pair is listed with the held records',
  },
  [OTHER_PERSON]: {
    cause: 'real events',
    detail: 'rows seem to be about other people than their accounts; each is listed with the held records',
  },
  [FREE_VALUE]: {
    cause: 'real events',
    detail: 'another person is given an address or id of a deactivated account; each is listed with the held changes',
  },
};

const BECAUSE: Readonly<Record<(typeof REASON_GUARDS)[number], string>> = {
  out_of_scope: 'they are in the source, but out of scope since the scope or the source was edited',
  absent_since_edit:
    'they have been missing since the first read after the source, its key, its filter, the scope or a join was edited',
};

interface Counting {
  readonly stores: Stores;
  readonly numbers: ChangeNumbers;
  /** Null for an undo, because its plan is judged by itself. */
  readonly memory: HeldMemory | null;
  /** Selects the entities whose changes are counted now. */
  readonly isMeant: (entity: Entity) => boolean;
  readonly signal: AbortSignal | undefined;
}

/**
 * Counts all fields before any of them holds its changes, so that one change may be held for several fields. The
 * changes held for their fields are not counted again, so that the guard with the narrower name applies.
 */
async function holdNumbers(guards: Guards, counting: Counting): Promise<readonly HeldByGuard[]> {
  const { memory, signal, isMeant } = counting;
  const fields = await holdFields(guards, counting);
  fields.push(...(memory?.holdAgain('field', isMeant) ?? []));
  const actions = [...holdActions(guards, counting), ...(memory?.holdAgain('action', isMeant) ?? [])];
  await breathe(signal);
  return [...fields, ...actions];
}

async function holdFields(guards: Guards, { stores: { work }, numbers, signal }: Counting): Promise<HeldByGuard[]> {
  const excesses = findFieldExcess(guards, numbers);
  await breathe(signal);
  const all: HeldByGuard[] = [];
  for (const { field, ...excess } of excesses) {
    const held = await goInSteps(work.withholdField(excess.entity, field, excess.guard), signal);
    all.push({ ...excess, held });
  }
  return all;
}

function holdActions(guards: Guards, { stores: { work }, numbers }: Counting): readonly HeldByGuard[] {
  return findExcess(guards, numbers).map((excess) => {
    const [entity, action] = excess.guard.split('.') as [Entity, Action];
    return { ...excess, held: work.withhold(entity, action, { by: 'guard', name: excess.guard }) };
  });
}
