import type { Story } from '../scenarios/kit.js';
import type { Hand } from './history.js';
import type { Facts } from './part.js';

interface Listed {
  readonly id: string;
  readonly external_unique_id: string | null;
  readonly custom_tags: readonly Listed[];
}
interface Country {
  readonly _id: string;
  readonly code: string;
  readonly offices: readonly { readonly _id: string; readonly name: string }[];
}

const TAGS = '/api/v1/masterdata/custom_tags';

/** An administrator edits a country, an office or a category, or renames a tag. */
export async function editCountry(story: Story, { key, fields }: Hand): Promise<void> {
  const country = await findCountry(story, key);
  await story.others('PUT', `/api/v1/countries/${country?._id}?use_legacy_codes=false`, {
    country: pickGiven({
      native_language_code: fields.language,
      override_ui_language_code: fields.ui,
      cv_template_id: fields.template,
    }),
  });
}

export async function editOffice(story: Story, { key, fields }: Hand, { more }: Facts): Promise<void> {
  const [code = '', name] = key.split('/');
  const country = await findCountry(story, code);
  const office = country?.offices.find((one) => one.name === `${name} ${more}`.trim());
  await story.others('PUT', `/api/v1/countries/${country?._id}/offices/${office?._id}?use_legacy_codes=false`, {
    ...pickGiven({ override_language_code: fields.language }),
    ...(fields.more === undefined ? {} : { name: `${name} ${fields.more}` }),
  });
}

export async function editCategory(
  story: Story,
  { key, fields }: Hand,
  { navn }: Facts,
  flags: Readonly<Record<string, unknown>>,
): Promise<void> {
  const category = find(await listCategories(story), key);
  const values = { en: fields.name, ...(navn === null ? {} : { no: navn }) };
  await story.others('PUT', `${TAGS}/custom_tag_category/${category?.id}?use_legacy_codes=false`, {
    masterdata: { ...pickGiven(flags), ...(fields.name === undefined ? {} : { values }) },
  });
}

async function findCountry(story: Story, code: string): Promise<Country | undefined> {
  const countries = (await story.others('GET', '/api/v1/countries')) as readonly Country[];
  return countries.find((one) => one.code === code);
}

function pickGiven(body: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined));
}

export async function renameTag(story: Story, { key, fields }: Hand, { navn }: Facts): Promise<void> {
  const [of = '', id = ''] = key.split('/');
  const category = find(await listCategories(story), of);
  const tag = find(category?.custom_tags ?? [], id);
  await story.others('PUT', `${TAGS}/custom_tag/${tag?.id}?use_legacy_codes=false`, {
    masterdata: {
      values: { en: fields.name, ...(navn === null ? {} : { no: navn }) },
      custom_tag_category_id: category?.id,
    },
  });
}

async function listCategories(story: Story): Promise<readonly Listed[]> {
  return (await story.others('GET', `${TAGS}/custom_tag_category?use_legacy_codes=false`)) as readonly Listed[];
}

function find(listed: readonly Listed[], externalId: string): Listed | undefined {
  return listed.find(({ external_unique_id: id }) => id === externalId);
}
