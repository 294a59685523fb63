import { withValues } from '../../mirror/observe.js';
import { isJsonObject, type Json, listOf, objectOf } from '../../model/json.js';
import type { Observed } from '../../model/observed.js';
import type { Change } from '../../model/plan.js';
import type { WriteResult } from '../../service/answer.js';
import type { EndpointName } from '../../service/endpoints.js';
import type { TagKey } from '../../service/record-tags.js';
import { ServiceError } from '../../service/service-error.js';
import { needId } from '../resolve-ids.js';
import type { CallContext, Step, StepResult } from '../step.js';

/** The calls for the field `tags` of customers and projects. Each added or removed tag takes one call. */
export interface TagEndpoints {
  readonly add: EndpointName;
  readonly remove: EndpointName;
}

export interface TagHost {
  readonly endpoints: TagEndpoints;
  /** @param id id of the customer or project */
  add(id: string, tag: TagKey): Promise<StepResult>;
  remove(id: string, tagId: string): Promise<WriteResult<null>>;
  /** The read that `probe` sends. */
  readonly seenBy: EndpointName;
  /** Reads the current record; null if no call reads a single record. */
  probe(id: string | null): Promise<Observed | null>;
}

interface Move {
  readonly category: string;
  readonly tag: string;
  readonly on: boolean;
}

export function tagEndpoints(change: Change, { add, remove }: TagEndpoints): readonly EndpointName[] {
  return listMoves(change).map(({ on }) => (on ? add : remove));
}

/** True if only calls for tags are needed. */
export function isTagsAlone(fields: readonly string[]): boolean {
  return fields.every((name) => name === 'tags');
}

/** Lists the tags to add and remove. Additions come first, so that a tag that moves within its category is never missing. */
function listMoves({ before, after }: Change): readonly Move[] {
  const moves: Move[] = [];
  for (const [category, tags] of Object.entries(objectOf(after.tags))) {
    const had = namesOf(objectOf(before.tags)[category]);
    const wanted = namesOf(tags);
    for (const tag of wanted) if (!had.includes(tag)) moves.push({ category, tag, on: true });
    for (const tag of had) if (!wanted.includes(tag)) moves.push({ category, tag, on: false });
  }
  return moves.sort((a, b) => Number(b.on) - Number(a.on));
}

export function buildTagSteps(change: Change, context: CallContext, host: TagHost): readonly Step[] {
  return listMoves(change).map((move) => buildTagStep(move, change, context, host));
}

function buildTagStep(move: Move, change: Change, context: CallContext, host: TagHost): Step {
  const { category, tag, on } = move;
  const { directory } = context;
  return {
    name: `tag ${on ? '+' : '-'}${category}/${tag}`,
    endpoint: on ? host.endpoints.add : host.endpoints.remove,
    repeat: on ? 'probe' : 'idempotent',
    seenBy: host.seenBy,
    async send(previous) {
      const id = needId(change.target ?? previous?.id ?? null, 'The record');
      const tagId = needId(directory.tagId(category, tag), `Tag "${tag}" of category "${category}"`);
      const known = needId(previous ?? context.mirrored(change.entity, id), 'The record');
      try {
        if (on) {
          const categoryId = needId(directory.categoryId(category), `Tag category "${category}"`);
          return await host.add(id, { categoryId, tagId });
        }
        const { requestId, status } = await host.remove(id, tagId);
        return { observed: withTag(known, move), requestId, status };
      } catch (error) {
        if (!(error instanceof ServiceError) || !isAlreadySo(error, on)) throw error;
        const { requestId, status } = error;
        const found = await host.probe(id);
        if (found !== null && !happened(found, move)) throw error;
        return { observed: found ?? withTag(known, move), requestId, status };
      }
    },
    probe: () => host.probe(change.target),
    happened: (found) => showsCategory(found, category) && happened(found, move),
  };
}

/**
 * True if the error means that nothing has to change. 422 with `details`: the project already has the tag. 404: the
 * record does not have the tag (spec, Custom tags).
 */
function isAlreadySo({ status, details }: ServiceError, on: boolean): boolean {
  if (!on) return status === 404;
  return status === 422 && isJsonObject(details) && Array.isArray(details.details);
}

function showsCategory({ values }: Observed, category: string): boolean {
  return objectOf(values.tags)[category] !== undefined;
}

/** True if the record shows the move, or if such records do not show the category at all. */
function happened(found: Observed, { category, tag, on }: Move): boolean {
  return !showsCategory(found, category) || namesOf(objectOf(found.values.tags)[category]).includes(tag) === on;
}

/** Adds the tag to the known record or removes it, for a successful answer without a body. */
function withTag(known: Observed, { category, tag, on }: Move): Observed {
  if (!showsCategory(known, category)) return known;
  const tags = objectOf(known.values.tags);
  const others = namesOf(tags[category]).filter((one) => one !== tag);
  return withValues(known, { tags: { ...tags, [category]: on ? [...others, tag].sort() : others } });
}

function namesOf(value: Json | undefined): readonly string[] {
  return listOf(value).map(String);
}
