import type { Story } from './kit.js';

/** What an operator types, as random histories have it. */

/** Lets pass whatever waits for somebody's word; answers how many guards that were. */
export async function approveAll(story: Story): Promise<number> {
  const { json } = await story.plan();
  const guards = json.guards ?? [];
  // As long as what was refused may rest, and longer.
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

/** @param id the service's */
export function linkPerson(story: Story, key: string, id: string): Promise<Typed> {
  return story.type('link', 'users', key, id, '--json');
}
