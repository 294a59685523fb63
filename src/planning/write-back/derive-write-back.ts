import type { Config } from '../../config/config.js';
import type { ServiceObject } from '../../mapping/service-object.js';
import type { WriteBackMapper } from '../../mapping/write-back.js';
import { accountIn } from '../../mirror/directory.js';
import { ENTITIES, type Entity } from '../../model/entity.js';
import { isJsonObject, type Json, type Values } from '../../model/json.js';
import { type Observed, scopedKey } from '../../model/observed.js';
import { meanPeople, type Said } from '../../model/people-meant.js';
import { formatPlace } from '../../model/place.js';
import { type Change, reopens } from '../../model/plan.js';
import {
  planWriteBack,
  type WriteBackPorts,
  type WriteBackRecord,
  type WriteBackValue,
} from '../../reconcile/write-back/plan-write-back.js';
import type { Stores } from '../../store/open-stores.js';
import type { Derivation } from '../derive-plan.js';
import { loadPins } from '../pins.js';

export interface WriteBackPlanning {
  readonly config: Config;
  readonly stores: Stores;
  readonly writeBackMappers: Readonly<Partial<Record<Entity, WriteBackMapper>>>;
  /** The time that a source may take to show a sent value, in milliseconds. */
  readonly lapseMs: (source: string) => number;
  /** True if values that a spreadsheet would run as formulas are written back to the source. */
  readonly writesFormulas: (source: string) => boolean;
}

/**
 * Plans the write-backs record by record, once all changes to the service are known. A record with nothing left to
 * write is skipped until the record, its object or the configuration changes.
 */
export function deriveWriteBack(
  context: WriteBackPlanning,
  { settingsOf, now }: Pick<Derivation, 'settingsOf' | 'now'>,
): void {
  const { config, stores, writeBackMappers } = context;
  const pins = loadPins(config, stores, now);
  for (const entity of ENTITIES) {
    const mapper = writeBackMappers[entity];
    const settings = settingsOf(entity);
    if (mapper === undefined || settings === null) continue;
    const ports = createWriteBackPorts(mapper, { now, pins }, context);
    stores.work.together(() => {
      for (const { record, mark } of eachRecord(entity, context)) {
        if (planWriteBack(record, settings, ports) === 'settled' && mark !== null)
          stores.work.settleWriteBack(entity, record.desired.key, mark);
      }
    });
  }
}

function* eachRecord(
  entity: Entity,
  { stores, config, writeBackMappers }: WriteBackPlanning,
): Iterable<{ readonly record: WriteBackRecord; readonly mark: string | null }> {
  const { work, mirror } = stores;
  // The people on a project change without a change to the project, so these records are never skipped.
  const context = writeBackMappers[entity]?.restsOnOthers === true ? null : config.digest;
  const account = accountIn(mirror);
  for (const { desired, serviceId, base, written, mark } of work.writeBackRows(entity, context)) {
    const planned = work.planned(`${entity}:${desired.key}`);
    const object = serviceId === null ? null : mirror.get(entity, serviceId);
    const observed = object === null ? null : stores.withNames(object);
    // A change that a guard holds is not made, so a leaver stays active and a returning person stays inactive.
    const turn = planned?.action !== 'create' && work.isWithheld(`${entity}:${desired.key}`) ? null : planned;
    if (!isSpokenOf(observed, turn)) continue;
    const label = observed?.label ?? planned?.label ?? desired.key;
    const said = meanPeople<Said>({ desired, base, written }, account);
    yield { record: { ...said, observed, planned, label }, mark };
  }
}

/** False for people who leave or are gone, and for those who do not exist yet unless this run creates them. */
function isSpokenOf(observed: Observed | null, planned: Change | null): boolean {
  if (observed === null) return planned?.action === 'create';
  if (planned?.action === 'deactivate' || planned?.action === 'delete') return false;
  return observed.active || (planned !== null && reopens(planned));
}

function createWriteBackPorts(
  mapper: WriteBackMapper,
  { now, pins }: Pick<WriteBackPorts, 'now' | 'pins'>,
  { stores, lapseMs, writesFormulas }: WriteBackPlanning,
): WriteBackPorts {
  const { work, outbox } = stores;
  return {
    now,
    pins,
    idOf: accountIn(stores.mirror).idOf,
    resolution: outbox.resolution,
    seenAt: outbox.sighting,
    sight: work.sight,
    sent: outbox.find,
    lapseMs,
    writesFormulas,
    plan: work.planWriteBack,
    echo: work.echo,
    hold: work.hold,
    values: (record) => readValues(record, mapper, stores),
  };
}

function readValues(record: WriteBackRecord, mapper: WriteBackMapper, stores: Stores): readonly WriteBackValue[] {
  const { observed, planned, desired } = record;
  const later = mapper.map(describeObject(desired.entity, observed, planned?.after ?? {}, stores));
  const isMoved = observed !== null && planned !== null;
  const now = isMoved ? mapper.map(describeObject(desired.entity, observed, {}, stores)) : later;
  if (isFault(later) || isFault(now)) {
    const { code, message: reason, remedy } = isFault(later) ? later : (now as FaultOf);
    stores.work.hold({
      entity: desired.entity,
      key: desired.key,
      place: formatPlace(desired.place),
      code,
      reason,
      remedy,
    });
    return [];
  }
  return mapper.columns.map((column, index) => ({
    column,
    isGiven: observed === null && column.isGiven(desired.values),
    now: now[index] ?? null,
    later: later[index] ?? null,
  }));
}

type FaultOf = Exclude<ReturnType<WriteBackMapper['map']>, readonly unknown[]>;

function isFault(values: ReturnType<WriteBackMapper['map']>): values is FaultOf {
  return !Array.isArray(values);
}

/** The object in the service with the planned values applied. */
export function describeObject(
  entity: Entity,
  observed: Observed | null,
  after: Values,
  { mirror }: Pick<Stores, 'mirror'>,
): ServiceObject {
  const values: Record<string, Json> = { ...observed?.values };
  for (const [name, value] of Object.entries(after)) {
    const whole = values[name];
    values[name] = isJsonObject(whole) && isJsonObject(value) ? { ...whole, ...value } : value;
  }
  // The service shows an owner by name; a source knows people by e-mail.
  const owner = after.owner === undefined ? findEmail(values.owner_id, mirror) : undefined;
  if (entity === 'proposals' && owner !== undefined) values.owner = owner;
  return {
    id: observed?.id ?? null,
    active: observed?.active ?? true,
    values,
    // The staffing of a project is stored on the CVs of its people, and on no other object.
    people: entity === 'projects' && observed !== null ? listPeople(observed.id, mirror) : [],
  };
}

/** E-mails of the people whose CVs contain the project, as far as the CVs were read. */
function listPeople(projectId: string, mirror: Stores['mirror']): readonly string[] {
  const emails = mirror.findIds('staffing', 'project', scopedKey(projectId, projectId)).flatMap((id) => {
    const email = findEmail(mirror.get('staffing', id)?.values.user_id, mirror);
    return email === undefined ? [] : [email];
  });
  return [...new Set(emails)].sort();
}

function findEmail(userId: Json | undefined, mirror: Stores['mirror']): string | undefined {
  const email = typeof userId === 'string' ? mirror.get('users', userId)?.values.email : undefined;
  return typeof email === 'string' ? email : undefined;
}
