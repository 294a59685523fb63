import * as z from 'zod';
import type { World } from '../account/world.js';
import { Refusal } from '../fields/refusal.js';
import type { Collections } from '../store/store.js';
import { type AccountRecord, STATE_FORM } from './account-record.js';

/** Dumps the entire account with ids, versions and times, for `loadAll`. */
export function dumpAll(world: World): object {
  const { account, customFields, secret, store } = world;
  const record: AccountRecord = { form: STATE_FORM, account, keys: [...world.keys.values()], customFields, secret };
  const names = Object.keys(store.collections) as (keyof Collections)[];
  return {
    ...record,
    now: new Date(world.clock.now()).toISOString(),
    collections: Object.fromEntries(names.map((name) => [name, store.collections[name].all()])),
  };
}

const Dump = z.looseObject({
  form: z.literal(STATE_FORM),
  account: z.looseObject({ languages: z.array(z.string()) }),
  keys: z.array(z.looseObject({ key: z.string(), name: z.string(), role: z.string() })),
  customFields: z.array(z.looseObject({ id: z.string() })),
  secret: z.string(),
  now: z.iso.datetime(),
  collections: z.record(z.string(), z.array(z.looseObject({ id: z.string() }))),
});

/** Replaces all content with a dump; if it fails, nothing changes. It checks the form of the dump, but not its documents. */
export function loadAll(world: World, body: unknown, takeUp: (account: AccountRecord) => void): void {
  const result = Dump.safeParse(body);
  if (!result.success) throw new Refusal(400, `the dump is not valid: ${z.prettifyError(result.error)}`);
  const { collections, now } = result.data;
  const { store } = world;
  const stranger = Object.keys(collections).find((name) => !Object.hasOwn(store.collections, name));
  if (stranger !== undefined) throw new Refusal(400, `the dump has an unknown collection: ${stranger}`);
  store.write(() => {
    for (const name of Object.keys(store.collections) as (keyof Collections)[]) {
      const collection = store.collections[name] as { clear(): void; put(document: { readonly id: string }): unknown };
      collection.clear();
      for (const document of collections[name] ?? []) collection.put(document);
    }
  });
  world.clock.set(Date.parse(now));
  takeUp(result.data as unknown as AccountRecord);
}
