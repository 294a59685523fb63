import { observeSection } from '../../mirror/observe-cv.js';
import { idOfIn } from '../../model/directory.js';
import { isSection } from '../../model/entity.js';
import { type Json, textOf, type Values } from '../../model/json.js';
import type { Observed } from '../../model/observed.js';
import type { Change } from '../../model/plan.js';
import type { SectionType } from '../../model/sections.js';
import type { SectionFields, SectionUpdate } from '../../service/cv-sections.js';
import { ServiceError } from '../../service/service-error.js';
import { findCvKey, findOwner } from '../find-cv.js';
import { isSeen } from '../judge-look.js';
import { rebase } from '../rebase.js';
import { needId, resolveReference } from '../resolve-ids.js';
import {
  type ActionEndpoints,
  answerAs,
  type CallContext,
  type EntityCalls,
  type Step,
  type StepResult,
} from '../step.js';

const SECTION_ENDPOINTS: ActionEndpoints = { create: 'createCvSection', delete: 'deleteCvSection' };

export const SECTION_CALLS: EntityCalls = {
  endpoints: ({ action }) => [SECTION_ENDPOINTS[action] ?? 'updateCvSection'],
  build: buildSectionSteps,
};

function buildSectionSteps(change: Change, context: CallContext): readonly Step[] {
  const { entity, target } = change;
  if (!isSection(entity)) throw new Error(`${entity} are no sections`);
  if (target === null) return [buildCreate(entity, change, context)];
  return [
    change.action === 'delete' ? buildDelete(entity, target, context) : buildUpdate(entity, target, change, context),
  ];
}

function buildCreate(entity: SectionType, change: Change, context: CallContext): Step {
  const { writer, reader, directory } = context;
  const userId = resolveReference('users', change.after.user, directory);
  return {
    name: 'create',
    endpoint: 'createCvSection',
    repeat: 'probe',
    seenBy: 'getCv',
    async send() {
      const owner = await findOwner(userId, context);
      const answer = await writer.cvs.sections.create(owner, entity, bodyOf(change.after));
      return answerAs(answer, (section) => observeSection(entity, section, owner));
    },
    async probe() {
      const owner = await findOwner(userId, context);
      const external = textOf(change.after.external_unique_id);
      const list = (await reader.cvs.get(owner))?.[entity] ?? [];
      const found = list.find((section) => section.external_unique_id === external);
      return found === undefined ? null : observeSection(entity, found, owner);
    },
  };
}

function buildUpdate(entity: SectionType, target: string, change: Change, context: CallContext): Step {
  const look = (): Promise<Observed | null> => readSection(entity, target, context);
  return {
    name: 'update',
    endpoint: 'updateCvSection',
    // Repeating a successful update would send an old version, so the section is read first.
    repeat: 'probe',
    seenBy: 'getCvSection',
    async send(given) {
      const previous = needId(given ?? context.mirrored(entity, target), `The section ${target}`);
      try {
        return await sendUpdate(entity, previous, change.after, context);
      } catch (error) {
        if (!(error instanceof ServiceError) || error.status !== 409) throw error;
        const now = await look();
        if (now === null) throw error;
        const left = rebase(change, now, context.conflicts);
        if (Object.keys(left).length > 0) return sendUpdate(entity, now, left, context);
        return { observed: now, requestId: error.requestId, status: error.status };
      }
    },
    probe: look,
    happened: (found) => isSeen(change, found, idOfIn(context.directory)),
  };
}

async function sendUpdate(
  entity: SectionType,
  previous: Observed,
  after: Values,
  context: CallContext,
): Promise<StepResult> {
  const owner = findCvKey(previous, context);
  const body = { ...bodyOf(after), version: Number(previous.values.version ?? 0) } as SectionUpdate<SectionType>;
  const answer = await context.writer.cvs.sections.update(owner, entity, previous.id, body);
  return answerAs(answer, (section) => observeSection(entity, section, owner));
}

function buildDelete(entity: SectionType, target: string, context: CallContext): Step {
  return {
    name: 'delete',
    endpoint: 'deleteCvSection',
    repeat: 'idempotent',
    seenBy: 'getCvSection',
    deletes: true,
    async send(previous) {
      const owner = findCvKey(previous ?? context.mirrored(entity, target), context);
      return answerAs(await context.writer.cvs.sections.delete(owner, entity, target));
    },
    probe: () => readSection(entity, target, context),
  };
}

async function readSection(entity: SectionType, id: string, context: CallContext): Promise<Observed | null> {
  const owner = findCvKey(context.mirrored(entity, id), context);
  const section = await context.reader.cvs.sections.get(owner, entity, id);
  return section === null ? null : observeSection(entity, section, owner);
}

/** The path identifies the CV, so the body has no `user`. */
function bodyOf({ user: _, ...fields }: Values): SectionFields<SectionType> {
  return fields as Readonly<Record<string, Json>> as SectionFields<SectionType>;
}
