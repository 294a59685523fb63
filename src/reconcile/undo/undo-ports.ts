import type { Copy } from '../../model/copies.js';
import type { Entity } from '../../model/entity.js';
import type { Observed } from '../../model/observed.js';
import type { UndoRequest } from '../../model/undo.js';
import type { Parking } from '../order/park.js';
import type { EntitySettings, ReconcilePorts } from '../ports.js';
import type { RunWork } from './run-work.js';

/** The run to undo, and the work that it did. */
export interface UndoneRun extends UndoRequest {
  readonly works: readonly RunWork[];
}

/** Access to the current configuration for that work. */
export interface ManagedPort {
  /** The settings for opening a circle of unique values. */
  readonly parking: Parking;
  /** The settings for reconciling the entity, without creating missing objects and without rules for fields. */
  settings(entity: Entity): EntitySettings;
  /** True if this configuration reads the entity; otherwise its state is unknown. */
  isRead(entity: Entity): boolean;
  /** Digest of the configuration for one leaf, or for existence. */
  digestMapping(entity: Entity, path: string): string;
}

/** Access to the contents of an object. */
export interface ContentPort {
  /** Objects of an entity that belong to another object: projects of a customer, tags of a category. */
  belonging(entity: Entity, to: string): readonly Observed[];
  /** Everyone in that office, active or not. */
  usersIn(officeId: string): readonly Observed[];
  /** True if CVs hold hard links to the project. */
  isLinkedToCvs(projectId: string): boolean;
  /** Copies of CVs and projects that are currently in a proposal. */
  copiesIn(proposalId: string): readonly Copy[];
  /** Keys of people, customers or projects that other runs have given the tag, as `users:E1`. */
  tagged(category: string, tag: string): readonly string[];
}

/** The ports for undoing a run: those of reconciliation and three more. */
export interface UndoPorts extends ReconcilePorts {
  readonly undone: UndoneRun;
  readonly managed: ManagedPort;
  readonly contents: ContentPort;
}
