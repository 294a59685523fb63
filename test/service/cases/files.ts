import type { ServiceFile } from '../../../src/service/service-file.js';
import type { CallCase } from './call-case.js';

async function readText(opening: Promise<ServiceFile>): Promise<{ text: string; type: string | null }> {
  const file = await opening;
  const chunks: Uint8Array[] = [];
  for await (const chunk of file.bytes) chunks.push(chunk);
  return { text: Buffer.concat(chunks).toString('utf8'), type: file.contentType };
}

const pdf = { text: '%PDF', headers: { 'content-type': 'application/pdf' } };
const read = { text: '%PDF', type: 'application/pdf' };
const started = { _id: 'r1', state: 'started', percent_complete: 0, cv_report: { url: null } };

export const FILE_CASES: readonly CallCase[] = [
  {
    name: 'startCvReport',
    make: (s) =>
      s.reader.reports.startCvReport({
        type: 'languages',
        officeIds: ['o1'],
        must: [{ query: { value: 'dam' } }],
        languages: ['en', 'no'],
      }),
    line: 'POST /api/v2/cv-report?encoding=UTF-8&output_format=csv&report_type=languages&lang%5B%5D=en&lang%5B%5D=no&use_legacy_codes=false',
    body: { office_ids: ['o1'], must: [{ query: { value: 'dam' } }] },
    reply: { body: started },
    gives: { id: 'r1', state: 'started', percent: 0, url: null },
  },
  {
    name: 'getCvReport',
    make: (s) => s.reader.reports.getCvReport('r1'),
    line: 'GET /api/v2/cv-report/r1',
    reply: {
      body: { _id: 'r1', state: 'finished', percent_complete: 100, cv_report: { url: 'https://f.example.com/r' } },
    },
    gives: { state: 'finished', percent: 100, url: 'https://f.example.com/r' },
  },
  {
    name: 'startProjectReport',
    make: (s) =>
      s.reader.reports.startProjectReport({ stage: 'draft', owned: false, offset: 0, size: 50, format: 'xlsx' }),
    line: 'POST /api/v4/references/reports?use_legacy_codes=false',
    body: { offset: 0, size: 50, workflow_stage_filter: 'draft', filter_owned: false, output_format: 'xlsx' },
    reply: { body: { id: 'r2', state: 'started', percentProcessed: 10, file: { url: null } } },
    gives: { id: 'r2', state: 'started', percent: 10, url: null },
  },
  {
    name: 'getProjectReport',
    make: (s) => s.reader.reports.getProjectReport('r2'),
    line: 'GET /api/v4/references/reports/r2',
    reply: { body: { id: 'r2', state: 'finished', percentProcessed: 100, file: { url: '/files/r2?sig=1' } } },
    gives: { state: 'finished', percent: 100, url: '/files/r2?sig=1' },
  },
  {
    name: 'downloadCv',
    make: (s) =>
      readText(s.reader.documents.downloadCv({ userId: 'u1', cvId: 'v1' }, { language: 'en', filetype: 'pdf' })),
    line: 'GET /api/v1/cvs/download/u1/v1/en/pdf?use_legacy_codes=false',
    reply: pdf,
    gives: read,
  },
  {
    name: 'downloadCvFromTemplate',
    make: (s) =>
      readText(
        s.reader.documents.downloadCvFromTemplate(
          { userId: 'u1', cvId: 'v1' },
          { language: 'no', filetype: 'docx', templateId: 't1' },
        ),
      ),
    line: 'GET /api/v1/cvs/download/u1/v1/no/docx/t1?use_legacy_codes=false',
    reply: pdf,
    gives: read,
  },
  {
    name: 'downloadProject',
    make: (s) =>
      readText(
        s.reader.documents.downloadProject(
          { customerId: 'c1', projectId: 'p1' },
          { language: 'en', filetype: 'pptx', templateId: 't1' },
        ),
      ),
    line: 'GET /api/v1/reference_projects/download/c1/p1/en/pptx/t1?use_legacy_codes=false',
    reply: pdf,
    gives: read,
  },
  {
    name: 'downloadProposalProject',
    make: (s) =>
      readText(
        s.reader.documents.downloadProposalProject('o1', 'p2', { language: 'en', filetype: 'pdf', templateId: 't1' }),
      ),
    line: 'GET /api/v1/proposal_reference_projects/download/en/proposals/o1/reference_projects/p2/pdf/t1?use_legacy_codes=false',
    reply: pdf,
    gives: read,
  },
];
