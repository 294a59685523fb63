import * as z from 'zod';
import { CV_REPORT_TYPES, REPORT_FORMATS } from '../model/report-kinds.js';
import { text } from '../settings/schema-parts.js';
import { sftpSchema } from '../settings/sftp-schema.js';

const texts = z.union([text, z.array(text).min(1)]);

const filterSchema = z.strictObject({
  offices: z
    .array(z.strictObject({ country: text.describe('Two letters.'), name: text.optional() }))
    .min(1)
    .optional()
    .describe('Only CVs of these offices; without a name, of all offices of the country.'),
  skills: texts.optional().describe('Exact names of skills, all of which must be there.'),
  tags: z.record(text, texts).optional().describe('External id of a category → that of a tag, or a list of them.'),
  text: texts.optional().describe('Words that must stand somewhere in the record.'),
  any_field: z.record(text, text).optional().describe('Field → part of its value; one of them is enough.'),
  stage: z.enum(['all', 'draft', 'ready_for_review', 'live']).optional().describe('Stage of reference projects.'),
  owned: z.boolean().optional().describe("Only reference projects that the key's user owns."),
});

const deliverSchema = z.strictObject({
  drop: text.describe('Folder, or sftp://host:22/path, that the file is delivered to.'),
  sftp: sftpSchema.optional(),
  name: text.optional().describe('File name with {report}, {date} and {time} of the schedule.'),
});

const reportSchema = z
  .strictObject({
    kind: z.enum(['cv', 'reference']).describe('Whether it is about CVs or reference projects.'),
    type: z.enum(CV_REPORT_TYPES).optional().describe('What a CV report lists.'),
    format: z.enum(REPORT_FORMATS).default('csv'),
    languages: z.array(text).min(1).optional().describe('Languages of a CV report; all of the account without it.'),
    filter: filterSchema.prefault({}).describe('Which records; all of them without it.'),
    schedule: text.describe('When it is run: a cron expression of five fields, in schedule.timezone.'),
    deliver: deliverSchema.describe('Where its file goes.'),
  })
  .refine(({ kind, type }) => kind !== 'cv' || type !== undefined, { path: ['type'], error: 'a CV report has a type' });
export type ReportInput = z.infer<typeof reportSchema>;

export const reportsSchema = z
  .record(text, reportSchema)
  .optional()
  .describe('Reports of the service that are run by a schedule and delivered as files.');
