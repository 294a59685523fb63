import type { ListedStreamShape } from '../listed/listed-stream.js';
import { findSystem, type ListedSystem } from '../listed/listed-system.js';
import { PLAIN } from '../listed/plain/plain.js';
import { VENDORS } from './vendors/vendors.js';

const SYSTEMS = { plain: PLAIN, ...VENDORS };

export function systemOf({ dialect }: Pick<ListedStreamShape, 'dialect'>): ListedSystem {
  return { noun: 'CRM', ...findSystem(SYSTEMS, dialect) };
}
