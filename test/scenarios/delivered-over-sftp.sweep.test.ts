import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startOpenSsh } from '../connectors/sftp/openssh.js';
import { sweep } from '../depth.js';
import { person } from './company.js';
import { countRows, DAY, openDelivery } from './delivered.js';
import { openDocuments } from './delivered-documents.js';

sweep('delivers a report over SFTP to a real server, complete under its name', async () => {
  const { drop, port, username, keyFile, fingerprint } = await startOpenSsh();
  mkdirSync(join(drop, 'out'));
  const { story, report } = await openDelivery();
  const sftp = { username, private_key: { file: keyFile } };
  const deliver = { drop: `sftp://127.0.0.1:${port}${drop}/out`, name: 'people.csv' };
  report({ people: { type: 'user_report', deliver: { ...deliver, sftp } } });
  const problem = (await story.check()).json.checks.find(({ name }) => name === 'report people')?.error;
  expect(problem?.remedy).toContain(`host_key: ${fingerprint}`);
  await story.sync();
  story.clock.advance(DAY);
  const refused = await story.sync();
  expect(refused).toMatchObject({ code: 4, json: { deliveries: [{ error: { code: 'SYNC_SOURCE_HOST_KEY' } }] } });
  report({ people: { type: 'user_report', deliver: { ...deliver, sftp: { ...sftp, host_key: fingerprint } } } });
  const { code, json } = await story.sync();
  expect(code).toBe(0);
  expect(json.deliveries).toMatchObject([
    { status: 'delivered', files: [{ at: `sftp://127.0.0.1:${port}${drop}/out/people.csv`, rows: 1 }] },
  ]);
  expect(readdirSync(join(drop, 'out'))).toEqual(['people.csv']);
  // The next day's file replaces it under the same name.
  story.clock.advance(DAY);
  expect((await story.sync()).json.deliveries).toMatchObject([{ status: 'delivered' }]);
  expect(countRows(readFileSync(join(drop, 'out', 'people.csv'), 'utf8'))).toBe(1);
  expect(readdirSync(join(drop, 'out'))).toEqual(['people.csv']);
});

it('delivers documents over SFTP in their folders with a manifest, and removes those of an erased person', async () => {
  const { drop, port, username, keyFile, fingerprint } = await startOpenSsh();
  mkdirSync(join(drop, 'out'));
  const { story, documents } = await openDocuments([person('E1'), person('E2')]);
  const sftp = { username, private_key: { file: keyFile }, host_key: fingerprint };
  const deliver = { drop: `sftp://127.0.0.1:${port}${drop}/out`, name: '{office}/{external_id}.pdf', sftp };
  documents({ deliver, gone: 'remove' });
  await story.sync();
  const list = (): readonly string[] =>
    readdirSync(join(drop, 'out'), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.includes('.'))
      .sort();
  // The first run creates them, and delivers their CVs.
  expect(list()).toEqual(['Oslo/E1.pdf', 'Oslo/E2.pdf', 'cvs.manifest.json']);
  story.deliver([person('E1', { office: 'Bergen' }), person('E2')]);
  story.clock.advance(60_000);
  expect((await story.sync()).json.deliveries).toMatchObject([{ documents: { delivered: 1 } }]);
  expect(list()).toEqual(['Bergen/E1.pdf', 'Oslo/E2.pdf', 'cvs.manifest.json']);
  await story.type('audit', 'erase', 'E2', '--reason', 'request 4711', '--yes');
  expect(list()).toEqual(['Bergen/E1.pdf', 'cvs.manifest.json']);
});
