import { describe, expect, test } from 'vitest';
import { sweep } from '../../depth.js';
import { findProject, findUser, openService, type Service } from './open-service.js';

async function listPaths(service: Service) {
  const [anna, project] = [await findUser(service, 'E1'), await findProject(service, 'P1')];
  const offer = await service.send('POST', '/api/v2/offers/', { offer: { name: 'X' } });
  const reference = { company_customer_id: project.company_customer_id, company_project_id: project.id };
  const tailored = await service.send('POST', `/api/v1/offers/${offer.body._id}/references`, { reference });
  const cv = `/api/v1/cvs/download/${anna.id}/${anna.default_cv_id}`;
  return {
    cv: `${cv}/int/pdf`,
    cvWithTemplate: `${cv}/int/docx/t1`,
    project: `/api/v1/reference_projects/download/${project.company_customer_id}/${project.id}/int/pptx/t1`,
    tailored: `/api/v1/proposal_reference_projects/download/int/proposals/${offer.body._id}/reference_projects/${tailored.body.id}/pdf/t1`,
  };
}

/** Slightly more than the two seconds that the download rate requires between documents. */
const pause = ({ control }: Service) => control('POST', 'clock', { advance_ms: 2100 });

describe('Document export', () => {
  test('all four return the raw bytes of the document', async () => {
    const service = await openService();
    const office = 'application/vnd.openxmlformats-officedocument';
    const types: Readonly<Record<string, string>> = {
      cv: 'application/pdf',
      cvWithTemplate: `${office}.wordprocessingml.document`,
      project: `${office}.presentationml.presentation`,
      tailored: 'application/pdf',
    };
    for (const [name, path] of Object.entries(await listPaths(service))) {
      const { status, headers } = await service.send('GET', path);
      expect([path, status, headers.get('content-type')]).toEqual([path, 200, types[name]]);
      await pause(service);
    }
  });

  sweep('Errors 404: unknown records', async () => {
    const service = await openService();
    const anna = await findUser(service, 'E1');
    const paths = await listPaths(service);
    const unknown = [
      paths.cv.replace(anna.default_cv_id, 'nope'),
      paths.cvWithTemplate.replace(anna.id, 'nope'),
      paths.project.replace(/projects\/download\/\w+/, 'projects/download/nope'),
      paths.tailored.replace(/reference_projects\/\w+\/pdf/, 'reference_projects/nope/pdf'),
      paths.tailored.replace(/proposals\/\w+/, 'proposals/nope'),
    ];
    for (const path of unknown) expect([path, (await service.send('GET', path)).status]).toEqual([path, 404]);
  });

  sweep('filetype is pdf, docx or pptx; the language follows the active code mode', async () => {
    const service = await openService();
    const { cv } = await listPaths(service);
    expect((await service.send('GET', cv.replace('/pdf', '/odt'))).status).toBe(400);
    expect((await service.send('GET', cv.replace('/int/', '/en/'))).status).toBe(400);
    expect((await service.send('GET', `${cv}?use_legacy_codes=false`)).status).toBe(400);
    expect((await service.send('GET', `${cv.replace('/int/', '/en/')}?use_legacy_codes=false`)).status).toBe(200);
  });

  test('Authentication 3: lets limited_access and external users download only their own CV', async () => {
    const service = await openService();
    const [bjorn, { cv }] = [await findUser(service, 'E2'), await listPaths(service)];
    expect((await service.send('GET', cv, undefined, { key: 'limited' })).status).toBe(403);
    const own = `/api/v1/cvs/download/${bjorn.id}/${bjorn.default_cv_id}/int/pdf`;
    expect((await service.send('GET', own, undefined, { key: 'limited' })).status).toBe(200);
  });

  test('Limits: allows 1 request every 2 seconds, with Retry-After in full seconds', async () => {
    const service = await openService();
    const { cv, project } = await listPaths(service);
    expect((await service.send('GET', cv)).status).toBe(200);
    const refused = await service.send('GET', project);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, expect.stringMatching(/^[12]$/)]);
    await pause(service);
    expect((await service.send('GET', project)).status).toBe(200);
  });

  sweep('Limits: allows up to 10 per minute', async () => {
    const service = await openService();
    const { cv } = await listPaths(service);
    for (let count = 0; count < 10; count += 1) {
      expect((await service.send('GET', cv)).status).toBe(200);
      await pause(service);
    }
    const refused = await service.send('GET', cv);
    expect([refused.status, Number(refused.headers.get('retry-after'))]).toEqual([429, expect.any(Number)]);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(20);
    await service.control('POST', 'clock', { advance_ms: 60_000 });
    expect((await service.send('GET', cv)).status).toBe(200);
  });

  sweep('Limits: applies the rate to downloads only', async () => {
    const service = await openService();
    const { cv } = await listPaths(service);
    await service.send('GET', cv);
    expect((await service.send('GET', '/api/v1/countries')).status).toBe(200);
  });
});
