import { FIELDS, type SpecialName } from './fields.js';

/** The kinds of content of a proposal. Each is added and removed by its own call. */
export type ContentKind = Exclude<SpecialName<'proposals'>, 'owner'>;
export const CONTENT_KINDS = Object.entries(FIELDS.proposals).flatMap(([name, { additive }]) =>
  additive === true ? [name as ContentKind] : [],
);

/** The content that is copied into a proposal. Collaborators are only named in it, not copied. */
type CopyField = Exclude<ContentKind, 'collaborators'>;

/** A copy inside a proposal. It holds ids only, no names. */
export interface Copy {
  readonly field: CopyField;
  /** The original: the person's id for a CV, the external id for a project; null if the service does not show it. */
  readonly of: string | null;
  readonly id: string;
  /**
   * Status, versions and timestamps of the copy and everything in it. It stays equal as long as nobody edits the copy. null:
   * not shown.
   */
  readonly mark: string | null;
}

/** Content that a change removes from a proposal; only an undo does that. */
export interface TakenOut {
  readonly field: ContentKind;
  /** The name that the run used. */
  readonly word: string;
  /** Id of the copy, or of the collaborator. */
  readonly id: string;
  /** The original, as in `Copy`. `word` may no longer resolve to anyone once the people are restored. */
  readonly of: string | null;
}
