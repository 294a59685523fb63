import type { FixtureInput } from '../../../src/sandbox/fixture/fixture.js';
import type { SandboxOptions } from '../../../src/sandbox/sandbox.js';
import { ACCOUNT, openSandbox } from '../open-sandbox.js';

/** A name that is a script wherever it is shown without escaping. */
export const EVIL = `</textarea><script>document.title='evil'</script><img src=x onerror="document.title='evil'">`;

/** The small account with records of that name everywhere, and a CV with sections. */
export const HOSTILE: FixtureInput = {
  ...ACCOUNT,
  keys: [...(ACCOUNT.keys ?? []), { key: 'evil-key', name: EVIL, role: 'internationalmanager' }],
  countries: [...(ACCOUNT.countries ?? []), { code: 'de', native_language_code: 'de', offices: [{ name: EVIL }] }],
  tag_categories: [
    ...(ACCOUNT.tag_categories ?? []),
    {
      values: { en: EVIL },
      external_unique_id: 'evil',
      custom_tags: [{ values: { en: EVIL }, external_unique_id: EVIL }],
    },
  ],
  users: [
    ...(ACCOUNT.users ?? []),
    {
      email: 'evil@example.com',
      name: EVIL,
      external_unique_id: EVIL,
      country: 'de',
      office: EVIL,
      title: { en: EVIL, no: EVIL },
      tags: { evil: EVIL },
      cv: {
        sections: {
          key_qualifications: [{ label: { en: EVIL }, long_description: { en: `one\ntwo ${EVIL}` } }],
          technologies: [{ category: { en: EVIL }, technology_skills: [{ tags: { en: EVIL }, proficiency: 3 }] }],
          project_experiences: [{ description: { en: EVIL }, customer: { en: EVIL }, roles: [{ name: { en: EVIL } }] }],
        },
      },
    },
  ],
  customers: [
    ...(ACCOUNT.customers ?? []),
    {
      external_unique_id: EVIL,
      customer_name: { en: EVIL },
      projects: [
        {
          external_unique_id: EVIL,
          project_name: { en: EVIL },
          owners: ['evil@example.com'],
          project_challenges: [{ label: { en: EVIL }, value: { en: EVIL } }],
          customer_contacts: [{ name: EVIL }],
        },
      ],
    },
  ],
  proposals: [
    { name: EVIL, owner: 'evil@example.com', collaborators: [EVIL], cvs: ['evil@example.com'], references: [EVIL] },
  ],
};

type Typed = Readonly<Record<string, string | readonly string[]>>;

/** A person who loads the pages of a sandbox and fills them in, like a browser without scripts. */
export function visitPages({ url }: { readonly url: string }) {
  async function load(path: string, headers: Record<string, string> = {}) {
    const response = await fetch(url + path, { headers });
    return { status: response.status, headers: response.headers, text: await response.text() };
  }

  /** The fields that a browser sends for a form, with typed values in place of the others. */
  async function fillIn(path: string, action: string, typed: Typed = {}) {
    const { text } = await load(path);
    const fields = new URLSearchParams(readForm(text, action, typed));
    for (const [name, values] of Object.entries(typed)) {
      fields.delete(name);
      for (const one of [values].flat()) fields.append(name, one);
    }
    return fields;
  }

  async function post(path: string, body: URLSearchParams | FormData, headers: Record<string, string> = {}) {
    const response = await fetch(url + path, {
      method: 'POST',
      body,
      redirect: 'manual',
      headers: { origin: url, ...headers },
    });
    return { status: response.status, location: response.headers.get('location'), text: await response.text() };
  }

  async function submit(path: string, action: string, typed: Typed = {}) {
    return post(path, await fillIn(path, action, typed));
  }

  /** Sends a form with a file. */
  async function upload(path: string, action: string, file: File) {
    const form = new FormData();
    for (const [name, text] of await fillIn(path, action)) if (name !== 'file') form.append(name, text);
    form.append('file', file);
    return post(path, form);
  }

  return { load, fillIn, post, submit, upload };
}

export async function openPages(options: SandboxOptions = { fixture: HOSTILE }) {
  const opened = await openSandbox(options);
  return { ...opened, ...visitPages(opened.sandbox) };
}

export type Pages = Awaited<ReturnType<typeof openPages>>;

const ENTITIES: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
  '&amp;': '&',
};

function readEntities(text = ''): string {
  return text.replace(/&(?:lt|gt|quot|#39|amp);/g, (entity) => ENTITIES[entity] ?? '');
}

interface Control {
  readonly name: string;
  readonly text: string;
  /** Hidden fields distinguish forms with the same action, because each is about another record. */
  readonly isHidden: boolean;
}

/** The controls to send from the form with this `do`, and with the given hidden fields. */
function readForm(page: string, action: string, typed: Typed): [string, string][] {
  const forms = [...page.matchAll(/<form [^>]*method="post"[^>]*>(.*?)<\/form>/gs)].map(([, form = '']) =>
    readControls(form),
  );
  const found = forms.find(
    (form) =>
      form.some(({ name, text }) => name === 'do' && text === action) &&
      form.every(({ name, text, isHidden }) => !isHidden || typed[name] === undefined || typed[name] === text),
  );
  if (found === undefined) throw new Error(`the page has no form that does ${action}`);
  return found.map(({ name, text }) => [name, text]);
}

function readControls(form: string): readonly Control[] {
  const controls: Control[] = [];
  for (const [whole, tag, attributes = ''] of form.matchAll(/<(input|select|textarea)\b([^>]*)>/g)) {
    const name = readEntities(/\bname="([^"]*)"/.exec(attributes)?.[1]);
    const isHidden = attributes.includes('type="hidden"');
    const rest = form.slice(form.indexOf(whole) + whole.length);
    const add = (text: string | undefined): void => void controls.push({ name, isHidden, text: readEntities(text) });
    if (tag === 'textarea') add(/^\n?([^<]*)</.exec(rest)?.[1]);
    else if (tag === 'select') {
      const options = rest.slice(0, rest.indexOf('</select>'));
      add((/<option value="([^"]*)" selected/.exec(options) ?? /<option value="([^"]*)"/.exec(options))?.[1]);
    } else if (!attributes.includes('type="checkbox"') || / checked\b/.test(attributes)) {
      add(/\bvalue="([^"]*)"/.exec(attributes)?.[1] ?? 'on');
    }
  }
  return controls;
}

/** Every page of the account with its name in tests. */
export async function listPages({
  send,
}: Pick<Pages, 'send'>): Promise<readonly (readonly [name: string, path: string])[]> {
  const user = (await send('GET', `/api/v1/users/find?email=evil@example.com`)).body;
  const cv = (await send('GET', `/api/v3/cvs/${user.id}/${user.default_cv_id}`)).body;
  const { customers } = (await send('GET', '/api/v2/company/cv/customers?customer_name=script')).body;
  const { projects } = (await send('GET', `/api/v2/company/cv/projects?company_customer_id=${customers[0].id}`)).body;
  const [proposal] = (await send('GET', '/api/v1/all_offers')).body;
  const [tailored] = (await send('GET', `/api/v1/offers/${proposal.id}/cvs`)).body;
  const categories = (await send('GET', '/api/v1/masterdata/custom_tags/custom_tag_category')).body;
  const category = categories.find((one: { external_unique_id: string }) => one.external_unique_id === 'evil');
  return [
    ['overview', '/'],
    ['users', '/users'],
    ['user', `/users/${user.id}`],
    ['cv', `/cvs/${cv._id}`],
    ['tailored cv', `/cvs/${tailored.id}`],
    ['section', `/cvs/${cv._id}/project_experiences/${cv.project_experiences[0]._id}`],
    ['section with skills', `/cvs/${cv._id}/technologies/${cv.technologies[0]._id}`],
    ['new section', `/cvs/${cv._id}/educations/new`],
    ['offices', '/offices'],
    ['tags', '/tags'],
    ['category', `/tags/${category.id}`],
    ['customers', '/customers'],
    ['customer', `/customers/${customers[0].id}`],
    ['projects', '/projects'],
    ['project', `/projects/${projects[0].id}`],
    ['proposals', '/proposals'],
    ['proposal', `/proposals/${proposal.id}`],
    ['calls', '/calls'],
    ['mails', '/mails'],
    ['faults and clock', '/controls'],
  ];
}
