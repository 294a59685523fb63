import type { Candidate } from '../../model/desired.js';
import { TRAITS } from '../../model/entity.js';
import { typed } from '../../model/typed.js';
import { holdRecord } from '../hold-record.js';
import type { EntitySettings, ReconcilePorts } from '../ports.js';
import type { FoundObject, Relink } from './judge-relink.js';

/** Record → the object that it takes over from a record that was merged into it. */
export type TakenOver = ReadonlyMap<string, MergedObject>;

interface MergedObject {
  readonly id: string;
  readonly relink: Relink;
  /** True if the source lists both records. */
  readonly isUnsure: boolean;
}

/**
 * Finds records that people have merged in their CRM. The source itself reports the merge, so no evidence is weighed:
 *
 * | the record that stays    | the one that went into it | →                                                      |
 * |--------------------------|---------------------------|--------------------------------------------------------|
 * | has no link              | linked                    | relink: it takes the object over                       |
 * | has a link, or took over another | linked            | held: two objects belong to one record                 |
 * | has no link              | linked, and listed too    | held: pages of one read may be from before and after   |
 * | has a link               | listed too                | nothing: the merge was not final                       |
 * | any                      | not linked                | nothing                                                |
 *
 * The object of a merged record is never removed automatically, because it is not gone: it only has another name.
 */
export function takeOverMerged({ entity }: EntitySettings, ports: ReconcilePorts): TakenOver {
  const taken = new Map<string, MergedObject>();
  for (const { key, id, into } of ports.sources.merges(entity)) {
    const object = ports.service.observed(entity, id);
    if (object === null) continue;
    const isLinked = ports.memory.link(entity, into) !== null;
    const isUnsure = ports.sources.isStaged(entity, key);
    if (isUnsure && isLinked) continue;
    if (!isUnsure) ports.plan.claim(entity, id, into);
    if (!isLinked && (isUnsure || !taken.has(into))) {
      const relink = { from: key, text: `${key} → ${into}: merged in the source`, sinceEdit: false };
      taken.set(into, { id, relink, isUnsure });
      continue;
    }
    if (taken.get(into)?.isUnsure === true) continue;
    const kind = TRAITS[entity].singular;
    ports.plan.hold({
      entity,
      key,
      place: 'merged',
      code: 'SYNC_LOOK_ALIKE',
      reason: `Was merged into ${into}, which has a ${kind} of its own: ${object.label} (${id}) is left unchanged.`,
      remedy: `Move anything worth keeping and delete the ${kind} in the service, or keep both and unlink this one: \`talent-sync unlink ${entity} ${typed(key)}\``,
    });
  }
  return taken;
}

/** The object that an unlinked record takes over from a record merged into it; null if there is none. */
export function findTakenOver(
  { desired, linkedId }: Candidate,
  taken: TakenOver,
  ports: ReconcilePorts,
): FoundObject | 'held' | null {
  const merged = linkedId === null ? taken.get(desired.key) : undefined;
  if (merged === undefined) return null;
  const { id, relink, isUnsure } = merged;
  const { entity, key } = desired;
  if (!isUnsure) return { observed: ports.service.observed(entity, id), adoptedBy: null, relink };
  holdRecord(
    desired,
    'SYNC_LOOK_ALIKE',
    {
      reason: `Record ${relink.from} was merged into it, but the source lists both: ${relink.from} has the object ${id}.`,
      remedy: `The next read usually shows one of them. If both stay, and the object belongs to this record: \`talent-sync link ${entity} ${typed(key)} ${id}\``,
    },
    ports,
  );
  return 'held';
}
