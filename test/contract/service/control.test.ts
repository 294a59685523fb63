import { readFileSync } from 'node:fs';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { CONTROL_ROUTES } from '../../../src/sandbox/control/control-routes.js';
import { sweep } from '../../depth.js';
import { ROOT } from '../../module-graph.js';
import { type Extra, findProject, findTags, findUser, openService, request } from './open-service.js';

const SEARCH = '/api/v2/users/search';

/** The part that tests by integrators rely on: docs/reference/sandbox.md, Control API. */
describe('control API', () => {
  test('needs the control key', async () => {
    const { base, send } = await openService();
    expect((await send('GET', '/__sandbox/calls')).status).toBe(401);
    const headers = { 'x-control-key': 'nope' };
    expect((await request(base, 'GET', '/__sandbox/calls', undefined, { key: null, headers })).status).toBe(401);
  });

  test('lists every call with its methods, and no others', () => {
    const page = readFileSync(join(ROOT, 'docs/reference/sandbox.md'), 'utf8')
      .split('\n## Control API\n')[1]
      ?.split('\n## ')[0];
    const listed = [...(page ?? '').matchAll(/^\| (`[^|]*) \|/gm)].flatMap(([, cell = '']) => {
      const words = cell.replaceAll('`', '').split(/, | (?=\/)/);
      return words.slice(0, -1).map((method) => `${method} ${words.at(-1)?.replaceAll(/<(\w+)>/g, ':$1')}`);
    });
    const served = CONTROL_ROUTES.map(([method, path]) => `${method} /__sandbox/${path}`);
    expect(listed.toSorted()).toEqual(served.toSorted());
  });

  test('accepts a given control key but not an empty one, and reports its health to anyone', async () => {
    const given = await openService({ controlKey: 'known' });
    expect([given.controlKey, (await given.control('GET', 'calls')).status]).toEqual(['known', 200]);
    expect((await openService({ controlKey: '' })).controlKey).toMatch(/^.{24}$/);
    const health = await request(given.base, 'GET', '/__sandbox/health', undefined, { key: null });
    expect([health.status, health.body]).toEqual([200, { status: 'ok' }]);
    expect((await given.control('GET', 'calls')).body.calls).toEqual([]);
  });

  test('fault drop_field: silently ignores a field', async () => {
    const service = await openService();
    const { id } = await findUser(service, 'E1');
    const path = `/api/v1/users/${id}`;
    await service.control('POST', 'faults', { kind: 'drop_field', path, fields: ['user.telephone'] });
    const reply = await service.send('PUT', path, { user: { telephone: '1', landline: '2' } });
    expect([reply.status, reply.body.telephone, reply.body.landline]).toEqual([200, null, '2']);
    const again = await service.send('PUT', path, { user: { telephone: '1' } });
    expect(again.body.telephone).toBe('1');
  });

  test('faults: sends 429 with and without Retry-After, and 5xx', async () => {
    const service = await openService();
    await service.control('POST', 'faults', [
      { kind: 'status', status: 429, retry_after: 3 },
      { kind: 'status', status: 429 },
      { kind: 'status', status: 502 },
    ]);
    const replies = [
      await service.send('GET', SEARCH),
      await service.send('GET', SEARCH),
      await service.send('GET', SEARCH),
      await service.send('GET', SEARCH),
    ];
    expect(replies.map(({ status, headers }) => [status, headers.get('retry-after')])).toEqual([
      [429, '3'],
      [429, null],
      [502, null],
      [200, null],
    ]);
  });

  sweep('settings: supports both meanings of after_id', async () => {
    const service = await openService();
    const [first, second] = (
      await service.send('GET', '/api/v1/users/changes?profile_updated_since=2020-01-01T00:00:00Z')
    ).body;
    expect(second.profile_updated_at).toBe(first.profile_updated_at);
    const since = encodeURIComponent(second.profile_updated_at);
    const path = `/api/v1/users/changes?profile_updated_since=${since}&after_id=${second.id}`;
    const ids = async () => (await service.send('GET', path)).body.map(({ id }: { id: string }) => id);
    expect(await ids()).toContain(first.id);
    expect((await service.control('POST', 'settings', { after_id: 'keyset' })).body.after_id).toBe('keyset');
    expect(await ids()).not.toContain(first.id);
    expect((await service.control('POST', 'settings', { after_id: 'maybe' })).status).toBe(400);
  });

  test('another client: a call with the control key is not logged, limited or faulty', async () => {
    const service = await openService({ rate: { requests: 1, per_seconds: 60 } });
    const hands = { key: null, headers: { 'x-control-key': service.controlKey } };
    await service.control('POST', 'faults', { kind: 'status', status: 500 });
    const { body } = await service.send('GET', SEARCH, undefined, hands);
    const path = `/api/v1/users/${body[0].id}`;
    expect((await service.send('PUT', path, { user: { name: 'Theirs' } }, hands)).status).toBe(200);
    expect((await service.control('GET', 'calls')).body).toEqual({ counts: {}, calls: [] });
    expect((await service.send('GET', SEARCH)).status).toBe(500);
    const mine = await service.send('GET', path);
    expect([mine.status, mine.body.name]).toEqual([200, 'Theirs']);
    expect((await service.control('GET', 'calls')).body.counts).toEqual({
      'GET /api/v1/users/:user_id': 1,
      'GET /api/v2/users/search': 1,
    });
  });

  sweep('somebody else downloads documents, reports and files, which take nothing from any limit', async () => {
    const service = await openService({ rate: { requests: 40, per_seconds: 3600 } });
    const hands = { key: null, headers: { 'x-control-key': service.controlKey } };
    const anna = await findUser(service, 'E1');
    const dam = await findProject(service, 'P1');
    const offer = await service.send('POST', '/api/v2/offers/', { offer: { name: 'Bid' } });
    const reference = { company_customer_id: dam.company_customer_id, company_project_id: dam.id };
    const tailored = await service.send('POST', `/api/v1/offers/${offer.body._id}/references`, { reference });
    const form = '--x\r\ncontent-disposition: form-data; name="file"; filename="a.txt"\r\n\r\na\r\n--x--\r\n';
    const raw = { text: form, type: 'multipart/form-data; boundary=x' };
    const { body: attached } = await service.send('POST', `${dam.path}/attachments`, undefined, { raw });
    const cv = `/api/v1/cvs/download/${anna.id}/${anna.default_cv_id}/int/pdf`;
    const documents = [
      cv,
      `${cv}/t1`,
      `/api/v1/reference_projects/download/${dam.company_customer_id}/${dam.id}/int/pdf/t1`,
      `/api/v1/proposal_reference_projects/download/int/proposals/${offer.body._id}/reference_projects/${tailored.body.id}/pdf/t1`,
    ];
    await service.control('DELETE', 'calls');
    const free = async (method: string, path: string, body?: object, extra: Extra = hands) => {
      const reply = await service.send(method, path.replace(service.base, ''), body, extra);
      expect([path, reply.status]).toEqual([path, 200]);
      return reply.body;
    };
    const finish = (path: string) =>
      vi.waitFor(async () => {
        const report = await free('GET', path);
        expect(report.state).toBe('finished');
        return report;
      }, 10_000);

    for (const path of documents) await free('GET', path);
    const cvs = await free('POST', '/api/v2/cv-report?output_format=csv&report_type=user_report', {});
    await free('GET', (await finish(`/api/v2/cv-report/${cvs._id}`)).cv_report.url);
    const references = await free('POST', '/api/v4/references/reports', { output_format: 'csv' });
    const { file } = await finish(`/api/v4/references/reports/${references._id}`);
    await free('GET', file.url);
    await free('GET', attached.url);
    // A client may send its key to a signed link, where nobody reads it.
    await free('GET', file.url, undefined, { ...hands, key: 'nobody' });

    expect((await service.control('GET', 'calls')).body).toEqual({ counts: {}, calls: [] });
    // The download rate has room for one document, whatever somebody else had.
    expect((await service.send('GET', cv)).status).toBe(200);
    expect((await service.send('GET', cv)).status).toBe(429);
    await free('GET', cv);
  });

  sweep('records: what no call can change', async () => {
    const service = await openService();
    const anna = await findUser(service, 'E1');
    const path = `records/users/${anna.id}`;
    expect((await service.control('PATCH', path, { twitter: '@anna', profile_updated_at: 1_600_000_000 })).status).toBe(
      200,
    );
    expect(await findUser(service, 'E1')).toMatchObject({
      twitter: '@anna',
      profile_updated_at: '2020-09-13T12:26:40Z',
    });
    expect((await service.control('PATCH', path, { nonsense: 1 })).status).toBe(400);
    expect((await service.control('PATCH', 'records/users/nope', {})).status).toBe(404);
    expect((await service.control('GET', 'records/nothing')).status).toBe(404);
    const { records } = (await service.control('GET', 'records/customers')).body;
    expect(records).toMatchObject([{ external_unique_id: 'C1' }]);
  });

  sweep('mails: offers an outbox that can be emptied', async () => {
    const service = await openService();
    const [{ path }, anna] = [await findProject(service, 'P1'), await findUser(service, 'E1')];
    await service.send('POST', `${path}/consultants`, { user_ids: [anna.id], notify_by_email: true });
    expect((await service.control('GET', 'mails')).body.mails).toHaveLength(1);
    expect((await service.control('DELETE', 'mails')).status).toBe(204);
    expect((await service.control('GET', 'mails')).body.mails).toEqual([]);
  });

  test('dump and load: copies the complete account with ids, versions, times and keys', async () => {
    const one = await openService();
    const anna = await findUser(one, 'E1');
    const { path } = await findProject(one, 'P1');
    const { unit, north } = await findTags(one);
    await one.send('POST', `${path}/consultants`, { user_ids: [anna.id], link_to_project: true });
    await one.send('POST', `${anna.cv}/custom_tags`, { custom_tag_category_id: unit, custom_tag_id: north });
    await one.send('POST', '/api/v2/offers/', { offer: { name: 'Bid' } });
    const dump = (await one.control('GET', 'dump')).body;

    const two = await openService({ fixture: { keys: [{ key: 'other', name: 'O', role: 'internationalmanager' }] } });
    expect((await two.control('PUT', 'dump', dump)).status).toBe(204);
    expect((await two.send('GET', SEARCH, undefined, { key: 'other' })).status).toBe(401);
    expect((await two.send('GET', anna.cv)).body).toEqual((await one.send('GET', anna.cv)).body);
    expect((await two.send('DELETE', path)).status).toBe(409);
    expect((await two.send('GET', '/api/v1/offers')).body).toHaveLength(1);
    const collections = (body: { collections: object }) => body.collections;
    expect(collections((await two.control('GET', 'dump')).body)).toEqual(collections(dump));
  });

  sweep('load: rejects an invalid dump with 400, and changes nothing', async () => {
    const service = await openService();
    expect((await service.control('PUT', 'dump', { form: 1 })).status).toBe(400);
    const dump = (await service.control('GET', 'dump')).body;
    const broken = { ...dump, collections: { ...dump.collections, things: [] } };
    expect((await service.control('PUT', 'dump', broken)).status).toBe(400);
    expect((await service.send('GET', SEARCH)).body).toHaveLength(4);
  });
});

describe('Users, CSV import: upload of a file by SFTP', () => {
  test('imports a file that arrives in the folder, and sets an unusable one aside', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'sandbox-import-'));
    try {
      const service = await openService({ importDir: folder });
      const text = 'email,external_unique_id,country_code,office_name,name\nnew@example.com,N1,no,Oslo,New\n';
      await writeFile(join(folder, 'users-2026-01-31.csv'), text);
      await writeFile(join(folder, 'bad.csv'), 'name\nNobody\n');
      await writeFile(join(folder, 'notes.txt'), 'not a delivery');
      await vi.waitFor(
        async () => expect((await service.send('GET', '/api/v1/users/find?external_unique_id=N1')).status).toBe(200),
        { timeout: 10_000, interval: 50 },
      );
      await vi.waitFor(async () => expect(await readdir(join(folder, 'refused'))).toEqual(['bad.csv']), 10_000);
      expect(await readdir(join(folder, 'taken'))).toEqual(['users-2026-01-31.csv']);
      expect(await readdir(folder)).toContain('notes.txt');
      await service.close();
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
