import { type ConfigQuestion, QUESTION_OPEN } from '../model/config-question.js';
import { type Change, DERIVED_REASONS, recordKeyOf, reopens } from '../model/plan.js';
import { eachWithPauses } from './each-with-pauses.js';
import { holdRecord } from './hold-record.js';
import type { EntitySettings, ReconcilePorts } from './ports.js';

/**
 * Holds creates and reactivations while a question about them is open:
 *
 * | open                                        | create | reactivate | update |
 * |---------------------------------------------|--------|------------|--------|
 * | who has left, or who starts later           | waits  | waits      | planned |
 * | the value of a field that the service needs | waits  | planned    | planned |
 * | whether a row is a colleague                | waits  | waits      | planned |
 *
 * Records with the same questions give the same reason, so a report has one question instead of one per record. An
 * approval does not answer the question; an edit of the configuration does.
 */
export function* holdUnanswered(settings: EntitySettings, ports: ReconcilePorts): Generator<void, void> {
  const { entity, questions = [] } = settings;
  const waiting = new Set<string>();
  yield* eachWithPauses([...ports.plan.changesOf(entity, 'create', 'reactivate', 'relink')], (change) => {
    const open = DERIVED_REASONS.includes(change.reason.kind)
      ? []
      : questions.filter((one) => asksOf(one, change, ports));
    if (open.length === 0) return;
    waiting.add(change.key);
    const [reason, remedy] = [open.map((one) => one.reason).join(' '), open.map((one) => one.remedy).join(' ')];
    holdRecord(change, QUESTION_OPEN, { reason, remedy }, ports);
  });
  if (waiting.size === 0) return;
  // Drops these changes, with every change that is made only for them.
  yield* eachWithPauses([...ports.plan.changesOf(entity)], ({ key }) => {
    if (waiting.has(recordKeyOf(key))) ports.plan.drop(`${entity}:${key}`);
  });
}

function asksOf({ field, ofDoubtful }: ConfigQuestion, change: Change, { sources }: ReconcilePorts): boolean {
  // Doubtful rows count as `early`. Other rows with a later first day are not in the plan.
  if (ofDoubtful === true && sources.stagedState(change.entity, change.key) !== 'early') return false;
  if (change.action === 'create') return true;
  return field === null && reopens(change);
}
