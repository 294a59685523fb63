import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { asSyncError, type SyncError } from '../../../../src/base/errors.js';
import { loadConfig } from '../../../../src/config/load.js';
import { openStory, type Story } from '../../../scenarios/kit.js';
import { tenant } from './facts.js';
import { Browser, openPages } from './pages.js';

const GRANTS = [{ role: 'viewer', who: ['kim@example.com'], groups: [], tenants: null, pseudonyms: false }] as const;

async function openConfigured(story: Story, problem: SyncError | null): Promise<string> {
  const file = join(story.folder, 'talent-sync.yaml');
  const text = readFileSync(file, 'utf8');
  const config = loadConfig(file, story.env);
  const pages = await openPages({
    settings: { grants: GRANTS },
    tenants: [{ ...tenant('acme'), config, text, problem }],
  });
  const headers = { authorization: `Bearer ${pages.giveToken('kim@example.com')}`, accept: 'text/html' };
  const answer = await new Browser(pages.url).get('/tenants/acme/configuration', headers);
  expect(answer.status).toBe(200);
  return answer.text;
}

it('shows the active configuration, with its secrets as references', async () => {
  const story = await openStory();
  const text = await openConfigured(story, null);
  expect(text).toContain('env: TALENT_API_KEY');
  expect(text).not.toContain(story.env.TALENT_API_KEY ?? '-');
  expect(text).toContain('The configuration on disk is active.');
});

it('says why runs start later than the schedule, only if they do', async () => {
  const story = await openStory();
  story.configure({ schedule: { every: '0 2 * * *' } });
  expect(await openConfigured(story, null)).toMatch(/Each run starts \d+ minutes after the time in/);
  story.configure({ schedule: { every: '0 2 * * *', spread: 0 } });
  expect(await openConfigured(story, null)).not.toContain('Each run starts');
});

it('shows the error in the file on disk, and that the earlier one is active', async () => {
  const story = await openStory();
  const refused = join(story.folder, 'refused.yaml');
  writeFileSync(refused, 'service: { base_url: 7 }\n');
  const text = await openConfigured(story, problemOf(refused, story));
  expect(text).toContain('The configuration on disk is rejected.');
  expect(text).toContain('service.base_url');
  expect(text).toContain('The earlier configuration stays active');
});

function problemOf(file: string, { env }: Story): SyncError {
  try {
    loadConfig(file, env);
  } catch (error) {
    return asSyncError(error);
  }
  throw new Error('It was accepted.');
}
