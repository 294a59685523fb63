/** A name as its owner writes it, and the same in the letters of an e-mail address. */
export interface PersonName {
  readonly name: string;
  readonly ascii: string;
}

type NamePart = readonly [written: string, ascii: string];

/** One way of naming people; where the family name comes first, the written name says so and the address does not. */
interface Naming {
  readonly given: readonly NamePart[];
  readonly family: readonly NamePart[];
  readonly order: 'given first' | 'family first' | 'family first, together';
}

/** `Åse` is the pair Åse, ase; anything the rules don't cover is written out as `Νίκος=nikos`. */
function parts(words: string): readonly NamePart[] {
  return words.split(' ').map((word) => {
    const [written = '', ascii] = word.split('=');
    return [written, ascii ?? toAscii(written)];
  });
}

const LETTERS: Readonly<Record<string, string>> = { ø: 'o', æ: 'ae', ß: 'ss', ł: 'l', đ: 'd', ð: 'd', þ: 'th', ı: 'i' };

function toAscii(word: string): string {
  return word
    .toLowerCase()
    .replace(/[øæßłđðþı]/g, (letter) => LETTERS[letter] ?? letter)
    .normalize('NFD')
    .replace(/[\u0300-\u036f]/g, '');
}

const NORWEGIAN: Naming = {
  order: 'given first',
  given: parts('Åse Bjørn Eirik Frøydis Gro Håkon Ingrid Jørn Kåre Liv Magnus Njål Øystein Ragnhild Sølvi Torbjørn'),
  family: parts('Aasen Bakke Dæhlen Engen Fossum Grønvik Haugen Kjærstad Lunde Mørk Nygård Østby Rød Skår Tveit Vågen'),
};
const SWEDISH: Naming = {
  order: 'given first',
  given: parts('Agnes Björn Elsa Göran Håkan Jöran Kerstin Lovisa Märta Nils Örjan Pär Saga Sören Tuva Åke'),
  family: parts(
    'Ahlström Björk Dahlgren Ekström Forsgård Hedlund Höglund Källström Lindén Nyström Öberg Sjögren Ståhl',
  ),
};
const GERMAN: Naming = {
  order: 'given first',
  given: parts('Anke Bärbel Christoph Dörte Felix Günther Heike Jörg Käte Lukas Mareike Noah Rüdiger Sönke Uwe'),
  family: parts('Bäumer Dreßler Eßer Förster Größler Hübner Jäger Köhler Löwe Möbius Nöthen Rößner Schäfer Thömmes'),
};
/** Every fifth person, wherever they work. */
const ELSEWHERE: readonly [Naming, ...Naming[]] = [
  {
    order: 'given first',
    given: parts('Agnieszka Łukasz Małgorzata Paweł Zofia'),
    family: parts('Dąbrowska Jabłoński Kowalczyk Wójcik Żak'),
  },
  {
    order: 'given first',
    given: parts('Ayşe Çağlar Gülşen Işıl Ömer'),
    family: parts('Aydoğan Çelik Güneş Şahin Yıldız'),
  },
  {
    order: 'given first',
    given: parts('Анна=anna Дмитрий=dmitrij Елена=elena Иван=ivan Оксана=oksana'),
    family: parts('Белова=belova Гончар=honchar Коваль=koval Мельник=melnik Шевчук=shevchuk'),
  },
  {
    order: 'given first',
    given: parts('Γιώργος=giorgos Ελένη=eleni Μαρία=maria Σπύρος=spyros'),
    family: parts('Αγγέλου=angelou Δήμου=dimou Νικολάου=nikolaou Χατζή=chatzi'),
  },
  {
    order: 'given first',
    given: parts('أحمد=ahmad سارة=sara يوسف=yusuf مريم=maryam'),
    family: parts('منصور=mansour خليل=khalil ناصر=nasser صالح=saleh'),
  },
  {
    order: 'given first',
    given: parts('דוד=david נועה=noa תמר=tamar'),
    family: parts('אלון=alon ברק=barak שגב=segev'),
  },
  {
    order: 'given first',
    given: parts('अर्जुन=arjun मीरा=meera रोहन=rohan'),
    family: parts('गुप्ता=gupta जोशी=joshi वर्मा=verma'),
  },
  {
    order: 'family first, together',
    given: parts('芳=fang 静=jing 磊=lei 敏=min'),
    family: parts('陈=chen 李=li 刘=liu 赵=zhao'),
  },
  {
    order: 'family first',
    given: parts('太郎=taro さくら=sakura 健=ken 美咲=misaki'),
    family: parts('佐藤=sato 鈴木=suzuki 高橋=takahashi 田中=tanaka'),
  },
  {
    order: 'family first, together',
    given: parts('민준=minjun 서연=seoyeon 지훈=jihun'),
    family: parts('김=kim 박=park 최=choi'),
  },
];

/** The usual names of each country, and of those who came from elsewhere. */
export const NAMINGS = { no: NORWEGIAN, se: SWEDISH, de: GERMAN, elsewhere: ELSEWHERE } as const;

/** How many names a naming has. */
export function countNames({ given, family }: Naming): number {
  return given.length * family.length;
}

/** The n-th name of a naming; n counts round. */
export function nameAt({ given, family, order }: Naming, n: number): PersonName {
  const [first, firstAscii] = given[n % given.length] ?? ['', ''];
  const [last, lastAscii] = family[Math.floor(n / given.length) % family.length] ?? ['', ''];
  const ascii = `${firstAscii}.${lastAscii}`;
  if (order === 'given first') return { name: `${first} ${last}`, ascii };
  return { name: order === 'family first' ? `${last} ${first}` : `${last}${first}`, ascii };
}
