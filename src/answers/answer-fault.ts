/**
 * Why an answer is not used: it is too large, too deep, or not what it says it is. Nothing is concluded from such an answer. Whoever
 * asked makes an error of it that names the place.
 */
export class AnswerFault extends Error {
  readonly remedy: string;

  constructor(
    readonly kind: 'too large' | 'no JSON',
    message: string,
    remedy: string,
  ) {
    super(message);
    this.name = 'AnswerFault';
    this.remedy = remedy;
  }
}

/** @param setting that raises the limit; null where none does */
export function refuseLength(what: string, setting: string | null): AnswerFault {
  const remedy =
    setting === null
      ? 'No setting raises this limit: look at what the address answers.'
      : `If the system really has that much to say, raise \`${setting}\`; else look at what the address answers.`;
  return new AnswerFault('too large', `${what}. It was not read to its end, and nothing is concluded from it.`, remedy);
}

export function refuseObject(what: string): AnswerFault {
  return new AnswerFault(
    'too large',
    `${what}. Nothing is concluded from the answer.`,
    'No setting raises this limit: look at the record in the system that answered.',
  );
}

export function refuseGrammar(): AnswerFault {
  return new AnswerFault(
    'no JSON',
    'The answer is not JSON, or it is cut.',
    'Look at what the address answers: a web page in place of JSON is often a proxy or a login page.',
  );
}
