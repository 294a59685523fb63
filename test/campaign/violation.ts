export type Rule =
  | 'end state'
  | 'safety'
  | 'quiet'
  | 'holds'
  | 'fewest writes'
  | 'audit'
  | 'exit code'
  | 'from scratch'
  | 'mails'
  | 'crash';

/** A rule that a story broke. */
export interface Broken {
  readonly rule: Rule;
  readonly text: string;
}

export class Violation extends Error {
  constructor(
    readonly rule: Rule,
    text: string,
  ) {
    super(text);
  }
}
