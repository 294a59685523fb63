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

/** The configuration as the program uses it: checked, with defaults and secrets, absolute paths, frozen. */
export interface Config extends Pick<WrittenConfig, 'policy' | 'drift' | 'conflicts' | 'plan' | 'approvals' | 'audit'> {
  /** Absolute path of the YAML file. */
  readonly file: string;
  /** The YAML as read. */
  readonly text: string;
  /**
   * SHA-256 (hex) over everything that decides *which* values are derived (sources' shape, mapping, policy). Without secrets,
   * paths, limits and guards.
   */
  readonly digest: string;
  /** The error to throw when a missing secret is needed; absent if all secrets exist. */
  readonly missingSecrets?: SyncError;
  readonly service: ServiceConfig;
  /** Absolute path of the folder of state.db, mirror.db, plans/, reports/. */
  readonly state: string;
  /** A new state may be on a network share. */
  readonly isNetworkState: boolean;
  readonly sources: Sources;
  /** Source → how its vendor signals a change. */
  readonly hooks: Readonly<Record<string, HookSettings>>;
  readonly users: UsersConfig | null;
  /** Every other entity with its own source. */
  readonly streamMappings: StreamMappings;
  /** The mapping of each synchronised entity, including people. */
  readonly mappings: Readonly<Partial<Record<Entity, UsersConfig | StreamMapping>>>;
  /** Name or external id of an industry → its id, for industries that the service does not show. */
  readonly industries: Readonly<Record<string, string>>;
  readonly tags: { readonly createMissing: boolean };
  readonly notifyPeople: WrittenConfig['notify_people'];
  readonly guards: Readonly<Partial<Record<Entity, EntityGuards>>>;
  /** Stream → limit for records in which a value is overwritten or emptied. */
  readonly sourceGuards: Readonly<Record<string, GuardLimit>>;
  /** Stream that decides existence → suspicious differences, each with a limit; see `SUSPICIONS`. */
  readonly sourceSuspicions: Readonly<Record<string, SourceSuspicions>>;
  /** Maximum number of calls per run; null for no limit. */
  readonly callBudget: WrittenConfig['call_budget'];
  /** Ranges of the week, in the schedule's zone, in which nothing is written. */
  readonly quietHours: readonly QuietRange[];
  /** Five-field cron expressions in `timezone`; `fullRead`: when the complete account is read again. */
  readonly schedule: {
    /** When a run starts; absent if something else starts runs (a CronJob, a person). */
    readonly every?: string;
    readonly fullRead: string;
    readonly timezone: string;
    /** A signal of a source also starts a run; absent: only the schedule does. */
    readonly onChange?: true;
    /** Milliseconds between two checks for changes in the service; absent: only runs check. */
    readonly watchServiceMs?: number;
    /** Milliseconds over which a daemon spreads the starts of its tenants; absent: a tenth of the pause between runs. */
    readonly spreadMs?: number;
  };
  /** Where to report what needs attention; null: nowhere. */
  readonly notify: NotifyConfig | null;
  /** Reports that run on a schedule and are delivered. */
  readonly reports: readonly DeliveredReport[];
  /** Records of the service that are delivered as documents when they change. */
  readonly documents: readonly DocumentDelivery[];
  /** Lookup tables for expressions. */
  readonly maps: LookupMaps;
  /** IANA zone for dates without a zone. */
  readonly timezone: string;
  /** True if the file has `web:`, which belongs to the daemon and is read separately (`load-web.ts`). */
  readonly hasPages: boolean;
}

/** `sync` creates, updates, deactivates and reactivates; `upsert-only` never deactivates; `create-only` only creates. */
export type Policy = WrittenConfig['policy'];

export type ServiceConfig = Omit<WrittenConfig['service'], 'apiKey' | keyof Way> & Way & { readonly apiKey: Secret };

/** How a field, a language or a custom field is managed; `path` is `title.en` or `custom_fields.volume`. */
export interface FieldRule {
  readonly path: string;
  readonly apply: 'always' | 'create' | 'empty';
  readonly whenEmpty: 'keep' | 'clear';
  readonly authority: Authority;
}

export interface EntityMapping {
  /** The parsed `fields:` as written; mapping compiles its expressions. */
  readonly fields: Readonly<Record<string, FieldSource>>;
  /** One rule per leaf of `fields`, by path. */
  readonly rules: Readonly<Record<string, FieldRule>>;
  /** Tried in order; an entry with several names must match all of them. */
  readonly match: readonly MatchKey[];
  /** CEL; null for no condition. */
  readonly scope: string | null;
  /** The values to write back, column by column. */
  readonly writeBack: readonly WriteBackColumn[];
  /** CEL: when the source's record last changed; null if the source does not say. */
  readonly modified: string | null;
}

/** An expression, or a tree of them: `{ en: expr }`, `[{ country: expr, name: expr }]`, `{ country, name }`. */
export type FieldSource = string | readonly FieldSource[] | { readonly [key: string]: FieldSource };

/** People: the source that decides existence, the treatment of leavers, and how accounts are created. */
export type UsersConfig = EntityMapping &
  Omit<UsersInput, 'fields' | 'match' | 'scope' | 'modified' | 'write_back'> & {
    readonly createMissingOffices: boolean;
  };

/** An entity whose records come from its own streams; people come from `users.existence`. */
export type StreamEntity = Exclude<Entity, 'users'>;

export interface StreamMapping extends EntityMapping {
  /** Streams such as `crm.companies`; the first with a given key wins. */
  readonly from: readonly string[];
  /** When an object is deleted; null: never. */
  readonly leaver: LeaverConfig | null;
}

export type StreamMappings = Readonly<Partial<Record<StreamEntity, StreamMapping>>>;

/** Suspicions about a stream apply only if the configuration or a default sets them. */
export interface SourceSuspicions {
  /** How many known objects may be missing from a read whose size has not shrunk as much. */
  readonly another_tenant?: DeliveryLimit;
}

/** Limits of one entity, for each action, and for updates of each field; `*` is any field that is not named. */
export type EntityGuards = Readonly<Partial<Record<Action, GuardLimit>>> & {
  /** null: this field has no limit of its own. */
  readonly fields?: Readonly<Record<string, GuardLimit | null>>;
  /** For people only: who may gain power; null for no limit. Administrators always need approval. */
  readonly promote?: Readonly<Record<Exclude<Power, 'internationalmanager'>, GuardLimit | null>>;
};
