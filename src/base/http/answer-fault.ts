import { formatBytes } from './limits.js';

/** Explains why an answer cannot be used. The caller turns this into an error that names the place. */
export class AnswerFault extends Error {
  constructor(
    readonly kind: 'too large' | 'no JSON',
    message: string,
    readonly remedy: string,
  ) {
    super(message);
    this.name = 'AnswerFault';
  }
}

/** @param setting the setting that raises the limit; null if there is none */
export function refuseLength(most: number, setting: string | null): AnswerFault {
  const limit = setting === null ? '' : `, the limit of \`${setting}\``;
  const remedy =
    setting === null
      ? 'No setting raises this limit. Check the response of that address.'
      : `If the system's answers are really that long, raise \`${setting}\`. Otherwise, check the response of that address.`;
  const what = `The answer is longer than ${formatBytes(most)}${limit}.`;
  return new AnswerFault('too large', `${what} It was not read completely and is not used.`, remedy);
}

export function refuseObject(what: string): AnswerFault {
  return new AnswerFault(
    'too large',
    `${what}. The answer is not used.`,
    'No setting raises this limit. Check the record in the system that answered.',
  );
}

export function refuseGrammar(): AnswerFault {
  return new AnswerFault(
    'no JSON',
    'The answer is not JSON, or it is truncated.',
    'Check the response of that address. A web page instead of JSON often comes from a proxy or a login.',
  );
}
