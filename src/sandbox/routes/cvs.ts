import { isJsonObject } from '../../model/json.js';
import { renderCv, renderCvMetadata } from '../answers/render-cv.js';
import type { Call } from '../calls/call.js';
import { readCvFields } from '../fields/plain-fields.js';
import { readFlagParameter, readString, readTexts, readWrapper } from '../fields/values.js';
import { profileOf, requireCv, requireWritableCv, saveCv } from '../records/cvs.js';
import { updateUser } from '../records/save-user.js';
import type { CvProfile } from '../store/cv-documents.js';

export function getCv(call: Call): object {
  return renderCv(call, requireCv(call));
}

export function getMetadata(call: Call): object {
  return renderCvMetadata(call, requireCv(call), readFlagParameter(call.query, 'detailed') === true);
}

/** Reads the fields of the update body. Other fields of the personal part can only be set on the user. */
function readProfile(call: Call): Partial<CvProfile> {
  const body = readWrapper(call, 'cv');
  const changes: { -readonly [K in keyof CvProfile]?: CvProfile[K] } = { ...readCvFields(body, call.mode) };
  const name = readString(body, 'navn');
  if (name !== undefined) changes.name = name ?? '';
  const multilang = readTexts(body, 'name_multilang', call.mode);
  if (multilang !== undefined) changes.name_multilang = multilang;
  if (body.place_of_residence !== undefined) {
    // The value is multilingual on a CV; a plain string is stored as on the user (spec, User).
    changes.place_of_residence = isJsonObject(body.place_of_residence)
      ? (readTexts(body, 'place_of_residence', call.mode) ?? null)
      : (readString(body, 'place_of_residence') ?? null);
  }
  return changes;
}

/**
 * Updates the fields of a CV. On a master CV these are fields of the user, so the user's timestamp in the feed changes; a
 * tailored CV has its own.
 */
export function putCvFields(call: Call): object {
  const owned = requireWritableCv(call);
  const { cv, user } = owned;
  const changes = readProfile(call);
  if (cv.proposal_id !== null) {
    return renderCv(call, { user, cv: saveCv(call, { ...cv, profile: { ...profileOf(owned), ...changes } }) });
  }
  return renderCv(call, { user: updateUser(call.world, user, changes), cv: saveCv(call, cv) });
}
