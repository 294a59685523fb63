import * as z from 'zod';
import type { ProblemSink, YamlPath } from '../../base/settings/resolving.js';
import { fileWriteBackSchema } from '../drop/file-write-back-schema.js';
import { requestForm } from '../http/call-write-back.js';

/** The keys of both forms, without defaults, because each form has its own defaults. */
const everyKey = Object.fromEntries(
  Object.entries({ ...fileWriteBackSchema.shape, ...requestForm.shape }).map(([key, schema]) => [
    key,
    findWritten(schema).optional(),
  ]),
);

function findWritten(schema: z.core.$ZodType): z.ZodType {
  if (schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault) return findWritten(schema.unwrap());
  return schema instanceof z.ZodPipe ? findWritten(schema.in) : (schema as z.ZodType);
}

/** One shape for files and calls, so that a misplaced key is reported as misplaced. */
export const streamWriteBackSchema = z
  .union([z.literal(true), z.strictObject(everyKey)])
  .describe('Allows mappings to write to the records, by files or calls. Without this key, nothing is written back.');

/** The forms of writing back, by the form of the stream. */
export const FORMS = {
  files: { schema: fileWriteBackSchema, words: 'is written back to by files' },
  calls: { schema: requestForm, words: 'is written to by calls' },
};

/** Reads the `write_back` of a stream in the form that the stream supports, and reports keys of the other form. */
export function readForm<Schema extends z.ZodObject>(
  { schema, words }: { readonly schema: Schema; readonly words: string },
  path: YamlPath,
  input: z.infer<typeof streamWriteBackSchema> | undefined,
  report: ProblemSink,
): z.infer<Schema> | undefined {
  if (input === undefined) return undefined;
  const accepted = Object.keys(schema.shape);
  const given = Object.entries(input === true ? {} : input);
  for (const [key] of given.filter(([name]) => !accepted.includes(name))) {
    const remedy = `Remove it. Accepted here: ${accepted.join(', ')}.`;
    report.add([...path, key], `\`${key}\` has no effect for a stream that ${words}`, remedy, 'key');
  }
  return schema.safeParse(Object.fromEntries(given.filter(([key]) => accepted.includes(key)))).data;
}
