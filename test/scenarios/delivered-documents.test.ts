import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { sweep } from '../depth.js';
import { HOUR, person } from './company.js';
import { dailyAt } from './delivered.js';
import { DOWNLOAD, LOOK, openDocuments } from './delivered-documents.js';

describe('documents of CVs', () => {
  it('plans, delivers, audits and lists each document once, and delivers one again when its CV changed', async () => {
    const { story, documents, files, read, manifest, takeCalls, idOf } = await openDocuments([
      person('E1', { first: 'Anna', last: 'Lie' }),
      person('E2', { first: 'Åse', last: 'Økland' }),
    ]);
    await story.sync();
    documents();
    takeCalls();

    const planned = await story.plan();
    expect(planned.json.deliveries).toMatchObject([
      {
        report: 'cvs',
        of: 'cv documents',
        slot: null,
        missed: 0,
        documents: { listed: 2, due: 2, now: 2, seconds: 2 },
      },
    ]);
    expect(planned.json.cost).toMatchObject({
      writes: 0,
      seconds: 2,
      by_endpoint: {
        'POST /api/v4/search': 1,
        'GET /api/v1/cvs/download/{user_id}/{cv_id}/{language_code}/{filetype}': 2,
      },
    });
    expect([takeCalls(), files()]).toEqual([[LOOK], []]);

    const first = await story.sync();
    const ids = [await idOf('E1'), await idOf('E2')];
    const names = [`Anna Lie (${ids[0]}).pdf`, `Åse Økland (${ids[1]}).pdf`];
    expect(first).toMatchObject({ code: 0, json: { done: 0 } });
    expect(files()).toEqual(names);
    expect(takeCalls()).toEqual([LOOK, DOWNLOAD, DOWNLOAD]);
    expect(first.json.deliveries).toMatchObject([
      {
        report: 'cvs',
        status: 'delivered',
        documents: { to: join(story.folder, 'out'), delivered: 2, unchanged: 0, removed: 0, left: 0, failed: [] },
      },
    ]);
    const shas = names.map((name) => createHash('sha256').update(read(name)).digest('hex'));
    expect(
      read(names[0] ?? '')
        .subarray(0, 5)
        .toString(),
    ).toBe('%PDF-');
    expect(manifest().files.map(({ file, sha256 }) => [file, sha256])).toEqual(names.map((name, i) => [name, shas[i]]));

    const quiet = await story.sync();
    expect([quiet.code, quiet.json.deliveries, takeCalls()]).toEqual([0, undefined, [LOOK]]);
    expect((await story.plan()).json.deliveries).toBeUndefined();
    takeCalls();

    await story.editUser('E1', { title: { en: 'Architect' } });
    const before = read(names[1] ?? '');
    story.clock.advance(60_000);
    const changed = await story.sync();
    expect(changed.json.deliveries).toMatchObject([{ documents: { delivered: 1 }, files: [{ name: names[0] }] }]);
    expect(takeCalls()).toEqual([LOOK, DOWNLOAD]);
    expect(read(names[1] ?? '')).toEqual(before);

    const { stdout } = await story.type('audit', 'list', '--json');
    const told = (JSON.parse(stdout) as { entries: { kind: string }[] }).entries.filter(
      ({ kind }) => kind === 'document delivered',
    );
    expect(told).toMatchObject([
      { run: first.json.run, delivery: 'cvs', entity: 'users', target: ids[0], sha256: shas[0] },
      { run: first.json.run, target: ids[1], sha256: shas[1] },
      { run: changed.json.run, target: ids[0] },
    ]);
    expect((await story.verify()).json.ok).toBe(true);
  });
});

sweep('spreads a first load over several runs of a few documents, and reports its progress', async () => {
  const { story, documents, files, takeCalls } = await openDocuments(
    Array.from({ length: 3 }, (_, i) => person(`E${i}`)),
  );
  await story.sync();
  documents({ at_most: 2 });
  const { json } = await story.plan();
  expect(json.deliveries).toMatchObject([{ documents: { due: 3, now: 2, seconds: 2, secondsInAll: 4 } }]);
  expect((await story.type('plan')).stdout).toMatch(
    / {2}documents cvs \(cv documents\)\n {4}delivered by the next run: 2 of 3 documents due \(2 s; all of them 4 s\), 3 calls\n/,
  );
  takeCalls();
  for (const [there, left] of [
    [2, 1],
    [3, 0],
  ]) {
    story.clock.advance(60_000);
    const ran = await story.sync();
    expect([ran.code, files().length]).toEqual([0, there]);
    expect(ran.json.deliveries).toMatchObject([{ status: 'delivered', documents: { left } }]);
    const status = JSON.parse((await story.type('status', '--json')).stdout) as { deliveries: object[] };
    expect(status.deliveries).toMatchObject([
      { report: 'cvs', due: false, documents: { listed: 3, delivered: there, left, failing: 0 } },
    ]);
  }
  expect(takeCalls().filter((call) => call === DOWNLOAD)).toHaveLength(3);
  expect((await story.type('status')).stdout).toMatch(
    /cvs {2}3 documents delivered, the last on .*, checked in each run/,
  );
});

sweep('stops a first load at the call budget, and the run says that something is left', async () => {
  const { story, documents, files } = await openDocuments([person('E1'), person('E2'), person('E3')]);
  await story.sync();
  documents();
  story.configure({ call_budget: 5 });
  const { code, json } = await story.sync();
  expect([code, json.deliveries]).toMatchObject([3, [{ status: 'left', documents: { left: 3 - files().length } }]]);
  expect(files().length).toBeGreaterThan(0);
  story.configure({ call_budget: 5000 });
  story.clock.advance(60_000);
  expect((await story.sync()).code).toBe(0);
  expect(files()).toHaveLength(3);
});

sweep('keeps the limit of downloads in a first load: ten per minute, one per two seconds', async () => {
  const { story, documents, takeCalls } = await openDocuments(Array.from({ length: 12 }, (_, i) => person(`E${i}`)));
  await story.sync();
  documents();
  takeCalls();
  const before = story.clock.now();
  expect((await story.sync()).code).toBe(0);
  expect(takeCalls()).toEqual([LOOK, ...Array.from({ length: 12 }, () => DOWNLOAD)]);
  expect(story.clock.now() - before).toBeGreaterThanOrEqual(62_000);
});

describe('names of documents', () => {
  sweep('builds safe and distinct names for any person, in folders of the pattern only', async () => {
    const { story, documents, files, idOf } = await openDocuments([
      person('E1', { first: '../../etc', last: 'passwd' }),
      person('E2', { first: 'CON', last: '' }),
      person('E3', { first: 'Anna', last: 'Lie' }),
      person('E4', { first: 'ANNA', last: 'LIE' }),
      person('E5', { first: 'x'.repeat(150), last: 'Æ'.repeat(150) }),
      person('E6', { first: 'Bidi\u202E', last: 'fdp.exe' }),
      person('E7', { first: '日本', last: '太郎', office: 'Bergen' }),
    ]);
    await story.sync();
    documents({ deliver: { drop: './out', name: '{country}/{office}/{name}.pdf' } });
    expect((await story.sync()).code).toBe(0);
    const [first, second] = [await idOf('E3'), await idOf('E4')];
    const [plain, other] = first < second ? ['Anna Lie', `ANNA LIE (${second})`] : ['ANNA LIE', `Anna Lie (${first})`];
    expect(files()).toEqual(
      [
        `no/Bergen/日本 太郎.pdf`,
        `no/Oslo/_.._.._etc passwd.pdf`,
        `no/Oslo/_CON.pdf`,
        `no/Oslo/${plain}.pdf`,
        `no/Oslo/${other}.pdf`,
        `no/Oslo/Bidi fdp.exe.pdf`,
        `no/Oslo/${'x'.repeat(150)} ${'Æ'.repeat(14)}.pdf`,
      ].sort(),
    );
    story.clock.advance(60_000);
    expect((await story.sync()).json.deliveries).toBeUndefined();
  });

  sweep('moves a document when its name changes and removes the old file, unless somebody changed it', async () => {
    const { story, documents, files, manifest } = await openDocuments([person('E1'), person('E2')]);
    await story.sync();
    documents({ deliver: { drop: './out', name: '{office}/{external_id}.pdf' } });
    await story.sync();
    expect(files()).toEqual(['Oslo/E1.pdf', 'Oslo/E2.pdf']);
    writeFileSync(join(story.folder, 'out', 'Oslo', 'E2.pdf'), 'a note of the reader');
    story.deliver([person('E1', { office: 'Bergen' }), person('E2', { office: 'Bergen' })]);
    story.clock.advance(60_000);
    // The run that moves them also delivers them.
    expect(await story.sync()).toMatchObject({
      code: 0,
      json: { done: 2, deliveries: [{ documents: { delivered: 2 } }] },
    });
    expect(files()).toEqual(['Bergen/E1.pdf', 'Bergen/E2.pdf', 'Oslo/E2.pdf']);
    expect(manifest().files.map(({ file }) => file)).toEqual(['Bergen/E1.pdf', 'Bergen/E2.pdf']);
  });

  it('never takes a name that another file has', async () => {
    const { story, documents, files, read } = await openDocuments([person('E1'), person('E2')]);
    await story.sync();
    documents({ deliver: { drop: './out', name: '{external_id}.pdf' } });
    writeFileSync(join(story.folder, 'out', 'E1.pdf'), 'mine');
    const { code, json } = await story.sync();
    expect([code, json.deliveries]).toMatchObject([
      4,
      [{ status: 'failed', error: { code: 'SYNC_DOCUMENT_TAKEN' }, documents: { delivered: 1, failed: [{}] } }],
    ]);
    expect([files(), read('E1.pdf').toString()]).toEqual([['E1.pdf', 'E2.pdf'], 'mine']);
    rmSync(join(story.folder, 'out', 'E1.pdf'));
    story.clock.advance(60_000);
    expect((await story.sync()).code).toBe(0);
    // A reader removes one file: it is not delivered again before its CV changes.
    rmSync(join(story.folder, 'out', 'E1.pdf'));
    story.clock.advance(60_000);
    expect([(await story.sync()).json.deliveries, files()]).toEqual([undefined, ['E2.pdf']]);
    // A file that a reader has changed is left alone.
    writeFileSync(join(story.folder, 'out', 'E2.pdf'), 'changed');
    await story.editUser('E2', { title: { en: 'Architect' } });
    expect((await story.sync()).json.deliveries).toMatchObject([{ error: { code: 'SYNC_DOCUMENT_TAKEN' } }]);
    expect(read('E2.pdf').toString()).toBe('changed');
  });

  sweep('recognises documents by the manifest after the state was lost', async () => {
    const { story, documents, files, takeCalls } = await openDocuments();
    await story.sync();
    documents();
    await story.sync();
    const [name = ''] = files();
    rmSync(join(story.folder, 'var'), { recursive: true });
    story.clock.advance(60_000);
    takeCalls();
    const { code, json } = await story.sync();
    expect([code, json.deliveries, files()]).toMatchObject([0, [{ documents: { delivered: 1 } }], [name]]);
  });
});

sweep.each([
  ['501', { kind: 'status', status: 501 }, 'SYNC_SERVICE_REFUSED'],
  ['404', { kind: 'status', status: 404 }, 'SYNC_SERVICE_REFUSED'],
  ['500', { kind: 'status', status: 500, times: 4 }, 'SYNC_SERVICE_DOWN'],
  ['a page of a proxy', { kind: 'html', times: 4 }, 'SYNC_SERVICE_DOWN'],
] as const)(
  'reports a document that cannot be fetched because of %s, delivers the others, and tries it again',
  async (_, fault, expected) => {
    const { story, documents, files } = await openDocuments([person('E1'), person('E2'), person('E3')]);
    await story.sync();
    documents({ deliver: { drop: './out', name: '{external_id}.pdf' } });
    story.sandbox.faults.add({ method: 'GET', path: '/api/v1/cvs/download', ...fault });
    const { code, json } = await story.sync();
    expect(code).toBe(4);
    expect(json.deliveries).toMatchObject([
      {
        status: 'failed',
        error: { code: expected },
        documents: { delivered: 2, failed: [{ code: expected }], left: 1 },
      },
    ]);
    expect(files()).toHaveLength(2);
    story.clock.advance(60_000);
    expect((await story.sync()).code).toBe(0);
    expect(files()).toHaveLength(3);
  },
);

sweep('waits longer before each new attempt for a document, and reports it until it arrives', async () => {
  const { story, documents, takeCalls, files } = await openDocuments();
  await story.sync();
  documents();
  takeCalls();
  for (let i = 0; i < 2; i++)
    story.sandbox.faults.add({ method: 'GET', path: '/api/v1/cvs/download', kind: 'status', status: 404 });
  const tries: number[] = [];
  for (let run = 0; run < 4; run++) {
    const { code } = await story.sync();
    expect(code).toBe(4);
    tries.push(takeCalls().filter((call) => call.includes('/download/')).length);
    story.clock.advance(60_000);
  }
  expect(tries).toEqual([1, 1, 0, 0]);
  expect((await story.type('status')).stdout).toMatch(
    /0 documents delivered \(1 failing\)[\s\S]*failed: SYNC_SERVICE_REFUSED/,
  );
  story.clock.advance(HOUR);
  expect((await story.sync()).code).toBe(0);
  expect(files()).toHaveLength(1);
});

sweep('stops only the delivery when the service is at fault', async () => {
  const { story, documents, takeCalls } = await openDocuments(Array.from({ length: 4 }, (_, i) => person(`E${i}`)));
  await story.sync();
  documents();
  takeCalls();
  for (let i = 0; i < 3; i++)
    story.sandbox.faults.add({ method: 'GET', path: '/api/v1/cvs/download', kind: 'status', status: 501 });
  expect(await story.sync()).toMatchObject({ code: 4, json: { deliveries: [{ documents: { left: 4 } }] } });
  expect(takeCalls().filter((call) => call.includes('/download/'))).toHaveLength(3);
  story.sandbox.faults.add({ method: 'GET', path: '/api/v1/cvs/download', kind: 'status', status: 403 });
  story.clock.advance(60_000);
  const { json } = await story.sync();
  expect(json.deliveries).toMatchObject([{ error: { code: 'SYNC_SERVICE_FORBIDDEN' }, documents: { failed: [] } }]);
  expect(takeCalls().filter((call) => call.includes('/download/'))).toHaveLength(1);
  story.clock.advance(60_000);
  expect(await story.sync()).toMatchObject({ code: 0, json: { deliveries: [{ documents: { delivered: 4 } }] } });
});

sweep('fetches a document again that breaks off, and waits for a 429', async () => {
  const { story, documents, files } = await openDocuments();
  await story.sync();
  documents();
  story.sandbox.faults.add(
    { method: 'GET', path: '/api/v1/cvs/download', kind: 'truncate' },
    { method: 'GET', path: '/api/v1/cvs/download', kind: 'status', status: 429, retry_after: 7 },
  );
  const before = story.clock.now();
  expect((await story.sync()).code).toBe(0);
  expect([files().length, story.clock.now() - before > 7_000]).toEqual([1, true]);
});

sweep(
  'keeps the document of a person who is gone, or with gone: remove deletes it once the account proves it',
  async () => {
    const { story, documents, files, manifest, idOf } = await openDocuments([person('E1'), person('E2'), person('E3')]);
    await story.sync();
    const deliver = { drop: './out', name: '{external_id}.pdf' };
    documents({ deliver, filter: { offices: [{ country: 'no', name: 'Oslo' }] } });
    await story.sync();
    await story.others('PUT', `/api/v1/users/${await idOf('E1')}`, { user: { deactivated: true } });
    story.deliver([person('E1', { status: 'left' }), person('E2', { office: 'Bergen' }), person('E3')]);
    story.clock.advance(60_000);
    await story.sync({ full: true });
    expect(files()).toEqual(['E1.pdf', 'E2.pdf', 'E3.pdf']);

    documents({ deliver, filter: { offices: [{ country: 'no', name: 'Oslo' }] }, gone: 'remove' });
    story.clock.advance(60_000);
    expect((await story.plan()).json.deliveries).toMatchObject([{ documents: { due: 0, gone: 2 } }]);
    const { json } = await story.sync();
    expect(json.deliveries).toMatchObject([{ documents: { delivered: 0, removed: 2 } }]);
    expect([files(), manifest().files.length]).toEqual([['E3.pdf'], 1]);
    const { stdout } = await story.type('audit', 'list', '--json');
    expect(stdout.match(/"document removed"/g)).toHaveLength(2);
    story.clock.advance(60_000);
    expect((await story.sync()).json.deliveries).toBeUndefined();
  },
);

sweep('removes no document for an empty list, and needs two complete lists without a person', async () => {
  const { story, documents, files } = await openDocuments([person('E1'), person('E2')]);
  await story.sync();
  documents({ gone: 'remove' });
  await story.sync();
  const look = async (text: string): Promise<number> => {
    documents({ gone: 'remove', filter: { text } });
    story.clock.advance(60_000);
    expect((await story.sync()).code).toBe(0);
    return files().length;
  };
  // A list without anyone proves nothing, even three times.
  for (let i = 0; i < 3; i++) expect(await look('nobody')).toBe(2);
  expect(await look('Person E1')).toBe(2);
  expect(await look('Person')).toBe(2);
  expect(await look('Person E1')).toBe(2);
  expect(await look('Person E1')).toBe(1);
});

sweep('delivers every document again when the settings change', async () => {
  const { story, documents, files, takeCalls } = await openDocuments();
  await story.sync();
  documents();
  await story.sync();
  takeCalls();
  documents({ format: 'docx', deliver: { drop: './out', name: '{external_id}.docx' } });
  story.clock.advance(60_000);
  await story.sync();
  expect(files()).toEqual(['E1.docx']);
  documents({ format: 'docx', language: 'no', deliver: { drop: './out', name: '{external_id}.docx' } });
  story.clock.advance(60_000);
  await story.sync();
  expect(takeCalls().filter((call) => call === DOWNLOAD)).toHaveLength(2);
});

sweep('delivers documents with a schedule from its time on, until none is left', async () => {
  const { story, documents, files, takeCalls } = await openDocuments([person('E1'), person('E2')]);
  documents({ schedule: dailyAt(story.clock.now() + 12 * HOUR), at_most: 1 });
  await story.sync();
  takeCalls();
  await story.sync();
  expect([takeCalls(), files()]).toEqual([[], []]);
  story.clock.advance(24 * HOUR);
  expect((await story.sync()).json.deliveries).toMatchObject([{ slot: expect.any(String), documents: { left: 1 } }]);
  story.clock.advance(60_000);
  expect((await story.sync()).json.deliveries).toMatchObject([{ documents: { delivered: 1, left: 0 } }]);
  takeCalls();
  await story.sync();
  expect(takeCalls()).toEqual([]);
});

sweep('delivers documents by name and checks them, but not in runs of one object', async () => {
  const { story, documents, files } = await openDocuments();
  await story.sync();
  documents();
  expect((await story.sync({ only: 'user:E1' })).json.deliveries).toBeUndefined();
  expect(files()).toEqual([]);
  expect((await story.check()).json.checks).toContainEqual(
    expect.objectContaining({ name: 'documents cvs', ok: true }),
  );
  const { code, stdout } = await story.type('export', 'delivery', 'cvs');
  expect([code, stdout]).toEqual([
    0,
    expect.stringMatching(/documents cvs \(cv documents\)\n {4}1 document to .*out\n/),
  ]);
  expect(files()).toHaveLength(1);
});

sweep('delivers documents without a source, even if the configuration has nothing else', async () => {
  const { story, files } = await openDocuments();
  await story.sync();
  const alone = {
    service: { base_url: story.sandbox.url, api_key: { env: 'TALENT_API_KEY' } },
    state: './alone',
    policy: 'sync',
    sources: {},
    deliveries: {
      cvs: { kind: 'cv_documents', language: 'en', deliver: { drop: './out', name: '{external_id}.pdf' } },
    },
  };
  writeFileSync(story.configFile, stringify(alone));
  expect(await story.sync()).toMatchObject({ code: 0, json: { deliveries: [{ documents: { delivered: 1 } }] } });
  expect(files()).toEqual(['E1.pdf']);
});

describe('an erasure', () => {
  it("removes a person's documents, takes them out of the manifest, and leaves the others", async () => {
    const { story, documents, files, manifest, idOf } = await openDocuments([
      person('E1', { first: 'Quinta', last: 'Quimby' }),
      person('E2'),
    ]);
    await story.sync();
    documents();
    await story.sync();
    const id = await idOf('E1');
    const shown = await story.type('audit', 'erase', 'E1', '--reason', 'request 4711');
    expect(shown.stdout).toContain(
      `out/Quinta Quimby (${id}).pdf: a delivered document, removed from its folder and manifest`,
    );
    expect(files()).toHaveLength(2);
    const { code, stdout } = await story.type('audit', 'erase', 'E1', '--reason', 'request 4711', '--yes', '--json');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ erased: true, documents: [expect.stringContaining('Quinta Quimby')] });
    expect(files()).toEqual([expect.stringContaining('Person E2')]);
    expect(manifest().files).toHaveLength(1);
    const log = (await story.type('audit', 'list', '--json')).stdout;
    expect(log).not.toMatch(new RegExp(`Quimby|${id}`));
    expect(log).toMatch(/"documents": ?1,/);
    expect((await story.verify()).json.ok).toBe(true);
    const held = readdirSync(join(story.folder, 'var'), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .filter(({ parentPath, name }) => readFileSync(join(parentPath, name)).includes('Quimby'));
    expect(held.map(({ name }) => name)).toEqual([]);
  });

  sweep('erases nothing if the folder cannot be reached', async () => {
    const { story, documents, files } = await openDocuments();
    await story.sync();
    documents();
    await story.sync();
    const out = join(story.folder, 'out');
    renameSync(out, `${out}-away`);
    writeFileSync(out, 'no folder');
    const failed = await story.type('audit', 'erase', 'E1', '--reason', 'request 4711', '--yes', '--json');
    expect(failed.code).toBe(1);
    rmSync(out);
    renameSync(`${out}-away`, out);
    expect(files()).toHaveLength(1);
    expect((await story.type('audit', 'erase', 'E1', '--reason', 'request 4711', '--yes')).code).toBe(0);
    expect(files()).toEqual([]);
  });
});
