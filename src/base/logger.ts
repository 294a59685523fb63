import { type DestinationStream, pino } from 'pino';
import { cleanText } from '../model/clean-text.js';
import { personalFields } from '../model/person-fields.js';
import { hideSecretsInJson } from './secrets/secret.js';

export type Logger = pino.Logger;

/** Fields with personal data or secrets. They are never logged, at either nesting level where they occur. */
export const REDACTED_FIELDS: readonly string[] = [
  ...personalFields('name', 'address', 'number', 'trait'),
  'label',
  'before',
  'after',
  'values',
  'reason',
  'api_key',
  'authorization',
  'token',
  'password',
];

/** One JSON line per event on stderr; stdout is for the command's output. `LOG_LEVEL` sets the level, `warn` by default. */
export function createLogger(level: string, destination: DestinationStream): Logger {
  return pino(
    {
      level,
      base: null,
      formatters: { level: (label) => ({ level: label }) },
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: { paths: REDACTED_FIELDS.flatMap((field) => [field, `*.${field}`]), censor: '[redacted]' },
    },
    { write: (line) => destination.write(cleanText(`${hideSecretsInJson(line.trimEnd())}\n`)) },
  );
}
