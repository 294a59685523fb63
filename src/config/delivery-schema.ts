import * as z from 'zod';
import { text } from '../base/settings/schema-parts.js';
import { sftpSchema } from '../base/settings/sftp-schema.js';
import { DOCUMENT_FORMATS } from '../model/document-kinds.js';
import { CV_REPORT_TYPES, REPORT_FORMATS } from '../model/report-kinds.js';

const texts = z.union([text, z.array(text).min(1)]);

const filterSchema = z.strictObject({
  offices: z
    .array(z.strictObject({ country: text.describe('Two letters.'), name: text.optional() }))
    .min(1)
    .optional()
    .describe('Only CVs of these offices; without a name, of all offices of the country.'),
  skills: texts.optional().describe('Exact names of skills; a CV must have all of them.'),
  tags: z.record(text, texts).optional().describe('External id of a category → that of a tag, or a list of them.'),
  text: texts.optional().describe('Words that the record must contain.'),
  any_field: z.record(text, text).optional().describe('Field → part of its value; one of them is enough.'),
  stage: z.enum(['all', 'draft', 'ready_for_review', 'live']).optional().describe('Stage of reference projects.'),
  owned: z.boolean().optional().describe("Only reference projects that the key's user owns."),
});

const deliverSchema = z.strictObject({
  drop: text.describe('Folder, or sftp://host:22/path, that files are delivered to.'),
  sftp: sftpSchema.optional(),
  name: text
    .optional()
    .describe(
      'File name. Reports: with {report}, {date} and {time} of the schedule. Documents: with {name}, {id} and others.',
    ),
});

const deliverySchema = z
  .strictObject({
    kind: z
      .enum(['cv', 'reference', 'cv_documents', 'reference_documents'])
      .describe('A report about CVs or reference projects, or each of these as a document when it changed.'),
    type: z.enum(CV_REPORT_TYPES).optional().describe('Contents of a CV report.'),
    format: z
      .enum([...REPORT_FORMATS, ...DOCUMENT_FORMATS])
      .optional()
      .describe('csv (default) or xlsx for reports; pdf (default), docx or pptx for documents.'),
    languages: z.array(text).min(1).optional().describe('Languages of a CV report; by default all of the account.'),
    language: text.optional().describe('Language of documents.'),
    template: text.optional().describe("Id of the documents' template; CVs have a default one."),
    filter: filterSchema.prefault({}).describe('Records to deliver; by default all.'),
    schedule: text
      .optional()
      .describe(
        'When it is due: a cron expression of five fields, in schedule.timezone. Only cv_documents may leave it out: then each run looks for changes.',
      ),
    at_most: z.int().min(1).max(10_000).optional().describe('Maximum number of documents per run; default 100.'),
    gone: z
      .enum(['keep', 'remove'])
      .optional()
      .describe('keep (default) or remove: for the document of a record that is gone or no longer matches.'),
    deliver: deliverSchema.describe('Where its files go.'),
  })
  .refine(({ kind, type }) => kind !== 'cv' || type !== undefined, {
    path: ['type'],
    error: 'a CV report needs a type',
  })
  .refine(({ kind, schedule }) => kind === 'cv_documents' || schedule !== undefined, {
    path: ['schedule'],
    error: 'only `cv_documents` may leave it out',
  })
  .refine(({ kind, language }) => !kind.endsWith('_documents') || language !== undefined, {
    path: ['language'],
    error: 'a document needs a language',
  })
  .refine(({ kind, template }) => kind !== 'reference_documents' || template !== undefined, {
    path: ['template'],
    error: 'references have no default template',
  });
export type DeliveryInput = z.infer<typeof deliverySchema>;

export const deliveriesSchema = z
  .record(text, deliverySchema)
  .optional()
  .describe('Reports and documents of the service that are delivered as files.');
