import { FIELDS, type SpecialName } from './fields.js';

/** The kinds of content of a proposal. Each kind has its own calls to add and remove it. */
export type ContentKind = Exclude<SpecialName<'proposals'>, 'owner'>;
export const CONTENT_KINDS = Object.entries(FIELDS.proposals).flatMap(([name, { additive }]) =>
  additive === true ? [name as ContentKind] : [],
);

/** The content that is copied into a proposal. Collaborators are not copied; the proposal only refers to them. */
type CopyField = Exclude<ContentKind, 'collaborators'>;

/** A copy inside a proposal. It holds ids only, no names. */
export interface Copy {
  readonly field: CopyField;
  /** The original: the person's id for a CV, the external id for a project; null if the service does not show it. */
  readonly of: string | null;
  readonly id: string;
  /**
   * A fingerprint of the copy and everything in it, made from status, versions and timestamps. It changes only if someone edits
   * the copy. null if the service does not show the copy.
   */
  readonly mark: string | null;
}

/** Content that a change removes from a proposal; only an undo does that. */
export interface TakenOut {
  readonly field: ContentKind;
  /** The word that the run used for the original. */
  readonly word: string;
  /** Id of the copy, or of the collaborator. */
  readonly id: string;
  /** The original, as in `Copy`. After people are restored, `word` may no longer resolve to anyone. */
  readonly of: string | null;
}
