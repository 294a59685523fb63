import type { TalentService } from '../../../src/service/talent-service.js';
import type { Reply } from '../desk.js';

/** One endpoint: what calls it, and what must be sent then, written from the spec by hand. */
export interface CallCase {
  readonly name: string;
  readonly make: (service: TalentService) => Promise<unknown>;
  /** null: nothing is sent. */
  readonly line: string | null;
  readonly body?: unknown;
  readonly reply?: Reply;
  /** What the call gives. */
  readonly gives?: unknown;
}

/** An answer with nothing in it. */
export const none: Reply = { status: 204 };
