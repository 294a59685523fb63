import type { Sources } from '../connectors/kinds.js';
import type { MatchKey } from '../model/comparison.js';
import type { Action, Entity } from '../model/entity.js';
import type { QuietRange } from '../model/quiet-hours.js';
import type { Authority, Conflicts, WriteBackColumn } from '../model/write-back.js';
import type { Secret } from '../secrets/secret.js';
import type { DeliveredReport } from './delivery-config.js';

/** The configuration as the program uses it: checked, defaults filled in, secrets read, paths absolute, frozen. */
export interface Config {
  /** Absolute path of the YAML file. */
  readonly file: string;
  /** SHA-256 (hex) over all that decides *what* is derived (sources' shape, mapping, policy); not secrets, paths, limits or guards. */
  readonly digest: string;
  readonly service: ServiceConfig;
  /** Absolute path of the folder of state.db, mirror.db, plans/, reports/. */
  readonly state: string;
  readonly policy: Policy;
  readonly sources: Sources;
  readonly users: UsersConfig | null;
  /** Every other entity that has a source of its own. */
  readonly streamMappings: StreamMappings;
  /** How each entity is mapped that is synchronised, people among them. */
  readonly mappings: Readonly<Partial<Record<Entity, UsersConfig | StreamMapping>>>;
  /** Name or external id of an industry → its id, for those that cannot be learnt from the service. */
  readonly industries: Readonly<Record<string, string>>;
  readonly tags: { readonly createMissing: boolean };
  readonly drift: 'correct' | 'report';
  /** What wins when both sides changed a field since they last agreed. */
  readonly conflicts: Conflicts;
  readonly notifyPeople: { readonly create: boolean; readonly reactivate: boolean; readonly staffing: boolean };
  readonly guards: Readonly<Partial<Record<Entity, EntityGuards>>>;
  /** Stream → limit of the records in which a value is overwritten or emptied. */
  readonly sourceGuards: Readonly<Record<string, GuardLimit>>;
  /** Stream that decides what exists → what it is suspected of, with the limit; see `SUSPICIONS`. */
  readonly sourceSuspicions: Readonly<Record<string, SourceSuspicions>>;
  /** Calls a run may send at most; null for no limit. */
  readonly callBudget: number | null;
  /** Stretches of the week, in the schedule's zone, in which nothing is written. */
  readonly quietHours: readonly QuietRange[];
  readonly plan: { readonly expiresMs: number };
  readonly audit: {
    /** How long entries are kept; null for ever. */
    readonly keepMs: number | null;
    /** Whether new entries have pseudonyms where they would name a person. */
    readonly pseudonymise: boolean;
  };
  /** Five-field cron expressions in `timezone`; `fullRead`: when the whole account is read again. */
  readonly schedule: {
    /** When a run starts; absent where something else starts the runs (a CronJob, a person). */
    readonly every?: string;
    readonly fullRead: string;
    readonly timezone: string;
  };
  /** Reports that are run by a schedule and delivered. */
  readonly reports: readonly DeliveredReport[];
  /** IANA zone of dates without one. */
  readonly timezone: string;
}

/** `sync` creates, updates, deactivates and reactivates; `upsert-only` never deactivates; `create-only` only creates. */
export type Policy = 'sync' | 'upsert-only' | 'create-only';

export interface ServiceConfig {
  /** Origin and optional path, without a trailing slash. */
  readonly baseUrl: string;
  readonly apiKey: Secret;
  readonly rateLimit: {
    readonly requestsPerSecond: number | null;
    readonly perMinute: number | null;
    readonly concurrency: number;
  };
  /** How long one call waits at a limit, from its first 429. */
  readonly giveUpAfterMs: number;
  /** How long one call may take before its outcome is unknown. */
  readonly timeoutMs: number;
  /** Bytes of one answer after decompression; null for the usual limits. */
  readonly maxAnswerBytes: number | null;
}

/** How one field, one language of it or one custom field of it is managed; `path` as in `title.en`, `custom_fields.volume`. */
export interface FieldRule {
  readonly path: string;
  readonly apply: 'always' | 'create' | 'empty';
  readonly whenEmpty: 'keep' | 'clear';
  readonly authority: Authority;
}

export interface EntityMapping {
  /** The parsed `fields:` as written; mapping compiles the expressions in it. */
  readonly fields: Readonly<Record<string, FieldSource>>;
  /** One rule for each leaf of `fields`, by path. */
  readonly rules: Readonly<Record<string, FieldRule>>;
  /** Tried in order; an entry of several names must match on all of them. */
  readonly match: readonly MatchKey[];
  /** CEL, or null for everybody. */
  readonly scope: string | null;
  /** What is written back, column by column. */
  readonly writeBack: readonly WriteBackColumn[];
  /** CEL: when the source's record changed last; null where it does not tell. */
  readonly modified: string | null;
}

/** An expression, or a tree of them: `{ en: expr }`, `[{ country: expr, name: expr }]`, `{ country, name }`. */
export type FieldSource = string | readonly FieldSource[] | { readonly [key: string]: FieldSource };

/** When somebody has left, or something is gone. */
export interface LeaverConfig {
  /** CEL, or null when absence alone tells. */
  readonly when: string | null;
  /** 0: absence never makes a leaver. */
  readonly afterMissingReads: number;
  readonly missingIntervalMs: number;
  readonly graceMs: number;
}

/** Of people: they are deactivated, and deleted for good only where that is asked for. */
export interface UsersLeaverConfig extends LeaverConfig {
  /** How long after the deactivation; null: never. */
  readonly purge: { readonly afterMs: number } | null;
}

export interface UsersConfig extends EntityMapping {
  readonly existence: string;
  /** Source name → its equality join. */
  readonly enrich: Readonly<Record<string, { readonly join: string }>>;
  /** From when on a new colleague gets an account; null: at once. */
  readonly joiner: { readonly start: string; readonly leadMs: number } | null;
  readonly createMissingOffices: boolean;
  /** `parked-{id}@example.com`; null: circles of e-mails are held. */
  readonly parkingEmail: string | null;
  /** How long ago an old record may have left for another key to take over its account. */
  readonly relinkWithinMs: number;
  readonly leaver: UsersLeaverConfig;
  /** What becomes of linked people whose row is there but out of scope. */
  readonly outOfScope: 'keep' | 'deactivate';
  /** What becomes of active accounts that nobody created or adopted and no record matches. */
  readonly unowned: 'keep' | 'report' | 'deactivate';
  /** CEL over `user`, the service's own object. */
  readonly protect: readonly string[];
  /** Null: everybody is created by a call of their own. */
  readonly bulkLoad: BulkLoadConfig | null;
}

/** First loads as one file, by the service's CSV import. How people travel decides nothing about who they are. */
export interface BulkLoadConfig {
  /** `default`, or a named import setting of the service. */
  readonly setting: string;
  /** The operator's word on what the setting does with people who are not in the file; no read can show it. */
  readonly missing: 'keep' | 'deactivate' | 'remove';
  /** So many creates in one plan go by an import; 0 for never. */
  readonly from: number;
  /** Language of the file's texts: a code, `native` for that of the person's country, null when nobody said. */
  readonly language: string | null;
  /** Category external id → column title. */
  readonly tagColumns: Readonly<Record<string, string>>;
  readonly separator: ',' | ';';
  /** How long the imported people may take to appear. */
  readonly confirmWithinMs: number;
}

/** An entity whose records come from streams of their own; people come from `users.existence`. */
export type StreamEntity = Exclude<Entity, 'users'>;

export interface StreamMapping extends EntityMapping {
  /** Streams, `crm.companies`; the first that has a key wins. */
  readonly from: readonly string[];
  /** When an object is deleted; null: never. */
  readonly leaver: LeaverConfig | null;
}

export type StreamMappings = Readonly<Partial<Record<StreamEntity, StreamMapping>>>;

/** The effective limit is the smaller of `max` and (the larger of `min` and `percent` of the linked active objects at the start). */
export interface GuardLimit {
  readonly max: number | null;
  readonly percent: number | null;
  readonly min: number | null;
  /** Counts from the first run on that has created all there was to create. */
  readonly afterFirstLoad?: true;
}

/** Of what a stream is suspected only where the configuration, or a default, says so. */
export interface SourceSuspicions {
  /** How many of the known may be gone from a read that has not shrunk as much. */
  readonly another_tenant?: GuardLimit;
}

/** Limits of one entity: for each action, and within the updates for each field; `*` is any field that is not named. */
export type EntityGuards = Readonly<Partial<Record<Action, GuardLimit>>> & {
  /** null: this field is not limited by itself. */
  readonly fields?: Readonly<Record<string, GuardLimit | null>>;
};
