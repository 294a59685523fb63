const OWN_PATH = /^\/(?![/\\])[\x21-\x7e]*$/;

/** Reads an address to go to after an action. Anything but an address of these pages becomes `/`. */
export function readGoal(to: string | null): string {
  if (to === null || !OWN_PATH.test(to)) return '/';
  const { origin, pathname, search } = new URL(to, 'http://pages');
  // Dots are resolved now, so the rest may look like the address of another host.
  const isOwn = origin === 'http://pages' && OWN_PATH.test(pathname) && !pathname.startsWith('/log');
  return isOwn ? `${pathname}${search}` : '/';
}
