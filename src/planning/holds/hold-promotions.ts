import type { EntityGuards } from '../../config/config.js';
import type { Values } from '../../model/json.js';
import { type Change, type GuardTrip, isDeclinedPart, isTicked, type Power, SOURCE_KEY } from '../../model/plan.js';
import { findGain, type Gain, gainByAdoption, PROMOTED } from '../../model/power.js';
import { typedName } from '../../model/typed.js';
import { buildChange } from '../../reconcile/build-change.js';
import { type Excess, type GuardNumbers, judgeNumber, withCount } from '../../reconcile/guard.js';
import type { Stores } from '../../store/open-stores.js';
import { describeSince } from './held-memory.js';
import { type SplitChange, splitPromotion } from './split-promotion.js';

const GUARD = 'users.promote';
const TAKEN_GUARD = 'users.internationalmanager';
/** The number of people that the message names. */
const SHOWN = 5;

/** The input for judging gained power. */
export interface PromotionLook {
  readonly limits: EntityGuards['promote'];
  readonly numbers: GuardNumbers;
  /** Ids of changes that a person has approved. */
  readonly approved: ReadonlySet<string>;
  /** Keys of changes that earlier runs have held and nobody has decided. */
  readonly heldBefore: ReadonlySet<string>;
  /** When the first of these changes was held, for example `2026-11-27 (run r…)`. */
  readonly since: string;
  /** Ids of changes for which a person has confirmed the identity. */
  readonly answered: ReadonlySet<string>;
  /** Changes for which the identity is unclear. */
  readonly suspects: ReadonlySet<string>;
  readonly configDigest: string;
  readonly isEdited: boolean;
  readonly isUndo: boolean;
}

/** A change by which a person would gain power. */
interface Promotion {
  readonly change: Change;
  readonly gain: Gain;
  /** Null if the entire change waits. */
  readonly split: SplitChange | null;
  /** True if the account was matched in this run. */
  readonly isAdoption: boolean;
}

export interface Promotions {
  /** Sets aside the changes that need a decision, and returns the trips. */
  hold(): readonly GuardTrip[];
}

/**
 * Finds the people who would gain power, and separates the part of each change that gives it, so that only this part
 * waits.
 *
 * | gains                                                          | waits                                               |
 * |----------------------------------------------------------------|-----------------------------------------------------|
 * | internationalmanager                                           | always, for an approval that names the person       |
 * | countrymanager                                                 | beyond `promote.countrymanager`: always, unless set |
 * | departmentmanager, referencemanager, bidmanager, a wider scope | beyond `promote`: more than 3 within a day          |
 * | nothing, and leaves as an administrator by our doing           | always, as `users.internationalmanager`             |
 *
 * A change that an earlier run has held waits in any case. This comes before approvals are marked and anything is
 * counted, because the parts are approved by ids of their own.
 */
export function judgePromotions(stores: Stores, look: PromotionLook): Promotions {
  const { work } = stores;
  const found = [...listPromotions(stores, look)];
  // A person who gains power in this run is not counted again among the gains of earlier runs.
  for (const { change, gain } of found) work.markPower(refOf(change), gain.power);
  const { waiting, excess } = chooseWaiting(found, look);
  const refs: string[] = [];
  for (const promotion of found) {
    const isWaiting = waiting.includes(promotion);
    const ref = setApart(promotion, isWaiting, stores, look);
    if (isWaiting) refs.push(ref);
  }
  if (found.some(({ split }) => split !== null)) work.level('users');
  const leaving = work.leavingRulers();
  return {
    hold() {
      const held = work.withholdRefs(refs, GUARD);
      const left = work.withholdRefs(leaving, TAKEN_GUARD);
      return [
        ...(held === 0 ? [] : [{ ...describePromotions(waiting, excess, look), held }]),
        ...(left === 0 ? [] : [{ ...describeLeaving(leaving, look), held: left }]),
      ];
    },
  };
}

function* listPromotions(stores: Stores, look: PromotionLook): Iterable<Promotion> {
  const { work } = stores;
  const adopted = new Map([...work.adoptedRulers()].map(({ key, id }) => [key, id]));
  for (const found of listChanges(stores, adopted, look)) {
    // A declined part is set aside already, and the decline may still be revoked.
    if (isDeclinedPart(found.change)) work.markPower(refOf(found.change), found.gain.power);
    else yield found;
    adopted.delete(found.change.key);
  }
  yield* listAdoptions(stores, adopted, look);
}

function* listChanges(
  { work, mirror, rememberNames }: Stores,
  adopted: ReadonlyMap<string, string>,
  look: PromotionLook,
): Iterable<Promotion> {
  const withNames = rememberNames();
  for (const change of [...work.ruling()]) {
    const account = change.target === null ? null : mirror.get('users', change.target);
    const now = account === null ? null : withNames(account).values;
    const found = judgeChange(change, { now, isAdoption: adopted.has(change.key) }, look);
    if (found !== null) yield found;
  }
}

/** Matched accounts that need no changes. */
function* listAdoptions(
  { mirror }: Stores,
  adopted: ReadonlyMap<string, string>,
  { configDigest }: PromotionLook,
): Iterable<Promotion> {
  for (const [key, id] of adopted) {
    const account = mirror.get('users', id);
    const gain = account === null ? null : gainByAdoption(account.values);
    if (account === null || gain === null) continue;
    const { label, hash } = account;
    const change = buildAdoption({ key, id, label, hash }, gain, configDigest);
    yield { change, gain, split: null, isAdoption: true };
  }
}

function judgeChange(
  change: Change,
  { now, isAdoption }: { readonly now: Values | null; readonly isAdoption: boolean },
  { isUndo, configDigest }: PromotionLook,
): Promotion | null {
  const gain = (isAdoption && now !== null ? gainByAdoption(now) : null) ?? findGain(change, now);
  if (gain === null) return null;
  const split = gain.isWhole || isUndo ? null : splitPromotion(change, gain, now, configDigest);
  return { change, gain, split, isAdoption };
}

/** A match that needs no changes; only its link can wait. */
function buildAdoption(
  { key, id, label, hash }: Readonly<Record<'key' | 'id' | 'label' | 'hash', string>>,
  { text }: Gain,
  configDigest: string,
): Change {
  return buildChange(
    {
      entity: 'users',
      action: 'relink',
      key,
      target: id,
      label,
      fields: [SOURCE_KEY],
      before: { [SOURCE_KEY]: null },
      after: { [SOURCE_KEY]: key },
      reason: { kind: 'first_contact', text },
      place: 'the service',
      observedHash: hash,
    },
    configDigest,
  );
}

interface Judgement {
  readonly waiting: readonly Promotion[];
  /** Set if the number of gains was too large, instead of a single gain. */
  readonly excess: Pick<Excess, 'limit' | 'found' | 'earlier'> | null;
}

function chooseWaiting(found: readonly Promotion[], look: PromotionLook): Judgement {
  const open = found.filter((one) => !look.approved.has(idOf(one)));
  const of = (power: Power): readonly Promotion[] => open.filter(({ gain }) => gain.power === power);
  const isRemembered = ({ change, split }: Promotion): boolean => look.heldBefore.has((split?.part ?? change).key);
  const judge = (power: Exclude<Power, 'internationalmanager'>): Judgement => {
    const [all, limit] = [of(power), look.limits?.[power] ?? null];
    const counted = { scope: 'users', what: PROMOTED[power], inRun: all.length };
    const own = limit === null || !look.isUndo ? limit : { ...limit, withinMs: 0 };
    const excess = own === null ? null : judgeNumber(counted, own, look.numbers);
    return { waiting: excess === null ? all.filter(isRemembered) : all, excess };
  };
  const [country, other] = [judge('countrymanager'), judge('other')];
  const waiting = [...of('internationalmanager'), ...country.waiting, ...other.waiting];
  return { waiting, excess: waiting.length === other.waiting.length ? other.excess : null };
}

/** Plans the part that waits, or that is approved separately; returns its ref. */
function setApart(promotion: Promotion, isWaiting: boolean, { work }: Stores, look: PromotionLook): string {
  const { change, gain, split } = promotion;
  const ref = refOf(change);
  if (promotion.isAdoption && isWaiting) {
    work.unadopt('users', change.key);
    if (!work.isPlanned(ref)) work.plan({ ...change, power: gain.power });
  }
  // A paused change stays unchanged. An answer about identity concerns the entire change, so it also covers the other
  // part.
  const isAnswered = look.answered.has(change.id);
  const isLeft = !work.isWithheld(ref) && (isAnswered || !look.suspects.has(ref));
  if (split === null || !isLeft || !(isWaiting || look.approved.has(idOf(promotion)))) return ref;
  const rest = split.rest === null || !isAnswered ? split.rest : { ...split.rest, id: change.id };
  return replaceBySplit(ref, { ...split, rest }, work);
}

function replaceBySplit(ref: string, { rest, part }: SplitChange, work: Stores['work']): string {
  const partRef = refOf(part);
  work.unplan(ref);
  if (rest !== null) work.plan(rest);
  work.plan(part);
  // A value that is parked for this part stays in place until the part is applied.
  for (const one of work.partsOf(ref))
    if (rest === null || one.fields.some((name) => part.fields.includes(name))) work.plan({ ...one, partOf: partRef });
  for (const waiter of work.waitersOf(ref)) moveNeed(waiter, { ref, partRef, isAlone: rest === null }, work);
  return partRef;
}

interface MovedNeed {
  readonly ref: string;
  readonly partRef: string;
  readonly isAlone: boolean;
}

/** Makes other people wait for the values that the part gives up. */
function moveNeed(waiter: string, { ref, partRef, isAlone }: MovedNeed, work: Stores['work']): void {
  const change = work.planned(waiter);
  if (change === null || waiter === partRef || !(isAlone || waiter.startsWith('users:'))) return;
  const needs = change.needs.filter((need) => !isAlone || need !== ref);
  work.replaceNeed(waiter, isAlone ? ref : '', partRef);
  work.plan({ ...change, needs: [...new Set([...needs, partRef])].sort() });
}

function idOf({ change, split }: Promotion): string {
  return (split?.part ?? change).id;
}

function refOf({ key }: Pick<Change, 'key'>): string {
  return `users:${key}`;
}

/** Names people by their keys, because some readers must not see names. */
function describePromotions(
  waiting: readonly Promotion[],
  excess: Judgement['excess'],
  look: PromotionLook,
): Omit<GuardTrip, 'held'> {
  const who = waiting.slice(0, SHOWN).map(({ change, gain }) => `${change.key} ${gain.text}`);
  const more = waiting.length > SHOWN ? `; and ${waiting.length - SHOWN} more` : '';
  const isOld =
    excess === null && waiting.every(({ change, split }) => look.heldBefore.has((split?.part ?? change).key));
  const detail = `${isOld ? `${describeSince(look.since)}; ` : ''}${who.join('; ')}${more}`;
  const counted = { guard: GUARD, ...(excess ?? { limit: 0, found: waiting.length }) };
  const ticked = waiting.filter(({ change, gain }) => isTicked({ action: change.action, power: gain.power }));
  const remedy = ticked.length === 0 ? {} : { remedy: tellTicked(ticked, waiting.length > ticked.length) };
  return { ...withCount(counted, { cause: causeOf(look), detail }), ...remedy };
}

function tellTicked(ticked: readonly Promotion[], hasOthers: boolean): string {
  const commands = ticked
    .slice(0, SHOWN)
    .map(({ change }) => `\`talent-sync approve --who ${typedName('users', change.key)} --reason "…"\``);
  const others = hasOthers ? ` \`talent-sync approve --guard ${GUARD} --reason "…"\` approves all others.` : '';
  return `Approve each administrator by name: ${commands.join(', ')}.${others}`;
}

function describeLeaving(refs: readonly string[], look: PromotionLook): Omit<GuardTrip, 'held'> {
  const keys = refs.slice(0, SHOWN).map((ref) => ref.slice('users:'.length));
  const more = refs.length > SHOWN ? ` and ${refs.length - SHOWN} more` : '';
  const detail = `${keys.join(', ')}${more} would be deactivated; talent-sync gave them the role internationalmanager`;
  return { guard: TAKEN_GUARD, limit: 0, found: refs.length, cause: causeOf(look), detail };
}

function causeOf({ isUndo, isEdited }: PromotionLook): GuardTrip['cause'] {
  if (isUndo) return 'undo';
  return isEdited ? 'configuration changed' : 'real events';
}
