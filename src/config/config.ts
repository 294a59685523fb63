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

/** The configuration as the program uses it: checked, defaults filled in, secrets read, paths absolute, frozen. */
export interface Config extends Pick<WrittenConfig, 'policy' | 'drift' | 'conflicts' | 'plan' | 'approvals' | 'audit'> {
  /** Absolute path of the YAML file. */
  readonly file: string;
  /** The YAML as it was read. */
  readonly text: string;
  /** SHA-256 (hex) over all that decides *what* is derived (sources' shape, mapping, policy); not secrets, paths, limits or guards. */
  readonly digest: string;
  /** What is thrown where they are used; absent when all secrets are there. */
  readonly missingSecrets?: SyncError;
  readonly service: ServiceConfig;
  /** Absolute path of the folder of state.db, mirror.db, plans/, reports/. */
  readonly state: string;
  /** A new state may be on a share of the network. */
  readonly isNetworkState: boolean;
  readonly sources: Sources;
  /** Source → how its vendor signals a change. */
  readonly hooks: Readonly<Record<string, HookSettings>>;
  readonly users: UsersConfig | null;
  /** Every other entity that has a source of its own. */
  readonly streamMappings: StreamMappings;
  /** How each entity is mapped that is synchronised, people among them. */
  readonly mappings: Readonly<Partial<Record<Entity, UsersConfig | StreamMapping>>>;
  /** Name or external id of an industry → its id, for those that cannot be learnt from the service. */
  readonly industries: Readonly<Record<string, string>>;
  readonly tags: { readonly createMissing: boolean };
  readonly notifyPeople: WrittenConfig['notify_people'];
  readonly guards: Readonly<Partial<Record<Entity, EntityGuards>>>;
  /** Stream → limit of the records in which a value is overwritten or emptied. */
  readonly sourceGuards: Readonly<Record<string, GuardLimit>>;
  /** Stream that decides what exists → what it is suspected of, with the limit; see `SUSPICIONS`. */
  readonly sourceSuspicions: Readonly<Record<string, SourceSuspicions>>;
  /** Calls a run may send at most; null for no limit. */
  readonly callBudget: WrittenConfig['call_budget'];
  /** Stretches of the week, in the schedule's zone, in which nothing is written. */
  readonly quietHours: readonly QuietRange[];
  /** Five-field cron expressions in `timezone`; `fullRead`: when the whole account is read again. */
  readonly schedule: {
    /** When a run starts; absent where something else starts the runs (a CronJob, a person). */
    readonly every?: string;
    readonly fullRead: string;
    readonly timezone: string;
    /** A signal of a source starts a run too; absent: only the schedule does. */
    readonly onChange?: true;
    /** Milliseconds between two looks at the service's changes; absent: only runs look. */
    readonly watchServiceMs?: number;
    /** Milliseconds over which the starts of a daemon's tenants are moved apart; absent: a tenth of the pause between runs. */
    readonly spreadMs?: number;
  };
  /** Who hears when something needs a person; null: nobody. */
  readonly notify: NotifyConfig | null;
  /** Reports that are run by a schedule and delivered. */
  readonly reports: readonly DeliveredReport[];
  /** Records of the service that are delivered as documents when they changed. */
  readonly documents: readonly DocumentDelivery[];
  /** What expressions look words up in. */
  readonly maps: LookupMaps;
  /** IANA zone of dates without one. */
  readonly timezone: string;
  /** Whether `web:` is written in it: it is the daemon's, and read apart (`load-web.ts`). */
  readonly hasPages: boolean;
}

/** `sync` creates, updates, deactivates and reactivates; `upsert-only` never deactivates; `create-only` only creates. */
export type Policy = WrittenConfig['policy'];

export type ServiceConfig = Omit<WrittenConfig['service'], 'apiKey' | keyof Way> & Way & { readonly apiKey: Secret };

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

/** People: who decides that they exist, what becomes of leavers, and how they are created. */
export type UsersConfig = EntityMapping &
  Omit<UsersInput, 'fields' | 'match' | 'scope' | 'modified' | 'write_back'> & {
    readonly createMissingOffices: boolean;
  };

/** An entity whose records come from streams of their own; people come from `users.existence`. */
export type StreamEntity = Exclude<Entity, 'users'>;

export interface StreamMapping extends EntityMapping {
  /** Streams, `crm.companies`; the first that has a key wins. */
  readonly from: readonly string[];
  /** When an object is deleted; null: never. */
  readonly leaver: LeaverConfig | null;
}

export type StreamMappings = Readonly<Partial<Record<StreamEntity, StreamMapping>>>;

/** Of what a stream is suspected only where the configuration, or a default, says so. */
export interface SourceSuspicions {
  /** How many of the known may be gone from a read that has not shrunk as much. */
  readonly another_tenant?: DeliveryLimit;
}

/** Limits of one entity: for each action, and within the updates for each field; `*` is any field that is not named. */
export type EntityGuards = Readonly<Partial<Record<Action, GuardLimit>>> & {
  /** null: this field is not limited by itself. */
  readonly fields?: Readonly<Record<string, GuardLimit | null>>;
  /** Of people alone: who may gain power; null where nothing limits it. Administrators are asked about in any case. */
  readonly promote?: Readonly<Record<Exclude<Power, 'internationalmanager'>, GuardLimit | null>>;
};
