import type { TakenOut } from './copies.js';
import type { DeclineWords } from './decline.js';
import type { Acknowledgement } from './desired.js';
import { type Action, type Entity, isAccount } from './entity.js';
import type { Json, Values } from './json.js';
import type { Undoes } from './undo.js';

/** Why a change is proposed: a kind for programs, and a sentence for people. */
export type ReasonKind =
  | 'joined' // in the source, not in the service
  | 'changed' // the source's value changed since both sides last agreed
  | 'drifted' // someone else changed the service's value
  | 'first_contact' // no base yet: adopted, and different
  | 'left' // the source says so
  | 'absent' // proven by complete reads without the person
  | 'returned' // active in the source, deactivated in the service
  | 'gone' // an object, not a person: the source says so, or complete reads without it prove it
  | 'out_of_scope' // in the source but not in scope, and the configuration treats that as leaving
  | 'absent_since_edit' // proven absent, but only since the read in which the configuration of the source was edited
  | 'freed' // a unique value of an inactive account, released for its new owner
  | 'parked' // a unique value moved out of the way for a while, so that others can take it
  | 'referenced' // an office, category or tag that a record refers to
  | 'relinked' // a record under a new key takes over the object of one that is gone
  | 'relinked_since_edit' // the same, but the old key is gone since the read in which the configuration was edited
  | 'by_hand' // an operator links or unlinks it
  | 'undone' // an operator undoes what a run did
  | 'unowned'; // neither created nor adopted, and in no source

/** The record for which something was moved out of the way: changes made for it belong to that record. */
export function recordKeyOf(key: string): string {
  return key.replace(/~(parked|freed_\w+|declined|edited|promoted)$/, '');
}

/** The key of the declined part of a record's change; the rest of the change keeps the record's key. */
export function declinedKey(key: string): string {
  return `${key}~declined`;
}

/** The key of a declined part whose configuration has been edited since, so that a person must decide again. */
export function editedKey(key: string): string {
  return `${key}~edited`;
}

/** The key of the change by which an account gives way to another account of its record. */
export function givingWayKey(key: string): string {
  return `${key}~freed_identity`;
}

/** The key of the part of a record's change that gives power and waits. */
export function promotedKey(key: string): string {
  return `${key}~promoted`;
}

export function isPromotedPart({ key }: Pick<Change, 'key'>): boolean {
  return key.endsWith('~promoted');
}

/** True if a change is only the declined part of a record's change. */
export function isDeclinedPart({ key }: Pick<Change, 'key'>): boolean {
  return /~(declined|edited)$/.test(key);
}

/** Reasons for changes that only serve other changes, and are dropped with them. */
export const DERIVED_REASONS: readonly ReasonKind[] = ['referenced', 'parked'];

export interface Reason {
  readonly kind: ReasonKind;
  readonly text: string;
}

/**
 * The change of one object: at most one per object in a plan. `before` and `after` have the same fields, in the model's
 * vocabulary. Ids are looked up when the change is applied, because a plan may create the objects that it refers to.
 */
export interface Change {
  /** Hash of entity, action, object, before, after, kind of reason and configuration digest. */
  readonly id: string;
  readonly entity: Entity;
  readonly action: Action;
  /** The source's key; for derived entities the natural key: `no/Oslo`, `business_unit`, `business_unit/cloud`. */
  readonly key: string;
  /** The service's id; null for a create. */
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
  /** Hash of the observed object from which this was derived; null for a create. */
  readonly observedHash: string | null;
  /** Hash of the desired values from which it was derived; null for leavers known by absence and for derived entities. */
  readonly desiredHash: string | null;
  /** Changes of one stage with the same batch share one call: people linked to a project in the same way, tags deleted together. */
  readonly batch?: string;
  /** Set on a change that undoes others. It sends no e-mail. */
  readonly undoes?: Undoes;
  /** Set on a change that removes content from a proposal: `after` no longer names it. */
  readonly takesOut?: readonly TakenOut[];
  /** The change (`entity:key`) that this one is a part of and must not be made without. */
  readonly partOf?: string;
  /** Set if the question is whether the record belongs to another person than the account: the id to approve if it does. */
  readonly asks?: string;
  /** Set if a person decided that the record belongs to someone other than the owner of the account that its key led to. */
  readonly apart?: Apart;
  /** The power that it gives; for a deactivation, the power that talent-sync gave before. */
  readonly power?: Power;
}

/** A record that no longer belongs to an account. */
export interface Apart {
  /** Id of the account in the service. */
  readonly from: string;
  /** The id that is approved for it, instead of the change's own id. */
  readonly answer: string;
}

/** How much power the roles give: over the account, over a country, or less. */
export type Power = 'internationalmanager' | 'countrymanager' | 'other';

/** True if each such change must be approved by name, so that no one becomes an administrator in a crowd. */
export function isTicked({ action, power }: Pick<Change, 'power'> & { readonly action: string }): boolean {
  return power === 'internationalmanager' && action !== 'deactivate';
}

/** A key in `before` and `after` of a relink, next to the fields: the source key of the object before and after; null for none. */
export const SOURCE_KEY = 'source_key';

/** True if a change reactivates an account, alone or together with a new link. */
export function reopens({ action, after }: Pick<Change, 'action' | 'after'>): boolean {
  return action === 'reactivate' || (action === 'relink' && after.deactivated === false);
}

/** True if the change moves a link: a relink, or the deactivation of a person who has left under another key. */
export function movesLink({ action, after }: Pick<Change, 'action' | 'after'>): boolean {
  return action === 'relink' || after[SOURCE_KEY] !== undefined;
}

/**
 * The part of a link-moving change that goes to the service: the update, reactivation or deactivation. The link itself is
 * local, so no call contains it.
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

/** How a first load is sent: who goes through the service's import, and why others do not. */
export interface BulkLoad {
  /** `import:default`: the batch of the imported changes. */
  readonly batch: string;
  readonly people: number;
  /** Creates that are sent one by one, by reason. */
  readonly singly: readonly {
    readonly reason: string;
    readonly people: number;
    readonly examples: readonly string[];
  }[];
  /** Why the import is not used although it is configured and there are many people; null when it is used. */
  readonly refused: string | null;
  /** Endpoint template → additional calls that the import takes. */
  readonly calls: Readonly<Record<string, number>>;
}

/** Name of the single step of an import in the journal. */
export const IMPORT_STEP = 'import';

/** Treated differently from other batches: the service carries out an import after it has responded. */
export function isImported({ batch }: Pick<Change, 'batch'>): boolean {
  return batch?.startsWith('import:') === true;
}

/** No undo restores a deleted account: it would be a new one, without its CV. */
export function isForGood({ entity, action }: Pick<Change, 'entity' | 'action'>): boolean {
  return isAccount(entity) && action === 'delete';
}

/** Why a change of the plan will not be applied now. */
export interface Withheld {
  readonly by: 'guard' | 'blocked' | 'pause' | 'declined';
  /**
   * For `pause`, when the change is tried again. For `guard`, the guard's path. For `blocked`, the `entity:key` that blocks
   * it. For `declined`, the id of the decline. Several guards (all must approve) or declines are joined by ` + `.
   */
  readonly name: string;
}

export interface PlannedChange extends Change {
  /** Position in the order of application. Changes of one stage do not depend on each other. */
  readonly stage: number;
  readonly withheld: Withheld | null;
  /** Set if a guard would have held it but an operator approved it. */
  readonly approval: string | null;
}

/** Changes of earlier runs that a guard counts: carried out without an approval, and not undone since. */
export interface EarlierChanges {
  readonly changes: number;
  /** Ids of those runs, newest first. */
  readonly runs: readonly string[];
}

export interface GuardTrip {
  /** `users.deactivate` */
  readonly guard: string;
  readonly limit: number;
  /** The changes of this plan and the earlier ones together. */
  readonly found: number;
  /** Set if earlier runs count too. */
  readonly earlier?: EarlierChanges;
  /** Two or three words, listed in docs/reference/guards.md. */
  readonly cause: string;
  /** The cause with its numbers, for people. */
  readonly detail: string;
  readonly held: number;
  /** Set if an approval is only one of the answers: each answer with its command. */
  readonly remedy?: string;
  /** Id for acknowledging it. It changes as soon as the guard holds something else. Plans of earlier versions lack it. */
  readonly id?: string;
  /** Set once a person has acknowledged it and lets it wait. */
  readonly acknowledged?: Acknowledgement;
  /** Set on a delivery that a person has declined; it stays held. */
  readonly declined?: DeclineWords & { readonly id: string };
  /** The same data under the configuration of the last applied run; absent while that configuration is unchanged. */
  readonly preview?: GuardPreview;
}

/** The result of the last applied run's configuration with the same data. */
export interface GuardPreview {
  /** Changes of this kind under the earlier configuration; null if unknown. */
  readonly before: number | null;
  /** The same under the current configuration. */
  readonly now: number;
  /** Configuration paths that differ, such as `users.fields.title.en`. */
  readonly paths: readonly string[];
  /** The last applied run under the earlier configuration; null if unknown. */
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
  /** Number of people who get an e-mail from the service; absent for none. */
  readonly mails?: number;
  /** Source or stream → `PATCH /Users/{id}` or `file` → calls; absent without write-back. */
  readonly sources?: Readonly<Record<string, Readonly<Record<string, number>>>>;
  /** Forecast, including the rate limit. */
  readonly seconds: number;
}

/** Proof of the state of the sources when the plan was made. */
export interface PlanEvidence {
  readonly sources: readonly Json[];
  readonly mirror: Json;
  /** The complete reads that prove the absences of this plan: source, people, and each read with file, rows and hash. */
  readonly absence?: Json;
  /** Set if the policy may leave differences in place; absent for `sync`. */
  readonly policy?: 'upsert-only' | 'create-only';
}

/** First contact with an account that already holds objects: the matches with their keys, and the objects on one side only. */
export interface AdoptionReport {
  readonly entity: Entity;
  /** Entry of `match` → pairs that it found. */
  readonly matched: Readonly<Record<string, number>>;
  /** Matched pairs with nothing to change. */
  readonly equal: number;
  /** Field → pairs that differ in it. */
  readonly differing: Readonly<Record<string, { readonly count: number; readonly samples: readonly AdoptionSample[] }>>;
  /** Records that would be created. */
  readonly only_in_source: AdoptionSide;
  /** Active objects without link or record: left alone. */
  readonly only_in_service: AdoptionSide;
  /** Matches that are held until a person decides. */
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
