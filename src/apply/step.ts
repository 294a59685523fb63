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

/** A part of a change that the service will not take, while it took the rest. */
export interface RefusedField {
  /** `workflow_stage`, `custom_fields.headcount` */
  readonly field: string;
  readonly error: ServiceError;
}

/** What a call answered: the object as it is now, and how to name the call to the service's support. */
export interface StepResult {
  /** null: it was deleted. */
  readonly observed: Observed | null;
  readonly requestId: string | null;
  readonly status: number | null;
  /** Set where no answer tells of it: the reading that showed it. */
  readonly provedBy?: EndpointName;
  /** False when the answer was empty and the object was read again: then it proves nothing about what the service takes. */
  readonly answered?: boolean;
  readonly refusals?: readonly RefusedField[];
  /** What was put into a proposal: by its id and mark an undo finds it, and knows whether others have worked in it. */
  readonly copy?: Copy;
}

/**
 * One call of a change. `repeat` says what may be done when its answer was lost: `idempotent`, send it again;
 * `probe`, look first whether it happened, because creates are not idempotent and answer 200 like everything else.
 * Whatever a look cannot show is unknown, and never taken for done (`judge-look.ts`).
 */
export interface Step {
  readonly name: string;
  readonly endpoint: EndpointName;
  readonly repeat: 'idempotent' | 'probe';
  /** @param previous the object as the step before left it; null for the first one, which knows the mirror's. */
  send(previous: Observed | null): Promise<StepResult>;
  /** Finds what the call would have made; null when there is nothing of it. */
  probe(): Promise<Observed | null>;
  /** The reading that `probe` makes, for the audit. */
  readonly seenBy: EndpointName;
  /** Whether a found object shows that this very call happened; without it, whether the whole change did. */
  happened?(found: Observed): boolean;
  /** Adds what the call brought and no look shows, once it is proved to have happened. */
  withUnshown?(found: Observed): Observed;
  /** Deletes the object: a look that finds nothing shows that it happened. */
  readonly deletes?: true;
  /** The service sends people an e-mail with it. */
  readonly mails?: true;
}

/** One call for several changes of the same `batch`; answers are in the order of the changes. */
export interface BatchStep {
  readonly name: string;
  readonly endpoint: EndpointName;
  readonly mails?: true;
  /** The objects as they are now; null for what was deleted. */
  send(): Promise<{ readonly observed: readonly (Observed | null)[] } & Pick<StepResult, 'requestId' | 'status'>>;
  /** The reading that `probe` makes, for the audit. */
  readonly seenBy: EndpointName;
  /** After a lost answer: of each change the object that shows that it happened; 'nothing' where it did not. */
  probe(): Promise<readonly (Observed | null | 'nothing')[]>;
}

/** The one call of a change by its action, where it is not an update. */
export type ActionEndpoints = Readonly<Partial<Record<Change['action'], EndpointName>>>;

/** How the changes of one entity become calls: a row of the table in `calls.ts`. */
export interface EntityCalls {
  /** Endpoints of a change's calls in order, known without anything to send with: the forecast. */
  endpoints(change: Change): readonly EndpointName[];
  /** The calls themselves, one for each of the endpoints. */
  build(change: Change, context: CallContext): readonly Step[];
  /** The first call of each of several changes as one; the others follow change by change. */
  buildBatch?(changes: readonly Change[], context: CallContext): BatchStep;
}

export interface CallContext {
  readonly reader: ServiceReader;
  readonly writer: ServiceWriter;
  readonly directory: Directory & TagNames;
  /** The mirror's copy of a project's or other object's values. */
  mirrored(entity: Entity, id: string): Observed | null;
  /** Ids of CVs that no answer about their person showed, as this run has asked for them. */
  readonly cvIds: Map<string, Promise<string | null>>;
  /** The source key that an object is linked to, or null. */
  linkedKey(entity: Entity, id: string): string | null;
  readonly notify: Config['notifyPeople'];
  /** Who wins over a field that somebody else changed between plan and call. */
  readonly conflicts: Config['conflicts'];
}

/** What a call answered, with the object that its answer shows; none where the answer is empty. */
export function answerAs<T>(
  { value, requestId, status }: WriteResult<T>,
  observe?: (value: NonNullable<T>) => Observed | null,
): StepResult {
  const observed = value == null ? null : (observe?.(value) ?? null);
  return { observed, requestId, status };
}

/** A delete that finds the object gone already has nothing left to do. */
export async function sendDeletion(call: () => Promise<WriteResult<null>>): Promise<StepResult> {
  try {
    return answerAs(await call());
  } catch (error) {
    if (!(error instanceof ServiceError) || error.status !== 404) throw error;
    return { observed: null, requestId: error.requestId, status: error.status };
  }
}
