import { describe, expect, test } from 'vitest';
import { person } from '../scenarios/company.js';
import { openStory } from '../scenarios/kit.js';
import { runMeasured } from './measured.js';
import { BOMBS, openTamper, sendBomb } from './tamper.js';

const MOST_MIB = 250;

describe('300 MiB from the service in one answer', () => {
  const cases = [
    ['zeros', '/api/v2/users/search'],
    ['one giant text', '/api/v2/users/search'],
    ['lists in lists', '/api/v2/users/search'],
    ['objects in objects', '/api/v1/countries'],
    ['tiny objects', '/api/v2/users/search'],
    ['tiny objects', '/api/v1/countries'],
    ['tiny lists in a list that is named', '/api/v1/countries'],
    ['blanks', '/api/v2/users/search'],
  ] as const;
  test.each(cases)('%s from %s', async (bomb, path) => {
    const story = await openStory();
    story.deliver([person('E1'), person('E2')]);
    const url = await openTamper(story.sandbox.url, (request, response) => {
      if (request.url?.startsWith(path) !== true) return false;
      sendBomb(response, BOMBS[bomb] ?? { begin: '', piece: ' ', end: '' });
      return true;
    });
    story.configure({ service: { base_url: url, timeout: '30s' } });
    const { code, stdout, peakMiB } = await runMeasured(story, ['sync'], { LOG_LEVEL: 'info' });
    expect(peakMiB).toBeLessThan(MOST_MIB);
    expect({ code, error: (JSON.parse(stdout) as { error: unknown }).error }).toEqual({
      code: 1,
      error: expect.objectContaining({ code: 'SYNC_SERVICE_TOO_LARGE' }),
    });
    expect(story.takeWrites()).toEqual([]);
  });
});
