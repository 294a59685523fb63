import type { Call } from '../calls/call.js';
import { toWireCode, toWireTexts } from '../fields/languages.js';
import { renderFields, USER_FIELDS } from '../fields/plain-fields.js';
import { languageOf } from '../records/places.js';
import type { UserDocument } from '../store/documents.js';
import { userExtras } from './client-fields.js';
import { NEUTRAL_PICTURE, signUrl, USER_IMAGE_LIFETIME_MS } from './signed-links.js';
import { toSecondStamp, toStamp } from './stamps.js';

export function renderUserImage(call: Call, { image_id: id }: UserDocument): object {
  const shown = id || (call.world.account.missing_pictures === 'neutral' ? NEUTRAL_PICTURE : '');
  return renderImage(shown === '' ? null : signUrl(call, shown, USER_IMAGE_LIFETIME_MS));
}

/** Renders a picture. It is stored in one size, so the links for all sizes are the same. */
export function renderImage(url: string | null): object {
  return { url, thumb: { url }, fit_thumb: { url }, large: { url }, small_thumb: { url } };
}

/** Renders the user object of lists and `find`. A setting of the account decides if it includes the scope (spec, Users). */
export function renderUser(call: Call, user: UserDocument): Readonly<Record<string, unknown>> {
  const { world, mode } = call;
  const office = world.store.offices.get(user.office_id);
  const country = world.store.countries.get(user.country_id);
  const language = languageOf(world, user);
  const { place_of_residence: place } = user;
  return {
    user_id: user.id,
    id: user.id,
    email: user.email,
    name: user.name,
    name_multilang: toWireTexts(user.name_multilang, mode),
    place_of_residence: typeof place === 'object' && place !== null ? toWireTexts(place, mode) : place,
    twitter: user.twitter,
    override_language_code: user.override_language_code === null ? null : toWireCode(user.override_language_code, mode),
    default_cv_id: user.default_cv_id,
    deactivated: user.deactivated_at !== null,
    deactivated_at: user.deactivated_at === null ? false : toStamp(world, user.deactivated_at),
    created_at: toStamp(world, user.created_at),
    updated_at: toStamp(world, user.updated_at),
    profile_updated_at: toSecondStamp(world, user.profile_updated_at),
    role: user.role,
    roles: [user.role, ...user.extra_roles],
    office_id: user.office_id,
    office_name: office?.name ?? null,
    country_id: user.country_id,
    country_code: country?.code ?? null,
    language_code: language === undefined ? null : toWireCode(language, mode),
    image: renderUserImage(call, user),
    // Spread values come last, because creating an object that begins with them takes three times as long.
    ...renderFields(USER_FIELDS, user, mode),
    ...userExtras(world, user, mode),
    ...(world.account.user_lists === 'scoped' ? renderScope(user) : {}),
  };
}

export function renderScopedUser(call: Call, user: UserDocument): object {
  return { ...renderUser(call, user), ...renderScope(user) };
}

function renderScope({ role_allowed_office_ids, role_allowed_tag_ids }: UserDocument): object {
  return { role_allowed_office_ids, role_allowed_tag_ids };
}

/** Renders a user as an owner of a project (spec, Reference project, sub-resource entries). */
export function renderOwner({ world, mode }: Call, user: UserDocument): object {
  return {
    id: user.id,
    email: user.email,
    external_unique_id: user.external_unique_id,
    name: user.name,
    office_id: user.office_id,
    office_name: world.store.offices.get(user.office_id)?.name ?? null,
    role: user.role,
    title: toWireTexts(user.title, mode),
    deactivated: user.deactivated_at !== null,
  };
}
