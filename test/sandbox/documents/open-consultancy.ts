import { expect } from 'vitest';
import type { FixtureInput } from '../../../src/sandbox/fixture/fixture.js';
import { createSandbox } from '../../../src/sandbox/sandbox.js';
import { closeAfterTest } from '../../closing.js';
import { CONSULTANCY } from './consultancy.js';

const NOON = Date.parse('2026-03-02T12:00:00Z');

/** The consultancy with its downloads. Each comes more than a minute after the one before, because of the limit. */
export async function openConsultancy(fixture: FixtureInput = CONSULTANCY) {
  const sandbox = await createSandbox({ fixture, clock: { now: () => NOON, sleep: () => Promise.resolve() } });
  closeAfterTest(sandbox);
  const headers = { authorization: 'Bearer admin' };
  let now = NOON;

  async function read<T>(path: string): Promise<T> {
    const reply = await fetch(`${sandbox.url}${path}`, { headers });
    expect([path, reply.status]).toEqual([path, 200]);
    return (await reply.json()) as T;
  }

  async function fetchFile(path: string) {
    now += 70_000;
    sandbox.setClock(now);
    const reply = await fetch(`${sandbox.url}${path}?use_legacy_codes=false`, { headers });
    return { status: reply.status, headers: reply.headers, bytes: Buffer.from(await reply.arrayBuffer()) };
  }

  interface Known {
    readonly id: string;
    readonly email: string;
    readonly default_cv_id: string;
    readonly company_customer_id: string;
  }

  async function findCv(name: string): Promise<string> {
    const user = await read<Known>(`/api/v1/users/find?email=${name}@example.com`);
    return `/api/v1/cvs/download/${user.id}/${user.default_cv_id}`;
  }

  return {
    sandbox,
    read,
    fetchFile,
    /** @param name the part before the @ of the address */
    downloadCv: async (name: string, language: string, filetype: string, template = '') =>
      fetchFile(`${await findCv(name)}/${language}/${filetype}${template && `/${template}`}`),
    async downloadProject(language: string, filetype: string, template = 'account-look') {
      const project = await read<Known>('/api/v2/company/cv/projects/find?external_unique_id=P1');
      const path = `/api/v1/reference_projects/download/${project.company_customer_id}/${project.id}`;
      return fetchFile(`${path}/${language}/${filetype}/${template}`);
    },
  };
}
