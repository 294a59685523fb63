import * as z from 'zod';
import { parseDuration } from '../../base/settings/duration.js';
import { atLeastADay, count, expression, milliseconds, text } from '../../base/settings/schema-parts.js';
import { UNKNOWN_RULES, type UnknownRule } from '../../model/config-question.js';
import type { Entity } from '../../model/entity.js';
import { SECTION_TYPES } from '../../model/sections.js';
import type { Whole } from '../whole.js';

/**
 * Marks `fields`, which `resolve-fields.ts` reads because its messages can name the fields. The mark adds them to the editor's
 * schema.
 */
function fieldsOf(entity: Entity) {
  return z
    .record(text, z.unknown())
    .meta({ fieldsOf: entity, description: 'Field of the service → CEL expression. Only mapped fields are managed.' });
}

const matchFields = z.array(text).min(1).describe('Fields that must match together.');
const compare = z
  .strictObject({
    case: z.enum(['fold', 'exact']).default('fold').describe('fold: ignore case; exact: respect it.'),
    unicode: z
      .enum(['nfc', 'nfkc', 'exact'])
      .default('nfc')
      .describe(
        'nfc: ignore how a letter is composed; nfkc: also treat full-width letters and ligatures as plain ones.',
      ),
    whitespace: z
      .enum(['collapse', 'trim', 'exact'])
      .default('collapse')
      .describe('trim: ignore white space around the value; collapse: also treat it as one space inside.'),
  })
  .prefault({})
  .describe('How these fields are compared.');
const match = z
  .array(z.union([text, matchFields, z.strictObject({ fields: matchFields, compare })]))
  .min(1)
  .describe('Fields tried in order to find a record in the service; the fields of a list must match together.');
export type MatchInput = Whole<typeof match>;
const scope = expression.describe('Condition that decides which records count; by default all.').optional();
const modified = expression
  .describe('Date or time of the last change to the record in the source; `authority: newest` needs it.')
  .optional();
const writeBack = z
  .record(text, z.record(text, expression))
  .describe("Source or stream → column → CEL over the service's object: values written back in addition to fields.");

/** First loads that are sent as one file through the service's CSV import. This setting does not affect the derived people. */
const bulkLoadSchema = z
  .strictObject({
    setting: text.default('default').describe('The import setting of the service for this file.'),
    missing: z
      .enum(['keep', 'deactivate', 'remove'])
      .describe('The effect of that setting on people who are not in the file. Required.'),
    from: count
      .default(200)
      .describe('Minimum number of people to create in one plan for the import to be used; 0 for never.'),
    language: z
      .string()
      .regex(/^([a-z]{2}|native)$/, { error: 'expected a language such as `en`, or `native`' })
      .optional()
      .describe(
        "The language in which the setting stores title and nationality; `native` is that of the person's country.",
      ),
    tag_columns: z
      .record(text, text)
      .default({})
      .describe('Category external id → title of the column that the setting maps to it.'),
    separator: z.enum([',', ';']).default(',').describe('Column separator of the file.'),
    confirm_within: milliseconds.prefault('15m').describe('How long the imported people may take to appear.'),
  })
  .transform(({ language = null, tag_columns: tagColumns, confirm_within: confirmWithinMs, ...rest }) => ({
    ...rest,
    language,
    tagColumns,
    confirmWithinMs,
  }));
export type BulkLoadConfig = Whole<typeof bulkLoadSchema>;

/** When a person counts as having left, or an object as gone. If `after_missing_reads` is 0, absence never counts. */
const absenceShape = {
  missing_interval: milliseconds.prefault('12h').describe('Minimum time between two such reads that both count.'),
  grace: milliseconds.prefault('0d').describe('How long to wait before acting.'),
};
/** Holds leaving dates that systems write for a missing date. */
const placeholder_dates = z
  .literal('allowed')
  .optional()
  .describe('allowed: a leaving date that looks like a placeholder, such as 1900-01-01, counts.');
interface WrittenRule {
  readonly placeholder_dates?: 'allowed' | undefined;
  readonly when?: string | undefined;
  readonly after_missing_reads: number;
  readonly missing_interval: number;
  readonly grace: number;
}

function readLeaver(rule: WrittenRule) {
  return {
    when: rule.when ?? null,
    afterMissingReads: rule.after_missing_reads,
    missingIntervalMs: rule.missing_interval,
    graceMs: rule.grace,
    ...(rule.placeholder_dates === undefined ? {} : { placeholderDates: true as const }),
  };
}
export type LeaverConfig = Readonly<ReturnType<typeof readLeaver>>;

/** The words that are allowed instead of a rule. */
const answer = z
  .enum(['unknown', 'none'])
  .describe('unknown: nobody has decided yet, so new people and reactivations wait; none: the source does not say it.');

const leaverRule = z
  .strictObject({
    when: expression.optional().describe('True if the source says that the person has left.'),
    after_missing_reads: count
      .default(3)
      .describe('Number of complete reads without a person that prove a departure; 0 for never.'),
    ...absenceShape,
    placeholder_dates,
    action: z.literal('deactivate').default('deactivate'),
    purge: z
      .strictObject({
        after: atLeastADay.describe(
          'How long after the deactivation by talent-sync the account is deleted permanently.',
        ),
      })
      .optional()
      .describe('Deletes the accounts of leavers permanently, with their CVs; by default never.'),
  })
  .transform(({ purge, ...rule }) => ({
    ...readLeaver(rule),
    purge: purge === undefined ? null : { afterMs: parseDuration(purge.after) },
  }));
/** The default, under which only absence makes a person a leaver. */
const NO_LEAVER_RULE = leaverRule.parse({});

const joinerRule = z
  .strictObject({
    start: expression.describe('The first day of work, as a date; no account is created or reactivated before it.'),
    lead: milliseconds.prefault('0d').describe('How long before that day the account is created.'),
  })
  .transform(({ start, lead: leadMs }) => ({ start, leadMs }));

export const usersSchema = z
  .strictObject({
    existence: text.describe('The source that decides who exists, or a stream of it: hr, hr.people.'),
    enrich: z
      .record(
        text,
        z.strictObject({ join: expression.describe('Condition for their rows: idp.externalId == hr.employee_id.') }),
      )
      .default({})
      .describe('Sources or streams that add values, by name.'),
    scope,
    out_of_scope: z
      .enum(['keep', 'deactivate'])
      .default('keep')
      .describe('Linked people whose row is out of scope: keep leaves them alone, deactivate treats them as leavers.'),
    unowned: z
      .enum(['keep', 'report', 'deactivate'])
      .default('keep')
      .describe(
        'Active accounts that were neither created nor adopted and that no record matches: keep leaves them alone, report lists them, deactivate acts.',
      ),
    match: match.optional(),
    leaver: z.union([answer, leaverRule]).prefault({}).describe('Who has left.'),
    relink: z
      .strictObject({
        within: atLeastADay
          .default('180d')
          .describe('Maximum time since the old record left for its account to move to the new one automatically.'),
      })
      .prefault({})
      .describe('When an account moves to the same person under another key.'),
    joiner: z
      .union([answer, joinerRule])
      .optional()
      .describe('When a new colleague gets an account; by default immediately.'),
    doubtful: expression
      .optional()
      .describe(
        'True for rows that may not describe colleagues. New people and reactivations among them wait for an edit.',
      ),
    parking_email: z
      .string()
      .regex(/^[^\s@]*\{id\}[^\s@]*@[^\s@]+$/, {
        error: 'expected an address with {id} in it, such as parked-{id}@example.com',
      })
      .optional()
      .describe('Temporary address for one of several people who swap addresses in a circle.'),
    fields: fieldsOf('users'),
    modified,
    write_back: writeBack.optional(),
    protect: z.array(expression).default([]).describe('CEL over `user`: accounts that are never deactivated.'),
    bulk_load: bulkLoadSchema.optional().describe("First loads as one file, by the service's own CSV import."),
  })
  .transform(({ leaver, joiner, relink, out_of_scope, parking_email, bulk_load, ...rest }) => ({
    ...rest,
    leaver: typeof leaver === 'string' ? NO_LEAVER_RULE : leaver,
    joiner: typeof joiner === 'object' ? joiner : null,
    ...listUnknown({ leaver, joiner }),
    relinkWithinMs: parseDuration(relink.within),
    outOfScope: out_of_scope,
    parkingEmail: parking_email ?? null,
    bulkLoad: bulk_load ?? null,
  }));
/**
 * Lists the unanswered rules. It returns no key if there are none, so that the digest of a configuration without them is
 * unchanged.
 */
function listUnknown(rules: Readonly<Record<UnknownRule, unknown>>): { readonly unknown?: readonly UnknownRule[] } {
  const unknown = UNKNOWN_RULES.filter((rule) => rules[rule] === 'unknown');
  return unknown.length === 0 ? {} : { unknown };
}

export type UsersInput = Whole<typeof usersSchema>;

const from = z.array(text).min(1).describe('Streams, such as crm.companies; the first that has a key wins.');

export function streamMappingSchema(entity: Entity) {
  return z.strictObject({
    from,
    match: match.optional(),
    scope,
    fields: fieldsOf(entity),
    modified,
    write_back: writeBack.optional(),
  });
}

/** The only rules that delete objects: an expression, absence from a number of complete reads, or both. */
const remove = z
  .strictObject({
    when: expression.optional().describe('True if the source says that the object is gone.'),
    after_missing_reads: count.default(0).describe('Complete reads without it before deletion; 0 for never.'),
    ...absenceShape,
    placeholder_dates,
  })
  .refine((rule) => rule.when !== undefined || rule.after_missing_reads > 0, {
    error: '`remove` needs `when`, `after_missing_reads` or both',
  })
  .transform(readLeaver)
  .optional()
  .describe('When an object is deleted in the service; by default never.');

export function removableSchema(entity: Entity) {
  return streamMappingSchema(entity).extend({ remove });
}
export type StreamMappingInput = Whole<ReturnType<typeof removableSchema>>;

export const sections = Object.fromEntries(
  SECTION_TYPES.map((entity) => [entity, removableSchema(entity).optional()] as const),
);
