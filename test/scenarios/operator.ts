import type { Story } from './kit.js';

/** The commands that an operator types in random histories. */

/** Approves everything that needs an approval. @returns the number of guards */
export async function approveAll(story: Story): Promise<number> {
  const { json } = await story.plan();
  const guards = json.guards ?? [];
  // Longer than any pause of a rejected change.
  for (const { guard } of guards) await story.approve({ guard, reason: 'seen', expires: 7 * 86_400_000 });
  return guards.length;
}

type Typed = Awaited<ReturnType<Story['type']>>;

export function erasePerson(story: Story, key: string): Promise<Typed> {
  return story.type('audit', 'erase', key, '--reason', 'asked for', '--yes', '--json');
}

export function unlinkPerson(story: Story, key: string): Promise<Typed> {
  return story.type('unlink', 'users', key, '--json');
}

/** @param id the id in the service */
export function linkPerson(story: Story, key: string, id: string): Promise<Typed> {
  return story.type('link', 'users', key, id, '--json');
}
