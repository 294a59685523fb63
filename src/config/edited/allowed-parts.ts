/**
 * The parts that an edited configuration may change in a preview: limits, and the parts that decide which values, matches,
 * leavers and joiners are derived. All other parts affect systems, files or people outside the program, so they must equal the
 * current configuration. `*` stands for any name. Everything below an entry may differ.
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

/** Exceptions within `ALLOWED`. The service's file import is one, because it can e-mail people. */
const REFUSED: readonly string[] = ['users.bulk_load'];

export type WrittenPath = readonly string[];

export function mayDiffer(path: WrittenPath): boolean {
  return ALLOWED.some((entry) => leadsTo(entry, path)) && !REFUSED.some((entry) => leadsTo(entry, path));
}

/** True if some paths below this one may differ and others may not, so that each must be checked separately. */
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
