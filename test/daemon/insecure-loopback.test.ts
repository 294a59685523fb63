import { expect, test } from 'vitest';
import { oneIn, sweep } from '../depth.js';
import { openStory } from '../scenarios/kit.js';
import { startDaemon } from './daemon-process.js';

test('--insecure-loopback waives the log-in on this machine; without it, a log-in is needed', async () => {
  const story = await openStory();
  story.configure({ schedule: { every: '0 6 1 1 *' }, web: { listen: '127.0.0.1:0', state: './var/web' } });
  for (const [args, status] of oneIn(1, [
    [[], 401],
    [['--insecure-loopback'], 200],
  ])) {
    const daemon = startDaemon(story, { args });
    const { pages } = (await daemon.logged('listening')) as unknown as { readonly pages: string };
    expect((await fetch(`${pages}/api/tenants`)).status).toBe(status);
    daemon.send('SIGTERM');
    await daemon.ended;
  }
});

sweep('a daemon with --insecure-loopback does not start if others can reach its pages', async () => {
  const story = await openStory();
  const web = { listen: '0.0.0.0:0', public_url: 'https://sync.example.com', state: './var/web' };
  story.configure({ schedule: { every: '0 6 1 1 *' }, web });
  const daemon = startDaemon(story, { args: ['--insecure-loopback'] });
  expect((await daemon.ended).code).toBe(1);
  expect(daemon.stderr() + daemon.stdout()).toContain('nobody logs in, but other machines can reach 0.0.0.0');
});
