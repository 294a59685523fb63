const OWN_PATH = /^\/(?![/\\])[\x21-\x7e]*$/;

/** An address of these pages; anything else leads to the first one. */
export function readGoal(to: string | null): string {
  if (to === null || !OWN_PATH.test(to)) return '/';
  const { origin, pathname, search } = new URL(to, 'http://pages');
  // Dots are resolved by now: what is left may begin as the address of another host does.
  const isOwn = origin === 'http://pages' && OWN_PATH.test(pathname) && !pathname.startsWith('/log');
  return isOwn ? `${pathname}${search}` : '/';
}
