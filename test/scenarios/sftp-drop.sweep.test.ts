import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startOpenSsh } from '../connectors/sftp/openssh.js';
import { HEADER, line, person } from './company.js';
import { CREATE_USER, openStory } from './kit.js';

test('shows the host key of an SFTP drop in check, then reads the newest file in plan and sync', async () => {
  const { drop, port, username, keyFile, fingerprint } = await startOpenSsh();
  writeFileSync(join(drop, 'employees-01.csv'), `${[HEADER, line(person('E1')), line(person('E2'))].join('\n')}\n`);
  const story = await openStory();
  const address = `sftp://127.0.0.1:${port}${drop}`;
  const sftp = { username, private_key: { file: keyFile } };
  story.configure({ sources: { hr: { drop: address, sftp, settle: '0s' } } });

  const { json } = await story.check();
  const problem = json.checks.find(({ name }) => name === 'source hr')?.error;
  expect(problem?.code).toBe('SYNC_SOURCE_HOST_KEY');
  expect(problem?.remedy).toContain(`host_key: ${fingerprint}`);

  story.configure({ sources: { hr: { sftp: { host_key: fingerprint } } } });
  expect((await story.check()).json.checks.find(({ name }) => name === 'source hr')?.ok).toBe(true);
  const planned = await story.plan();
  expect(planned).toMatchObject({ code: 0, json: { counts: { users: { create: 2 } } } });
  story.takeWrites();
  expect(await story.sync()).toMatchObject({ code: 0, json: { done: 2 } });
  expect(story.takeWrites()).toEqual([CREATE_USER, CREATE_USER]);
  expect((await story.sync()).code).toBe(0);
  expect(story.takeWrites()).toEqual([]);
});
