import type { CellLook } from './column-looks.js';
import { foldText } from './header-words.js';
import type { SampleLanguage } from './sample-languages.js';

/*
 * What columns mean, in one table: by the words of their headers in twelve languages, and by what is in their cells.
 * `recognise.ts` weighs the two.
 */

/** What the rows of a file are. */
export type RowKind = 'people' | 'customers' | 'projects';

export interface MeaningRow {
  readonly of: RowKind;
  /** Phrases by language, separated by commas; the words of one may be apart, joined or written with hyphens. */
  readonly words: Readonly<Partial<Record<SampleLanguage, string>>>;
  /** What its cells look like. At least `share` of those that are filled must; 0 where headers alone decide. */
  readonly look: CellLook;
  readonly share: number;
  /** So sure that no word of the header is needed. */
  readonly byLook?: true;
  /** Cells that look like this are something else. */
  readonly never?: readonly CellLook[];
  /** How much a column of it says that the rows are of this kind. */
  readonly weight: number;
}

const NUMBERS_OF_PEOPLE = {
  en: `employee id, employee number, employee no, employee nr, employee, emp id, emp no, empid, staff id, staff number, worker id,
    worker number, person id, person number, personnel number, payroll id, payroll number, associate id, user id, external unique id, external id,
    user sys id, badge number, id, nr`,
  de: `personalnummer, personal nummer, personalnr, personal nr, pers nr, persnr, pnr, mitarbeiternummer, mitarbeiternr, mitarbeiter nr, mitarbeiter id,
    stammnummer, benutzer id`,
  no: 'ansattnummer, ansattnr, ansatt nr, ansatt id, ans nr, ansnr, lonnsnummer, lonnstakernummer, medarbeidernummer',
  sv: 'anstallningsnummer, anstallningsnr, anstallningsid, anstnr, medarbetarnummer, personal id',
  da: 'medarbejdernummer, medarbejdernr, medarbejder id, lonnummer, lonnr, ansattelsesnummer',
  fi: 'henkilonumero, tyontekijanumero, tyontekija id, henkilosto id',
  nl: 'personeelsnummer, medewerkernummer, medewerker id, werknemersnummer, medewerkerscode',
  fr: 'matricule, numero employe, numero de salarie, identifiant salarie, id salarie, id employe',
  es: 'numero de empleado, id empleado, id de empleado, codigo de empleado, legajo',
  pt: 'numero de funcionario, matricula, id do funcionario, numero de colaborador, codigo do funcionario',
  it: 'matricola, numero dipendente, id dipendente, codice dipendente',
  pl: 'numer pracownika, id pracownika, nr pracownika, numer ewidencyjny, nr ewidencyjny',
};

export const MEANINGS = {
  id: { of: 'people', words: NUMBERS_OF_PEOPLE, look: 'code', share: 0.95, weight: 0.5 },
  email: {
    of: 'people',
    words: {
      en: 'email, e mail, email address, mail, mail address, user principal name, upn',
      de: 'email, e mail, mail, mailadresse, e mail adresse, elektronische adresse',
      no: 'epost, e post, epostadresse, e postadresse, jobbepost, mailadresse',
      sv: 'epost, e post, epostadress, mejl, mailadress, jobbmejl',
      da: 'email, mail, e mail, mailadresse, arbejdsmail',
      fi: 'sahkoposti, sahkopostiosoite, email',
      nl: 'email, e mailadres, emailadres, mailadres',
      fr: 'email, courriel, adresse email, adresse mail, adresse electronique, mail, mel',
      es: 'email, correo, correo electronico, direccion de correo, mail',
      pt: 'email, correio eletronico, endereco de email, mail',
      it: 'email, posta elettronica, indirizzo email, mail',
      pl: 'email, adres email, mail, poczta elektroniczna, e mail',
    },
    look: 'email',
    share: 0.6,
    byLook: true,
    weight: 1,
  },
  firstName: {
    of: 'people',
    words: {
      en: 'first name, name first, given name, forename, known as',
      de: 'vorname, rufname, vornamen',
      no: 'fornavn',
      sv: 'fornamn, tilltalsnamn',
      da: 'fornavn',
      fi: 'etunimi, kutsumanimi',
      nl: 'voornaam, roepnaam',
      fr: 'prenom',
      es: 'nombre, nombre de pila, nombres',
      pt: 'primeiro nome, nome proprio, nome',
      it: 'nome',
      pl: 'imie',
    },
    look: 'name',
    share: 0.7,
    weight: 1,
  },
  lastName: {
    of: 'people',
    words: {
      en: 'last name, name last, surname, family name',
      de: 'nachname, familienname, zuname',
      no: 'etternavn',
      sv: 'efternamn',
      da: 'efternavn',
      fi: 'sukunimi',
      nl: 'achternaam, familienaam',
      fr: 'nom de famille, nom, nom usuel',
      es: 'apellido, apellidos, primer apellido',
      pt: 'apelido, sobrenome, ultimo nome',
      it: 'cognome',
      pl: 'nazwisko',
    },
    look: 'name',
    share: 0.7,
    weight: 1,
  },
  /** What stands between the two, as `van der`. */
  nameParticle: {
    of: 'people',
    words: {
      de: 'vorsatzwort, namensvorsatz',
      nl: 'tussenvoegsel, tussenvoegsels, voorvoegsel, voorvoegsels',
    },
    look: 'text',
    share: 0.5,
    weight: 0.2,
  },
  name: {
    of: 'people',
    words: {
      en: 'display name, full name, name, worker, employee name, employee, last name first name, name last first',
      de: 'name, anzeigename, vollstandiger name, voller name, mitarbeiter, nachname vorname, name vorname',
      no: 'navn, fullt navn, visningsnavn, etternavn fornavn',
      sv: 'namn, fullstandigt namn, visningsnamn, efternamn fornamn',
      da: 'navn, fulde navn, vist navn, efternavn fornavn',
      fi: 'nimi, koko nimi, nayttonimi, sukunimi etunimi',
      nl: 'naam, volledige naam, weergavenaam, achternaam voornaam',
      fr: 'nom complet, nom prenom, nom et prenom, collaborateur, salarie',
      es: 'nombre completo, apellidos nombre, apellidos y nombre, nombre y apellidos, empleado',
      pt: 'nome completo, colaborador, funcionario',
      it: 'nome completo, nominativo, cognome nome, cognome e nome, nome e cognome, dipendente',
      pl: 'imie i nazwisko, nazwisko i imie, pracownik',
    },
    look: 'name',
    share: 0.7,
    weight: 0.7,
  },
  title: {
    of: 'people',
    words: {
      en: 'job title, title, business title, position title, position, role, job, job role, job name',
      de: 'position, stellenbezeichnung, berufsbezeichnung, jobtitel, funktion, tatigkeit, stelle, titel, ausgeubte tatigkeit, tatigkeitsbezeichnung',
      no: 'stillingstittel, stilling, tittel, stillingsbetegnelse, yrke, yrkestittel, stillingsnavn',
      sv: 'befattning, yrkestitel, titel, tjanst, roll, tjanstetitel',
      da: 'stilling, stillingsbetegnelse, titel, jobtitel',
      fi: 'nimike, tehtavanimike, titteli, ammattinimike, tehtava',
      nl: 'functie, functietitel, functienaam, functieomschrijving',
      fr: 'poste, intitule du poste, fonction, emploi, titre, intitule de poste',
      es: 'puesto, cargo, titulo del puesto, puesto de trabajo',
      pt: 'cargo, funcao, titulo do cargo',
      it: 'posizione, ruolo, qualifica, mansione, titolo',
      pl: 'stanowisko, tytul stanowiska, nazwa stanowiska',
    },
    look: 'text',
    share: 0.7,
    never: ['email', 'date', 'number', 'url'],
    weight: 0.5,
  },
  office: {
    of: 'people',
    words: {
      en: 'office, office name, office location, work location, location, site, work site, business site, workplace, branch, location name',
      de: 'buro, buero, standort, niederlassung, arbeitsort, einsatzort, dienstort, betriebsstatte, arbeitsstatte, filiale, ort',
      no: 'kontor, kontorsted, arbeidssted, lokasjon, arbeidsplass, sted',
      sv: 'kontor, arbetsplats, placeringsort, arbetsort, ort, stationeringsort',
      da: 'kontor, arbejdssted, lokation, afdelingssted',
      fi: 'toimipiste, toimipaikka, toimisto, tyopaikka',
      nl: 'kantoor, locatie, vestiging, standplaats, werklocatie',
      fr: 'bureau, site, lieu de travail, etablissement, agence, localisation',
      es: 'oficina, centro de trabajo, ubicacion, sede, localizacion',
      pt: 'escritorio, local de trabalho, unidade, localizacao',
      it: 'ufficio, sede, sede di lavoro, luogo di lavoro',
      pl: 'biuro, oddzial, lokalizacja, miejsce pracy',
    },
    look: 'text',
    share: 0.6,
    never: ['email', 'date', 'url', 'phone'],
    weight: 0.3,
  },
  department: {
    of: 'people',
    words: {
      en: 'department, department name, division, business unit, unit, team, supervisory organization, organization, org unit',
      de: 'abteilung, bereich, team, organisationseinheit, fachbereich',
      no: 'avdeling, enhet, avdelingsnavn, organisasjonsenhet',
      sv: 'avdelning, enhet, organisationsenhet',
      da: 'afdeling, enhed',
      fi: 'osasto, yksikko, tiimi',
      nl: 'afdeling, team, organisatie eenheid',
      fr: 'departement, service, direction, equipe',
      es: 'departamento, area, equipo, division',
      pt: 'departamento, area, setor, equipe',
      it: 'dipartimento, reparto, area, divisione',
      pl: 'dzial, departament, zespol, jednostka organizacyjna',
    },
    look: 'text',
    share: 0.6,
    never: ['email', 'date', 'url', 'phone'],
    weight: 0.5,
  },
  country: {
    of: 'people',
    words: {
      en: 'country, country code, location country, work country, location address country, country name, country region',
      de: 'land, landercode, laendercode, landerkennzeichen, staat, arbeitsland',
      no: 'land, landkode, arbeidsland',
      sv: 'land, landskod, arbetsland',
      da: 'land, landekode',
      fi: 'maa, maakoodi, maatunnus',
      nl: 'land, landcode',
      fr: 'pays, code pays',
      es: 'pais, codigo de pais',
      pt: 'pais, codigo do pais',
      it: 'paese, nazione, stato, codice paese',
      pl: 'kraj, kod kraju, panstwo',
    },
    look: 'country',
    share: 0.5,
    weight: 0.2,
  },
  phone: {
    of: 'people',
    words: {
      en: 'mobile, mobile phone, mobile number, cell, cell phone, cellphone, phone, phone number, telephone, telephone number, work phone, business phone, work mobile, telephone no mobile',
      de: 'mobil, mobiltelefon, mobilnummer, handy, handynummer, telefon, telefonnummer, telefon mobil, tel, tel nr, rufnummer, diensthandy',
      no: 'mobil, mobilnummer, mobiltelefon, mobil jobb, telefon, telefonnummer, tlf, telefonnr mobil, mobilnr',
      sv: 'mobil, mobilnummer, mobiltelefon, telefon, telefonnummer',
      da: 'mobil, mobilnummer, mobiltelefon, telefon, telefonnummer, tlf',
      fi: 'puhelin, puhelinnumero, matkapuhelin, gsm, kannykka',
      nl: 'mobiel, mobiel nummer, mobiele nummer, mobiele telefoon, telefoon, telefoonnummer, gsm',
      fr: 'telephone, mobile, portable, telephone portable, numero de telephone, telephone mobile, tel',
      es: 'telefono, movil, telefono movil, celular, numero de telefono',
      pt: 'telefone, telemovel, celular, numero de telefone',
      it: 'telefono, cellulare, numero di telefono',
      pl: 'telefon, telefon komorkowy, numer telefonu, komorka',
    },
    look: 'phone',
    share: 0.6,
    never: ['email', 'date'],
    weight: 0.2,
  },
  status: {
    of: 'people',
    words: {
      en: 'status, employment status, employee status, worker status, lifecycle status, active status, user status, state, active, is active, currently active, account enabled, enabled',
      de: 'status, beschaftigungsstatus, mitarbeiterstatus, aktiv',
      no: 'status, ansattstatus, arbeidsstatus, aktiv',
      sv: 'status, anstallningsstatus, aktiv',
      da: 'status, medarbejderstatus, ansattelsesstatus, aktiv',
      fi: 'tila, tyosuhteen tila, status, aktiivinen',
      nl: 'status, dienstverband status, actief',
      fr: 'statut, statut du salarie, etat, actif',
      es: 'estado, estatus, situacion, activo',
      pt: 'estado, situacao, status, ativo',
      it: 'stato, stato dipendente, attivo',
      pl: 'status, status pracownika, status zatrudnienia, aktywny',
    },
    look: 'word',
    share: 0.9,
    weight: 0.4,
  },
  startDate: {
    of: 'people',
    words: {
      en: 'start date, start, started on, joined, joined on, join date, date joined, hire date, hired on, date of joining, joining date, employment start date, date of employment',
      de: 'eintrittsdatum, eintritt, einstellungsdatum, anstelldatum, startdatum, erster arbeitstag, datum des ersteintritts, ersteintrittsdatum',
      no: 'startdato, ansattdato, ansettelsesdato, ansatt dato, ansatt fra, tiltredelsesdato, ansiennitetsdato',
      sv: 'startdatum, anstallningsdatum, forsta anstallningsdag, borjade',
      da: 'startdato, ansattelsesdato, tiltradelsesdato',
      fi: 'aloituspaiva, tyosuhteen alku, alkamispaiva, aloitus pvm',
      nl: 'startdatum, indiensttreding, datum in dienst, in dienst datum',
      fr: 'date d entree, date d embauche, date d arrivee, date de debut',
      es: 'fecha de inicio, fecha de alta, fecha de contratacion, fecha de ingreso',
      pt: 'data de admissao, data de inicio, data de entrada',
      it: 'data di assunzione, data assunzione, data inizio, data di inizio',
      pl: 'data zatrudnienia, data rozpoczecia, data przyjecia',
    },
    look: 'date',
    share: 0.8,
    weight: 0.5,
  },
  endDate: {
    of: 'people',
    words: {
      en: 'end date, left on, left, date left, leaving, leaver date, employed until, termination date, last day, last day of work, last working day, leaving date, leave date, employment end date, exit date, contract end date, company exit date',
      de: 'austrittsdatum, austritt, enddatum, ende des arbeitsverhaltnisses, letzter arbeitstag, kundigungsdatum, vertragsende, datum des austritts, austrittsdatum letztes',
      no: 'sluttdato, fratredelsesdato, siste arbeidsdag, ansatt til, sluttet dato',
      sv: 'slutdatum, avgangsdatum, sista anstallningsdag, slutade',
      da: 'slutdato, fratradelsesdato, sidste arbejdsdag',
      fi: 'paattymispaiva, tyosuhteen paattyminen, tyosuhteen loppu, lopetuspaiva',
      nl: 'einddatum, uitdiensttreding, datum uit dienst, uit dienst datum',
      fr: 'date de sortie, date de depart, date de fin',
      es: 'fecha de baja, fecha de fin, fecha de salida, fecha fin',
      pt: 'data de saida, data de demissao, data de fim, data de desligamento',
      it: 'data cessazione, data di cessazione, data fine, data di fine',
      pl: 'data zakonczenia, data zwolnienia, data rozwiazania umowy',
    },
    look: 'date',
    share: 0.8,
    weight: 0.5,
  },
  customerId: {
    of: 'customers',
    words: {
      en: 'company id, account id, organization id, organisation id, customer id, customer number, customer no, account number, client id, record id, do not modify account, account, id, key',
      de: `kundennummer, kundennr, kunden nr, kunden id, firmen id, firma id, organisations id, organisation id, unternehmens id, account id,
        datensatz id, nicht andern firma`,
      no: 'kundenummer, kundenr, kunde nr, kunde id, selskap id',
      sv: 'kundnummer, kundnr, kund id',
      da: 'kundenummer, kundenr, kunde id',
      fi: 'asiakasnumero, asiakas id',
      nl: 'klantnummer, klant id, debiteurnummer',
      fr: 'numero client, identifiant client, id client',
      es: 'numero de cliente, id cliente',
      pt: 'numero de cliente, id cliente',
      it: 'codice cliente, id cliente',
      pl: 'numer klienta, id klienta',
    },
    look: 'code',
    share: 0.95,
    weight: 0.3,
  },
  customerName: {
    of: 'customers',
    words: {
      en: 'company name, account name, organization name, organisation name, customer name, client name, company, account, organization, customer, client, name',
      de: `firmenname, name der firma, firma, kunde, kundenname, unternehmen, unternehmensname, name des unternehmens, accountname, organisation name,
        organisation, name`,
      no: 'kundenavn, firmanavn, selskap, kunde, bedrift, navn',
      sv: 'kundnamn, foretagsnamn, foretag, kund, namn',
      da: 'kundenavn, virksomhed, firmanavn, kunde, navn',
      fi: 'asiakas, yritys, yrityksen nimi, nimi',
      nl: 'klantnaam, bedrijfsnaam, bedrijf, klant, naam',
      fr: 'nom de l entreprise, raison sociale, societe, client, entreprise, nom du client, nom',
      es: 'nombre de la empresa, empresa, razon social, cliente, nombre',
      pt: 'nome da empresa, empresa, razao social, cliente, nome',
      it: 'ragione sociale, azienda, nome azienda, cliente, nome',
      pl: 'nazwa firmy, firma, klient, nazwa klienta, nazwa',
    },
    look: 'text',
    share: 0.8,
    never: ['email', 'url', 'date', 'number'],
    weight: 1,
  },
  customerUrl: {
    of: 'customers',
    words: {
      en: 'website, web site, website url, company website, organization website, account website, company domain name, domain, domain name, url, homepage, web page',
      de: 'website, webseite, homepage, internetadresse, domain, unternehmensdomain, domainname des unternehmens, organisation website',
      no: 'nettsted, nettside, hjemmeside, webside',
      sv: 'webbplats, hemsida, webb',
      da: 'hjemmeside, website',
      fi: 'verkkosivu, kotisivu, www',
      nl: 'website, webadres',
      fr: 'site web, site internet',
      es: 'sitio web, pagina web, web',
      pt: 'site, sitio web, pagina web',
      it: 'sito web, sito',
      pl: 'strona www, strona internetowa, www',
    },
    look: 'url',
    share: 0.7,
    weight: 1,
  },
  customerText: {
    of: 'customers',
    words: {
      en: 'description, about us, company description, about',
      de: 'beschreibung',
      no: 'beskrivelse',
      sv: 'beskrivning',
      da: 'beskrivelse',
      fi: 'kuvaus',
      nl: 'beschrijving, omschrijving',
      fr: 'description',
      es: 'descripcion',
      pt: 'descricao',
      it: 'descrizione',
      pl: 'opis',
    },
    look: 'text',
    share: 0.7,
    weight: 0.3,
  },
  industry: {
    of: 'customers',
    words: {
      en: 'industry, sector, number of employees, annual revenue, employees',
      de: 'branche, mitarbeiterzahl, umsatz',
      no: 'bransje, naring, antall ansatte',
      sv: 'bransch, antal anstallda',
      da: 'branche, antal ansatte',
      fi: 'toimiala',
      nl: 'branche, sector',
      fr: 'secteur, secteur d activite',
      es: 'sector, industria',
      pt: 'setor, ramo',
      it: 'settore',
      pl: 'branza',
    },
    look: 'any',
    share: 0,
    weight: 0.7,
  },
  projectId: {
    of: 'projects',
    words: {
      en: 'deal id, opportunity id, project id, project number, project no, record id, do not modify opportunity, opportunity, id, key',
      de: `projektnummer, projektnr, projekt nr, projekt id, auftragsnummer, datensatz id, deal id, opportunity id, verkaufschance id,
        verkaufschancen id, nicht andern verkaufschance`,
      no: 'prosjektnummer, prosjektnr, prosjekt id',
      sv: 'projektnummer, projektnr, projekt id',
      da: 'projektnummer, projektnr, projekt id, sagsnummer',
      fi: 'projektinumero, projekti id',
      nl: 'projectnummer, project id',
      fr: 'numero de projet, id projet, code projet',
      es: 'numero de proyecto, id proyecto',
      pt: 'numero do projeto, id do projeto',
      it: 'numero progetto, id progetto, codice progetto',
      pl: 'numer projektu, id projektu',
    },
    look: 'code',
    share: 0.95,
    weight: 0.3,
  },
  projectName: {
    of: 'projects',
    words: {
      en: 'deal name, deal title, opportunity name, project name, project title, project, deal, opportunity, topic, title, name',
      de: `projektname, projekttitel, projekt, verkaufschance, name der verkaufschance, dealname, deal titel, deal name, opportunity name, auftrag,
        thema, name, titel`,
      no: 'prosjektnavn, prosjekt, salgsmulighet, navn, tittel',
      sv: 'projektnamn, projekt, affar, namn, titel',
      da: 'projektnavn, projekt, salgsmulighed, navn, titel',
      fi: 'projektin nimi, projekti, nimi',
      nl: 'projectnaam, project, verkoopkans, naam, titel',
      fr: 'nom du projet, projet, opportunite, affaire, titre, nom',
      es: 'nombre del proyecto, proyecto, oportunidad, negocio, titulo, nombre',
      pt: 'nome do projeto, projeto, oportunidade, negocio, titulo, nome',
      it: 'nome progetto, progetto, opportunita, titolo, nome',
      pl: 'nazwa projektu, projekt, szansa, tytul, nazwa',
    },
    look: 'text',
    share: 0.8,
    never: ['email', 'url', 'date', 'number'],
    weight: 1,
  },
  projectCustomer: {
    of: 'projects',
    words: {
      en: `associated company ids, associated company id, company id, account id, organization id, organisation id, customer id, customer number, customer no, client id,
        potential customer, associated company, company, company name, account, account name, organization, organization name, customer, client`,
      de: `kundennummer, kundennr, kunden nr, kunden id, kunde, firma, potenzieller kunde, unternehmen, zugehorige unternehmen ids,
        zugehoriges unternehmen, account id, accountname, deal organisation, organisation`,
      no: 'kundenummer, kundenr, kunde nr, kunde id, kunde',
      sv: 'kundnummer, kundnr, kund id, kund',
      da: 'kundenummer, kundenr, kunde id, kunde',
      fi: 'asiakasnumero, asiakas id, asiakas',
      nl: 'klantnummer, klant id, klant',
      fr: 'numero client, id client, client',
      es: 'numero de cliente, id cliente, cliente',
      pt: 'numero de cliente, id cliente, cliente',
      it: 'codice cliente, id cliente, cliente',
      pl: 'numer klienta, id klienta, klient',
    },
    look: 'any',
    share: 0,
    weight: 0.5,
  },
  projectStage: {
    of: 'projects',
    words: {
      en: 'deal stage, stage, stage name, sales stage, pipeline, pipeline stage, probability, close date, closed date, expected close date, est close date, est revenue, amount, deal value, forecast category, status reason, won time',
      de: `phase, deal phase, verkaufsphase, abschlussdatum, schlusstermin, gesch abschlussdatum, gesch umsatz, betrag, deal wert, statusgrund,
        projektstatus, projektbeginn, projektende`,
      no: 'fase, salgsfase, prosjektstatus',
      sv: 'fas, projektstatus',
      da: 'fase, projektstatus',
      fi: 'vaihe',
      nl: 'fase, projectstatus',
      fr: 'phase, etape, statut du projet',
      es: 'fase, etapa',
      pt: 'fase, etapa',
      it: 'fase',
      pl: 'etap, faza',
    },
    look: 'any',
    share: 0,
    weight: 0.7,
  },
} as const satisfies Readonly<Record<string, MeaningRow>>;

export type Meaning = keyof typeof MEANINGS;
export const MEANING_NAMES = Object.keys(MEANINGS) as readonly Meaning[];

/** The phrases of a meaning, folded, each with its language. */
export const PHRASES: ReadonlyMap<Meaning, readonly (readonly [phrase: string, language: SampleLanguage])[]> = new Map(
  MEANING_NAMES.map((meaning) => [
    meaning,
    Object.entries(MEANINGS[meaning].words).flatMap(([language, text]) =>
      text.split(',').map((phrase) => [foldText(phrase), language as SampleLanguage] as const),
    ),
  ]),
);

/** What files are called, by what their rows are; folded. */
export const FILE_WORDS: Readonly<Record<RowKind, RegExp>> = {
  people:
    /employ|people|staff|worker|headcount|\bhr|users?|mitarbeiter|personal|personio|ansatt|medarbe|henkilo|medewerker|personeel|salarie|collaborat|emplead|funcionari|dipendent|pracowni|bamboo|workday|successfactors|datev|hibob/,
  customers:
    /custom|compan|account|client|organi[sz]|kunde|kund|firma|firmen|unternehmen|selskap|asiaka|klant|client|entreprise|empresa|aziend|klient/,
  projects: /project|deal|opportunit|prosjekt|projekt|projet|verkaufschance|proyecto|projeto|progett|affar/,
};

/** Somebody or something else: such a column is none of the row's own. */
export const OTHERS = new Set(
  `manager managers supervisor boss leder ledere naermeste narmaste chef chefs vorgesetzter vorgesetzte fuhrungskraft reports hr
  emergency notfall notfallkontakt parorende spouse created modified updated changed erstellt geandert owner owners besitzer birth birthday born geburt geburtsdatum
  geburtsort geburtsland inhaber accountinhaber zustandiger prufsumme fodt fodsel fodselsdato fodselsnummer fodelsedatum syntyma geboorte naissance nacimiento nascimento nascita urodzenia nationality
  esimies leidinggevende responsable jefe gestor superior responsabile przelozony kierownik parent matrix lead buddy recruiter bank iban salary cost kostenstelle kostnadssted kostnadsstalle`.split(
    /\s+/,
  ),
);

/** Of the person at home: taken where there is nothing else. */
export const PRIVATE = new Set(
  'private privat privat privates privater home personal hjemme hem yksityinen prive personnel personnelle particular pessoal personale privato prywatny'.split(
    ' ',
  ),
);

/** What people in the CRM are: contacts of customers, nobody's colleagues. */
export const CONTACTS =
  /lifecyclestage|leadstatus|leadsource|associatedcompan|contactowner|contactid|accountname|organizationname|prospect|contacts|kontakte/;

/** Words of a status that say that somebody has left. */
export const LEFT_WORDS = new Set(
  `terminated inactive left leaver former resigned dismissed retired ended exited deactivated discarded ausgeschieden inaktiv ehemalig ausgetreten gekundigt
  beendet verlassen sluttet avsluttet fratradt oppsagt slutat avslutad avgatt opsagt stoppet ophort fratraadt paattynyt lopettanut eronnut
  entinen inactief uitdienst vertrokken parti partie sorti sortie inactif inactive ancien baja inactivo cesado exempleado desligado inativo demitido cessato
  inattivo dimesso zwolniony nieaktywny odszedl byly`.split(/\s+/),
);
