// The parts of the service that the bench needs, for accounts that are too large for the sandbox. It generates people on
// request, and stores only people that were written. Usage: node lean-service.mjs PEOPLE; it prints its address.
import { createServer } from 'node:http';
import { buildPerson, OFFICES } from './company.mjs';

let people = Number(process.argv[2]);
const COUNTRIES = [...new Set(OFFICES.map(({ country }) => country))];
/** The timestamps of unchanged people start here, one second apart. */
const FIRST_CHANGE_MS = Date.UTC(2026, 0, 1);

const id = (kind, index) => kind + String(index).padStart(23, '0');
const stampOf = (index) => new Date(FIRST_CHANGE_MS + index * 1_000).toISOString();

/** People written since the last reset, in the order of their last write. */
let changed = new Map();
let delayMs = 0;

function showPerson(index) {
  const written = changed.get(index);
  if (written !== undefined) return written;
  const row = buildPerson(index, 0);
  const stamp = stampOf(index);
  const office = OFFICES.findIndex(({ country, name }) => country === row.country && name === row.department);
  return {
    user_id: id('a', index),
    id: id('a', index),
    email: row.email,
    external_unique_id: row.employee_id,
    upn: row.upn,
    telephone: row.mobile,
    landline: row.phone,
    title: { en: row.title, no: row.title_no },
    nationality: { en: row.nationality },
    born_year: Number(row.birth_year),
    name: `${row.first_name} ${row.last_name}`,
    name_multilang: {},
    place_of_residence: null,
    twitter: null,
    override_language_code: null,
    default_cv_id: id('c', index),
    deactivated: false,
    deactivated_at: false,
    created_at: stamp,
    updated_at: stamp,
    profile_updated_at: stamp,
    role: 'consultant',
    roles: ['consultant'],
    office_id: id('0', office),
    office_name: row.department,
    country_id: id('f', COUNTRIES.indexOf(row.country)),
    country_code: row.country,
    language_code: 'no',
    image: {
      url: null,
      thumb: { url: null },
      fit_thumb: { url: null },
      large: { url: null },
      small_thumb: { url: null },
    },
  };
}

function showCountry(code, country) {
  const offices = OFFICES.map(({ name, country }, index) => ({
    ...{ _id: id('0', index), name, country_id: id('f', COUNTRIES.indexOf(country)), country_code: country },
    ...{ override_language_code: null, num_users: 0, num_users_activated: 0, num_users_deactivated: 0 },
  })).filter((office) => office.country_code === code);
  return {
    ...{ _id: id('f', country), code, native_language_code: 'no', override_ui_language_code: null },
    ...{ cv_template_id: null, cv_template_type: null, offices },
  };
}

function listPage(from, size) {
  const page = [];
  for (let index = from; index < Math.min(from + size, people); index++) page.push(showPerson(index));
  return page;
}

/** Unchanged people come first, because their timestamps are older than any write. */
function listChanges(since, limit) {
  const page = [];
  const first = Math.max(0, Math.ceil((Date.parse(since) - FIRST_CHANGE_MS) / 1_000));
  for (let index = first; index < people && page.length < limit; index++) {
    if (!changed.has(index)) page.push(showPerson(index));
  }
  for (const user of changed.values()) {
    if (page.length >= limit) break;
    if (user.profile_updated_at >= since) page.push(user);
  }
  return page;
}

function changePerson(index, values) {
  const at = new Date().toISOString();
  const user = { ...showPerson(index), ...values, updated_at: at, profile_updated_at: at };
  changed.delete(index);
  changed.set(index, user);
  return user;
}

function createPerson({ country_code, office_name, ...values }) {
  people += 1;
  return changePerson(people - 1, values);
}

/**
 * Method, path and answer, which is undefined for unknown objects. A search by name finds nobody, and there are no
 * customers, projects or tags.
 */
const ROUTES = [
  ['GET', /^\/api\/v1\/countries$/, () => COUNTRIES.map(showCountry)],
  ['GET', /^\/api\/v2\/users\/search$/, ({ query }) => listPage(Number(query.get('from')), Number(query.get('size')))],
  [
    'GET',
    /^\/api\/v1\/users\/changes$/,
    ({ query }) => listChanges(query.get('profile_updated_since'), Number(query.get('limit') ?? 100)),
  ],
  ['GET', /^\/api\/v1\/users\/find$/, () => undefined],
  ['GET', /^\/api\/v1\/users\/a(\d+)$/, ({ match }) => showPerson(Number(match))],
  ['PUT', /^\/api\/v1\/users\/a(\d+)$/, ({ match, body }) => changePerson(Number(match), body.user)],
  ['POST', /^\/api\/v1\/users$/, ({ body }) => createPerson(body.user)],
  ['GET', /^\/api\//, () => []],
  [
    'POST',
    /^\/__bench$/,
    ({ body }) => {
      if (body.reset) changed = new Map();
      delayMs = body.delayMs ?? delayMs;
      return { changed: changed.size };
    },
  ],
];

function readBody(request) {
  return new Promise((resolve) => {
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => resolve(chunks.length === 0 ? null : JSON.parse(Buffer.concat(chunks))));
  });
}

const server = createServer(async (request, response) => {
  const { pathname, searchParams: query } = new URL(request.url, 'http://localhost');
  const body = await readBody(request);
  const route = ROUTES.find(([method, path]) => method === request.method && path.test(pathname));
  const answer = route?.[2]({ query, body, match: route[1].exec(pathname)[1] });
  const text = JSON.stringify(answer ?? { error: 'not here' });
  const send = () => {
    response.writeHead(answer === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(text);
  };
  if (delayMs > 0 && pathname !== '/__bench') setTimeout(send, delayMs);
  else send();
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${server.address().port}` })}\n`);
});
process.on('SIGTERM', () => process.exit());
