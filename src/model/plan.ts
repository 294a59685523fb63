import type { TakenOut } from './copies.js';
import type { DeclineWords } from './decline.js';
import type { Acknowledgement } from './desired.js';
import { type Action, type Entity, isAccount } from './entity.js';
import type { Json, Values } from './json.js';
import type { Undoes } from './undo.js';

/** Why a change is proposed: a kind for programs and a sentence for people. */
export type ReasonKind =
  | 'joined' // in the source, not in the service
  | 'changed' // the source's value changed since both sides last agreed
  | 'drifted' // someone else changed the value in the service
  | 'configured' // neither side changed; the configuration was edited and now writes the value
  | 'first_contact' // the object was adopted without a base, and differs
  | 'left' // the source says that the person has left
  | 'absent' // complete reads without the person prove the absence
  | 'returned' // active in the source, deactivated in the service
  | 'gone' // an object, not a person, that the source deleted or that complete reads do not contain
  | 'out_of_scope' // in the source but out of scope, and the configuration treats that as leaving
  | 'absent_since_edit' // absence is proven, but only since the read in which the configuration of the source was edited
  | 'freed' // a unique value of an inactive account, released for its new owner
  | 'parked' // a unique value, moved away temporarily so that others can take it
  | 'referenced' // an office, category or tag that a record refers to
  | 'relinked' // a record under a new key takes over the object of a record that is gone
  | 'relinked_since_edit' // like `relinked`, but the old key is missing since the read in which the configuration was edited
  | 'by_hand' // an operator links or unlinks the object
  | 'undone' // an operator undoes the change of a run
  | 'unowned'; // neither created nor adopted, and not in any source

/** Returns the key of the record that a change was made for. A change that makes room for a record belongs to that record. */
export function recordKeyOf(key: string): string {
  return key.replace(/~(parked|freed_\w+|declined|edited|promoted)$/, '');
}

/** Returns the key of the declined part of a record's change. The rest of the change keeps the record's key. */
export function declinedKey(key: string): string {
  return `${key}~declined`;
}

/** Returns the key of a declined part if its configuration has been edited since, so that a person must decide again. */
export function editedKey(key: string): string {
  return `${key}~edited`;
}

/** Returns the key of the change in which one account of a record gives way to another account of the record. */
export function givingWayKey(key: string): string {
  return `${key}~freed_identity`;
}

/** Returns the key of the part of a record's change that gives power and waits for approval. */
export function promotedKey(key: string): string {
  return `${key}~promoted`;
}

export function isPromotedPart({ key }: Pick<Change, 'key'>): boolean {
  return key.endsWith('~promoted');
}

/** True if a change contains only the declined part of a record's change. */
export function isDeclinedPart({ key }: Pick<Change, 'key'>): boolean {
  return /~(declined|edited)$/.test(key);
}

/** Reasons for changes that only serve other changes. They are dropped together with those. */
export const DERIVED_REASONS: readonly ReasonKind[] = ['referenced', 'parked'];

export interface Reason {
  readonly kind: ReasonKind;
  readonly text: string;
}

/**
 * The change of one object. A plan has at most one change per object. `before` and `after` have the same fields, in the
 * vocabulary of the model. Ids are looked up on apply, because a plan may create the objects that it refers to.
 */
export interface Change {
  /** Hash of entity, action, object, before, after, kind of reason and configuration digest. */
  readonly id: string;
  readonly entity: Entity;
  readonly action: Action;
  /** The source's key. Derived entities have a natural key instead: `no/Oslo`, `business_unit`, `business_unit/cloud`. */
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
  /** Hash of the observed object from which the change was derived; null for a create. */
  readonly observedHash: string | null;
  /** Hash of the desired values from which the change was derived; null for leavers known by absence and for derived entities. */
  readonly desiredHash: string | null;
  /**
   * Changes of one stage with the same batch share a call, such as people linked to a project in the same way, or tags deleted
   * together.
   */
  readonly batch?: string;
  /** Set on a change that undoes others. It sends no e-mail. */
  readonly undoes?: Undoes;
  /** Set on a change that removes content from a proposal. `after` no longer contains it. */
  readonly takesOut?: readonly TakenOut[];
  /** The change (`entity:key`) that this one is a part of. This change must not be made without it. */
  readonly partOf?: string;
  /** Set if it is open whether the record and the account belong to the same person. This is the id to approve if they do not. */
  readonly asks?: string;
  /** Set if a person decided that the record does not belong to the owner of the account that its key led to. */
  readonly apart?: Apart;
  /** The power that the change gives. For a deactivation, the power that talent-sync gave before. */
  readonly power?: Power;
}

/** A record that no longer belongs to an account. */
export interface Apart {
  /** Id of the account in the service. */
  readonly from: string;
  /** The id that is approved instead of the change's own id. */
  readonly answer: string;
}

/** How much power roles give: over the account, over a country, or less. */
export type Power = 'internationalmanager' | 'countrymanager' | 'other';

/** True if each such change must be approved by name, so that no one becomes an administrator unnoticed. */
export function isTicked({ action, power }: Pick<Change, 'power'> & { readonly action: string }): boolean {
  return power === 'internationalmanager' && action !== 'deactivate';
}

/** A key in `before` and `after` of a relink: the source key of the object on each side. It is not a field; null means no key. */
export const SOURCE_KEY = 'source_key';

/** True if a change reactivates an account, with or without a new link. */
export function reopens({ action, after }: Pick<Change, 'action' | 'after'>): boolean {
  return action === 'reactivate' || (action === 'relink' && after.deactivated === false);
}

/** True if a change moves a link: a relink, or the deactivation of a person who left under another key. */
export function movesLink({ action, after }: Pick<Change, 'action' | 'after'>): boolean {
  return action === 'relink' || after[SOURCE_KEY] !== undefined;
}

/**
 * Returns the part of a link-moving change that goes to the service: the update, reactivation or deactivation. The link is
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
  /** Creates that are sent one at a time, grouped by reason. */
  readonly singly: readonly {
    readonly reason: string;
    readonly people: number;
    readonly examples: readonly string[];
  }[];
  /** Why the import is not used, although it is configured and there are many people; null if it is used. */
  readonly refused: string | null;
  /** Endpoint template → number of additional calls that the import takes. */
  readonly calls: Readonly<Record<string, number>>;
}

/** Name of the single step of an import in the journal. */
export const IMPORT_STEP = 'import';

/** True for an imported change. The service carries out an import only after it has responded. */
export function isImported({ batch }: Pick<Change, 'batch'>): boolean {
  return batch?.startsWith('import:') === true;
}

/** True for a deletion of an account. No undo can restore it: a new account would lack the CV. */
export function isForGood({ entity, action }: Pick<Change, 'entity' | 'action'>): boolean {
  return isAccount(entity) && action === 'delete';
}

/** Why a change of the plan is not applied now. */
export interface Withheld {
  readonly by: 'guard' | 'blocked' | 'pause' | 'declined';
  /**
   * The detail of the reason. `pause`: when the change is tried again. `guard`: the path of the guard. `blocked`: the
   * `entity:key` that blocks the change. `declined`: the id of the decline. ` + ` joins several declines or guards; all of the
   * guards must approve.
   */
  readonly name: string;
}

export interface PlannedChange extends Change {
  /** Position in the order of application. Changes of one stage do not depend on each other. */
  readonly stage: number;
  readonly withheld: Withheld | null;
  /** Set if a guard would have held the change but an operator approved it. */
  readonly approval: string | null;
}

/** Changes of earlier runs that a guard counts. They were carried out without an approval and have not been undone. */
export interface EarlierChanges {
  readonly changes: number;
  /** Ids of the earlier runs, newest first. */
  readonly runs: readonly string[];
}

export interface GuardTrip {
  /** `users.deactivate` */
  readonly guard: string;
  readonly limit: number;
  /** Number of changes in this plan and in the earlier runs together. */
  readonly found: number;
  /** Set if changes of earlier runs are included. */
  readonly earlier?: EarlierChanges;
  /** Two or three words, listed in docs/reference/guards.md. */
  readonly cause: string;
  /** The cause in a sentence for people, with its numbers. */
  readonly detail: string;
  readonly held: number;
  /** The fields that the guard is about, if it does not hold all fields of a change. Other fields only wait with them. */
  readonly fields?: readonly string[];
  /** Set if approval is one of several answers. Lists each answer with its command. */
  readonly remedy?: string;
  /**
   * Id for acknowledging the held guard. It changes as soon as the guard holds something else. Plans of earlier versions lack
   * it.
   */
  readonly id?: string;
  /** Set once a person has acknowledged the held guard and lets it wait. */
  readonly acknowledged?: Acknowledgement;
  /** Set on a delivery that a person has declined; it stays held. */
  readonly declined?: DeclineWords & { readonly id: string };
  /** The result of the last applied run's configuration with the same data; absent while that configuration is unchanged. */
  readonly preview?: GuardPreview;
}

/** The result of the last applied run's configuration with the same data. */
export interface GuardPreview {
  /** Number of changes of this kind under the earlier configuration; null if unknown. */
  readonly before: number | null;
  /** Number of changes of this kind under the current configuration. */
  readonly now: number;
  /** Configuration paths that differ, such as `users.fields.title.en`. */
  readonly paths: readonly string[];
  /** The last applied run under the earlier configuration; null if unknown. */
  readonly run: string | null;
  /** Why `before` is unknown. */
  readonly unknown?: string;
}

export type Counts = Partial<Record<Entity, Partial<Record<Action, number>>>>;

/** The calls that carry out a plan. The reads from which the plan was derived do not count, and each run makes its own. */
export interface Cost {
  readonly writes: number;
  readonly reads: number;
  /** `PUT /api/v1/users/{user_id}` → number of calls. */
  readonly by_endpoint: Readonly<Record<string, number>>;
  /** Number of people who get an e-mail from the service; absent if there are none. */
  readonly mails?: number;
  /** Source or stream → `PATCH /Users/{id}` or `file` → number of calls; absent without write-back. */
  readonly sources?: Readonly<Record<string, Readonly<Record<string, number>>>>;
  /** Estimated time, including waits for the rate limit. */
  readonly seconds: number;
}

/** Proof of the state of the sources at the time of planning. */
export interface PlanEvidence {
  readonly sources: readonly Json[];
  readonly mirror: Json;
  /** The complete reads that prove the absences in this plan: source, people, and each read with file, rows and hash. */
  readonly absence?: Json;
  /** Rows that report leavers whose accounts stay because of other records: their number, and the places of the first few. */
  readonly passed?: { readonly rows: number; readonly places: readonly string[] };
  /** Set if the policy can leave differences unchanged; absent for `sync`. */
  readonly policy?: 'upsert-only' | 'create-only';
}

/** First contact with an account that already contains objects: the matches by key, and the objects that only one side has. */
export interface AdoptionReport {
  readonly entity: Entity;
  /** Entry of `match` → number of pairs that it matched. */
  readonly matched: Readonly<Record<string, number>>;
  /** Number of matched pairs with nothing to change. */
  readonly equal: number;
  /** Field → the pairs that differ in it. */
  readonly differing: Readonly<Record<string, { readonly count: number; readonly samples: readonly AdoptionSample[] }>>;
  /** Records that would be created. */
  readonly only_in_source: AdoptionSide;
  /** Active objects without a link or record. They are left alone. */
  readonly only_in_service: AdoptionSide;
  /** Number of matches that are held until a person decides. */
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
