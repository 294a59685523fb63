import type { Config, EntityGuards } from '../../config/config.js';
import type { GuardLimit } from '../../config/entities/guard-schema.js';
import { QUESTION_OPEN } from '../../model/config-question.js';
import { ACTIONS, ENTITIES, type Entity } from '../../model/entity.js';
import type { Failure } from '../../model/failure.js';
import type { Stores } from '../../store/open-stores.js';
import { evidences } from '../reads/evidence.js';
import type { StagedEntity } from '../staging/stage-sources.js';

/**
 * The limits that count in a run. A limit that is meant for what comes after the first load waits for it; taking back
 * what a run did makes nobody active who was not active before that run.
 */
export function limitsOf({ guards }: Config, { history }: Stores, isUndo: boolean): Config['guards'] {
  const limits: Partial<Record<Entity, EntityGuards>> = {};
  for (const entity of ENTITIES) {
    const given = guards[entity];
    if (given === undefined) continue;
    const isLoaded = history.isLoaded(entity);
    const waived = ACTIONS.filter(
      (action) => (given[action]?.afterFirstLoad === true && !isLoaded) || (isUndo && action === 'reactivate'),
    );
    const counted = Object.entries(given).filter(([name]) => !waived.some((one) => one === name));
    limits[entity] = isUndo ? withoutWindows(Object.fromEntries(counted)) : Object.fromEntries(counted);
  }
  return limits;
}

/** The plan of an undo stands by itself: what other runs did does not count. */
function withoutWindows({ fields, promote: _promote, ...actions }: EntityGuards): EntityGuards {
  const alone = <Limits extends Readonly<Record<string, GuardLimit | null>>>(limits: Limits): Limits =>
    Object.fromEntries(
      Object.entries(limits).map(([name, limit]) => [name, limit === null ? null : { ...limit, withinMs: 0 }]),
    ) as Limits;
  return { ...alone(actions), ...(fields === undefined ? {} : { fields: alone(fields) }) };
}

/**
 * Notes whose first load is over: the source was read to its end, and everything that was to be created is there, or was
 * refused for its own sake. What is refused for all of its kind, a budget that is spent, a stop or a crash leaves it open. Of a source
 * that is never read whole (an identity provider that pushes, a list that cannot prove its end) it is over with the first run that had
 * nothing to create.
 */
export function noteFirstLoads(
  { work, history }: Stores,
  staged: readonly StagedEntity[],
  failed: readonly Failure[],
): void {
  for (const { entity, deciding } of staged) {
    if (history.isLoaded(entity) || work.linkedActive(entity) === 0) continue;
    if (deciding.some(({ error }) => error !== null) || work.countHolds(entity, [QUESTION_OPEN]) > 0) continue;
    const reads = evidences(deciding);
    // A row without a key may be in a file for months: what else is in it was read.
    const isWhole = reads.every(({ complete, kind }) => complete || kind === 'drop');
    const isReadOn = reads.every(
      ({ complete, partial, unproven }) => complete || partial === true || unproven === true,
    );
    if (!isWhole && !isReadOn) continue;
    const refused = failed
      .filter(({ entity: of, of_all }) => of === entity && of_all === undefined)
      .map(({ key }) => key);
    const open = isWhole ? work.unlinkedCreates(entity, refused) : (work.counts()[entity]?.create ?? 0);
    if (open === 0) history.noteLoaded(entity);
  }
}
