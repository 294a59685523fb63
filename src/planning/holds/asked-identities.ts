import type { NamedHold } from '../../model/desired.js';
import { findEntity } from '../../model/entity.js';
import { answerFor, asksIdentity, guardOfQuestion, OTHER_PERSON } from '../../model/identity-guards.js';
import type { Stores } from '../../store/open-stores.js';
import type { Approval } from '../../store/state/history-store.js';

/** A question of the newest plan about who is who. */
interface AskedIdentity extends Pick<NamedHold, 'relink'> {
  readonly hold: string;
  readonly entity: string;
  readonly guard: string;
  /** The change that waits for the answer; null if there is none. */
  readonly change: string | null;
  /** The ids that answers approve. */
  readonly answers: readonly string[];
}

export interface AnsweredIdentities {
  /** Ids of the answered holds. */
  readonly holds: ReadonlySet<string>;
  /** Guard → changes that no longer wait for it, because the record and the object are linked. */
  readonly linked: ReadonlyMap<string, number>;
}

const ASKED_MARK = 'waiting.asked';

/** Collects the questions of a plan while its holds are stored. */
export function collectQuestions({ work, mirror }: Pick<Stores, 'work' | 'mirror'>) {
  const asked: AskedIdentity[] = [];
  return {
    take(held: NamedHold): void {
      if (!asksIdentity(held)) return;
      const { id, entity, key = '', code, relink } = held;
      const change = work.planned(`${entity}:${key}`);
      const answers = change === null ? [] : [change.id, change.asks ?? answerFor(change.id)];
      const question = {
        hold: id,
        entity,
        guard: guardOfQuestion({ code, entity }),
        change: change?.id ?? null,
        answers,
      };
      asked.push(relink === undefined ? question : { ...question, relink });
    },
    save: (): void => mirror.setMark(ASKED_MARK, JSON.stringify(asked)),
  };
}

/**
 * Finds the questions that were answered since the newest plan, and will not be asked by the next one. Without this, they
 * would look open until then.
 *
 * @param approvals the approvals in force that the newest plan did not know
 */
export function readAnswered(
  { mirror, links }: Pick<Stores, 'mirror' | 'links'>,
  approvals: readonly Approval[],
): AnsweredIdentities {
  const asked = JSON.parse(mirror.mark(ASKED_MARK) ?? '[]') as readonly AskedIdentity[];
  const approved = new Set(approvals.map(({ changeId }) => changeId));
  const holds = new Set<string>();
  const linked = new Map<string, number>();
  for (const question of asked) {
    if (isLinked(question, links)) {
      holds.add(question.hold);
      if (question.change !== null) linked.set(question.guard, (linked.get(question.guard) ?? 0) + 1);
    } else if (question.answers.some((id) => approved.has(id))) holds.add(question.hold);
  }
  return { holds, linked };
}

/** True if a person has linked the record to the object. A row about another person than its account was linked before. */
function isLinked({ entity: of, relink, guard }: AskedIdentity, links: Stores['links']): boolean {
  const entity = findEntity(of);
  if (entity === undefined || relink === undefined || guard === OTHER_PERSON) return false;
  return links.find(entity, relink.key)?.serviceId === relink.id;
}
