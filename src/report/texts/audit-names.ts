import { ENTITIES, nameSeveral } from '../../model/entity.js';
import type { LogKind } from '../../store/audit/entry-kinds.js';

/** `title.no` → `title (no)` */
export function nameField(path: string): string {
  const [top = '', ...parts] = path.split('.');
  const name = top === 'email' ? 'e-mail' : top.replaceAll('_', ' ');
  return parts.length === 0 ? name : `${name} (${parts.join(' ').replaceAll('_', ' ')})`;
}

/** The action in a count: `12 created`. */
const DONE: Readonly<Record<string, string>> = {
  create: 'created',
  update: 'updated',
  relink: 'linked to another record',
  deactivate: 'deactivated',
  reactivate: 'reactivated',
  delete: 'deleted',
};

export function nameDone(action: string): string {
  return DONE[action] ?? action;
}

/** The kinds of entries, as shown in a filter: `changes made`. */
const KINDS: Readonly<Record<LogKind, string>> = {
  changes: 'changes made',
  refused: 'changes that failed',
  'written-back': 'written back to a source',
  decisions: 'decisions',
  conflicts: 'conflicts decided',
  identity: 'links changed',
  runs: 'runs',
  reads: 'reads by assistants',
  deliveries: 'reports and documents',
  erasures: 'erasures',
  state: 'changes of the state',
};

export function nameLogKind(kind: LogKind): string {
  return KINDS[kind];
}

/** `people`. Also handles entities of older versions. */
export function nameMany(entity: string): string {
  const known = ENTITIES.find((name) => name === entity);
  return known === undefined ? entity.replaceAll('_', ' ') : nameSeveral(known);
}
