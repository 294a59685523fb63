import { withValues } from '../../mirror/observe.js';
import { observeEntry } from '../../mirror/observe-parts.js';
import type { Json } from '../../model/json.js';
import type { Observed } from '../../model/observed.js';
import type { Change } from '../../model/plan.js';
import {
  areSlotsDone,
  type Entry,
  type EntryChange,
  type EntryText,
  readEntries,
  readSlots,
} from '../../reconcile/fields/entries.js';
import type { WriteResult } from '../../service/answer.js';
import type { EndpointName } from '../../service/endpoints.js';
import type { ProjectEntriesWriter } from '../../service/project-entries.js';
import type { ServiceWriter } from '../../service/talent-service.js';
import type { WireProjectEntry } from '../../service/wire-project-parts.js';
import { needId } from '../resolve-ids.js';
import { type CallContext, type Step, type StepResult, sendDeletion } from '../step.js';

interface EntryKindCalls {
  readonly field: string;
  readonly create: EndpointName;
  readonly update: EndpointName;
  readonly delete: EndpointName;
  readonly writer: (projects: ServiceWriter['projects']) => ProjectEntriesWriter;
}

/** Three kinds of project entries with the same behaviour. */
const KINDS: readonly EntryKindCalls[] = [
  {
    field: 'project_challenges',
    create: 'createProjectChallenge',
    update: 'updateProjectChallenge',
    delete: 'deleteProjectChallenge',
    writer: ({ challenges }) => challenges,
  },
  {
    field: 'project_solutions',
    create: 'createProjectSolution',
    update: 'updateProjectSolution',
    delete: 'deleteProjectSolution',
    writer: ({ solutions }) => solutions,
  },
  {
    field: 'customer_value_propositions',
    create: 'createValueProposition',
    update: 'updateValueProposition',
    delete: 'deleteValueProposition',
    writer: ({ valuePropositions }) => valuePropositions,
  },
];

interface Work {
  readonly kind: EntryKindCalls;
  readonly slot: EntryChange;
  readonly name: string;
  /**
   * `fill` updates the empty entry of a new project. The id of this entry is only known after the project is created
   * (spec, Project rules 2).
   */
  readonly how: 'create' | 'update' | 'delete' | 'fill';
}

function listWork(change: Change): readonly Work[] {
  return KINDS.flatMap((kind) =>
    readSlots(change.before[kind.field], change.after[kind.field]).map((slot, index): Work => {
      const name = `${kind.field} ${index + 1}`;
      if (slot.after === null) return { kind, slot, name, how: 'delete' };
      if (slot.before !== null) return { kind, slot, name, how: 'update' };
      return { kind, slot, name, how: change.action === 'create' && index === 0 ? 'fill' : 'create' };
    }),
  );
}

export function entryEndpoints(change: Change): readonly EndpointName[] {
  return listWork(change).map(({ kind, how }) => (how === 'fill' ? kind.update : kind[how]));
}

export function buildEntrySteps(
  change: Change,
  customerId: string,
  context: CallContext,
  look: Pick<Step, 'probe' | 'seenBy'>,
): readonly Step[] {
  return listWork(change).map(({ kind, slot, name, how }) => ({
    name,
    endpoint: how === 'fill' ? kind.update : kind[how],
    repeat: how === 'create' ? 'probe' : 'idempotent',
    async send(previous) {
      const projectId = needId(change.target ?? previous?.id ?? null, 'The project');
      const known = needId(previous ?? context.mirrored('projects', projectId), 'The project');
      const writer = kind.writer(context.writer.projects);
      const there = readEntries(known.values[kind.field]);
      const id = slot.before?.id ?? (how === 'fill' ? there.find(isBlank)?.id : undefined);
      const project = { customerId, projectId };
      if (slot.after === null) {
        const sent = await sendDeletion(() => writer.delete(project, id ?? ''));
        const left = there.filter((entry) => entry.id !== id);
        return { ...sent, observed: withEntries(known, kind, left) };
      }
      const answer =
        id === undefined
          ? await writer.create(project, {
              ...textsOf(slot.after),
              value: textsOf(slot.after).value ?? {},
              disabled: false,
            })
          : await writer.update(project, id, textsOf(slot.after));
      return answerWith(answer, known, kind, there);
    },
    ...look,
    happened: ({ values }) => values[kind.field] !== undefined && areSlotsDone([slot], readEntries(values[kind.field])),
  }));
}

function textsOf(after: Partial<EntryText>) {
  return after as {
    readonly value?: Readonly<Record<string, string>>;
    readonly label?: Readonly<Record<string, string>>;
  };
}

/** Replaces the old entry in the known project, because the answer contains only the entry. */
function answerWith(
  { value, requestId, status }: WriteResult<WireProjectEntry>,
  known: Observed,
  kind: EntryKindCalls,
  there: readonly Entry[],
): StepResult {
  const entry = observeEntry(value) as unknown as Entry;
  const isNew = !there.some(({ id }) => id === entry.id);
  const list = isNew ? [...there, entry] : there.map((one) => (one.id === entry.id ? entry : one));
  return { observed: withEntries(known, kind, list), requestId, status };
}

function withEntries(known: Observed, { field }: EntryKindCalls, entries: readonly Entry[]): Observed {
  return withValues(known, { [field]: entries as unknown as Json });
}

function isBlank({ value, label }: Entry): boolean {
  return Object.keys(value).length === 0 && Object.keys(label ?? {}).length === 0;
}
