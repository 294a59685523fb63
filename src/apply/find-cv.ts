import type { CvOwner } from '../mirror/observe-cv.js';
import { textOf } from '../model/json.js';
import type { Observed } from '../model/observed.js';
import { needId } from './resolve-ids.js';
import type { CallContext } from './step.js';

/** A person's master CV. The answer to a create may not show the CV; the person is then read once. */
export async function findOwner(userId: string, { mirrored, reader, cvIds }: CallContext): Promise<CvOwner> {
  const user = mirrored('users', userId);
  const known = textOf(user?.values.default_cv_id);
  if (known === '' && !cvIds.has(userId))
    cvIds.set(
      userId,
      reader.users.get(userId).then((found) => found?.default_cv_id ?? null),
    );
  const cvId = known === '' ? ((await cvIds.get(userId)) ?? null) : known;
  return { userId, cvId: needId(cvId, `The CV of ${user?.label ?? userId}`), name: nameOf(user) ?? userId };
}

/** Finds the CV that contains an object, using the mirror. */
export function findCvKey(object: Observed | null, { mirrored }: CallContext): CvOwner {
  const userId = textOf(object?.values.user_id);
  const cvId = textOf(object?.values.cv_id);
  const what = 'The section, or the CV it is on,';
  return {
    userId: needId(userId === '' ? null : userId, what),
    cvId: needId(cvId === '' ? null : cvId, what),
    name: nameOf(mirrored('users', userId)) ?? userId,
  };
}

function nameOf(user: Observed | null): string | null {
  const name = textOf(user?.values.name);
  return name === '' ? (user?.label ?? null) : name;
}
