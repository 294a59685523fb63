import { SyncError } from '../../base/errors.js';
import type { Config } from '../../config/config.js';
import { loadDirectory } from '../../mirror/directory.js';
import type { RefusedReads } from '../../mirror/refused-reads.js';
import { type Entity, isAccount, TRAITS } from '../../model/entity.js';
import { FIELDS, isByCategory } from '../../model/fields.js';
import { isJsonObject, itemsOf, type Values } from '../../model/json.js';
import type { Change } from '../../model/plan.js';
import type { UndoRequest } from '../../model/undo.js';
import type { EntitySettings } from '../../reconcile/ports.js';
import { foldRun, type RunEntry, type RunWork } from '../../reconcile/undo/run-work.js';
import { planUndo } from '../../reconcile/undo/undo.js';
import type { UndoneRun, UndoPorts } from '../../reconcile/undo/undo-ports.js';
import { readEntries } from '../../store/audit/audit-log.js';
import { originalOf } from '../../store/audit/pseudonyms.js';
import type { Stores } from '../../store/open-stores.js';
import type { RunContext } from '../derive-context.js';
import { type Derivation, settingsOf } from '../derive-plan.js';
import type { Leavers } from '../leavers.js';
import { matchesOnly } from '../only.js';
import { digestMapping } from '../pins.js';
import { findRefusal, listUnread } from '../reads/unread.js';
import { createReconcilePorts } from '../reconcile-ports.js';
import { readUndone, type UndoneSeen } from './read-undone.js';
import { loseHidden, unveilWorks } from './unveil-work.js';

/** True if reading the entire account (500 people per page) takes fewer calls than reading these people one by one. */
export function isFullReadCheaper(works: readonly RunWork[], known: number): boolean {
  const people = works.filter(({ entity }) => isAccount(entity)).length;
  return people > Math.floor(known / 500) + 1;
}

/**
 * Finds the work of a run, object by object.
 *
 * @param only `user:jane@example.com`: only the work of the run on that object
 * @throws SyncError SYNC_NOT_FOUND if there is no such run, or if it did not change that object
 */
export function findWorks(stores: Stores, run: string, only: string | null): readonly RunWork[] {
  const told = [...readEntries(stores.audit)].filter((entry) => entry.run === run);
  // While the journal has the values behind the pseudonyms, an undo can restore them.
  const ofRun = told.map((entry) => originalOf(stores, entry) ?? entry);
  if (ofRun.length === 0 && stores.history.findRun(run) === null) {
    throw new SyncError('SYNC_NOT_FOUND', {
      message: `There is no run ${run}, neither in the history nor in the audit log.`,
      place: 'undo',
      remedy: '`talent-sync runs` lists the runs that are kept.',
    });
  }
  if (only === null) return foldRun(ofRun);
  const matches = matchesOnly(only);
  const chosen = ofRun.filter((entry) => matches(entry as unknown as Change));
  if (chosen.length > 0) return foldRun(chosen);
  throw new SyncError('SYNC_NOT_FOUND', {
    message: `The run ${run} did not change ${only}.`,
    place: '--only',
    remedy: `\`talent-sync audit list --run ${run}\` shows what it did.`,
  });
}

/**
 * Derives the plan that undoes a run: compares the changes of the run, according to the audit, with the current objects
 * of the service.
 */
export async function deriveUndo(
  context: RunContext,
  request: UndoRequest,
  works: readonly RunWork[],
): Promise<Derivation & { readonly isUndo: true }> {
  const { config, stores, refused } = context;
  const contents = await readUndone(context, works);
  // An object that the key may not read cannot be restored, because somebody may have changed it since.
  const seen = works.filter(({ entity }) => findRefusal(config, entity, refused) === null);
  const known = unveilWorks(seen, stores).map(loseHidden);
  const ports = createUndoPorts(context, { ...request, works: known }, contents);
  stores.work.together(() => planUndo(ports));
  stores.work.dropUnneeded();
  const cause = { configurationChanged: false, rowsBefore: null, rowsNow: 0, undoes: request.run };
  return {
    now: context.now,
    isUndo: true,
    staged: [],
    leavers: NO_LEAVERS,
    contextOf: () => config.digest,
    stopped: [],
    passed: [],
    unread: listUnread(config, refused),
    settingsOf: () => null,
    evidenceOf: () => cause,
  };
}

const NOBODY = { due: false, text: 'the sources are not read' };
const NO_LEAVERS: Leavers = {
  explicit: () => NOBODY,
  gone: () => NOBODY,
  absent: () => NOBODY,
  outOfScope: () => NOBODY,
  toAsk: () => [],
  proof: () => null,
  missingPeople: () => [],
  forget: () => undefined,
  save: () => undefined,
};

/** Lists that every run reads completely, whatever the mapping. */
const ALWAYS_READ: ReadonlySet<Entity> = new Set(['countries', 'offices', 'tag_categories', 'tags']);

function createUndoPorts(context: RunContext, undone: UndoneRun, seen: UndoneSeen): UndoPorts {
  const { config, stores, protectedBy, now } = context;
  const { mirror } = stores;
  const ports = createReconcilePorts({
    stores,
    directory: loadDirectory(mirror),
    contextOf: () => config.digest,
    leavers: NO_LEAVERS,
    unownedProof: () => null,
    existence: config.users?.existence ?? null,
    now,
    timezone: config.timezone,
    protectedBy,
    pins: () => [],
    isDoubted: () => false,
    lackOf: () => null,
  });
  return {
    ...ports,
    undone,
    managed: {
      parking: { email: config.users?.parkingEmail ?? null, configDigest: config.digest },
      settings: (entity) => settingsForUndo(config, entity, context.refused),
      isRead: (entity) => ALWAYS_READ.has(entity) || config.mappings[entity] !== undefined,
      digestMapping: (entity, path) => digestMapping(config, entity, path),
    },
    contents: {
      belonging: (entity, to) =>
        mirror
          .findIds(entity, TRAITS[entity].parent ?? '', to)
          .flatMap((id) => ports.service.observed(entity, id) ?? []),
      usersIn: (officeId) => [...mirror.all('users')].filter(({ values }) => values.office_id === officeId),
      isLinkedToCvs: (projectId) => seen.linked.has(projectId),
      copiesIn: (proposalId) => seen.copies.get(proposalId) ?? [],
      tagged: (category, tag) => findTagged(context, undone.run, category, tag),
    },
  };
}

/**
 * An undo creates no missing objects, because the names that it restores existed before. Field rules limit only the
 * source; the undo restores every value that a run replaced.
 */
function settingsForUndo(config: Config, entity: Entity, refused: RefusedReads): EntitySettings {
  const settings = settingsOf(config, entity, refused, new Set());
  return { ...settings, rules: {}, createMissingOffices: false, createMissingTags: false };
}

/** The keys that other runs have given a tag to, according to the audit, and that have received no other tag since. */
function findTagged({ stores }: RunContext, run: string, category: string, tag: string): readonly string[] {
  const holders = new Map<string, boolean>();
  for (const entry of readEntries(stores.audit)) {
    const names = tagsOf(entry, category);
    if (names !== null) holders.set(`${entry.entity}:${entry.key}`, names.includes(tag) && entry.run !== run);
  }
  return [...holders].flatMap(([ref, holds]) => (holds ? [ref] : [])).sort();
}

/** The tags of a category that a change wrote; null if it did not touch the category. */
function tagsOf({ entity, after, result }: RunEntry, category: string): readonly string[] | null {
  if (result === 'refused' || result === 'lost' || !isJsonObject(after)) return null;
  const fields = FIELDS[entity as Entity];
  for (const [name, value] of Object.entries(after as Values)) {
    if (!isByCategory(fields[name]) || !isJsonObject(value) || !(category in value)) continue;
    return itemsOf(value[category]).map(String);
  }
  return null;
}
