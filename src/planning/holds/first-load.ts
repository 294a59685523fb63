import type { Config, EntityGuards } from '../../config/config.js';
import type { GuardLimit } from '../../config/entities/guard-schema.js';
import { QUESTION_OPEN } from '../../model/config-question.js';
import { ACTIONS, ENTITIES, type Entity } from '../../model/entity.js';
import type { Failure } from '../../model/failure.js';
import type { Stores } from '../../store/open-stores.js';
import { evidences } from '../reads/evidence.js';
import type { StagedEntity } from '../staging/stage-sources.js';

/**
 * The limits that apply in a run. A limit that is meant for the time after the first load does not apply before its
 * end. An undo only activates people who were active before the undone run, so its reactivations have no limit.
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

/** The plan of an undo is judged by itself: changes by other runs do not count. */
function withoutWindows({ fields, promote: _promote, ...actions }: EntityGuards): EntityGuards {
  const alone = <Limits extends Readonly<Record<string, GuardLimit | null>>>(limits: Limits): Limits =>
    Object.fromEntries(
      Object.entries(limits).map(([name, limit]) => [name, limit === null ? null : { ...limit, withinMs: 0 }]),
    ) as Limits;
  return { ...alone(actions), ...(fields === undefined ? {} : { fields: alone(fields) }) };
}

/**
 * Marks the first loads that are over. A first load is over once the source was read to its end, and everything to be
 * created exists, or was rejected for a reason of its own. The first load stays open after a rejection of all objects
 * of a kind, an exhausted budget, a stop or a crash. Some sources are never read completely (an identity provider that
 * pushes, a list that cannot prove its end). For these, the first run without anything to create ends it.
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
    // A row without a key may stay in a file for months; all other rows were read.
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
