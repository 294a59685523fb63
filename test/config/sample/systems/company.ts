/** A fictitious consultancy: its people, by offices in several countries. Nothing is random. */

export interface Site {
  /** ISO 3166, as in the service. */
  readonly country: string;
  readonly name: string;
}

export interface Person {
  /** The kind of a row that is not a colleague's; null for people. */
  readonly nobody: Nobody | null;
  readonly number: string;
  /** Unique today, but another one after a transfer. */
  readonly contract: string;
  /** The directory's id for the account. */
  readonly objectId: string;
  readonly first: string;
  readonly last: string;
  /** The first name that colleagues use, mostly the same. */
  readonly preferred: string;
  readonly email: string;
  readonly privateEmail: string;
  /** A log-in under a domain without mail. */
  readonly upn: string;
  readonly title: string;
  /** The job in the words of the pay scale. */
  readonly grade: string;
  readonly department: string;
  readonly site: Site;
  readonly workPhone: string;
  readonly mobile: string;
  readonly manager: Person | null;
  /** ISO 8601. */
  readonly start: string;
  readonly end: string | null;
  readonly hasLeft: boolean;
  readonly startsLater: boolean;
  readonly onLeave: boolean;
  readonly type: 'employee' | 'contractor' | 'intern';
  readonly birthday: string;
  readonly gender: 'f' | 'm';
  readonly salary: number;
  /** Has two rows in a system with one row per job. */
  readonly secondJob: boolean;
}

export const NOBODIES = ['guest', 'service', 'bot', 'mailbox', 'room'] as const;
export type Nobody = (typeof NOBODIES)[number];

export const TODAY = '2026-11-16';
export const DOMAIN = 'nordvik.example';

/** Country of the office → first names (women, men), and family names. */
const NAMES: Readonly<Record<string, readonly [women: string, men: string, last: string]>> = {
  no: [
    'Åse Kari Ingrid Solveig Maren Tuva Hedda Live',
    'Øyvind Per Magnus Eirik Sindre Tor-Erik Jonas Håkon',
    'Bø,Hansen,Sæther,Nordmann,Dahl,Østby,Lie,Bakken,Kvåle,Ness,Solberg,Ødegård',
  ],
  gb: [
    'Amelia Elizabeth Niamh Chloe Priya Fiona Grace Zoe',
    'Oliver Alexander Rhys Callum Mohammed Liam George Hamish',
    "Hart,O'Neil,Walsh,Martin-Reid,Nair,MacDonald,Clarke,Evans,Ahmed,McKay,Turner,Doyle",
  ],
  de: [
    'Anna Katharina Jana Birgit Sabine Ayse Lea Frauke',
    'Jürgen Tobias Hans-Peter Stefan Matthias Björn Lukas Jörg',
    'Müller,Schäfer,Groß,von der Heide,Weiß,Yilmaz,Köhler,Braun,Vogt,Lüders,Krämer,Arndt',
  ],
  at: [
    'Elfriede Magdalena Theresa Lisa',
    'Franz Leopold Andreas Florian',
    'Gruber,Höller,Pichler,Wögerer,Steiner,Moser',
  ],
  ch: ['Regula Céline Nadine Ursina', 'Beat Reto Urs Marc', 'Zürcher,Ammann,Lüthi,Favre,Keller,Bühler'],
  se: [
    'Sofia Elin Åsa Maja Ebba Linnéa',
    'Björn Gustav Nils Öjvind Anders Erik',
    'Lindqvist,Åkesson,Öberg,af Klercker,Nyström,Johansson,Ek,Sjögren,Blom,Hägg',
  ],
  fi: [
    'Aino Päivi Sanna Kaisa Helmi Outi',
    'Mikko Väinö Jukka Timo-Pekka Antti Eero',
    'Virtanen,Mäkelä,Korhonen,Hämäläinen,Nieminen,Lehtonen,Ylönen,Salo,Räsänen,Kallio',
  ],
  dk: ['Freja Mette Karen Signe', 'Søren Rasmus Mads Jørgen', 'Jensen,Møller,Østergaard,Kjær,Nørgaard,Holm,Bruun'],
  nl: [
    'Sanne Femke Anouk Marieke Lotte Zoë',
    'Jeroen Daan Pieter Joost Bram Sjoerd',
    'de Vries,van den Berg,Jansen,van der Meer,Bakker,Smit,ter Horst,Visser,Meijer,Kok',
  ],
  be: ['Lieve Hilde Amélie', 'Wouter Koen Bart', 'Peeters,Van Damme,Maes,De Smet,Lambert'],
  fr: [
    'Amélie Chloé Zoé Françoise Élodie Maëlle',
    'Jérôme Benoît François Jean-Luc Loïc Hervé',
    "Lefèvre,Dubois,d'Aubigné,Moreau,de la Tour,Garçon,Petit,Roux,Blanc,Noël",
  ],
  es: [
    'María Begoña Lucía Carmen Inés Nuria',
    'José Íñigo Ángel Joaquín Raúl Sergio',
    'García López,Muñoz Vidal,Núñez,de la Fuente,Ibáñez Ruiz,Ortega,Peña,Gil,Cruz Díaz,Soler',
  ],
  pt: [
    'Inês Conceição Rita Leonor Marta',
    'João Tomás Rui Nuno Gonçalo',
    'Gonçalves,dos Santos,Araújo,Pinto,Magalhães,Simões,Brandão',
  ],
  it: [
    'Giulia Chiara Elena Noemi Agnese',
    'Niccolò Marco Luca Cosimo Davide',
    "D'Angelo,Rossi,Di Stefano,Conti,Gallo,Nicolò,Fabbri",
  ],
  pl: [
    'Małgorzata Agnieszka Zofia Świętosława',
    'Paweł Łukasz Stanisław Michał',
    'Żak,Kowalska-Nowak,Wiśniewski,Dąbrowski,Wójcik,Lis,Sikora',
  ],
  us: [
    'Ashley Emily Maria Jennifer Latoya Megan',
    'Tyler Brandon DeShawn Robert Christopher Kevin',
    'Johnson,Garcia,Nguyen,Brown,Kowalski,Miller,Washington,Lopez,Davis,Chen',
  ],
  ca: [
    'Aurélie Hannah Sarah Geneviève',
    'Étienne Logan Ryan Benoît',
    'Tremblay,Singh,Campbell,Roy,Wong,Gagnon,MacLeod',
  ],
  ie: ['Aoife Siobhán Orla', 'Seán Cian Pádraig', "Byrne,Ó Súilleabháin,Kelly,O'Connor,Murphy"],
};

/** The beginning of telephone numbers in a country: work, and mobile. */
const PHONES: Readonly<Record<string, readonly [work: string, mobile: string]>> = {
  no: ['+47 22 40 1', '+47 912 34 '],
  gb: ['+44 20 7946 0', '+44 7700 900'],
  de: ['+49 30 23125-', '+49 171 3920'],
  at: ['+43 1 58858-', '+43 664 8040'],
  ch: ['+41 44 668 1', '+41 79 555 4'],
  se: ['+46 8 505 01', '+46 70 174 0'],
  fi: ['+358 9 4245 0', '+358 50 301 2'],
  dk: ['+45 33 14 5', '+45 20 61 7'],
  nl: ['+31 20 305 6', '+31 6 1234 5'],
  be: ['+32 2 555 1', '+32 470 12 3'],
  fr: ['+33 1 70 18 9', '+33 6 39 98 1'],
  es: ['+34 91 290 1', '+34 612 34 5'],
  pt: ['+351 21 390 1', '+351 912 34 5'],
  it: ['+39 02 4070 1', '+39 347 55 1'],
  pl: ['+48 22 307 1', '+48 601 23 4'],
  us: ['+1 312-555-0', '+1 773-555-0'],
  ca: ['+1 416-555-0', '+1 647-555-0'],
  ie: ['+353 1 437 0', '+353 85 012 3'],
};

const NICKNAMES: Readonly<Record<string, string>> = {
  Elizabeth: 'Liz',
  Alexander: 'Sandy',
  Katharina: 'Kathi',
  Stanisław: 'Staszek',
  Francois: 'Fanch',
  Christopher: 'Chris',
  Joaquín: 'Ximo',
  Magdalena: 'Leni',
  Jeroen: 'Jay',
  Magnus: 'Mange',
};

const TITLES = {
  en: 'Managing Director|Senior Consultant|Consultant|Principal Consultant|Data Engineer|Software Developer|Solution Architect|UX Designer|Project Manager|HR Business Partner|Accountant|Business Analyst|Junior Consultant|Cloud Engineer',
  de: 'Geschäftsführerin|Senior Consultant|Berater|Principal Consultant|Dateningenieur|Softwareentwickler|Lösungsarchitekt|UX-Designer|Projektleiter|Personalreferent|Buchhalter|Business Analyst|Junior Consultant|Cloud Engineer',
  no: 'Daglig leder|Seniorrådgiver|Rådgiver|Sjefsrådgiver|Dataingeniør|Systemutvikler|Løsningsarkitekt|UX-designer|Prosjektleder|HR-rådgiver|Regnskapsfører|Forretningsanalytiker|Juniorkonsulent|Skyingeniør',
  sv: 'Verkställande direktör|Seniorkonsult|Konsult|Chefskonsult|Dataingenjör|Systemutvecklare|Lösningsarkitekt|UX-designer|Projektledare|HR-partner|Redovisningsekonom|Verksamhetsanalytiker|Juniorkonsult|Molningenjör',
  da: 'Administrerende direktør|Seniorkonsulent|Konsulent|Chefkonsulent|Dataingeniør|Softwareudvikler|Løsningsarkitekt|UX-designer|Projektleder|HR-konsulent|Bogholder|Forretningsanalytiker|Juniorkonsulent|Cloudingeniør',
  fi: 'Toimitusjohtaja|Vanhempi konsultti|Konsultti|Johtava konsultti|Data-insinööri|Ohjelmistokehittäjä|Ratkaisuarkkitehti|Palvelumuotoilija|Projektipäällikkö|HR-asiantuntija|Kirjanpitäjä|Liiketoiminta-analyytikko|Nuorempi konsultti|Pilviasiantuntija',
  nl: 'Algemeen directeur|Senior consultant|Consultant|Principal consultant|Data engineer|Softwareontwikkelaar|Solution architect|UX-ontwerper|Projectleider|HR-adviseur|Boekhouder|Bedrijfsanalist|Junior consultant|Cloud engineer',
  fr: 'Directrice générale|Consultant senior|Consultant|Consultant principal|Ingénieur données|Développeur logiciel|Architecte solutions|Designer UX|Chef de projet|Chargé RH|Comptable|Analyste métier|Consultant junior|Ingénieur cloud',
  es: 'Directora general|Consultor sénior|Consultor|Consultor principal|Ingeniero de datos|Desarrollador de software|Arquitecto de soluciones|Diseñador UX|Jefe de proyecto|Técnico de RR. HH.|Contable|Analista de negocio|Consultor júnior|Ingeniero cloud',
  pl: 'Dyrektor zarządzająca|Starszy konsultant|Konsultant|Główny konsultant|Inżynier danych|Programista|Architekt rozwiązań|Projektant UX|Kierownik projektu|Specjalista ds. kadr|Księgowy|Analityk biznesowy|Młodszy konsultant|Inżynier chmury',
} as const;
export type TitleLanguage = keyof typeof TITLES;

const GRADES =
  'E1 Executive|C3 Consulting|C2 Consulting|C4 Consulting|T2 Engineering|T2 Engineering|T3 Engineering|D2 Design|P2 Delivery|S2 Support|S2 Support|C2 Consulting|C1 Consulting|T2 Engineering'.split(
    '|',
  );

const DEPARTMENTS: Readonly<Record<TitleLanguage, readonly [string, string, string, string, string]>> = {
  en: ['Management', 'Advisory', 'Technology', 'Design & Delivery', 'Finance & People'],
  de: ['Geschäftsführung', 'Beratung', 'Technik', 'Design und Projekte', 'Verwaltung'],
  no: ['Ledelse', 'Rådgivning', 'Teknologi', 'Design og prosjekt', 'Administrasjon'],
  sv: ['Ledning', 'Rådgivning', 'Teknik', 'Design och projekt', 'Administration'],
  da: ['Ledelse', 'Rådgivning', 'Teknologi', 'Design og projekt', 'Administration'],
  fi: ['Johto', 'Neuvonanto', 'Teknologia', 'Muotoilu ja projektit', 'Hallinto'],
  nl: ['Directie', 'Advies', 'Techniek', 'Ontwerp en projecten', 'Bedrijfsvoering'],
  fr: ['Direction', 'Conseil', 'Technique', 'Design et projets', 'Administration'],
  es: ['Dirección', 'Consultoría', 'Tecnología', 'Diseño y proyectos', 'Administración'],
  pl: ['Zarząd', 'Doradztwo', 'Technologia', 'Projekty', 'Administracja'],
};
/** Index of the department for each title. */
const DEPARTMENT_OF = [0, 1, 1, 1, 2, 2, 2, 3, 3, 4, 4, 1, 1, 2];

/** The number of people per office, in the order of the offices. */
const SHARES = [12, 10, 9, 7, 6];
export const SIZE = 44;
const LEFT: Readonly<Record<number, string>> = {
  7: '2021-08-31',
  15: '2023-02-28',
  22: '2024-06-30',
  31: '2025-12-31',
  38: '2026-09-30',
};
const LEAVES_SOON: Readonly<Record<number, string>> = { 12: '2027-03-31' };
const STARTS_LATER: Readonly<Record<number, string>> = { 18: '2027-01-04', 29: '2027-02-01', 40: '2027-04-01' };
const ON_LEAVE = [5, 26];
const TYPES: Readonly<Record<number, Person['type']>> = {
  10: 'contractor',
  27: 'contractor',
  35: 'contractor',
  20: 'intern',
};
const SECOND_JOBS = [9, 25];

export interface Company {
  readonly language: TitleLanguage;
  readonly sites: readonly Site[];
  readonly people: readonly Person[];
}

/** @param offices `no/Oslo`, the largest first */
export function foundCompany(language: TitleLanguage, offices: readonly string[]): Company {
  const sites = offices.map((office) => {
    const [country = '', name = ''] = office.split('/');
    return { country, name };
  });
  const seats = sites.flatMap((site, index) => Array.from({ length: SHARES[index] ?? 0 }, (): Site => site));
  // If there are fewer offices, the rest work in the first one.
  const places = Array.from({ length: SIZE }, (_, i) => seats[(i * 7) % SIZE] ?? sites[0]);
  const taken = new Set<string>();
  const drawn: Record<string, number> = {};
  const people: Person[] = [];
  for (const [i, site] of places.entries()) {
    if (site === undefined) throw new Error('a company needs an office');
    const turn = drawn[site.country] ?? 0;
    drawn[site.country] = turn + 1;
    const gender = turn % 2 === 0 ? 'f' : 'm';
    const { first, last } = nameOf(site.country, turn, gender, taken);
    const preferred = NICKNAMES[first] ?? first;
    const role = i === 0 ? 0 : 1 + ((i * 5) % 13);
    const start = STARTS_LATER[i] ?? `${2010 + (i % 11)}-${two(1 + (i % 12))}-${two(1 + ((i * 17) % 28))}`;
    const [work = '', cell = ''] = PHONES[site.country] ?? [];
    const mail = `${fold(preferred)}.${fold(last)}`;
    people.push({
      nobody: null,
      number: String(10204 + i * 37),
      contract: `${site.country.toUpperCase()}P${String(71300 + ((i * 7919) % 9973))}`,
      objectId: objectIdOf(i),
      first,
      last,
      preferred,
      email: `${mail}@${DOMAIN}`,
      privateEmail: i % 3 === 0 ? '' : `${fold(last)}${10 + i}@${i % 2 === 0 ? 'gmail.example' : 'home.example'}`,
      upn: `${fold(first).slice(0, 1)}${fold(last).slice(0, 5)}${i}@corp.nordvik.internal`,
      title: titlesOf(language)[role] ?? '',
      grade: GRADES[role] ?? '',
      department: DEPARTMENTS[language][DEPARTMENT_OF[role] ?? 0] ?? '',
      site,
      workPhone: i % 11 === 4 ? '' : `${work}${String(100 + i * 3)}`,
      mobile: i % 13 === 6 ? '' : `${cell}${String(110 + i * 7)}`,
      manager: i === 0 ? null : (people[i < 6 ? 0 : i % 5] ?? null),
      start,
      end: LEFT[i] ?? LEAVES_SOON[i] ?? null,
      hasLeft: LEFT[i] !== undefined,
      startsLater: STARTS_LATER[i] !== undefined,
      onLeave: ON_LEAVE.includes(i),
      type: TYPES[i] ?? 'employee',
      birthday: `${1962 + ((i * 7) % 38)}-${two(1 + ((i * 5) % 12))}-${two(1 + ((i * 11) % 28))}`,
      gender,
      salary: 41_000 + ((i * 3137) % 60_000),
      secondJob: SECOND_JOBS.includes(i),
    });
  }
  return { language, sites, people };
}

/** A row of a directory that is not a person. */
export function inventNobody(kind: Nobody, { people }: Company): Person {
  const [boss] = people;
  if (boss === undefined) throw new Error('a company needs people');
  const [first, last, address] = {
    guest: ['Ana', 'Pereira', `ana.pereira_client.example#EXT#@nordvik.onmicrosoft.example`],
    service: ['svc', 'backup', `svc-backup@${DOMAIN}`],
    bot: ['Standup', 'Bot', `standup-bot@${DOMAIN}`],
    mailbox: ['', 'Reception', `reception@${DOMAIN}`],
    room: ['', 'Meeting Room 4', `room4@${DOMAIN}`],
  }[kind] as [string, string, string];
  return {
    ...boss,
    nobody: kind,
    ...{ number: '', contract: '', objectId: objectIdOf(900 + NOBODIES.indexOf(kind)), first, last, preferred: first },
    email: kind === 'guest' ? 'ana.pereira@client.example' : address,
    upn: kind === 'guest' ? address : address.replace(DOMAIN, 'corp.nordvik.internal'),
    ...{ privateEmail: '', title: '', grade: '', department: '', workPhone: '', mobile: '', manager: null },
    ...{ end: null, hasLeft: false, startsLater: false, onLeave: false, secondJob: false },
  };
}

function titlesOf(language: TitleLanguage): readonly string[] {
  return TITLES[language].split('|');
}

function nameOf(country: string, turn: number, gender: 'f' | 'm', taken: Set<string>) {
  const [women = '', men = '', family = ''] = NAMES[country] ?? [];
  const firsts = (gender === 'f' ? women : men).split(' ');
  const lasts = family.split(',');
  for (let step = 0; step < firsts.length * lasts.length; step++) {
    const first = firsts[(Math.floor(turn / 2) + Math.floor(step / lasts.length)) % firsts.length] ?? '';
    const last = lasts[(turn + step) % lasts.length] ?? '';
    if (taken.has(`${first} ${last}`)) continue;
    taken.add(`${first} ${last}`);
    return { first, last };
  }
  throw new Error(`too few names of ${country}`);
}

/** The letters of a text as they appear in an address. */
export function fold(text: string): string {
  return text
    .toLowerCase()
    .replace(/[æøåäöüßłı]/g, (letter) => FOLDED[letter] ?? letter)
    .normalize('NFD')
    .replace(/[\u0300-\u036f]/g, '')
    .replace(/[^a-z-]/g, '');
}

const FOLDED: Readonly<Record<string, string>> = {
  ...{ æ: 'ae', ø: 'o', å: 'a', ä: 'a', ö: 'o', ü: 'u', ß: 'ss', ł: 'l', ı: 'i' },
};

function objectIdOf(i: number): string {
  const hex = ((i + 1) * 2654435761 + 97).toString(16).slice(-8).padStart(8, '0');
  return `${hex}-5e1f-4d11-b83e-${hex}0d3a`;
}

function two(number: number): string {
  return String(number).padStart(2, '0');
}
