import { BASE_ROLES, EXTRA_ROLES } from '../../model/fields.js';
import type { SelectOption } from '../../report/writers/page/form-parts.js';
import { html, value } from '../../report/writers/page/html-text.js';
import type { World } from '../account/world.js';
import { foldText } from '../fields/languages.js';
import { postUser } from '../routes/users.js';
import type { UserDocument } from '../store/documents.js';
import { listOfficeNames, writeAs } from './as-colleague.js';
import { linesOf, type RecordForm, readChanges, renderForm } from './form-fields.js';
import { cutPart, type ListPart, PAGE_SIZE, readFrom, renderPager, renderSearch, renderTable } from './lists.js';
import type { PageRequest, PageRoute } from './page.js';
import { renderFold, renderState } from './record-parts.js';
import { formatTime, nameCountry, pathTo, renderLink } from './words.js';

export function listOfficeOptions(world: World): readonly SelectOption[] {
  return listOfficeNames(world).map(({ id, name, country }) => ({
    value: id,
    text: name,
    group: nameCountry(country),
  }));
}

export function listRoleOptions(roles: readonly string[]): readonly SelectOption[] {
  return roles.map((role) => ({ value: role, text: role }));
}

/** Returns the office and its country, because both change together (spec, Update rules). */
export function placeOf({ store }: World, officeId: unknown): object {
  return { office_id: officeId, country_id: store.offices.get(String(officeId))?.country_id };
}

interface UserFilter {
  readonly name: string;
  readonly state: string;
  readonly role: string;
  readonly office: string;
}

function readAsked({ query }: PageRequest): UserFilter {
  const read = (name: string): string => (query.get(name) ?? '').trim();
  return { name: foldText(read('q')), state: read('state'), role: read('role'), office: read('office') };
}

/** Lists users. A search reads one page, as in the service; other lists use an index ordered by name. */
function findUsers({ store }: World, asked: UserFilter, from: number): ListPart<UserDocument> {
  const { name, state, role, office } = asked;
  const [isSearched, isGone] = [name !== '', state === 'deactivated'];
  const question = {
    name,
    withDeactivated: state !== 'active',
    role: role === '' ? undefined : role,
    offices: office === '' ? [] : [office],
    byRelevance: false,
  };
  if (isSearched && !isGone) {
    const ids = store.searchUsers({ ...question, from, size: PAGE_SIZE + 1 });
    return cutPart(
      ids.flatMap((id) => store.users.get(id) ?? []),
      from,
    );
  }
  const clauses: string[] = [];
  const values: string[] = [];
  const add = (clause: string, ...bound: readonly string[]): void => {
    clauses.push(clause);
    values.push(...bound);
  };
  if (state === 'active' || isGone) add(`gone = ${isGone ? 1 : 0}`);
  if (role !== '') add('instr(roles, ?) > 0', ` ${role} `);
  if (office !== '') add('office_id = ?', office);
  if (isSearched) {
    const ids = store.searchUsers({ ...question, from: 0, size: Number.MAX_SAFE_INTEGER });
    add('id IN (SELECT value FROM json_each(?))', JSON.stringify(ids));
  }
  const where = clauses.length === 0 ? '' : `WHERE ${clauses.join(' AND ')}`;
  const ids = `SELECT id FROM users ${where} ORDER BY name_key, id LIMIT ? OFFSET ?`;
  const found = store.users.find(`WHERE id IN (${ids}) ORDER BY name_key, id`, [...values, PAGE_SIZE + 1, from]);
  // Roles are not in any index, so counting them would read every user.
  return cutPart(found, from, role === '' ? store.users.count(where, values) : undefined);
}

const COLUMNS = ['Name', 'E-mail', 'External id', 'Office', 'Roles', 'State', 'Changed'].map((name) => ({ name }));

function createForm(world: World): RecordForm {
  const offices = listOfficeOptions(world);
  return {
    action: 'add',
    button: 'Add the user',
    record: { office_id: offices[0]?.value ?? '' },
    fields: [
      { name: 'name', is: 'line' },
      {
        name: 'email',
        is: 'line',
        isRequired: true,
        hint: `Allowed domains: ${world.account.whitelisted_domains.join(', ')}`,
      },
      ...linesOf('external_unique_id'),
      { name: 'office_id', label: 'Office', is: 'choice', options: offices },
      { name: 'send_email', is: 'flag', label: 'Send the welcome mail' },
    ],
  };
}

export const USERS_PAGE: PageRoute = {
  path: '/users',
  show: (page) => {
    const { world } = page;
    const part = findUsers(world, readAsked(page), readFrom(page));
    const offices = new Map(listOfficeNames(world).map(({ id, name }) => [id, name]));
    const rows = part.shown.map((user) => [
      renderLink(pathTo('users', user.id), user.name === '' ? user.email : user.name),
      value(user.email),
      value(user.external_unique_id ?? ''),
      value(offices.get(user.office_id) ?? ''),
      html`${[user.role, ...user.extra_roles].join(', ')}`,
      renderState(user.deactivated_at),
      html`<time>${formatTime(user.updated_at)}</time>`,
    ]);
    const search = renderSearch(page, 'Name, e-mail or external id', [
      { name: 'state', label: 'Any state', options: listRoleOptions(['active', 'deactivated']) },
      { name: 'role', label: 'Any role', options: listRoleOptions([...BASE_ROLES, ...EXTRA_ROLES]) },
      { name: 'office', label: 'Any office', options: listOfficeOptions(world) },
    ]);
    const list = html`${renderPager(page, part, 'users')}${part.shown.length === 0 ? null : renderTable(COLUMNS, rows)}${part.hasMore || part.from > 0 ? renderPager(page, part, 'users') : null}`;
    return {
      title: 'Users',
      under: '/users',
      body: html`${search}<div data-fresh>${list}</div>${renderFold(page, 'add', 'Add a user', renderForm(page, createForm(world)))}`,
    };
  },
  actions: {
    add: (page) => {
      const { office_id, ...user } = readChanges(createForm(page.world), page.form);
      const place = placeOf(page.world, page.form.get('office_id') ?? office_id);
      const { id } = writeAs(page, postUser, { body: { user: { ...user, ...place } } });
      return pathTo('users', String(id));
    },
  },
};
