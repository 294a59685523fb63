import * as z from 'zod';
import type { ProblemSink, YamlPath } from '../../settings/resolving.js';
import { type FileWriteBackInput, fileWriteBackSchema } from '../drop/file-write-back-schema.js';
import { callWriteBackShape, type RequestWriteBackInput, requestForm, requestShape } from '../http/call-write-back.js';

/** Every key of either form, and no default: each form then fills in what it lacks. */
const everyKey = Object.fromEntries(
  Object.entries({ ...fileWriteBackSchema.shape, ...requestShape }).map(([key, schema]) => {
    const plain: z.ZodType = schema instanceof z.ZodDefault ? (schema.unwrap() as z.ZodType) : schema;
    return [key, plain.optional()];
  }),
);

/** One shape for files and calls, so that a key in the wrong place is told as such. */
export const streamWriteBackSchema = z
  .union([z.literal(true), z.strictObject(everyKey)])
  .describe('Mappings may write to its records, by files or by calls. Without it nothing is ever written there.');
type StreamWriteBackInput = true | Readonly<Record<string, unknown>>;

const OF_CALLS = Object.keys({ ...callWriteBackShape, ...requestShape });

/** What is written of a stream over HTTP: files are no way to it. */
export function readCallForm(
  path: YamlPath,
  input: StreamWriteBackInput | undefined,
  report: ProblemSink,
): RequestWriteBackInput | undefined {
  if (input === undefined || input === true) return input;
  for (const key of Object.keys(input)) {
    if (OF_CALLS.includes(key)) continue;
    const remedy = `Remove it. Accepted here: ${OF_CALLS.join(', ')}.`;
    report.add([...path, key], `\`${key}\` means nothing for a stream that is written to by calls`, remedy, 'key');
  }
  return requestForm.safeParse(Object.fromEntries(Object.entries(input).filter(([key]) => OF_CALLS.includes(key))))
    .data;
}

/** What is written of a stream that comes as files: calls are no way to it. */
export function readFileForm(
  path: YamlPath,
  input: StreamWriteBackInput | undefined,
  report: ProblemSink,
): FileWriteBackInput | undefined {
  if (input === undefined) return undefined;
  const known = Object.keys(fileWriteBackSchema.shape);
  const given = input === true ? {} : input;
  for (const key of Object.keys(given)) {
    if (known.includes(key)) continue;
    const message = `\`${key}\` means nothing for a stream that is written back to by files`;
    report.add([...path, key], message, `Remove it. Accepted here: ${known.join(', ')}.`, 'key');
  }
  return fileWriteBackSchema.safeParse(Object.fromEntries(Object.entries(given).filter(([key]) => known.includes(key))))
    .data;
}
