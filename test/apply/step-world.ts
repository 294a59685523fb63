import { buildSteps } from '../../src/apply/calls.js';
import { judgeLook } from '../../src/apply/judge-look.js';
import type { CallContext, Step } from '../../src/apply/step.js';
import type { Entity } from '../../src/model/entity.js';
import type { Observed } from '../../src/model/observed.js';
import type { Change } from '../../src/model/plan.js';
import { ServiceError } from '../../src/service/service-error.js';
import { directoryOf, type Names } from '../samples.js';

/** Answers by the name of the call; `undefined` is an empty answer. A function may throw. */
type Answers = Readonly<Record<string, unknown>>;

export interface World {
  readonly writes?: Answers;
  readonly reads?: Answers;
  readonly mirror?: readonly Observed[];
  /** From an object, such as `customers:c2`, to the record it is linked to. */
  readonly linked?: Readonly<Record<string, string>>;
  readonly names?: Names;
  readonly showsUserTags?: boolean;
}

export const NAMES: Names = {
  countries: ['no'],
  offices: ['no/oslo', 'no/bergen'],
  categories: ['unit'],
  tags: ['unit/north', 'unit/south'],
  emails: ['jane@x.test', 'joe@x.test'],
  projects: ['P1'],
  customers: ['C1'],
};

/** Records every call with its arguments, and answers from the table. */
function recorder(answers: Answers, calls: string[], wrap: (value: unknown) => unknown, path = ''): unknown {
  return new Proxy(() => undefined, {
    get: (_, name) => recorder(answers, calls, wrap, path === '' ? String(name) : `${path}.${String(name)}`),
    apply(_, __, args: readonly unknown[]) {
      calls.push(`${path} ${JSON.stringify(args.filter((one) => one !== undefined))}`);
      const answer = answers[path];
      return wrap(typeof answer === 'function' ? (answer as (...all: readonly unknown[]) => unknown)(...args) : answer);
    },
  });
}

function open({ writes = {}, reads = {}, mirror = [], linked = {}, names = NAMES, showsUserTags = true }: World) {
  const calls: string[] = [];
  async function* page(rows: unknown): AsyncGenerator<unknown> {
    yield rows;
  }
  const directory = directoryOf(names);
  const byId = (id: string) => {
    const [category = '', tag = ''] = id.slice(2).split('/');
    return { category, tag };
  };
  const context = {
    writer: recorder(writes, calls, async (value) => ({
      value: value ?? null,
      requestId: 'q1',
      status: 200,
      attempts: 1,
    })),
    reader: recorder(reads, calls, (value) =>
      Array.isArray(value) && value[0] === 'pages' ? page(value[1]) : Promise.resolve(value ?? null),
    ),
    directory: { ...directory, showsUserTags, tagById: byId },
    mirrored: (entity: Entity, id: string) => mirror.find((one) => one.entity === entity && one.id === id) ?? null,
    cvIds: new Map(),
    linkedKey: (entity: Entity, id: string) => linked[`${entity}:${id}`] ?? null,
    notify: { create: false, reactivate: false, staffing: false },
    conflicts: 'source',
  } as unknown as CallContext;
  return { context, calls };
}

export const pages = (...rows: readonly object[]): readonly unknown[] => ['pages', rows];

export function refused(status: number): ServiceError {
  return new ServiceError({
    ...{ code: 'SYNC_SERVICE_REFUSED', message: `it said ${status}`, method: 'PUT', path: '/api/x', status },
    ...{ baseUrl: 'https://acme.example.com', fault: 'status', outcome: 'refused' },
  });
}
export const failing = (status: number) => () => {
  throw refused(status);
};

export function stepsOf(change: Change, world: World) {
  const { context, calls } = open(world);
  return { steps: buildSteps(change, context), calls, context };
}

export function only(change: Change, world: World): { readonly step: Step; readonly calls: string[] } {
  const { steps, calls } = stepsOf(change, world);
  const [step] = steps;
  if (step === undefined || steps.length > 1) throw new Error(`${steps.length} steps`);
  return { step, calls };
}

/** Returns the result of a look after a lost answer. */
export async function look(change: Change, world: World) {
  const { step, calls } = only(change, world);
  const found = await step.probe();
  const judged = judgeLook(change, step, { object: found, shown: found }, () => null);
  return { judged, calls };
}
