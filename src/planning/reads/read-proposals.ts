import { loadDirectory } from '../../mirror/directory.js';
import { observeProject } from '../../mirror/observe.js';
import { currentRound, type RefreshContext } from '../../mirror/refresh.js';
import { refreshContents, refreshProposals } from '../../mirror/refresh-proposals.js';
import type { ContentKind } from '../../model/copies.js';
import type { Candidate } from '../../model/desired.js';
import { foldKey } from '../../model/observed.js';
import { eachByRow } from '../../reconcile/each-paged.js';
import { correlate } from '../../reconcile/match/correlate.js';
import type { DeriveContext } from '../derive-plan.js';
import { finderOf } from '../match-objects.js';

const CONTENTS: readonly ContentKind[] = ['collaborators', 'cvs', 'references'];
/**
 * Proposals have no feed: all are listed when the whole account is read, and when a record may change one. What is in a
 * proposal is read only where the record of a linked or matched candidate maps it, so that it is not put in twice.
 */
export async function readProposals(context: DeriveContext, contextHash: string): Promise<void> {
  const { stores, refresh, usersFresh: isFullRead } = context;
  const { work } = stores;
  if (!isFullRead && work.candidates('proposals', contextHash, 0, 1).length === 0) return;
  await refreshProposals(refresh);
  const seen = new Set<string>();
  for (const candidate of eachByRow((afterRow, limit) => work.candidates('proposals', contextHash, afterRow, limit)))
    await readCandidate(candidate, context, seen);
}

async function readCandidate(
  { desired, linkedId, base }: Candidate,
  { stores, refresh, refused, now }: DeriveContext,
  seen: Set<string>,
): Promise<void> {
  const wanted = CONTENTS.filter((kind) => Array.isArray(desired.values[kind]));
  const named = desired.values.references;
  if (Array.isArray(named)) {
    for (const word of named as readonly string[])
      await refused.attempt('projects', () => findProject(word, refresh, seen));
  }
  const match = refresh.config.mappings.proposals?.match ?? [];
  const found = linkedId === null ? correlate(desired, match, finderOf('proposals', stores)) : null;
  const id = linkedId ?? (found?.kind === 'match' ? found.id : undefined);
  if (id === undefined || wanted.length === 0) return;
  await refreshContents(refresh, { id, kinds: new Set(wanted), base: base ?? {} }, now);
}

/** Projects that no source of this configuration delivers are in the mirror only once they have been asked for. */
async function findProject(word: string, refresh: RefreshContext, seen: Set<string>): Promise<void> {
  const { config, mirror, reader, signal } = refresh;
  if (seen.has(word)) return;
  seen.add(word);
  if (
    config.streamMappings.projects !== undefined &&
    mirror.findIds('projects', 'external_unique_id', foldKey(word)).length > 0
  )
    return;
  const found = await reader.projects.find(word, signal);
  const round = currentRound(mirror, 'projects');
  if (found?.kind === 'one') {
    mirror.save([observeProject(found.project, found.project.company_customer_id ?? '', loadDirectory(mirror))], round);
    return;
  }
  // Gone, or several by now: what the mirror had of it would be put in by an id that means nothing.
  mirror.remove('projects', mirror.findIds('projects', 'external_unique_id', foldKey(word)));
}
