/** What columns are called, in English, Norwegian, Swedish, Danish and German, the surest name first; folded by `foldName`. */
const NAMES = {
  id: `employeeid employeenumber employeeno employeenr empid staffid workerid personid externaluniqueid externalid
    ansattnummer ansattnr ansattid anstallningsnummer anstallningsnr anstallningsid medarbejdernummer medarbejdernr
    lonnummer lonnr mitarbeiternummer mitarbeiternr mitarbeiterid personalnummer personalnr userid id`,
  email: `email emailaddress workemail companyemail mail epost epostadresse epostadress jobbepost mailadresse emailadresse`,
  name: `displayname fullname name fulltnavn visningsnavn navn fullstandigtnamn visningsnamn namn fuldenavn
    anzeigename vollername vollstandigername`,
  firstName: 'firstname givenname forename fornavn fornamn tilltalsnamn vorname',
  lastName: 'lastname surname familyname etternavn efternamn efternavn nachname familienname',
  title: `jobtitle title position stillingstittel stilling tittel befattning yrkestitel titel stillingsbetegnelse
    stellenbezeichnung berufsbezeichnung`,
  office: `office officename worklocation location site kontor kontorsted arbeidssted arbetsplats arbejdssted
    buro buero standort niederlassung ort department avdeling avdelning afdeling abteilung`,
  country: 'countrycode country landkode landskod landskode land landercode laendercode',
  phone: `mobile mobilephone cellphone phone phonenumber telephone telephonenumber mobil mobilnummer mobiltelefon
    telefon telefonnummer telefonnr mobilnr handy handynummer`,
  status:
    'status employmentstatus employeestatus ansattstatus anstallningsstatus medarbejderstatus beschaftigungsstatus',
  endDate: `enddate terminationdate lastday lastworkingday leavingdate sluttdato slutdatum slutdato sistedag
    fratradelsesdato enddatum austrittsdatum austritt`,
} as const;

export type Meaning = keyof typeof NAMES;
export type Meanings = Readonly<Partial<Record<Meaning, string>>>;

const SORTED = Object.entries(NAMES).map(([meaning, names]) => [meaning as Meaning, names.split(/\s+/)] as const);

/** Column of each meaning, where a name tells; of several the one with the surest name. */
export function findMeanings(columns: readonly string[]): Meanings {
  const found: Partial<Record<Meaning, string>> = {};
  for (const [meaning, names] of SORTED) {
    for (const name of names.toReversed()) {
      const column = columns.find((one) => foldName(one) === name);
      if (column !== undefined) found[meaning] = column;
    }
  }
  return found;
}

/** The number or code of something: `customer_no`, `projectId`. */
export function isKeyName(column: string): boolean {
  return (
    /(?:^|[^a-z])(?:id|nr|no|code|kode|kod|key)$/.test(column.toLowerCase()) ||
    /(?:Id|ID|Nr|No|Code|Key)$/.test(column) ||
    NAMES.id.split(/\s+/).includes(foldName(column))
  );
}

/** Digits alone say nothing there: numbers of people, codes and telephone numbers keep their zeros and are not reckoned with. */
export function isTextName(column: string): boolean {
  const folded = foldName(column);
  return (
    isKeyName(column) ||
    SORTED.some(([meaning, names]) => meaning !== 'endDate' && names.includes(folded)) ||
    /(?:phone|telefon|mobil|postal|postnummer|postnr|zip|plz|ssn|personnummer|fodselsnummer)/.test(folded)
  );
}

/** `E-post`, `e_post` and `Epost` are one name. */
function foldName(name: string): string {
  return name
    .toLowerCase()
    .replaceAll('ø', 'o')
    .replaceAll('æ', 'a')
    .replaceAll('ß', 'ss')
    .normalize('NFD')
    .replaceAll(/[^a-z0-9]/g, '');
}
