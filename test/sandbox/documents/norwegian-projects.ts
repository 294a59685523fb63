import type { Body } from '../../../src/sandbox/fields/values.js';
import { DAM } from './drawings.js';

/** A title, a customer, an industry. Customers with a star are not named. */
const PROJECTS = [
  ['Nytt kontrollsystem for Fjorddammen', 'Fjord Kraft', 'Energi'],
  ['Flytting av saksbehandling til skyen', '*Et direktorat', 'Offentlig sektor'],
  ['Sanntidsdata for bussene i Bergen', 'Vestbuss', 'Transport'],
  ['Ny nettbank', '*Bank og finans', 'Bank og finans'],
  ['Anbud', 'Havnevesenet', 'Transport'],
  ['Digital tvilling av vannforsyningen', 'Nordvann', 'Vann og avløp'],
  ['Sikkerhetsgjennomgang', '*Energi', 'Energi'],
  ['Felles pasientkjerne for fire sykehus og deres samarbeidende kommuner', 'Helse Nordfjord', 'Helse'],
  ['Varsling ved flom', 'Fjord Kraft', 'Energi'],
  ['Kurs i testing', 'Vestbuss', 'Transport'],
  ['Lagerstyring med håndholdte lesere', 'Fjellvik Dagligvare', 'Handel'],
  ['Prognoser for kraftpris', 'Nordlys Handel', 'Energi'],
  ['Ny innlogging for 400 000 innbyggere', '*En kommune', 'Offentlig sektor'],
  ['Drift av målere', 'Nordvann', 'Vann og avløp'],
  ['Konsolidering av tre regnskapssystemer', 'Kystlinje', 'Transport'],
  ['Rådgivning', 'Blåstein', 'Bygg og anlegg'],
  ['Automatisk kontroll av fakturaer', 'Kystlinje', 'Transport'],
  ['App for feltarbeid uten dekning', 'Statsskog', 'Skogbruk'],
  ['Plattform for åpne værdata', '*Et institutt', 'Forskning'],
  ['Ytelsestest av nødnett', '*En nødetat', 'Offentlig sektor'],
  ['Bestilling av ferger', 'Fjordferge', 'Transport'],
  ['Modernisering av lønn', 'Helse Nordfjord', 'Helse'],
  ['Tilgjengelighet på nett', '*Offentlig sektor', 'Offentlig sektor'],
  ['Sporing av laks fra merd til butikk', 'Havbruk Nord', 'Fiskeri'],
  ['Styring av gatelys', 'Elvestad kommune', 'Offentlig sektor'],
  ['Arkiv', 'Elvestad kommune', 'Offentlig sektor'],
  ['Sensorer i tunneler', 'Blåstein', 'Bygg og anlegg'],
  ['Masteroppgave om reguleringsteknikk', 'NTNU', 'Forskning'],
] as const;

const SENTENCES = [
  'Løsningen erstattet et system fra 1998 som bare to personer lenger kunne vedlikeholde.',
  'Arbeidet ble gjort i tre faser, og hver av dem ble satt i drift før den neste begynte.',
  'Teamet besto av ni personer fra kunden og to leverandører, og satt sammen hos kunden tre dager i uken.',
  'Hver natt behandles 2,4 millioner målinger, og avvik varsles innen ti sekunder.',
  'Kunden sparte 14 millioner kroner det første året, og nedetiden falt fra 31 timer til under én time.',
  'Alle endringer kunne rulles tilbake, og ingen av dem stanset driften.',
  'Brukerne var med fra første skisse, og over 300 av dem fikk opplæring.',
  'Integrasjonene mot fagsystemene ble skrevet på nytt med åpne standarder og automatiske tester.',
] as const;

const ROLES = ['Fagansvarlig', 'Arkitekt', 'Utvikler', 'Prosjektleder', 'Testleder'] as const;
const SKILLS = ['TypeScript', 'Azure', 'SCADA', 'PostgreSQL', 'Kubernetes', 'IEC 61850', 'React', 'Kafka'] as const;

const pick = <T>(items: readonly T[], from: number, count: number): readonly T[] =>
  Array.from({ length: count }, (_, index) => items[(from + index) % items.length] as T);

/** A role: some have a text of their own, one begins with a label. */
function describeRole(project: number, role: number): Body {
  const name = ROLES[(project + role) % ROLES.length] ?? '';
  const texts = [
    {
      long_description: {
        no: 'Mitt bidrag:\n- Ledet arbeidsmøtene med driften\n- Skrev krav og akseptansetester\n- Hadde ansvar for sikkerheten',
      },
    },
    {
      summary: {
        no: `Var ${name.toLowerCase()} i ${2 + role} av fasene. ${pick(SENTENCES, project + 3, 2).join(' ')}`,
      },
    },
    {},
  ];
  return { name: { no: name }, ...texts[(project + role) % texts.length] };
}

/** 28 projects of all lengths, the newest first: some with pictures, several roles or a customer that is not named. */
export const NORWEGIAN_PROJECTS: readonly Body[] = PROJECTS.map(([title, customer, industry], index) => {
  const isShort = index % 5 === 4;
  const year = 2025 - Math.floor(index * 0.75);
  const named = customer.startsWith('*')
    ? { customer: { no: 'Hemmelig kunde' }, customer_anonymized: { no: customer.slice(1) } }
    : { customer: { no: customer } };
  const prose = isShort
    ? (SENTENCES[index % SENTENCES.length] as string)
    : `${pick(SENTENCES, index, 2 + (index % 4)).join(' ')}\nResultater:\n- ${pick(SENTENCES, index + 5, 1 + (index % 3)).join('\n- ')}`;
  const images = [{ image: DAM, caption: { no: 'Anlegget, sett fra øst' } }, { image: DAM }, { image: DAM }];
  return {
    description: { no: title },
    ...named,
    industry: { no: industry },
    long_description: { no: prose },
    month_from: String(1 + (index % 12)),
    year_from: String(year),
    ...(index === 0 ? {} : { month_to: String(1 + ((index + 5) % 12)), year_to: String(year + 1) }),
    roles: Array.from({ length: isShort ? 1 : 1 + (index % 3) }, (_, role) => describeRole(index, role)),
    project_experience_skills: pick(SKILLS, index, 2 + (index % 4)).map((skill) => ({ tags: { no: skill } })),
    ...(index % 4 === 0 && !isShort ? { images: images.slice(0, 1 + (index % 3)) } : {}),
    ...(index % 9 === 6 ? { starred: true } : {}),
  };
});
