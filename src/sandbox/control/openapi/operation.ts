import type * as z from 'zod';
import type { Shape } from './shapes.js';

/** What an answer is where it is no JSON. */
type OtherAnswerKind = 'nothing' | 'file' | 'redirect';

/** An endpoint as its reader sees it; the path's parameters are in its route. */
export interface ServiceOperation {
  /** camelCase, unique: generated clients are named after it. */
  readonly id: string;
  readonly summary: string;
  readonly query?: Shape;
  /** Parameters of the query that it does not go without. */
  readonly needs?: readonly string[];
  /** A JSON body, or another one by its media type. */
  readonly body?: z.ZodType | 'text/csv' | 'multipart/form-data';
  readonly answer: z.ZodType | OtherAnswerKind;
  /** Served besides what the interface shows. */
  readonly isBeyond?: true;
}

/** `METHOD path`, as in the table of routes → the operation. */
export type Operations = Readonly<Record<string, ServiceOperation>>;

export interface OperationGroup {
  readonly tag: string;
  readonly description: string;
  readonly operations: Operations;
}
