import type { SourceKind } from '../kind.js';
import { describeListed } from '../listed/listed-kind.js';
import { findSystem, type ListedSystem } from '../listed/listed-system.js';
import { type HrisSourceConfig, resolveHris } from './resolve.js';
import { type HrisInput, hrisSchema } from './schema.js';
import type { PeopleVendor } from './vendor.js';
import { PEOPLE_VENDORS } from './vendors.js';

function systemOf({ dialect }: { readonly dialect: string }): ListedSystem {
  return findSystem<PeopleVendor>(PEOPLE_VENDORS, dialect);
}

/** An HR system or a directory that is read through its own API. */
export const HRIS = {
  type: 'hris',
  schema: hrisSchema,
  resolve: resolveHris,
  ...describeListed<HrisSourceConfig>(systemOf),
} satisfies SourceKind<HrisInput, HrisSourceConfig, HrisSourceConfig>;
