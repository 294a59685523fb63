import { TRAITS } from '../../model/entity.js';
import type { EntitySettings, ReconcilePorts } from '../ports.js';
import type { Relink } from './judge-relink.js';

/** Record → the object that it takes over from one that was merged into it. */
export type TakenOver = ReadonlyMap<string, { readonly id: string; readonly relink: Relink }>;

/**
 * Records that people have merged in their CRM. The merge is the source's own word, so nothing has to be weighed:
 *
 * | the record that stays    | the one that went into it | →                                                      |
 * |--------------------------|---------------------------|--------------------------------------------------------|
 * | has no link              | linked                    | relink: it takes the object over                       |
 * | has a link, or took over another | linked            | held: two objects stand for one record                 |
 * | any                      | not linked                | nothing                                                |
 *
 * What stood for a merged record is never removed by itself: it is not gone, only under another name.
 */
export function takeOverMerged({ entity }: EntitySettings, ports: ReconcilePorts): TakenOver {
  const taken = new Map<string, { readonly id: string; readonly relink: Relink }>();
  for (const { key, id, into } of ports.sources.merges(entity)) {
    const object = ports.service.observed(entity, id);
    // A record that is there again was not merged for good.
    if (object === null || ports.sources.isStaged(entity, key)) continue;
    ports.plan.claim(entity, id, into);
    if (ports.memory.link(entity, into) === null && !taken.has(into)) {
      taken.set(into, { id, relink: { from: key, text: `${key} → ${into}: merged in the source`, sinceEdit: false } });
      continue;
    }
    const kind = TRAITS[entity].singular;
    ports.plan.hold({
      entity,
      key,
      place: 'merged',
      code: 'SYNC_LOOK_ALIKE',
      reason: `Was merged into ${into}, which has a ${kind} of its own: ${object.label} (${id}) is left as it is.`,
      remedy: `Move what is worth it and delete the ${kind} in the service, or keep both and let go of this one: talent-sync unlink ${entity} ${key}`,
    });
  }
  return taken;
}
