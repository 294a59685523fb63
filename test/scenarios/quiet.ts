import { expect } from 'vitest';
import { type Story, summarise } from './kit.js';

/** Performs a full sync that must derive and send nothing. @returns the holds, and why */
export async function expectQuiet(story: Story): Promise<readonly string[]> {
  story.takeWrites();
  const ran = await story.sync({ full: true });
  expect(ran).toMatchObject({ code: 0, json: { counts: {}, failed: [] } });
  expect(story.takeWrites()).toEqual([]);
  return summarise(ran.json.held);
}
