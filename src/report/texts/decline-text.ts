import { plural } from '../sections/words.js';

/** The parts of a declined change that its text uses. */
interface AskedChange {
  readonly of: string;
  readonly action: string;
  readonly label: string;
  readonly fields: readonly string[];
}

/** `deactivate users: Jane Doe <jane@example.com>`, with the fields of an update. */
export function nameAsked({ of, action, label, fields }: AskedChange): string {
  if (action === 'delivery') return `the delivery held as ${of}`;
  const verb = action.slice(action.lastIndexOf('.') + 1);
  const what = `${verb} ${of}: ${label}`;
  return fields.length === 0 ? what : `${what} (${fields.join(', ')})`;
}

const DONE: Readonly<Record<string, string>> = {
  create: 'created',
  update: 'updated',
  deactivate: 'deactivated',
  reactivate: 'activated again',
  delete: 'deleted',
  overwrite: 'written back',
};

/** The end of a decline, and the consequences. */
export function declineEndText({ changes }: { readonly changes: readonly AskedChange[] }, day: string | null): string {
  const [first] = changes;
  if (first?.action === 'delivery')
    return day === null
      ? 'It stays held until another delivery arrives.'
      : `It stays held until another delivery arrives. From ${day} it waits for an approval again.`;
  if (day === null) return 'Not proposed again until the source value changes.';
  const verbs = new Set(changes.map(({ action }) => DONE[action.slice(action.lastIndexOf('.') + 1)] ?? 'made'));
  const [verb = 'made'] = verbs;
  const many = `these ${plural(changes.length, 'change')}`;
  const who = changes.length === 1 ? (first?.label ?? '') : many;
  const is = changes.length === 1 ? 'is' : 'are';
  const does = changes.length === 1 || verbs.size > 1 ? verb : 'made';
  return `Not proposed again until the source value changes. From ${day} ${who} ${is} ${verbs.size > 1 ? 'made' : does} unless a guard holds ${changes.length === 1 ? 'that' : 'them'}.`;
}
