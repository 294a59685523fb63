/**
 * Parts that an edited configuration may change and still be previewed: those that decide which values, matches, leavers and
 * joiners are derived, and the limits. Everything else leads out of the program, to files or to people, or is a promise to
 * them, so it must equal the configuration in force. `*` is any name; below an entry everything may differ.
 */
const ALLOWED: readonly string[] = [
  'policy',
  'conflicts',
  'drift',
  'timezone',
  'maps',
  'guards',
  'users',
  'countries',
  'offices',
  'tag_categories',
  'tags',
  'cv_sections',
  'customers',
  'projects',
  'staffing',
  'proposals',
  ...['key', 'columns', 'prefer'].flatMap((part) => [`sources.*.${part}`, `sources.*.streams.*.${part}`]),
];

/** A way of its own to the service, with people's e-mails in it: the setting of a file's import. */
const REFUSED: readonly string[] = ['users.bulk_load'];

export type WrittenPath = readonly string[];

export function mayDiffer(path: WrittenPath): boolean {
  return ALLOWED.some((entry) => leadsTo(entry, path)) && !REFUSED.some((entry) => leadsTo(entry, path));
}

/** True if something below the path may differ and something else may not: its parts are judged one by one. */
export function isMixed(path: WrittenPath): boolean {
  const isAbove = (entry: string): boolean => {
    const names = entry.split('.');
    return names.length > path.length && path.every((name, at) => names[at] === '*' || names[at] === name);
  };
  return mayDiffer(path) ? REFUSED.some(isAbove) : ALLOWED.some(isAbove);
}

function leadsTo(entry: string, path: WrittenPath): boolean {
  const names = entry.split('.');
  return names.length <= path.length && names.every((name, at) => name === '*' || name === path[at]);
}
