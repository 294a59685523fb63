import type { TalentService } from '../../../src/service/talent-service.js';
import type { Reply } from '../desk.js';

/** A function for an endpoint and the request it must send, written by hand from the specification. */
export interface CallCase {
  readonly name: string;
  readonly make: (service: TalentService) => Promise<unknown>;
  /** Null if nothing is sent. */
  readonly line: string | null;
  readonly body?: unknown;
  readonly reply?: Reply;
  /** The result of the call. */
  readonly gives?: unknown;
}

/** An empty answer. */
export const none: Reply = { status: 204 };
