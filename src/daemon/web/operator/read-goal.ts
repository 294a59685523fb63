const OWN_PATH = /^\/(?![/\\])[\x21-\x7e]*$/;

/** Reads the address to go to after an action. Any address outside these pages becomes `/`. */
export function readGoal(to: string | null): string {
  if (to === null || !OWN_PATH.test(to)) return '/';
  const { origin, pathname, search } = new URL(to, 'http://pages');
  // The dots are resolved now, so the rest may look like the address of another host.
  const isOwn = origin === 'http://pages' && OWN_PATH.test(pathname) && !pathname.startsWith('/log');
  return isOwn ? `${pathname}${search}` : '/';
}
