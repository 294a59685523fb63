import { FIELDS, type SpecialName } from './fields.js';

/** What a proposal holds: each kind is added and removed by a call of its own. */
export type ContentKind = Exclude<SpecialName<'proposals'>, 'owner'>;
export const CONTENT_KINDS = Object.entries(FIELDS.proposals).flatMap(([name, { additive }]) =>
  additive === true ? [name as ContentKind] : [],
);

/** What is copied into a proposal. Collaborators are not: they are only named in it. */
type CopyField = Exclude<ContentKind, 'collaborators'>;

/** A copy inside a proposal, by ids alone: nobody's name is in it. */
export interface Copy {
  readonly field: CopyField;
  /** Whose or what it is of: of a CV the person's id, of a project its external id; null where it does not show. */
  readonly of: string | null;
  /** The copy's own id. */
  readonly id: string;
  /** Status, version and stamp of the copy and of all that is in it: equal as long as nobody works in it. null: not shown. */
  readonly mark: string | null;
}

/** What a change takes out of a proposal; only an undo does. */
export interface TakenOut {
  readonly field: ContentKind;
  /** As the run named it. */
  readonly word: string;
  /** Of the copy, or of the collaborator. */
  readonly id: string;
  /** Whose or what it is of, as in `Copy`: the word may mean nobody any more once the people are as before. */
  readonly of: string | null;
}
