import { ENTITIES, type Entity, TRAITS } from './entity.js';
import { FIELDS } from './fields.js';

/** Code of a hold on a record that needs an answer in the configuration. The record itself is not at fault. */
export const QUESTION_OPEN = 'SYNC_QUESTION_OPEN';

/** A setting that is missing in the configuration and must be known before objects can be created. */
export interface ConfigQuestion {
  /** Such as `users.leaver` or `users.fields.office`. */
  readonly setting: string;
  /** The field that the service needs to create the object; null if the question asks who has left or has not started yet. */
  readonly field: string | null;
  readonly reason: string;
  /** Set if the question concerns only rows for which `users.doubtful` is true. */
  readonly ofDoubtful?: true;
  /** The records that wait until the question is answered: `new users`. */
  readonly waits: string;
  /** The edit to the configuration that answers the question. */
  readonly remedy: string;
}

/** The part of a mapping that can raise questions. */
export interface QuestionedMapping {
  readonly fields: Readonly<Record<string, unknown>>;
  /** The rules about people that the configuration declares `unknown`. */
  readonly unknown?: readonly UnknownRule[];
  readonly doubtful?: string | undefined;
}

/** The rules in the order in which their questions are asked. */
export const UNKNOWN_RULES = ['leaver', 'joiner'] as const;
export type UnknownRule = (typeof UNKNOWN_RULES)[number];

const WHO: Readonly<Record<UnknownRule, Pick<ConfigQuestion, 'reason' | 'remedy'>>> = {
  leaver: {
    reason: 'The configuration does not say which rows are people who have left (`users.leaver: unknown`).',
    remedy:
      'Write `leaver: { when: … }` under `users` with the condition for it, or `leaver: none` if the source does not show it.',
  },
  joiner: {
    reason: 'The configuration does not say which rows are people who start later (`users.joiner: unknown`).',
    remedy:
      'Write `joiner: { start: … }` under `users` with the first day of work, or `joiner: none` if the source does not show it.',
  },
};

const DOUBTFUL: Omit<ConfigQuestion, 'setting'> = {
  field: null,
  ofDoubtful: true,
  reason: 'No one has decided if these rows are colleagues (`users.doubtful` is true for them).',
  waits: 'new people and reactivations for which it is true',
  remedy: 'If they are colleagues, remove `users.doubtful`. If not, negate its condition and add it to `users.scope`.',
};

export function listQuestions(
  entity: Entity,
  { fields, unknown = [], doubtful }: QuestionedMapping,
): readonly ConfigQuestion[] {
  return [
    ...unknown.map((rule) => ({
      setting: `${entity}.${rule}`,
      field: null,
      waits: 'new people and reactivations',
      ...WHO[rule],
    })),
    ...(doubtful === undefined ? [] : [{ setting: `${entity}.doubtful`, ...DOUBTFUL }]),
    ...listUnmapped(entity, fields).map((field) => ({
      setting: `${entity}.fields.${field}`,
      field,
      reason: `\`${entity}.fields.${field}\` is not mapped, and the service creates no ${TRAITS[entity].singular} without it.`,
      waits: `new ${entity.replaceAll('_', ' ')}`,
      remedy: `Add \`${field}: …\` to \`${entity}.fields\`.`,
    })),
  ];
}

/** Lists the unmapped fields that the service needs to create an object. */
export function listUnmapped(entity: Entity, fields: Readonly<Record<string, unknown>>): readonly string[] {
  return Object.entries(FIELDS[entity]).flatMap(([name, { required }]) =>
    required === true && !(name in fields) ? [name] : [],
  );
}

/** Lists the questions of all mapped entities. */
export function listAllQuestions(
  mappings: Readonly<Partial<Record<Entity, QuestionedMapping>>>,
): readonly ConfigQuestion[] {
  return ENTITIES.flatMap((entity) => {
    const mapping = mappings[entity];
    return mapping === undefined ? [] : listQuestions(entity, mapping);
  });
}
