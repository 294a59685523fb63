import type { Call, CallHandler } from '../calls/call.js';
import { refuse } from '../fields/refusal.js';
import { type Body, readBody, readIntegerParameter, readWrapper } from '../fields/values.js';
import type { Collection } from '../store/collection.js';

/** A kind of record with common calls for create, change and delete. */
export interface Resource<Place, T> {
  /** Key that wraps the body of create and change; without it, the body has no wrapper. */
  readonly wrapper?: string;
  /** Finds the parent of the record, such as the project of an entry. Throws if the key may not write there. */
  readonly place: (call: Call) => Place;
  /** Finds the record in the path; throws 404 if there is none. */
  readonly find: (call: Call, place: Place) => T;
  readonly save: (call: Call, place: Place, body: Body, before?: T) => T;
  readonly render: (call: Call, record: T) => object;
  readonly remove?: (call: Call, record: T, place: Place) => void;
}

export function creates<Place, T>(resource: Resource<Place, T>): CallHandler {
  return (call) => {
    const place = resource.place(call);
    return resource.render(call, resource.save(call, place, readOwnBody(call, resource)));
  };
}

export function changes<Place, T>(resource: Resource<Place, T>): CallHandler {
  return (call) => {
    const place = resource.place(call);
    const before = resource.find(call, place);
    return resource.render(call, resource.save(call, place, readOwnBody(call, resource), before));
  };
}

export function removes<Place, T>(resource: Resource<Place, T>): CallHandler {
  return (call) => {
    const place = resource.place(call);
    resource.remove?.(call, resource.find(call, place), place);
    return undefined;
  };
}

function readOwnBody(call: Call, { wrapper }: { readonly wrapper?: string }): Body {
  return wrapper === undefined ? readBody(call) : readWrapper(call, wrapper);
}

/** Checks that no other record of the kind has the external id. */
export function checkExternalId<T extends { readonly id: string }>(
  collection: Collection<T>,
  external: string | null,
  ownId: string | undefined,
): void {
  const holder = external === null ? undefined : collection.first('WHERE external_unique_id = ?', [external]);
  if (holder && holder.id !== ownId) refuse(422, 'External unique id has already been taken');
}

/** Reads the page of a list from the query: `offset`, and `limit` or `size`. */
export function readPage(
  call: Call,
  name: 'limit' | 'size',
  max: number,
): { readonly size: number; readonly offset: number } {
  return {
    size: readIntegerParameter(call.query, name, { min: 1, max, fallback: 100 }),
    offset: readIntegerParameter(call.query, 'offset', { min: 0, max: Number.MAX_SAFE_INTEGER, fallback: 0 }),
  };
}

/** Throws 404 for the first id that the collection does not contain. */
export function requireEach<T extends { readonly id: string }>(
  collection: Collection<T>,
  ids: readonly string[] | undefined,
  describe: (id: string) => string,
): void {
  const unknown = ids?.find((id) => !collection.get(id));
  if (unknown !== undefined) refuse(404, describe(unknown));
}
