import { expect, test } from 'vitest';
import { createSftpSession } from '../../../src/connectors/drop/sftp-session.js';
import { closeAfterTest } from '../../closing.js';
import { openFaultySftp } from '../../faults/fault-sftp.js';
import { buildContext, makeFolder } from '../fixtures.js';

test('repeats a call after its connection broke, and discards the late result of the first attempt', async () => {
  const server = await openFaultySftp(await makeFolder(), null);
  closeAfterTest(server);
  const session = createSftpSession({ ...server.access, path: '/', timeoutMs: 10_000 }, buildContext().clock);
  closeAfterTest(session);
  const discarded: string[] = [];
  const made = await session.run(
    async (client, isAgain) => {
      if (isAgain) return 'second';
      server.drop();
      await new Promise<void>((resolve) => client.on('close', () => resolve()));
      await new Promise((resolve) => setImmediate(resolve));
      return 'first';
    },
    async (late) => void discarded.push(late),
  );
  expect([made, discarded]).toEqual(['second', ['first']]);
});
