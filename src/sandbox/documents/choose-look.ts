import type { TemplateSettings } from '../account/account-settings.js';
import type { World } from '../account/world.js';
import { pickText } from '../fields/languages.js';
import { refuse } from '../fields/refusal.js';
import { decodePicture, readPictureSize } from '../records/pictures.js';
import type { UserDocument } from '../store/documents.js';
import { readStoredFile } from '../store/stored-files.js';
import type { Look, Picture } from './paper.js';

/** Of an account that has no templates. */
const PLAIN: TemplateSettings = { id: '', accent: '#1f4e79', page: 'a4', company: '', footer: {}, hide: [] };

/** The template that was asked for by id: 404 for one that the account does not have, when it has any. */
export function requireTemplate({ account }: World, id: string): TemplateSettings {
  if (account.templates === undefined || account.templates.length === 0) return PLAIN;
  return findTemplate(account.templates, id) ?? refuse(404, 'template not found');
}

/** The default of the user's office, else of its country, else of the account (spec, Document export). */
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
  // The state files of earlier releases have templates with fewer settings.
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

/** Undefined where it is no picture. */
function toPicture(bytes: Buffer, caption: string): Picture | undefined {
  const size = readPictureSize(bytes);
  return size && { bytes, ...size, caption };
}

/** The picture of a file; undefined without one, or where it is gone. */
export function findPicture({ store }: World, fileId: string | null | undefined, caption: string): Picture | undefined {
  const file = fileId ? store.files.get(fileId) : undefined;
  return file && toPicture(Buffer.concat([...readStoredFile(store, file)]), caption);
}
