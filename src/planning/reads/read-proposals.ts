import { loadDirectory } from '../../mirror/directory.js';
import { observeProject } from '../../mirror/observe.js';
import { currentRound, type RefreshContext } from '../../mirror/refresh.js';
import { refreshContents, refreshProposals, searchProposals } from '../../mirror/refresh-proposals.js';
import { CONTENT_KINDS } from '../../model/copies.js';
import type { Candidate } from '../../model/desired.js';
import { foldKey } from '../../model/observed.js';
import { correlate } from '../../reconcile/match/correlate.js';
import type { DeriveContext, ReadingContext } from '../derive-context.js';
import { finderOf, findObjectId } from '../match-objects.js';

/**
 * Reads proposals, which have no feed. All of them are listed in a full read, and whenever a record may change one. The
 * contents of a proposal are read only if the record of a linked or matched candidate maps them, so that nothing is
 * added twice.
 */
export async function readProposals(context: ReadingContext): Promise<void> {
  const { refresh, usersFresh: isFullRead } = context;
  const [first] = context.moving();
  if (!isFullRead && first === undefined) return;
  await refreshProposals(refresh);
  const unlisted = listNew(context);
  if (unlisted.size > 0) await searchProposals(refresh, unlisted);
  const seen = new Set<string>();
  for (const candidate of context.moving()) await readCandidate(candidate, context, seen);
}

/** Names of proposals that would be created; a proposal that the list has not shown may still exist (`look-before-creating.ts`). */
function listNew({ config, stores, moving }: ReadingContext): ReadonlySet<string> {
  const match = config.mappings.proposals?.match ?? [];
  const finder = finderOf('proposals', stores);
  const names = new Set<string>();
  for (const { desired, linkedId } of moving()) {
    const { name } = desired.values;
    if (linkedId !== null || desired.leaver || typeof name !== 'string') continue;
    if (correlate(desired, match, finder).kind === 'none') names.add(name);
  }
  return names;
}

async function readCandidate(candidate: Candidate, context: DeriveContext, seen: Set<string>): Promise<void> {
  const { desired, base } = candidate;
  const { refresh, refused, now } = context;
  const wanted = CONTENT_KINDS.filter((kind) => Array.isArray(desired.values[kind]));
  const named = desired.values.references;
  if (Array.isArray(named)) {
    for (const word of named as readonly string[])
      await refused.attempt('projects', () => findProject(word, refresh, seen));
  }
  const id = findObjectId(candidate, context);
  if (id === null || wanted.length === 0) return;
  await refreshContents(refresh, { id, kinds: new Set(wanted), base: base ?? {} }, now);
}

/** The mirror contains projects that no source of this configuration delivers only after they have been looked up. */
async function findProject(word: string, refresh: RefreshContext, seen: Set<string>): Promise<void> {
  const { config, mirror, reader, signal } = refresh;
  if (seen.has(word)) return;
  seen.add(word);
  const known = (): readonly string[] => mirror.findIds('projects', 'external_unique_id', foldKey(word));
  if (config.streamMappings.projects !== undefined && known().length > 0) return;
  const found = await reader.projects.find(word, signal);
  const round = currentRound(mirror, 'projects');
  if (found?.kind === 'one') {
    mirror.save([observeProject(found.project, found.project.company_customer_id ?? '', loadDirectory(mirror))], round);
    return;
  }
  // The project is gone, or there are several by now, so the id in the mirror no longer identifies it.
  mirror.remove('projects', known());
}
