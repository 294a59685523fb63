import type { CvProfile } from '../cv-documents.js';
import { profileOf, requireCv, requireWritableCv, saveCv } from '../cvs.js';
import { readCvFields } from '../plain-fields.js';
import { renderCv, renderCvMetadata } from '../render-cv.js';
import type { Answer, Call, Route, World } from '../route.js';
import { updateUser } from '../save-user.js';
import { type Body, isBody, readParameter, readString, readTexts, readWrapper } from '../values.js';

export const CV = '/api/v3/cvs/:user_id/:cv_id';

export const CV_ROUTES: readonly Route[] = [
  { method: 'GET', path: CV, access: 'read', handle: getCv },
  { method: 'GET', path: `${CV}/metadata`, access: 'read', handle: getMetadata },
  { method: 'PUT', path: CV, access: 'write', handle: putCvFields },
];

function getCv(world: World, call: Call): Answer {
  return { status: 200, body: renderCv(world, requireCv(world, call), call.mode) };
}

function getMetadata(world: World, call: Call): Answer {
  const isDetailed = readParameter(call.query, 'detailed') === 'true';
  return { status: 200, body: renderCvMetadata(world, requireCv(world, call), isDetailed) };
}

type MutablePartial<T> = { -readonly [K in keyof T]?: T[K] };

/** The fields of the update body; what the personal part of the CV shows besides is set on the user. */
function readProfile(call: Call, body: Body): Partial<CvProfile> {
  const changes: MutablePartial<CvProfile> = { ...readCvFields(body, call.mode) };
  const name = readString(body, 'navn');
  if (name !== undefined) changes.name = name ?? '';
  const multilang = readTexts(body, 'name_multilang', call.mode);
  if (multilang !== undefined) changes.name_multilang = multilang;
  if (body.place_of_residence !== undefined) {
    // Multilingual on a CV; a plain string is what the user object may hold (spec, User).
    changes.place_of_residence = isBody(body.place_of_residence)
      ? (readTexts(body, 'place_of_residence', call.mode) ?? null)
      : (readString(body, 'place_of_residence') ?? null);
  }
  return changes;
}

/** On a master CV these are fields of the user, so that its stamp in the feed moves; a tailored CV has its own. */
function putCvFields(world: World, call: Call): Answer {
  const owned = requireWritableCv(world, call);
  const changes = readProfile(call, readWrapper(call, 'cv'));
  if (owned.cv.proposal_id !== null) {
    const cv = saveCv(world, call, { ...owned.cv, profile: { ...profileOf(owned), ...changes } }, undefined);
    return { status: 200, body: renderCv(world, { ...owned, cv }, call.mode) };
  }
  const user = updateUser(world, owned.user, changes);
  const cv = saveCv(world, call, owned.cv, undefined);
  return { status: 200, body: renderCv(world, { user, cv }, call.mode) };
}
