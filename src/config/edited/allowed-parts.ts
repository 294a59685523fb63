/**
 * Parts that an edited configuration may change in a preview: those that decide which values, matches, leavers and joiners
 * are derived, and the limits. Everything else affects systems, files or people outside the program, so it must equal the
 * current configuration. `*` is any name. Everything below an entry may differ.
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

/** The import of a file: another way to the service, which can e-mail people. */
const REFUSED: readonly string[] = ['users.bulk_load'];

export type WrittenPath = readonly string[];

export function mayDiffer(path: WrittenPath): boolean {
  return ALLOWED.some((entry) => leadsTo(entry, path)) && !REFUSED.some((entry) => leadsTo(entry, path));
}

/** True if some paths below may differ and others may not: each part is checked separately. */
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
