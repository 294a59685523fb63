import * as z from 'zod';
import { ACTIONS, type Action, ENTITIES, type Entity } from '../../model/entity.js';
import { count, text } from '../../settings/schema-parts.js';
import type { Whole } from '../whole.js';

const limit = z
  .strictObject({
    max: count.optional().describe('At most so many.'),
    percent: z.number().min(0).max(100).optional().describe('At most so many percent of the linked active objects.'),
    min: count.optional().describe('So many are always allowed, whatever the percentage.'),
  })
  .refine(({ max, percent }) => max !== undefined || percent !== undefined, {
    error: 'a guard needs max, percent or both',
  })
  .transform(({ max = null, percent = null, min = null }) => ({ max, percent, min }));
/** The effective limit is the smaller of `max` and (the larger of `min` and `percent` of the linked active objects at the start). */
export interface GuardLimit extends Whole<typeof limit> {
  /** Counts from the first run on that has created all there was to create. */
  readonly afterFirstLoad?: true;
}

/** Null where it is turned off. */
const guard = z.union([z.literal('off').transform(() => null), limit]).optional();
const fieldGuards = z
  .record(text, guard)
  .optional()
  .describe('Updates that touch one field, by its name; `*` is every field that is not named.');
const guarded = z
  .strictObject({
    ...(Object.fromEntries(ACTIONS.map((action) => [action, guard])) as Record<Action, typeof guard>),
    fields: fieldGuards,
  })
  .optional();
export const guardsSchema = z
  .strictObject({
    ...(Object.fromEntries(ENTITIES.map((entity) => [entity, guarded])) as Record<Entity, typeof guarded>),
    sources: z
      .record(
        text,
        z.strictObject({
          overwrite: guard.describe('Records in which a value is overwritten or emptied.'),
          another_tenant: guard.describe(
            'Known objects that may be gone from a read that has not shrunk as much; for the source that decides who exists it is built in.',
          ),
        }),
      )
      .optional()
      .describe('Source or stream → limits of what is written to it, and of what is believed of it.'),
  })
  .prefault({})
  .describe('Limits that hold a run’s changes for an approval; `off` turns one off.');
export type GuardsInput = Whole<typeof guardsSchema>;
