import type { NamedHold } from '../model/desired.js';
import { ENTITIES } from '../model/entity.js';
import { canonicalJson, isJsonObject, type Json, type Values } from '../model/json.js';
import type { Stores } from '../store/open-stores.js';

/** A field of a record and its object. */
export interface ComparedField {
  readonly field: string;
  readonly source: Json;
  /** The value on which both sides last agreed; null if they never agreed. */
  readonly base: Json;
  readonly service: Json;
  readonly isSame: boolean;
}

/** A record compared with the object that it is held for. */
export interface ComparedSides {
  readonly id: string;
  /** The label of the object in the service. */
  readonly label: string;
  readonly active: boolean;
  /** The key to which the object is currently linked; null if there is none. */
  readonly linkedTo: string | null;
  readonly fields: readonly ComparedField[];
}

/** Both sides of a question, as last read; null if one side is missing. */
export function compareSides(stores: Stores, hold: NamedHold): ComparedSides | null {
  const entity = ENTITIES.find((name) => name === hold.entity);
  if (entity === undefined || (hold.conflict === undefined && hold.relink === undefined)) return null;
  const { links, mirror, work } = stores;
  const key = hold.relink?.key ?? hold.key;
  const link = links.find(entity, key);
  const id = hold.relink?.id ?? link?.serviceId ?? null;
  const object = id === null ? null : mirror.get(entity, id);
  const record = work.valuesBefore(entity, key);
  if (object === null || record === null) return null;
  const { label, active } = object;
  const shown = stores.withNames(object).values;
  const paths = hold.field?.split(', ') ?? Object.keys(record);
  const fields = paths.map((field): ComparedField => {
    const [source, base, service] = [valueAt(record, field), valueAt(link?.base ?? {}, field), valueAt(shown, field)];
    return { field, source, base, service, isSame: canonicalJson(source) === canonicalJson(service) };
  });
  return {
    id: object.id,
    label,
    active,
    linkedTo: links.findByServiceId(entity, object.id)?.sourceKey ?? null,
    fields,
  };
}

/** Reads a value. `title.no` is one language of the title. */
function valueAt(values: Values, path: string): Json {
  const whole = values[path];
  if (whole !== undefined) return whole;
  const dot = path.indexOf('.');
  const outer = values[path.slice(0, dot)];
  return (isJsonObject(outer) ? outer[path.slice(dot + 1)] : null) ?? null;
}
