import type { TemplateSettings } from '../account/account-settings.js';
import type { World } from '../account/world.js';
import { pickText } from '../fields/languages.js';
import { Refusal, refuse } from '../fields/refusal.js';
import { readPicture } from '../pictures/read-picture.js';
import { decodePicture } from '../records/pictures.js';
import type { UserDocument } from '../store/documents.js';
import { readStoredFile } from '../store/stored-files.js';
import type { Look, Picture } from './paper.js';

/** The template for an account without templates. */
const PLAIN: TemplateSettings = { id: '', accent: '#1f4e79', page: 'a4', company: '', footer: {}, hide: [] };

/** Finds the template with this id. Throws 404 if the account has templates, but not this one. */
export function requireTemplate({ account }: World, id: string): TemplateSettings {
  if (account.templates === undefined || account.templates.length === 0) return PLAIN;
  return findTemplate(account.templates, id) ?? refuse(404, 'template not found');
}

/** Chooses the template of the user's office, or else of the country, or else of the account (spec, Document export). */
export function chooseTemplate(
  { account, store }: World,
  user: Pick<UserDocument, 'office_id' | 'country_id'>,
): TemplateSettings {
  const office = store.offices.get(user.office_id)?.cv_template_id;
  const country = store.countries.get(user.country_id)?.cv_template_id;
  const wanted = [office, country, account.default_template_id].map((id) => findTemplate(account.templates, id));
  return wanted.find((template) => template !== undefined) ?? PLAIN;
}

function findTemplate(
  templates: readonly TemplateSettings[] | undefined,
  id: string | null | undefined,
): TemplateSettings | undefined {
  const found = templates?.find((template) => template.id === id);
  // Templates in state files of earlier releases have fewer settings.
  return found && { ...PLAIN, ...found };
}

export function buildLook({ accent, page, company, footer, logo }: TemplateSettings, language: string): Look {
  return {
    accent,
    page,
    company,
    footer: pickText(footer, language),
    logo: logo === undefined ? undefined : toPicture(decodePicture(logo), company),
  };
}

/** Reads a stored picture; undefined for bytes that are no longer accepted as a picture, as in older state files. */
function toPicture(bytes: Buffer, caption: string): Picture | undefined {
  try {
    return { ...readPicture(bytes), caption };
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}

/** Finds the picture in a file; undefined if there is no picture or the file was removed. */
export function findPicture({ store }: World, fileId: string | null | undefined, caption: string): Picture | undefined {
  const file = fileId ? store.files.get(fileId) : undefined;
  return file && toPicture(Buffer.concat([...readStoredFile(store, file)]), caption);
}
