import type { ContentKind } from '../model/copies.js';
import { idOfIn } from '../model/directory.js';
import { isJsonObject, type Json, objectOf, type Values } from '../model/json.js';
import { PEOPLE_MEANT } from '../model/people-meant.js';
import { spread } from '../model/spread.js';
import type { ServiceReader } from '../service/talent-service.js';
import type { MirrorStore } from '../store/mirror/mirror-store.js';
import { loadDirectory } from './directory.js';
import { settleUnseen, wasMissed } from './look-up.js';
import { withValues } from './observe.js';
import { describeContents, listPeople, observeProposal, type ProposalContents } from './observe-proposal.js';
import { currentRound, nextRound, type RefreshContext } from './refresh.js';

/** The maximum page size (spec, Limits). */
const PROPOSALS_A_PAGE = 100;

/**
 * Reads every proposal of the account, including archived ones, 100 per page. The mirror keeps their contents as last
 * seen.
 */
export async function refreshProposals(context: RefreshContext): Promise<void> {
  const round = nextRound(context.mirror, 'proposals');
  await listProposals(context, {}, round);
  await settleUnseen(context, 'proposals', round);
}

/** Maximum number of searches if there are many names. The names are chosen from all parts of the list. */
const FEW_NAMES = 3;

/**
 * Searches for proposals by name once more. It runs one search per name, or three if there are more names than list
 * pages. If a search finds a new proposal, the list was incomplete and is read again.
 */
export async function searchProposals(context: RefreshContext, names: ReadonlySet<string>): Promise<void> {
  const { mirror } = context;
  const known = (): number => mirror.counts('proposals').all;
  const pages = Math.floor(known() / PROPOSALS_A_PAGE) + 1;
  const round = currentRound(mirror, 'proposals');
  const [all, before] = [[...names], known()];
  const isFew = all.length <= Math.max(pages, FEW_NAMES);
  for (const query of isFew ? all : spread(all)) await listProposals(context, { query }, round);
  if (!isFew && known() > before) await listProposals(context, {}, round);
}

async function listProposals(
  { reader, mirror, signal }: RefreshContext,
  query: { readonly query?: string },
  round: number,
): Promise<void> {
  for await (const page of reader.proposals.list({ ...query, includeArchived: true, size: PROPOSALS_A_PAGE, signal }))
    mirror.save(page.map(observeProposal), round);
}

/** A proposal whose contents are needed. */
export interface ContentsSought {
  readonly id: string;
  readonly kinds: ReadonlySet<ContentKind>;
  /** Contents that both sides last agreed on, used if the mirror was lost. */
  readonly base: Values;
}

/**
 * Reads the contents of one proposal, with one call per kind. If a list lacks earlier contents, it is read once more
 * and the two reads are combined. Contents missing from both reads are kept until a second run misses them too.
 * Otherwise they would be added twice.
 *
 * @param now ISO 8601, the same for the entire run
 */
export async function refreshContents(
  context: RefreshContext,
  { id, kinds, base }: ContentsSought,
  now: string,
): Promise<void> {
  const { mirror } = context;
  const known = mirror.get('proposals', id);
  if (known === null) return;
  const before = { ...contentsOfWords(base, kinds, mirror), ...pickContents(known.values, kinds) };
  const seen = describeContents(await readContents(context, id, kinds));
  const shorter = listLacking(kinds, seen, before);
  const again = shorter.size === 0 ? {} : describeContents(await readContents(context, id, shorter));
  const shown = unite(seen, again);
  const unseen = listLacking(kinds, shown, before);
  const missed = (kind: ContentKind): boolean => wasMissed(mirror, `proposals.${id}.${kind}`, unseen.has(kind), now);
  const kept = new Set([...kinds].filter((kind) => !missed(kind) && unseen.has(kind)));
  const values = unite(shown, pickContents(before, kept));
  mirror.save([withValues(known, values)], currentRound(mirror, 'proposals'));
}

function listLacking(kinds: ReadonlySet<ContentKind>, seen: Values, before: Values): ReadonlySet<ContentKind> {
  return new Set([...kinds].filter((kind) => lacks(seen[kind], before[kind])));
}

function pickContents(values: Values, kinds: ReadonlySet<ContentKind>): Values {
  const names = new Set([...kinds].flatMap((kind) => [kind, `${kind}_ids`, `${kind}_unknown`]));
  return Object.fromEntries(Object.entries(values).filter(([name]) => names.has(name)));
}

/** Converts contents named by a source to the form that the service shows. */
function contentsOfWords(base: Values, kinds: ReadonlySet<ContentKind>, mirror: MirrorStore): Values {
  const idOf = idOfIn(loadDirectory(mirror));
  const meant = objectOf(base[PEOPLE_MEANT]);
  const contents: Record<string, Json> = {};
  for (const kind of kinds) {
    const words = base[kind];
    if (!Array.isArray(words)) continue;
    if (kind === 'references') {
      contents.references = words;
      continue;
    }
    const ids = words.flatMap((word) => (typeof word === 'string' ? (meant[word] ?? idOf('users', word) ?? []) : []));
    const people = ids.map(String).map((id) => ({ id, email: String(mirror.get('users', id)?.values.email ?? id) }));
    Object.assign(contents, listPeople(kind, people));
  }
  return contents;
}

/** Reads some kinds of contents of a proposal, one call per kind. */
export async function readContents(
  { reader, signal }: { readonly reader: ServiceReader; readonly signal?: AbortSignal | undefined },
  id: string,
  kinds: ReadonlySet<ContentKind>,
): Promise<ProposalContents> {
  const { proposals } = reader;
  return {
    ...(kinds.has('collaborators') ? { collaborators: await proposals.listCollaborators(id, signal) } : {}),
    ...(kinds.has('cvs') ? { cvs: await proposals.listCvs(id, signal) } : {}),
    ...(kinds.has('references') ? { references: await proposals.listReferences(id, signal) } : {}),
  };
}

function lacks(seen: Json | undefined, before: Json | undefined): boolean {
  return Array.isArray(before) && before.some((one) => !Array.isArray(seen) || !seen.includes(one));
}

/** Combines the contents of two reads. */
function unite(seen: Values, again: Values): Values {
  const united = { ...seen };
  for (const [name, value] of Object.entries(again)) {
    const first = seen[name];
    if (first === undefined) united[name] = value;
    else if (Array.isArray(value) && Array.isArray(first)) united[name] = [...new Set([...first, ...value])].sort();
    else if (isJsonObject(value) && isJsonObject(first)) united[name] = { ...first, ...value };
    else united[name] = Math.max(Number(first), Number(value));
  }
  return united;
}
