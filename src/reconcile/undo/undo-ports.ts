import type { Copy } from '../../model/copies.js';
import type { Entity } from '../../model/entity.js';
import type { Observed } from '../../model/observed.js';
import type { UndoRequest } from '../../model/undo.js';
import type { Parking } from '../order/park.js';
import type { EntitySettings, ReconcilePorts } from '../ports.js';
import type { RunWork } from './run-work.js';

/** What was done? */
export interface UndoneRun extends UndoRequest {
  readonly works: readonly RunWork[];
}

/** How does the configuration of today see it? */
export interface ManagedPort {
  /** How a circle of unique values may be opened. */
  readonly parking: Parking;
  /** How the entity is reconciled, with nothing created that is missing, and no rule of a field in force. */
  settings(entity: Entity): EntitySettings;
  /** Whether this configuration reads the entity at all: what is not read is not known. */
  isRead(entity: Entity): boolean;
  /** Digest of the configuration behind one leaf, or behind being there. */
  digestMapping(entity: Entity, path: string): string;
}

/** What hangs on an object? */
export interface ContentPort {
  /** Objects of an entity that belong to another object: projects of a customer, tags of a category. */
  belonging(entity: Entity, to: string): readonly Observed[];
  /** Everybody whose office it is, deactivated or not. */
  usersIn(officeId: string): readonly Observed[];
  /** Whether CVs hold hard links to the project. */
  isLinkedToCvs(projectId: string): boolean;
  /** Copies of CVs and projects that are in a proposal now. */
  copiesIn(proposalId: string): readonly Copy[];
  /** Keys of people, customers or projects that other runs have given the tag, as `users:E1`. */
  tagged(category: string, tag: string): readonly string[];
}

/** What taking a run back may ask, beside what reconciliation asks. */
export interface UndoPorts extends ReconcilePorts {
  readonly undone: UndoneRun;
  readonly managed: ManagedPort;
  readonly contents: ContentPort;
}
