import type { Directory } from '../model/directory.js';
import type { Entity } from '../model/entity.js';
import type { Json } from '../model/json.js';
import type { Observed } from '../model/observed.js';
import type { EndpointName } from '../service/endpoints.js';
import type { ServiceReader, ServiceWriter } from '../service/talent-service.js';
import type { Notifications } from './bodies.js';

/** What a call answered: the object as it is now, and how to name the call to the service's support. */
export interface Sent {
  readonly observed: Observed;
  readonly requestId: string | null;
  readonly status: number | null;
  /** False when the answer was empty and the object was read anew: then it proves nothing about what the service takes. */
  readonly answered?: boolean;
}

/**
 * One call of a change. `repeat` says what may be done when its answer was lost: `idempotent`, send it again;
 * `probe`, look first whether it happened, because creates are not idempotent and answer 200 like everything else.
 */
export interface Step {
  readonly name: string;
  readonly endpoint: EndpointName;
  readonly repeat: 'idempotent' | 'probe';
  /** @param previous the object as the step before left it. */
  send(previous: Observed | null): Promise<Sent>;
  /** Finds what the call would have made; null when there is nothing of it. */
  probe(): Promise<Observed | null>;
  /** Whether a found object shows that this very call happened; without it, whether the whole change did. */
  happened?(found: Observed): boolean;
}

export interface CallContext {
  readonly reader: ServiceReader;
  readonly writer: ServiceWriter;
  readonly directory: Directory;
  /** The mirror's copy of a project's or other object's values. */
  mirrored(entity: Entity, id: string): Observed | null;
  readonly notify: Notifications;
}

/** A text of the plan's values; blank for anything else. */
export function readText(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}
