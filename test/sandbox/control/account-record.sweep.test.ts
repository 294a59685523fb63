import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { createSandbox } from '../../../src/sandbox/sandbox.js';
import { makeFolder } from '../../samples.js';
import { ACCOUNT, openSandbox } from '../open-sandbox.js';

describe('--state', () => {
  const REPORT = '/api/v2/cv-report';

  test('finishes a report after a restart, with working links', async () => {
    const folder = makeFolder();
    const stateFile = join(folder, 'account.db');
    const account = { ...ACCOUNT.account, reports: { delay_ms: 3000 } };
    const first = await createSandbox({ fixture: { ...ACCOUNT, account }, stateFile });
    const headers = { authorization: 'Bearer admin-key', 'content-type': 'application/json' };
    const query = 'encoding=UTF-8&output_format=csv&report_type=user_report';
    const started = await fetch(`${first.url}${REPORT}?${query}`, { method: 'POST', headers, body: '{}' });
    const { _id } = (await started.json()) as { _id: string };
    await first.close();
    const { send, sandbox } = await openSandbox({ stateFile });
    expect((await send('GET', `${REPORT}/${_id}`)).body.state).toBe('started');
    const url = await vi.waitFor(
      async () => {
        const { body } = await send('GET', `${REPORT}/${_id}`);
        expect(body.state).toBe('finished');
        return body.cv_report.url;
      },
      { timeout: 20_000, interval: 50 },
    );
    expect(await (await fetch(url)).text()).toContain('anna@example.com');
    await sandbox.close();
  });
});
