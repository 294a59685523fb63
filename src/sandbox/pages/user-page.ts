import { BASE_ROLES, EXTRA_ROLES } from '../../model/fields.js';
import { renderBox } from '../../report/writers/page/form-parts.js';
import { type Html, html, value } from '../../report/writers/page/html-text.js';
import type { World } from '../account/world.js';
import { renderUser } from '../answers/render-user.js';
import type { Call } from '../calls/call.js';
import { requireUpload } from '../calls/multipart.js';
import { listCvTags, readMasterCv } from '../records/cvs.js';
import { keepPictureBytes } from '../records/pictures.js';
import { updateUser } from '../records/save-user.js';
import { attaches, detaches, TAGGED_CVS, type Tagged } from '../routes/record-tags.js';
import { deleteUser, getUser, putUser } from '../routes/users.js';
import type { UserDocument } from '../store/documents.js';
import { removeFile } from '../store/stored-files.js';
import { calls, readAs, requireRecord, writeAs } from './as-colleague.js';
import {
  type FormField,
  linesOf,
  type RecordForm,
  renderButton,
  renderForm,
  renderLineForm,
  renderRemoval,
  saveChanges,
  textsOf,
} from './form-fields.js';
import type { PageAction, PageRequest, PageRoute } from './page.js';
import {
  listTagOptions,
  renderDocuments,
  renderFacts,
  renderSection,
  renderState,
  renderTags,
  renderUpload,
  tagActions,
} from './record-parts.js';
import { listOfficeOptions, listRoleOptions, placeOf } from './users-page.js';
import { formatTime, nameCountry, pathTo, renderLink } from './words.js';

function requireUser({ world, params }: PageRequest): UserDocument {
  return requireRecord(world.store.users.get(params.user_id));
}

const SCOPE = 'For a departmentmanager';

function listFields(world: World): readonly FormField[] {
  return [
    ...linesOf('name', 'email', 'external_unique_id', 'upn', 'telephone', 'landline'),
    { name: 'born_year', is: 'number' },
    { name: 'office_id', label: 'Office', is: 'choice', options: listOfficeOptions(world) },
    { name: 'role', is: 'choice', options: listRoleOptions(BASE_ROLES) },
    ...textsOf('title', 'nationality'),
    { name: 'extra_roles', is: 'choices', options: listRoleOptions(EXTRA_ROLES), hint: 'In addition to consultant' },
    {
      name: 'role_allowed_office_ids',
      label: 'Offices managed',
      is: 'choices',
      options: listOfficeOptions(world),
      hint: SCOPE,
    },
    { name: 'role_allowed_tag_ids', label: 'Tags managed', is: 'choices', options: listTagOptions(world), hint: SCOPE },
  ];
}

function editForm(page: PageRequest): RecordForm {
  const user = requireUser(page);
  const record = { ...readAs(page, getUser, { params: { user_id: user.id } }), extra_roles: user.extra_roles };
  return { action: 'save', button: 'Save', fields: listFields(page.world), record };
}

const SCOPE_FIELDS = ['extra_roles', 'role_allowed_office_ids', 'role_allowed_tag_ids'];

function save(page: PageRequest): unknown {
  return saveChanges(page, editForm(page), ({ office_id, ...others }) => {
    // The scope of a departmentmanager must be in the same request (spec, Update rules).
    const isManager = page.form.getAll('extra_roles').includes('departmentmanager');
    const isScope = isManager && SCOPE_FIELDS.some((name) => name in others);
    const user = {
      ...others,
      ...(office_id === undefined ? {} : placeOf(page.world, office_id)),
      ...(isScope ? Object.fromEntries(SCOPE_FIELDS.map((name) => [name, page.form.getAll(name)])) : {}),
    };
    return writeAs(page, putUser, { params: page.params, body: { user } });
  });
}

/** For accounts in which CVs do not show the tags of users. No call removes such a tag, so the page acts as a colleague. */
const TAGGED_USERS: Tagged<UserDocument> = {
  find: ({ world, params }) => requireRecord(world.store.users.get(params.user_id)),
  list: (_, user) => user.custom_tag_ids,
  save: ({ world }, user, custom_tag_ids) => updateUser(world, user, { custom_tag_ids }),
  render: renderUser,
};

function tagUser(name: 'tag' | 'untag'): PageAction {
  const onCv = tagActions({ attach: attaches(TAGGED_CVS), detach: detaches(TAGGED_CVS) }, (page) => {
    const { id, default_cv_id } = requireUser(page);
    return { user_id: id, cv_id: default_cv_id };
  });
  const alone = tagActions({ attach: attaches(TAGGED_USERS), detach: detaches(TAGGED_USERS) }, ({ params }) => params);
  return (page) => (page.world.account.user_tags_on_cvs ? onCv : alone)[name](page);
}

function switchUser(deactivated: boolean): PageAction {
  return calls(putUser, { body: ({ form }) => ({ user: { deactivated, send_email: form.has('send_email') } }) });
}

/**
 * Replaces the picture of a user, which no call of the interface can do. The page acts as a colleague, and the users feed shows
 * the change.
 */
function replacePicture(call: Call, image_id: string | null): object {
  const user = requireRecord(call.world.store.users.get(call.params.user_id));
  if (user.image_id) removeFile(call.world.store, user.image_id);
  return renderUser(call, updateUser(call.world, user, { image_id }));
}

function putPicture(call: Call): object {
  return replacePicture(call, keepPictureBytes(call.world, requireUpload(call).bytes));
}

function renderPicture({ image_id: id }: UserDocument): Html {
  const upload = renderUpload('save_picture', id ? 'Replace the picture' : 'Add the picture', 'image/png, image/jpeg');
  if (!id) return html`<p class="muted">No picture.</p>${upload}`;
  return html`<p><img class="portrait" src="${pathTo('stored', id)}" alt="Picture of the user"></p>${upload}${renderButton('remove_picture', 'Remove the picture')}`;
}

export const USER_PAGE: PageRoute = {
  path: '/users/:user_id',
  show: (page) => {
    const { world } = page;
    const user = requireUser(page);
    const isGone = user.deactivated_at !== null;
    const place = world.store.offices.get(user.office_id)?.name ?? '';
    const country = nameCountry(world.store.countries.get(user.country_id)?.code ?? '');
    const projects = world.store.projects.find('WHERE instr(body, ?) > 0 ORDER BY id LIMIT 20', [`"${user.id}"`]);
    const facts = renderFacts([
      { name: 'Id', is: user.id },
      { name: 'Created', is: formatTime(user.created_at) },
      { name: 'Changed', is: formatTime(user.updated_at) },
      { name: 'Changed, in the users feed', is: formatTime(user.profile_updated_at * 1000) },
      { name: 'Deactivated', is: isGone ? formatTime(user.deactivated_at ?? 0) : '' },
      {
        name: 'Owner of projects',
        is: html`${projects.map(({ id, strings }) => html`${renderLink(pathTo('projects', id), strings.external_unique_id ?? id)} `)}`,
      },
    ]);
    const activation = isGone
      ? renderLineForm('activate', 'Activate', renderBox('Send a mail', { name: 'send_email' }))
      : renderButton('deactivate', 'Deactivate');
    const tagIds = world.account.user_tags_on_cvs
      ? listCvTags(world, { user, cv: readMasterCv(world, user) })
      : user.custom_tag_ids;
    return {
      title: user.name === '' ? user.email : user.name,
      under: '/users',
      lead: html`${renderState(user.deactivated_at)} ${value(place)}, ${country} · ${renderLink(pathTo('cvs', user.default_cv_id), 'CV')}`,
      body: html`${facts}<div class="actions">${activation}${renderRemoval('remove', 'Remove the user')}</div>
${renderSection('Fields', renderForm(page, editForm(page)))}
${renderSection('Picture', renderPicture(user))}
${renderSection('Tags', renderTags(page, tagIds))}
${renderSection('Documents of the CV', renderDocuments(page, 'cvs', user.default_cv_id))}`,
    };
  },
  actions: {
    save,
    tag: tagUser('tag'),
    untag: tagUser('untag'),
    save_picture: (page) => writeAs(page, putPicture, { params: page.params, form: page.sent }),
    remove_picture: calls((call) => replacePicture(call, null)),
    activate: switchUser(false),
    deactivate: switchUser(true),
    remove: calls(deleteUser, { next: '/users?done=remove' }),
  },
};
