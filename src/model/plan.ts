import type { TakenOut } from './copies.js';
import type { DeclineWords } from './decline.js';
import type { Acknowledgement } from './desired.js';
import { type Action, type Entity, isAccount } from './entity.js';
import type { Json, Values } from './json.js';
import type { Undoes } from './undo.js';

/** Why a change is proposed, as a kind for programs and a sentence for people. */
export type ReasonKind =
  | 'joined' // in the source, not in the service
  | 'changed' // the source's value moved since both sides last agreed
  | 'drifted' // the service's value moved by somebody else
  | 'first_contact' // no base yet: adopted, and different
  | 'left' // the source says so
  | 'absent' // proven by complete reads without the person
  | 'returned' // active in the source, deactivated in the service
  | 'gone' // the source says so, or it is proven by complete reads without it; objects, not people
  | 'out_of_scope' // in the source, but not in scope, where the configuration lets that be a leaving
  | 'absent_since_edit' // proven absent, but since the very read in which the configuration of the source was edited
  | 'freed' // a unique value of an account that is out of use, so that its new owner can have it
  | 'parked' // a unique value out of the way for a while, so that others can take it
  | 'referenced' // an office, category or tag that a record refers to
  | 'relinked' // a record under a new key takes over the object of one that is gone
  | 'relinked_since_edit' // the same, but the old key is gone since the very read in which the configuration was edited
  | 'by_hand' // an operator links or unlinks it
  | 'undone' // an operator takes back what a run did
  | 'unowned'; // neither created nor adopted, and in no source

/** The record for whose sake something was put out of the way: what was done for it is its own. */
export function recordKeyOf(key: string): string {
  return key.replace(/~(parked|freed_\w+|declined|edited|promoted)$/, '');
}

/** The key of what a person has declined of a record, next to the rest of its change. */
export function declinedKey(key: string): string {
  return `${key}~declined`;
}

/** The same where the configuration has been edited since, so that a person has to decide again. */
export function editedKey(key: string): string {
  return `${key}~edited`;
}

/** The same of the change by which an account gives way to another one of its record. */
export function givingWayKey(key: string): string {
  return `${key}~freed_identity`;
}

/** The key of what of a record's change gives power, and waits, next to the rest of it. */
export function promotedKey(key: string): string {
  return `${key}~promoted`;
}

export function isPromotedPart({ key }: Pick<Change, 'key'>): boolean {
  return key.endsWith('~promoted');
}

/** Whether a change is only the declined part of what a record asks for. */
export function isDeclinedPart({ key }: Pick<Change, 'key'>): boolean {
  return /~(declined|edited)$/.test(key);
}

/** Reasons of changes that are made for the sake of others, and dropped with them. */
export const DERIVED_REASONS: readonly ReasonKind[] = ['referenced', 'parked'];

export interface Reason {
  readonly kind: ReasonKind;
  readonly text: string;
}

/**
 * One object's change: at most one per object in a plan. `before` and `after` carry the same fields, in the model's
 * vocabulary; ids are found when the change is applied, because a plan may create what it refers to.
 */
export interface Change {
  /** Hash of entity, action, object, before, after, kind of reason and configuration digest. */
  readonly id: string;
  readonly entity: Entity;
  readonly action: Action;
  /** The source's key; for derived entities the natural one: `no/Oslo`, `business_unit`, `business_unit/cloud`. */
  readonly key: string;
  /** The service's id; null when it is created. */
  readonly target: string | null;
  /** For people: `Jane Doe <jane@example.com>`. */
  readonly label: string;
  readonly fields: readonly string[];
  readonly before: Values;
  readonly after: Values;
  readonly reason: Reason;
  /** Source row: `hr employees-2025.csv:17`. */
  readonly place: string;
  /** Changes that must succeed first, as `entity:key`. */
  readonly needs: readonly string[];
  /** Hash of the observed object this was derived from; null on create. */
  readonly observedHash: string | null;
  /** Hash of the desired values it was derived from; null for leavers known by absence and derived entities. */
  readonly desiredHash: string | null;
  /** Changes of one stage with the same batch go in one call: people linked to a project alike, tags deleted together. */
  readonly batch?: string;
  /** Set on a change that takes others back. No e-mail is sent along. */
  readonly undoes?: Undoes;
  /** Set on a change that takes something out of a proposal: `after` does not name it any more. */
  readonly takesOut?: readonly TakenOut[];
  /** The change (`entity:key`) without which this one must not be made: it makes sense as a part of that alone. */
  readonly partOf?: string;
  /** Set where it is asked whether the record is of somebody else than the account: what is approved if it is. */
  readonly asks?: string;
  /** Set where a person says that the record is of somebody else than the account to which its key had led. */
  readonly apart?: Apart;
  /** The power that it gives, or, of a deactivation, that this program gave before. */
  readonly power?: Power;
}

/** A record is no longer that account's. */
export interface Apart {
  /** Id of the service. */
  readonly from: string;
  /** What has to be approved for it, in place of the change's own id. */
  readonly answer: string;
}

/** How much somebody may, by the roles that rule: over the account, over a country, or less. */
export type Power = 'internationalmanager' | 'countrymanager' | 'other';

/** Whether each such change takes a person who names it: nobody becomes an administrator in a crowd. */
export function isTicked({ action, power }: Pick<Change, 'power'> & { readonly action: string }): boolean {
  return power === 'internationalmanager' && action !== 'deactivate';
}

/**
 * Stands in `before` and `after` of a relink beside the fields: the key that the object was linked to, and the one that it
 * is linked to from then on; null for none.
 */
export const SOURCE_KEY = 'source_key';

/** Whether a change takes an account into use again, by itself or along with a new link. */
export function reopens({ action, after }: Pick<Change, 'action' | 'after'>): boolean {
  return action === 'reactivate' || (action === 'relink' && after.deactivated === false);
}

/** Whether a link moves with the change: a relink, or a deactivation of somebody who has left under another key. */
export function movesLink({ action, after }: Pick<Change, 'action' | 'after'>): boolean {
  return action === 'relink' || after[SOURCE_KEY] !== undefined;
}

/**
 * What of a change that moves a link goes to the service: the update, reactivation or deactivation that comes with it. The
 * link itself is ours, and no call knows of it.
 */
export function withoutLink<T extends Change>(change: T): T {
  if (!movesLink(change)) return change;
  const isPutOut = change.after.deactivated === true;
  const strip = ({ [SOURCE_KEY]: _key, deactivated: _activation, ...values }: Values): Values => values;
  return {
    ...change,
    action: change.action === 'relink' ? actionOf(change) : change.action,
    fields: change.fields.filter((name) => name !== SOURCE_KEY && name !== 'deactivated'),
    before: strip(change.before),
    after: isPutOut ? { ...strip(change.after), deactivated: true } : strip(change.after),
  };
}

function actionOf(relink: Change): Action {
  if (reopens(relink)) return 'reactivate';
  return relink.after.deactivated === true ? 'deactivate' : 'update';
}

/** How a first load travels: who goes by the service's own import, and why others do not. */
export interface BulkLoad {
  /** `import:default`: the batch of their changes. */
  readonly batch: string;
  readonly people: number;
  /** Creates that go by calls of their own, by reason. */
  readonly singly: readonly {
    readonly reason: string;
    readonly people: number;
    readonly examples: readonly string[];
  }[];
  /** Why the import is not used at all, although it is configured and people are many; null when it is used. */
  readonly refused: string | null;
  /** Endpoint template → calls that the import takes besides. */
  readonly calls: Readonly<Record<string, number>>;
}

/** Name of an import's one step in the journal. */
export const IMPORT_STEP = 'import';

/** Set apart from other batches: the service carries an import out after its answer. */
export function isImported({ batch }: Pick<Change, 'batch'>): boolean {
  return batch?.startsWith('import:') === true;
}

/** No undo brings an account back that is deleted: it would be another one, and without its CV. */
export function isForGood({ entity, action }: Pick<Change, 'entity' | 'action'>): boolean {
  return isAccount(entity) && action === 'delete';
}

/** Why a change of the plan will not be applied now. */
export interface Withheld {
  readonly by: 'guard' | 'blocked' | 'pause' | 'declined';
  /**
   * When a paused one is tried again; guard path (several, joined by ` + `, where each of them must be approved), the
   * `entity:key` that blocks it, or the id of the decline (several, joined likewise).
   */
  readonly name: string;
}

export interface PlannedChange extends Change {
  /** Position in the order of application: changes of one stage do not depend on each other. */
  readonly stage: number;
  readonly withheld: Withheld | null;
  /** Set when a guard would have held it but an operator approved it. */
  readonly approval: string | null;
}

/** Changes of earlier runs that a guard counts: carried out without an approval, and not taken back since. */
export interface EarlierChanges {
  readonly changes: number;
  /** Ids of those runs, newest first. */
  readonly runs: readonly string[];
}

export interface GuardTrip {
  /** `users.deactivate` */
  readonly guard: string;
  readonly limit: number;
  /** Those of this plan and the earlier ones together. */
  readonly found: number;
  /** Where earlier runs count too. */
  readonly earlier?: EarlierChanges;
  /** In two or three words: docs/reference/guards.md lists them. */
  readonly cause: string;
  /** The cause with its numbers, for people. */
  readonly detail: string;
  readonly held: number;
  /** Where an approval is only one of the answers: each with what to type. */
  readonly remedy?: string;
  /** By which it is acknowledged: another one as soon as the guard holds something else. Plans of earlier versions lack it. */
  readonly id?: string;
  /** Somebody knows of it, and lets it wait. */
  readonly acknowledged?: Acknowledgement;
  /** Of a delivery: a person has declined it, and it stays held. */
  readonly declined?: DeclineWords & { readonly id: string };
  /** The same data under the configuration of the last applied run; absent while that configuration still holds. */
  readonly preview?: GuardPreview;
}

/** What the configuration of the last applied run would have done with the same data. */
export interface GuardPreview {
  /** Changes of this kind under the earlier configuration; null when that is unknown. */
  readonly before: number | null;
  /** The same under the configuration as it is now. */
  readonly now: number;
  /** Paths of the configuration that differ, as `users.fields.title.en`. */
  readonly paths: readonly string[];
  /** The run that went through under the earlier configuration, or null when it is not remembered. */
  readonly run: string | null;
  /** Why `before` is unknown. */
  readonly unknown?: string;
}

export type Counts = Partial<Record<Entity, Partial<Record<Action, number>>>>;

export interface Cost {
  readonly writes: number;
  readonly reads: number;
  /** `PUT /api/v1/users/{user_id}` → calls */
  readonly by_endpoint: Readonly<Record<string, number>>;
  /** So many people get an e-mail from the service; absent where nobody does. */
  readonly mails?: number;
  /** Source or stream → `PATCH /Users/{id}` or `file` → calls; absent where nothing is written back. */
  readonly sources?: Readonly<Record<string, Readonly<Record<string, number>>>>;
  /** Forecast under the limiter. */
  readonly seconds: number;
}

/** Proof of what the sources were when the plan was made. */
export interface PlanEvidence {
  readonly sources: readonly Json[];
  readonly mirror: Json;
  /** The complete reads that prove the absences of this plan: source, people, and each read with file, rows and hash. */
  readonly absence?: Json;
  /** Where it may leave something that differs as it is: absent for `sync`. */
  readonly policy?: 'upsert-only' | 'create-only';
}

/** First contact with an account that already holds objects: what is matched by what, and what is on one side only. */
export interface AdoptionReport {
  readonly entity: Entity;
  /** Entry of `match` → pairs found by it. */
  readonly matched: Readonly<Record<string, number>>;
  /** Matched pairs with nothing to change. */
  readonly equal: number;
  /** Field → pairs that differ in it. */
  readonly differing: Readonly<Record<string, { readonly count: number; readonly samples: readonly AdoptionSample[] }>>;
  /** Would be created. */
  readonly only_in_source: AdoptionSide;
  /** Active objects that no link and no record stands for: left alone. */
  readonly only_in_service: AdoptionSide;
  /** Matches held for a person. */
  readonly doubtful: number;
}
export interface AdoptionSample {
  readonly label: string;
  readonly before: Json;
  readonly after: Json;
}
export interface AdoptionSide {
  readonly count: number;
  readonly samples: readonly string[];
}
