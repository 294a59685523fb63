import { renderCvPreview } from '../render-cv.js';
import { type Answer, type Call, Refusal, type Route, type World } from '../route.js';
import { countCvs, findCvs, readCvCondition } from '../search-cvs.js';
import { checkInteger, readBody } from '../values.js';

export const CV_SEARCH_ROUTES: readonly Route[] = [
  { method: 'POST', path: '/api/v4/search', access: 'read', handle: searchCvs },
];

/** `size` is required. Without `must` there is more in the answer than clients may depend on (spec, Search). */
function searchCvs(world: World, call: Call): Answer {
  const body = readBody(call);
  const offset = checkInteger(body.offset, 'offset', { min: 0, max: Number.MAX_SAFE_INTEGER, fallback: 0 });
  if (body.size === undefined || body.size === null) throw new Refusal(400, 'size is required: 1 to 500');
  const size = checkInteger(body.size, 'size', { min: 1, max: 500, fallback: 0 });
  const condition = readCvCondition(world, call, body);
  const isPlain = body.must === undefined || body.must === null;
  const found = findCvs(world, condition, offset, size);
  const cvs = found.map((owned, index) => ({
    ...(isPlain ? { id: offset + index, index: offset + index, highlight: {} } : {}),
    highlights: {},
    cv: renderCvPreview(world, owned, call.mode),
    preview_url: `${call.baseUrl}/cvs/${owned.user.id}/${owned.cv.id}`,
  }));
  // A page that is not full is the last one: then nothing needs counting.
  const isLast = found.length < size && (found.length > 0 || offset === 0);
  const answer = { cvs, offset, total: isLast ? offset + found.length : countCvs(world, condition) };
  return { status: 200, body: isPlain ? { ...answer, facets: {} } : answer };
}
