import { stringify } from 'yaml';
import { nameInEnglish, type Word } from './words.js';
import type { ExportFile } from './write-export.js';

/** Finds a header by the meaning of its column. */
type Find = (...words: readonly Word[]) => string | null;

/**
 * The configuration by a person who knows the meaning of each column and which rows are not people. It leaves out only
 * names in capitals.
 */
export function writeIdealConfig(file: ExportFile): string {
  const { variant, facts, company, style } = file;
  const find: Find = (...words) => {
    const found = Object.entries(variant.columns).find(([, cells]) => words.some((word) => word === cells));
    return found?.[0] ?? null;
  };
  const number = find('number', 'longNumber', 'apostropheNumber');
  const key = number ?? find('email', 'emailCapital', 'mailOfPeople') ?? '';
  const primary = find('primary');
  const office = find('office', 'officeCoded', 'officeElsewhere', 'officeEnglish', 'city');
  const leaver = listSigns(file, find);
  const start = find('start');
  const title = find('title');
  const phone = find(variant.accountPhone ?? 'workPhone') ?? find('mobile');
  const nobodies = [...file.rows.values()].flatMap(({ nobody, email }) => (nobody === null ? [] : [email]));
  const email = `${read(find('email', 'emailCapital', 'mailOfPeople') ?? '')}.optMap(v, v.lowerAscii())`;
  return stringify({
    service: { base_url: 'https://acme.example.com', api_key: { env: 'TALENT_API_KEY' } },
    state: './var',
    policy: 'sync',
    sources: {
      hr: {
        type: 'csv',
        drop: './',
        pattern: '*',
        separator: variant.separator ?? ',',
        ...(variant.encoding?.startsWith('windows') ? { encoding: variant.encoding } : {}),
        key,
        ...(primary === null ? {} : { prefer: `${read(primary)}.orValue("") == "${style.flags[0]}" ? 1 : 0` }),
        columns: declareColumns(file, key),
      },
    },
    users: {
      existence: 'hr',
      match: [...(number === null ? [] : ['external_unique_id']), 'email'],
      ...(nobodies.length === 0 ? {} : { scope: `!(${email}.orValue("") in ${JSON.stringify(nobodies.sort())})` }),
      ...(leaver.length === 0 ? {} : { leaver: { when: leaver.join(' || ') } }),
      ...(start === null ? {} : { joiner: { start: read(start) } }),
      fields: {
        ...(number === null ? {} : { external_unique_id: `record[${JSON.stringify(number)}].replace("'", "")` }),
        email,
        ...(facts.has('name') && !facts.has('shouted') ? { name: composeName(find) } : {}),
        ...(title === null ? {} : { title: { [company.language]: read(title) } }),
        ...(office === null ? {} : { office: lookUp(office) }),
        ...(phone === null ? {} : { telephone: read(phone) }),
      },
    },
    maps: {
      offices: Object.fromEntries(company.sites.flatMap(({ name }) => spell(name, style).map((one) => [one, name]))),
      countries: Object.fromEntries(
        company.sites.flatMap(({ name, country }) => spell(name, style).map((one) => [one, country])),
      ),
    },
  });
}

function read(header: string): string {
  return `record[?${JSON.stringify(header)}]`;
}

function declareColumns({ variant, style }: ExportFile, key: string): Readonly<Record<string, object>> {
  const dates: readonly unknown[] = ['start', 'end', 'leftOn', 'endOr9999'] satisfies readonly Word[];
  return Object.fromEntries(
    Object.entries(variant.columns).map(([header, cells]) => {
      const type = dates.includes(cells) ? { type: 'date', format: style.dates } : { type: 'string' };
      return [header, { ...type, ...(header === key || cells === 'contract' ? {} : { optional: true }) }];
    }),
  );
}

/** The signs that somebody has left. Without a first day, somebody who is only announced counts too. */
function listSigns({ style }: ExportFile, find: Find): readonly string[] {
  const is = (header: string | null, word: string | undefined): readonly string[] =>
    header === null || word === undefined ? [] : [`${read(header)}.orValue("") == ${JSON.stringify(word)}`];
  const end = find('end', 'leftOn', 'endOr9999');
  return [
    ...is(find('status'), style.status.left),
    ...is(find('status'), find('start') === null ? style.status.later : undefined),
    ...is(find('enabled'), style.flags[1]),
    ...is(find('blocked'), style.flags[0]),
    ...(end === null ? [] : [`${read(end)}.optMap(d, d < today).orValue(false)`]),
  ];
}

function composeName(find: Find): string {
  const [full, marked, lastFirst] = [find('full'), find('marked'), find('lastFirst')];
  if (full !== null) return read(full);
  if (marked !== null) return `${read(marked)}.optFlatMap(v, v.split(" (").first())`;
  const [first, last] = [find('preferred', 'first'), find('last', 'lastBare')];
  const [usual, prefix] = [find('preferred', 'nickname'), find('prefix')];
  if (first !== null && last !== null) {
    const called = usual === null ? read(first) : `${read(usual)}.or(${read(first)})`;
    const parts = [called, ...(prefix === null ? [] : [read(prefix)]), read(last)];
    return `[${parts.map((part) => `${part}.orValue("")`).join(', ')}].filter(n, n != "").join(" ")`;
  }
  return lastFirst === null ? read(find('legal') ?? '') : `${read(lastFirst)}.optMap(v, v.firstNameFirst())`;
}

function lookUp(office: string): Readonly<Record<string, string | boolean>> {
  const name = `${read(office)}.orValue("")`;
  return { country: `lookup(maps.countries, ${name})`, name: `lookup(maps.offices, ${name})`, create_missing: true };
}

function spell(name: string, { codes }: ExportFile['style']): readonly string[] {
  return [...new Set([name, nameInEnglish(name), `${codes[name]} - ${name}`])];
}
