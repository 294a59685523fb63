import * as z from 'zod';
import { parseDuration } from '../../base/settings/duration.js';
import { count, duration, text } from '../../base/settings/schema-parts.js';
import { ACTIONS, type Action, ENTITIES, type Entity } from '../../model/entity.js';
import type { Whole } from '../whole.js';

/** Changes that were carried out are stored for this long. */
const LONGEST_WINDOW_MS = 30 * 86_400_000;

const share = z.number().min(0).max(100).optional();
const numbers = {
  max: count.optional().describe('Maximum number.'),
  max_percent: share.describe('Raises `max` to this percentage of the linked active objects.'),
  percent: share.describe('At most this percentage of the linked active objects.'),
  min: count.optional().describe('Number that is always allowed, whatever the percentage.'),
};
const limits = ({
  max,
  percent,
}: {
  readonly max?: number | undefined;
  readonly percent?: number | undefined;
}): boolean => max !== undefined || percent !== undefined;
const LIMITS = { error: 'a guard needs max, percent or both' };
/** The limit for one delivery. */
const deliveryLimit = z
  .strictObject(numbers)
  .refine(limits, LIMITS)
  .transform(({ max = null, max_percent: maxPercent = null, percent = null, min = null }) => {
    return { max, maxPercent, percent, min };
  });
interface WrittenNumbers {
  readonly max?: number | undefined;
  readonly max_percent?: number | undefined;
  readonly percent?: number | undefined;
  readonly min?: number | undefined;
  readonly within?: string | undefined;
}
function readLimit({ max, max_percent: maxPercent, percent, min, within: span }: WrittenNumbers) {
  const numbersOf = { max: max ?? null, maxPercent: maxPercent ?? null, percent: percent ?? null, min: min ?? null };
  return { ...numbersOf, withinMs: span === undefined ? null : parseDuration(span) };
}
const within = duration
  .refine((text) => parseDuration(text) <= LONGEST_WINDOW_MS, { error: 'expected at most 30d' })
  .optional()
  .describe('Changes without an approval are counted over this time; `0s` counts each run alone.');
const limit = z
  .strictObject({
    ...numbers,
    within,
  })
  .refine(limits, LIMITS)
  .transform(readLimit);
/**
 * The limit is the smaller of two numbers: the larger of `max` and `maxPercent`, and the larger of `min` and `percent`.
 * Percentages refer to the linked active objects.
 */
export interface GuardLimit extends Whole<typeof deliveryLimit> {
  /** Period in milliseconds over which changes without an approval are counted; 0 counts each run separately. */
  readonly withinMs: number;
  /** Set if the limit applies only after the first run that has created all objects. */
  readonly afterFirstLoad?: true;
}

/** The limit on the difference between a delivery and the previous one. */
export type DeliveryLimit = Whole<typeof deliveryLimit>;

/** A limit as written. Without `within`, the default for its kind applies. */
export type WrittenLimit = Whole<typeof limit>;

const off = z.literal('off').transform(() => null);
/** null if the guard is turned off. */
const guard = z.union([off, limit]).optional();
const fieldGuards = z
  .record(text, guard)
  .optional()
  .describe('Limits for updates of one field; `*` stands for every field that is not listed.');
const guarded = z.strictObject({
  ...(Object.fromEntries(ACTIONS.map((action) => [action, guard])) as Record<Action, typeof guard>),
  fields: fieldGuards,
});
const promote = z
  .union([
    off,
    z
      .strictObject({
        ...numbers,
        within,
        countrymanager: guard.describe('The same for the role countrymanager; by default each one needs an approval.'),
      })
      .refine((written) => limits(written) || written.countrymanager !== undefined, LIMITS)
      .transform(({ countrymanager, ...other }) => {
        return { other: limits(other) ? readLimit(other) : undefined, countrymanager };
      }),
  ])
  .optional()
  .describe(
    'People who gain the role departmentmanager, referencemanager or bidmanager, a wider scope, or an account with one. Administrators always need an approval.',
  );
export const guardsSchema = z
  .strictObject({
    ...(Object.fromEntries(ENTITIES.map((entity) => [entity, guarded.optional()])) as Record<
      Exclude<Entity, 'users'>,
      z.ZodOptional<typeof guarded>
    >),
    users: guarded.extend({ promote }).optional(),
    sources: z
      .record(
        text,
        z.strictObject({
          overwrite: guard.describe('Records in which a value is overwritten or emptied.'),
          another_tenant: z
            .union([off, deliveryLimit])
            .optional()
            .describe(
              'Known objects that may be missing from a read that has not shrunk as much. The source that decides who exists has a default.',
            ),
        }),
      )
      .optional()
      .describe('Source or stream → limits for values written to it, and for objects gone from it.'),
  })
  .prefault({})
  .describe('Limits that hold changes for an approval; `off` turns one off.');
export type GuardsInput = Whole<typeof guardsSchema>;
