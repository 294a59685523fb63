import type { SyncError } from '../base/errors.js';
import type { Way } from '../base/http/way.js';
import type { Secret } from '../base/secrets/secret.js';
import type { HookSettings } from '../base/settings/hook.js';
import type { Sources } from '../connectors/kinds.js';
import type { MatchKey } from '../model/comparison.js';
import type { Action, Entity } from '../model/entity.js';
import type { LookupMaps } from '../model/lookup-maps.js';
import type { Power } from '../model/plan.js';
import type { QuietRange } from '../model/quiet-hours.js';
import type { Authority, WriteBackColumn } from '../model/write-back.js';
import type { LeaverConfig, UsersInput } from './entities/entity-schema.js';
import type { DeliveryLimit, GuardLimit } from './entities/guard-schema.js';
import type { DeliveredReport } from './resolve-deliveries.js';
import type { DocumentDelivery } from './resolve-documents.js';
import type { NotifyConfig } from './resolve-notify.js';
import type { configSchema } from './schema.js';
import type { Whole } from './whole.js';

type WrittenConfig = Whole<typeof configSchema>;

/** The configuration as the program uses it: checked and frozen, with defaults, secrets and absolute paths. */
export interface Config extends Pick<WrittenConfig, 'policy' | 'drift' | 'conflicts' | 'plan' | 'approvals' | 'audit'> {
  /** Absolute path of the YAML file. */
  readonly file: string;
  /** The YAML text of the file. */
  readonly text: string;
  /**
   * SHA-256 (hex) over the parts that decide *which* values are derived: columns and keys of the sources, mapping, policy.
   * Secrets, paths, limits and guards are not included.
   */
  readonly digest: string;
  /** The error to throw when a missing secret is needed; absent if all secrets are present. */
  readonly missingSecrets?: SyncError;
  readonly service: ServiceConfig;
  /** Absolute path of the folder that contains state.db, mirror.db, plans/ and reports/. */
  readonly state: string;
  /** True if a new state may be on a network share. */
  readonly isNetworkState: boolean;
  readonly sources: Sources;
  /** Source → how its vendor signals a change. */
  readonly hooks: Readonly<Record<string, HookSettings>>;
  readonly users: UsersConfig | null;
  /** Every other entity with its own source. */
  readonly streamMappings: StreamMappings;
  /** The mapping of every synchronised entity, including people. */
  readonly mappings: Readonly<Partial<Record<Entity, UsersConfig | StreamMapping>>>;
  /** Name or external id of an industry → its id, for industries that the service does not show. */
  readonly industries: Readonly<Record<string, string>>;
  readonly tags: { readonly createMissing: boolean };
  readonly notifyPeople: WrittenConfig['notify_people'];
  readonly guards: Readonly<Partial<Record<Entity, EntityGuards>>>;
  /** Stream → limit on the number of records in which a value is overwritten or emptied. */
  readonly sourceGuards: Readonly<Record<string, GuardLimit>>;
  /** Stream that decides existence → suspicious differences, each with a limit; see `SUSPICIONS`. */
  readonly sourceSuspicions: Readonly<Record<string, SourceSuspicions>>;
  /** Maximum number of calls per run; null for no limit. */
  readonly callBudget: WrittenConfig['call_budget'];
  /** Weekly periods in which nothing is written, in the schedule's timezone. */
  readonly quietHours: readonly QuietRange[];
  /** Five-field cron expressions in `timezone`. `fullRead`: when the entire account is read again. */
  readonly schedule: {
    /** When a run starts; absent if something else starts runs, such as a CronJob or a person. */
    readonly every?: string;
    readonly fullRead: string;
    readonly timezone: string;
    /** Set if a signal from a source also starts a run; without it, only the schedule does. */
    readonly onChange?: true;
    /** Milliseconds between two checks for changes in the service; without it, only runs check for changes. */
    readonly watchServiceMs?: number;
    /** Milliseconds over which a daemon spreads the starts of its tenants; the default is a tenth of the pause between runs. */
    readonly spreadMs?: number;
  };
  /** Where to report events that need attention; null to report them nowhere. */
  readonly notify: NotifyConfig | null;
  /** Reports that run on a schedule and are delivered. */
  readonly reports: readonly DeliveredReport[];
  /** Records of the service that are delivered as documents when they change. */
  readonly documents: readonly DocumentDelivery[];
  /** The lookup tables for expressions. */
  readonly maps: LookupMaps;
  /** IANA zone of dates that name no zone. */
  readonly timezone: string;
  /** True if the file contains `web:`. It belongs to the daemon and is read separately (`load-web.ts`). */
  readonly hasPages: boolean;
}

/** `sync` creates, updates, deactivates and reactivates; `upsert-only` never deactivates; `create-only` only creates. */
export type Policy = WrittenConfig['policy'];

export type ServiceConfig = Omit<WrittenConfig['service'], 'apiKey' | keyof Way> & Way & { readonly apiKey: Secret };

/** How a field, a language or a custom field is managed. `path` is a path such as `title.en` or `custom_fields.volume`. */
export interface FieldRule {
  readonly path: string;
  readonly apply: 'always' | 'create' | 'empty';
  readonly whenEmpty: 'keep' | 'clear';
  readonly authority: Authority;
}

export interface EntityMapping {
  /** The parsed `fields:` as written; mapping compiles its expressions. */
  readonly fields: Readonly<Record<string, FieldSource>>;
  /** Path → rule, for each leaf of `fields`. */
  readonly rules: Readonly<Record<string, FieldRule>>;
  /** Entries are tried in order. An entry with several names matches only if all of them are equal. */
  readonly match: readonly MatchKey[];
  /** CEL expression; null for no condition. */
  readonly scope: string | null;
  /** The values to write back, one entry per column. */
  readonly writeBack: readonly WriteBackColumn[];
  /** CEL expression for the time at which the source's record last changed; null if the source does not provide it. */
  readonly modified: string | null;
}

/** An expression or a tree of expressions: `{ en: expr }`, `[{ country: expr, name: expr }]`, `{ country, name }`. */
export type FieldSource = string | readonly FieldSource[] | { readonly [key: string]: FieldSource };

/** The mapping of people: which source decides who exists, how leavers are treated, and how accounts are created. */
export type UsersConfig = EntityMapping &
  Omit<UsersInput, 'fields' | 'match' | 'scope' | 'modified' | 'write_back'> & {
    readonly createMissingOffices: boolean;
  };

/** An entity with streams of its own. The streams of people are in `users.existence` instead. */
export type StreamEntity = Exclude<Entity, 'users'>;

export interface StreamMapping extends EntityMapping {
  /** Streams such as `crm.companies`. If several contain a key, the first one wins. */
  readonly from: readonly string[];
  /** When an object is deleted; null if it never is. */
  readonly leaver: LeaverConfig | null;
}

export type StreamMappings = Readonly<Partial<Record<StreamEntity, StreamMapping>>>;

/** Limits on suspicious differences in a stream. A limit is absent if neither the configuration nor a default sets it. */
export interface SourceSuspicions {
  /** The limit on known objects that are missing, although the read has not become smaller to the same extent. */
  readonly another_tenant?: DeliveryLimit;
}

/** Limits of one entity for each action, and for updates of each field. `*` stands for any field without an entry. */
export type EntityGuards = Readonly<Partial<Record<Action, GuardLimit>>> & {
  /** null if this field has no limit of its own. */
  readonly fields?: Readonly<Record<string, GuardLimit | null>>;
  /** For people only: limits on how many may gain power; null for no limit. New administrators always need approval. */
  readonly promote?: Readonly<Record<Exclude<Power, 'internationalmanager'>, GuardLimit | null>>;
};
