import { CONTENT_KINDS, type TakenOut } from '../../model/copies.js';
import { idOfIn } from '../../model/directory.js';
import { isAccount } from '../../model/entity.js';
import { objectOf } from '../../model/json.js';
import { foldKey, type Observed } from '../../model/observed.js';
import { wordsOf } from '../fields/compare.js';
import { shownIdOf } from '../fields/diff.js';
import { wordsFor } from '../leavers/settle-deletions.js';
import type { RunWork } from './run-work.js';
import { isPutIn } from './undo-fields.js';
import type { UndoPorts } from './undo-ports.js';

/** The contents that a run put into a proposal: those that can be removed again, and those that stay. */
export interface Removable {
  readonly takesOut: readonly TakenOut[];
  readonly stays: readonly Staying[];
}

export interface Staying {
  readonly field: TakenOut['field'];
  readonly word: string;
  readonly because: string;
  /** True if others have edited the copy; false if it is unknown which copy it is, or whether others edited it. */
  readonly moved: boolean;
}

type ContentVerdict = Omit<TakenOut, 'field' | 'word'> | Omit<Staying, 'field' | 'word'> | 'as before';

/**
 * Judges each of the contents separately:
 *
 * | what the run put in   | in the proposal now                         | →                          |
 * |-----------------------|---------------------------------------------|----------------------------|
 * | a collaborator        | is one                                      | taken out                  |
 * | a copy                | the same copy, saved by nobody since        | taken out                  |
 * | a copy                | the same copy, with another version or status | stays: work would be lost |
 * | a copy                | another copy of the same                    | stays: others put it in    |
 * | a copy, unknown which | one of the same                             | stays                      |
 * | anything              | nothing of it                               | as before                  |
 */
export function findRemovable(work: RunWork, now: Observed, ports: UndoPorts): Removable {
  const takesOut: TakenOut[] = [];
  const stays: Staying[] = [];
  for (const field of CONTENT_KINDS) {
    if (!isPutIn(work, field)) continue;
    for (const word of wordsOf(work.after[field])) {
      const verdict =
        field === 'collaborators' ? judgeCollaborator(word, now, ports) : judgeCopy({ field, word }, work, now, ports);
      if (verdict === 'as before') continue;
      if ('because' in verdict) stays.push({ field, word, ...verdict });
      else takesOut.push({ field, word, ...verdict });
    }
  }
  return { takesOut, stays };
}

function judgeCollaborator(word: string, { values }: Observed, ports: UndoPorts): ContentVerdict {
  const id = findPerson(word, ports);
  const ids = Object.values(objectOf(values.collaborators_ids));
  const inside = shownIdOf(values, 'collaborators', word) ?? ids.find((one) => one === id);
  return typeof inside === 'string' ? { id: inside, of: inside } : 'as before';
}

/**
 * The person that a word meant when the run added the content. The run may have given that person the word, and the
 * person may have lost it since.
 */
function findPerson(word: string, { undone: { works }, service: { directory } }: UndoPorts): string | null {
  const isNamed = ({ entity, after }: RunWork): boolean =>
    isAccount(entity) && wordsFor(after).some((one) => foldKey(one) === foldKey(word));
  return works.find(isNamed)?.target ?? idOfIn(directory)('users', word);
}

function judgeCopy(
  { field, word }: { readonly field: 'cvs' | 'references'; readonly word: string },
  { copies }: RunWork,
  { id: proposal }: Observed,
  ports: UndoPorts,
): ContentVerdict {
  // A copy of a project only shows its external id.
  const of = field === 'cvs' ? findPerson(word, ports) : foldKey(word);
  const inside = ports.contents.copiesIn(proposal).filter((copy) => copy.field === field);
  const made = copies.filter((copy) => copy.field === field && copy.of === of);
  const ours = inside.find(({ id }) => made.some((copy) => copy.id === id));
  const mark = made.find(({ id }) => id === ours?.id)?.mark ?? null;
  if (ours === undefined) {
    // A copy that does not show its original may be the one that the run added.
    if (!inside.some((copy) => copy.of === of || copy.of === null)) return 'as before';
    if (made.length > 0) return stay('the copy that the run added is gone, and others have added another one');
    return stay('it is not known which copy the run added: the answer to its call was lost, or did not show it');
  }
  if (mark === null || ours.mark === null)
    return stay('the service shows no version that would reveal edits by others');
  if (mark !== ours.mark) return { because: 'others have edited the copy since', moved: true };
  return { id: ours.id, of };
}

function stay(because: string): ContentVerdict {
  return { because, moved: false };
}
