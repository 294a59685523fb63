import { foldKey } from '../model/observed.js';
import type { WireProjectHit } from '../service/project-search.js';
import type { ServiceReader } from '../service/talent-service.js';
import type { MirrorStore } from '../store/mirror/mirror-store.js';
import { findReferences, INDUSTRIES_MARK } from './directory.js';

const LEARNT_MARK = 'industries.learnt';

type Words = Readonly<Record<string, readonly string[]>>;

interface IndustriesContext {
  readonly reader: ServiceReader;
  readonly mirror: MirrorStore;
  readonly signal: AbortSignal | undefined;
  /** Maps a name or external id to an id, as configured. It takes precedence over learnt words. */
  readonly configured: Readonly<Record<string, string>>;
  /** Words to find by a search of all projects if they are still unknown. */
  readonly wanted: readonly string[];
}

/**
 * Learns the ids of industries. No call lists them; they appear only in the search of reference projects (spec, Search
 * result item). The configured table takes precedence over earlier search results. A new search runs only for a word in
 * neither, and stops once every word is known.
 */
export async function learnIndustries(context: IndustriesContext): Promise<void> {
  const { reader, mirror, signal, configured } = context;
  const learnt = new Map(Object.entries(JSON.parse(mirror.mark(LEARNT_MARK) ?? '{}') as Words));
  const save = (): void => {
    mirror.setMark(LEARNT_MARK, JSON.stringify(Object.fromEntries(learnt)));
    mirror.setMark(INDUSTRIES_MARK, JSON.stringify(joinWords(learnt, configured)));
  };
  save();
  const unknown = new Set(context.wanted.filter((word) => findReferences(mirror, 'industries', word).length === 0));
  if (unknown.size === 0) return;
  for await (const page of reader.projects.search({ signal })) {
    for (const { project } of page.projects) noteIndustry(learnt, project.industry);
    for (const word of unknown) if (learnt.has(foldKey(word))) unknown.delete(word);
    if (unknown.size === 0) break;
  }
  save();
}

function noteIndustry(learnt: Map<string, readonly string[]>, industry: WireProjectHit['industry']): void {
  if (!industry) return;
  for (const word of [industry.id, industry.external_unique_id ?? '', ...Object.values(industry.values ?? {})])
    if (word !== '') note(learnt, foldKey(word), industry.id);
}

function note(learnt: Map<string, readonly string[]>, word: string, id: string): void {
  const ids = learnt.get(word) ?? [];
  if (!ids.includes(id)) learnt.set(word, [...ids, id]);
}

function joinWords(
  learnt: ReadonlyMap<string, readonly string[]>,
  configured: Readonly<Record<string, string>>,
): Words {
  const words = Object.fromEntries(learnt);
  for (const [word, id] of Object.entries(configured)) {
    words[foldKey(word)] = [id];
    words[foldKey(id)] ??= [id];
  }
  return words;
}
