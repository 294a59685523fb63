import type { Yaml } from '../scenarios/company.js';
import type { Story } from '../scenarios/kit.js';
import type { Hand } from './history.js';
import type { Facts } from './part.js';

/** Edits a person as another user, by a call of an administrator. */
export async function doByHand(story: Story, { key, fields }: Hand, facts: Facts): Promise<void> {
  const body: Record<string, unknown> = {};
  for (const [field, value] of Object.entries(fields)) {
    // The service removes it with the role.
    if (field.startsWith('scope')) continue;
    if (field === 'roles') {
      const [role, ...extra] = value as readonly string[];
      Object.assign(body, { role, extra_roles: extra });
    } else if (field.startsWith('title.')) body.title = { ...titleOf(facts), [field.slice(6)]: value };
    else if (field === 'nationality') body.nationality = { en: value };
    else body[field === 'phone' ? 'telephone' : field] = value;
  }
  await story.editUser(key, body);
}

function titleOf(facts: Facts): Readonly<Record<string, Yaml>> {
  const languages = ['en', 'no', 'sv'];
  return Object.fromEntries(
    languages.flatMap((language) => {
      const value = facts[`title.${language}`] ?? null;
      return value === null ? [] : [[language, value]];
    }),
  );
}
