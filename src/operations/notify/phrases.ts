import { type Entity, findEntity, isAccount, nameSeveral, wordFor } from '../../model/entity.js';
import { showGuard } from '../../model/held-source.js';
import { asksSameOrAnother } from '../../model/identity-guards.js';
import type { EventKind } from '../../model/notification.js';
import { plural } from '../../model/plural.js';
import type { EventBody } from './settle-events.js';

/** Problems of a source, in words that fit ongoing and ended events. */
const SOURCE_PROBLEMS: Readonly<Record<string, string>> = {
  stale: 'the same content for too long',
  incomplete: 'not proven complete',
  overlooked: 'a newer file is not read',
  unreadable_names: 'files whose names cannot be read',
  another_tenant: "another tenant's file, held for an approval",
  keys_reformatted: 'keys in another form, held for an approval',
  columns_emptied: 'a column became empty, held for an approval',
  older_content: 'older content, held for an approval',
  SYNC_SOURCE_SHRUNK: 'shrunk',
  SYNC_SOURCE_MISSING: 'nothing found',
  SYNC_SOURCE_EMPTY: 'empty',
  SYNC_SOURCE_CUT: 'truncated',
  SYNC_SOURCE_DENIED: 'access denied',
  SYNC_SOURCE_DOWN: 'not reached',
};

type PhraseOf = (event: EventBody) => string;

/** A phrase for each kind of event, without text from outside. */
const PHRASES: Readonly<Record<EventKind, PhraseOf>> = {
  paused: () => 'Paused: nothing is planned or written',
  guard: phraseGuard,
  source: ({ of, code }) => {
    const suspicion = /^sources\.(.+)\.(\w+)$/.exec(of);
    const [name, problem] = suspicion === null ? [of, code ?? ''] : [suspicion[1] ?? of, suspicion[2] ?? ''];
    return `Source ${name}: ${SOURCE_PROBLEMS[problem] ?? 'rejected'}`;
  },
  key: () => 'Key of the service: rejected',
  run: () => 'Runs: failing',
  configuration: () => 'Configuration: rejected; the earlier one, if any, stays active',
  conflict: ({ of, count }) => `Conflicts of ${of}: ${count} to decide`,
  write_back: ({ of, count }) => `Write-back to ${of}: ${plural(count, 'record')} rejected or not shown yet`,
  delivery: ({ of }) => `Delivery ${of}: failed`,
  engine_drift: ({ of }) => `Engine drift of ${of}: a defect of talent-sync that should be reported`,
  audit: () => 'Audit and state: damaged, nothing runs',
  channel: ({ of }) => `Channel ${of}: messages do not arrive`,
};

/** `49 people to deactivate, held for an approval` */
export function phraseEvent(event: EventBody): string {
  return PHRASES[event.kind](event);
}

const VERBS: ReadonlySet<string> = new Set(['create', 'update', 'deactivate', 'reactivate', 'delete', 'relink']);

/** The guard of an action gives the action and the number of objects. Any other guard is only named. */
function phraseGuard({ of, count }: EventBody): string {
  const [name = '', action = '', ...more] = of.split('.');
  const entity = findEntity(name);
  const wait = asksSameOrAnother(of) ? 'held for an answer' : 'held for an approval';
  if (entity !== undefined && VERBS.has(action) && more.length === 0)
    return `${plural(count, ...nounsOf(entity))} to ${action}, ${wait}`;
  return `${plural(count, 'change')}${entity === undefined ? '' : ` of ${nameSeveral(entity)}`} ${wait} (${showGuard(of)})`;
}

function nounsOf(entity: Entity): readonly [string, string] {
  return isAccount(entity) ? ['person', 'people'] : [wordFor(entity), nameSeveral(entity)];
}

/** The command that resolves each kind of event. The operator page offers the same. */
const REMEDIES: Readonly<Record<EventKind, PhraseOf>> = {
  paused: () => 'talent-sync resume --reason "…"',
  guard: ({ of }) =>
    asksSameOrAnother(of)
      ? `talent-sync holds resolve --guard ${of} --same (or --new) --reason "…"`
      : `talent-sync approve --guard ${showGuard(of)} --reason "…"`,
  source: () => 'talent-sync status',
  key: () => 'talent-sync check',
  run: ({ run }) => (run === null ? 'talent-sync status' : `talent-sync runs ${run}`),
  configuration: () => 'talent-sync check',
  conflict: () => 'talent-sync holds list',
  write_back: () => 'talent-sync holds list',
  delivery: () => 'talent-sync status',
  engine_drift: () => 'talent-sync holds list',
  audit: () => 'talent-sync audit verify',
  channel: ({ of }) => `talent-sync notify test --channel ${of}`,
};

export function adviseOn(event: EventBody): string {
  return REMEDIES[event.kind](event);
}
