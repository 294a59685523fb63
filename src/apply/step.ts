import type { Config } from '../config/config.js';
import type { Copy } from '../model/copies.js';
import type { Directory, TagNames } from '../model/directory.js';
import type { Entity } from '../model/entity.js';
import type { Observed } from '../model/observed.js';
import type { Change } from '../model/plan.js';
import type { WriteResult } from '../service/answer.js';
import type { EndpointName } from '../service/endpoints.js';
import { ServiceError } from '../service/service-error.js';
import type { ServiceReader, ServiceWriter } from '../service/talent-service.js';

/** A part of a change that the service rejected while it accepted the rest. */
export interface RefusedField {
  /** A path such as `workflow_stage` or `custom_fields.headcount`. */
  readonly field: string;
  readonly error: ServiceError;
  /**
   * True if the call was repeated without the field. Nothing is remembered about it, so the next run sends the field
   * alone. If the service rejects it again, it is sent after growing pauses, because the cause may be outside both sides:
   * someone else may have the e-mail address.
   */
  readonly leftOut?: true;
}

/** The result of a call: the current object, and the request id for the service's support. */
export interface StepResult {
  /** null if the object was deleted. */
  readonly observed: Observed | null;
  readonly requestId: string | null;
  readonly status: number | null;
  /** The read that proved the call; set if there was no usable answer. */
  readonly provedBy?: EndpointName;
  /**
   * False if the answer was empty and the object was read again. The object then does not prove which values the service
   * accepts.
   */
  readonly answered?: boolean;
  readonly refusals?: readonly RefusedField[];
  /** The content added to a proposal. Its id and fingerprint let an undo find the copy and detect edits by others. */
  readonly copy?: Copy;
}

/**
 * One call of a change. `repeat` specifies how to handle a lost answer. `idempotent`: send the call again. `probe`:
 * first look if the call happened, because creates are not idempotent and answer 200 like all other calls. If the look
 * cannot show it, the outcome is unknown, never done (`judge-look.ts`).
 */
export interface Step {
  readonly name: string;
  readonly endpoint: EndpointName;
  readonly repeat: 'idempotent' | 'probe';
  /** @param previous the object after the previous step; null for the first step, which uses the object in the mirror */
  send(previous: Observed | null): Promise<StepResult>;
  /** Finds the object that the call would have written; null if there is none. */
  probe(): Promise<Observed | null>;
  /** The read that `probe` sends, for the audit. */
  readonly seenBy: EndpointName;
  /** True if a found object proves this call. Without this function, the object is compared with the entire change. */
  happened?(found: Observed): boolean;
  /** Adds effects of the call that no look shows, once the call is proved. */
  withUnshown?(found: Observed): Observed;
  /** True if the call deletes the object; a look that finds nothing then proves it. */
  readonly deletes?: true;
  /** True if the service sends people an e-mail because of the call. */
  readonly mails?: true;
}

/** One call for several changes with the same `batch`. Answers are in the order of the changes. */
export interface BatchStep {
  readonly name: string;
  readonly endpoint: EndpointName;
  readonly mails?: true;
  /** The current objects; null for deleted ones. */
  send(): Promise<{ readonly observed: readonly (Observed | null)[] } & Pick<StepResult, 'requestId' | 'status'>>;
  /** The read that `probe` sends, for the audit. */
  readonly seenBy: EndpointName;
  /** Looks after a lost answer. Returns the object that proves each change, or 'nothing'. */
  probe(): Promise<readonly (Observed | null | 'nothing')[]>;
}

/** The endpoint for each action that is not an update. */
export type ActionEndpoints = Readonly<Partial<Record<Change['action'], EndpointName>>>;

/** Translates the changes of one entity into calls. Each entity has a row in the table in `calls.ts`. */
export interface EntityCalls {
  /** Endpoints of a change's calls in order, for the forecast; needs no call context. */
  endpoints(change: Change): readonly EndpointName[];
  /** Builds the calls themselves, one per endpoint. */
  build(change: Change, context: CallContext): readonly Step[];
  /** Combines the first calls of several changes into one call; the other calls are sent separately for each change. */
  buildBatch?(changes: readonly Change[], context: CallContext): BatchStep;
}

export interface CallContext {
  readonly reader: ServiceReader;
  readonly writer: ServiceWriter;
  readonly directory: Directory & TagNames;
  /** Returns the object with this id from the mirror. */
  mirrored(entity: Entity, id: string): Observed | null;
  /** User id → CV id, for CVs that no answer showed and that this run looked up. */
  readonly cvIds: Map<string, Promise<string | null>>;
  /** Returns the source key that an object is linked to, or null. */
  linkedKey(entity: Entity, id: string): string | null;
  readonly notify: Config['notifyPeople'];
  /** The side that wins if someone else changed a field between the plan and the call. */
  readonly conflicts: Config['conflicts'];
}

/** Converts a call's answer to a result; null if the answer is empty. */
export function answerAs<T>(
  { value, requestId, status }: WriteResult<T>,
  observe?: (value: NonNullable<T>) => Observed | null,
): StepResult {
  const observed = value == null ? null : (observe?.(value) ?? null);
  return { observed, requestId, status };
}

/** Treats a delete as done if the object is already gone. */
export async function sendDeletion(call: () => Promise<WriteResult<null>>): Promise<StepResult> {
  try {
    return answerAs(await call());
  } catch (error) {
    if (!(error instanceof ServiceError) || error.status !== 404) throw error;
    return { observed: null, requestId: error.requestId, status: error.status };
  }
}
