import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Endpoint } from '../../src/service/endpoint.js';
import { ENDPOINTS } from '../../src/service/endpoints.js';
import { CV_CASES } from './cases/cvs.js';
import { FILE_CASES } from './cases/files.js';
import { PEOPLE_CASES } from './cases/people.js';
import { PROJECT_CASES } from './cases/projects.js';
import { PROPOSAL_CASES } from './cases/proposals.js';
import { TAG_CASES } from './cases/tags.js';
import { createDesk } from './desk.js';

const cases = [...PEOPLE_CASES, ...TAG_CASES, ...PROJECT_CASES, ...CV_CASES, ...PROPOSAL_CASES, ...FILE_CASES];
const rows: readonly (readonly [string, Endpoint])[] = Object.entries(ENDPOINTS);

describe('the table of endpoints', () => {
  const formatRow = ({ method, path }: Endpoint): string => `${method} ${path}`;

  it('lists every endpoint of the specification once, and no others', () => {
    const listed = readFileSync(new URL('../contract/service/endpoints.tsv', import.meta.url), 'utf8')
      .trim()
      .split('\n')
      .slice(1)
      .map((line) => line.split('\t').slice(1).join(' '));
    expect(listed).toHaveLength(88);
    expect(rows.map(([, row]) => formatRow(row)).toSorted()).toEqual(listed.toSorted());
  });

  it('has a function for every endpoint, which is called here', () => {
    expect(cases.map((one) => one.name).toSorted()).toEqual(rows.map(([name]) => name).toSorted());
  });

  it('defines for each write how to handle a lost answer, and repeats no creates', () => {
    const by = (repeat: Endpoint['repeat']): string[] =>
      rows.filter(([, row]) => row.kind === 'write' && row.repeat === repeat).map(([name]) => name);
    const { method: post }: Endpoint = ENDPOINTS.createUser;
    const repeatedPosts = rows.filter(([, row]) => row.method === post && row.repeat === 'idempotent');
    expect(repeatedPosts.map(([name]) => name)).toEqual([
      'searchCvs',
      'addCvTag',
      'searchProjects',
      'startProjectReport',
      'startCvReport',
    ]);
    expect(by('hold')).toEqual(['importUsers']);
    expect(by('probe')).toEqual(expect.arrayContaining(['updateCvSection', 'deleteTags', 'linkConsultants']));
    expect(by('probe')).toHaveLength(22);
  });

  it('counts only document exports as downloads', () => {
    expect(rows.filter(([, row]) => row.family === 'download').map(([name]) => name)).toEqual([
      'downloadCv',
      'downloadCvFromTemplate',
      'downloadProject',
      'downloadProposalProject',
    ]);
  });

  it('counts searches and reports as the only reads by POST', () => {
    const posted = rows.filter(([, row]) => row.kind === 'read' && row.method !== 'GET').map(([name]) => name);
    expect(posted).toEqual(['searchCvs', 'searchProjects', 'startProjectReport', 'startCvReport']);
    expect(rows.filter(([, row]) => row.kind === 'write' && row.method === 'GET')).toEqual([]);
  });
});

describe('calls', () => {
  for (const { name, make, line, body, reply, gives } of cases) {
    it(`${name} sends ${line?.split('?')[0] ?? 'nothing'}`, async () => {
      const { service, sent, clock } = createDesk(reply ?? {});
      const value = await clock.run(make(service));
      expect(sent).toEqual(line === null ? [] : [{ line, body }]);
      if (gives === undefined) return;
      if (typeof gives === 'object' && gives !== null) expect(value).toMatchObject(gives);
      else expect(value).toEqual(gives);
    });
  }

  it('never send an empty or dotted identifier, which would name another endpoint', async () => {
    for (const id of ['', '.', '..']) {
      const { service, sent } = createDesk();
      await expect(service.writer.users.delete(id)).rejects.toMatchObject({ code: 'SYNC_INTERNAL' });
      expect(sent).toEqual([]);
    }
  });
});
