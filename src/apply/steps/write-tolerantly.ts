import type { WriteResult } from '../../service/answer.js';
import type { ProjectCreate } from '../../service/project-fields.js';
import { ServiceError } from '../../service/service-error.js';
import type { WireProject } from '../../service/wire.js';
import type { RefusedField } from '../step.js';

export type ProjectBody = ProjectCreate;

/** @param id id of the project, if an earlier part of the same body has created it */
type Send = (body: ProjectBody, id: string | null) => Promise<WriteResult<WireProject>>;

export interface TolerantAnswer {
  /** null if the body contained only rejected fields. */
  readonly answer: WriteResult<WireProject> | null;
  readonly refusals: readonly RefusedField[];
}

/**
 * Sends a project's body. If one field makes the service reject the entire body, the rest is sent without this field:
 *
 * | rejected with | and the body has    | the rest is sent without                                             |
 * |---------------|---------------------|----------------------------------------------------------------------|
 * | 403           | a workflow stage    | the stage: `live` needs the publish permission (spec, States)        |
 * | 403           | custom fields       | them: they may not be enabled for the account (Custom fields 6)      |
 * | 404, 422      | custom fields       | them: an unknown name or an invalid value (1–5); then each alone     |
 * | anything else |                     | nothing: the error is thrown                                         |
 *
 * This is a fallback for cases that planning cannot foresee, because it takes additional calls.
 */
export async function writeTolerantly(body: ProjectBody, send: Send): Promise<TolerantAnswer> {
  try {
    return { answer: await send(body, null), refusals: [] };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const { workflow_stage: stage, custom_fields: fields = [], ...plain } = body;
    if (error.status === 403 && stage !== undefined) {
      const rest = fields.length === 0 ? plain : { ...plain, custom_fields: fields };
      const written = await writeRest(rest, send);
      return { ...written, refusals: [{ field: 'workflow_stage', error }, ...written.refusals] };
    }
    if (![403, 404, 422].includes(error.status ?? 0) || fields.length === 0) throw error;
    const rest = stage === undefined ? plain : { ...plain, workflow_stage: stage };
    return writeFields(fields, await writeRest(rest, send), error, send);
  }
}

async function writeRest(rest: ProjectBody, send: Send): Promise<TolerantAnswer> {
  return Object.keys(rest).length === 0 ? { answer: null, refusals: [] } : writeTolerantly(rest, send);
}

type CustomFieldBody = NonNullable<ProjectBody['custom_fields']>;

/** Sends the fields one by one, so that only the wrong field is held. A 403 applies to all fields. */
async function writeFields(
  fields: CustomFieldBody,
  written: TolerantAnswer,
  error: ServiceError,
  send: Send,
): Promise<TolerantAnswer> {
  const refuse = (name: string, why: ServiceError): RefusedField => ({ field: `custom_fields.${name}`, error: why });
  if (fields.length === 1 || error.status === 403) {
    return { ...written, refusals: [...written.refusals, ...fields.map(({ name }) => refuse(name, error))] };
  }
  let { answer } = written;
  const refusals = [...written.refusals];
  for (const field of fields) {
    try {
      answer = await send({ custom_fields: [field] }, answer?.value.id ?? null);
    } catch (why) {
      if (!(why instanceof ServiceError) || ![403, 404, 422].includes(why.status ?? 0)) throw why;
      refusals.push(refuse(field.name, why));
    }
  }
  return { answer, refusals };
}
