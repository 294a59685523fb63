import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect } from 'vitest';
import { buildOpenApi } from '../../../src/sandbox/control/openapi/build-openapi.js';
import { ROUTES } from '../../../src/sandbox/routes/table.js';

const ajv = new Ajv2020({ strict: false, validateFormats: false });
ajv.addSchema(buildOpenApi(ROUTES), 'service');

/** An answer with its route. */
interface GivenAnswer {
  readonly method: string;
  readonly route: string;
  readonly status: number;
  readonly body: unknown;
}

/** Checks that the OpenAPI document describes each JSON answer of a contract test. */
export function expectDescribed({ method, route, status, body }: GivenAnswer): void {
  if (!ROUTES.some((one) => one.method === method && one.path === route)) return;
  const place = route.replaceAll(/:(\w+)/g, '{$1}').replaceAll('/', '~1');
  const pointer =
    status < 300
      ? `/paths/${place}/${method.toLowerCase()}/responses/${status}/content/application~1json/schema`
      : '/components/schemas/Refused';
  const validate = ajv.getSchema(`service#${encodeURI(pointer)}`);
  expect([method, route, status, typeof validate]).toEqual([method, route, status, 'function']);
  const isValid = validate?.(body) === true;
  expect([method, route, status, isValid ? [] : validate?.errors]).toEqual([method, route, status, []]);
}
