import type { Random } from './random.js';

/** A name as its owner writes it, and the same in the letters of an e-mail address. */
export interface PersonName {
  readonly name: string;
  readonly ascii: string;
}

type NamePart = readonly [written: string, ascii: string];

/** One way of naming people; where the family name comes first, the written name says so and the address does not. */
interface Naming {
  readonly order: 'given first' | 'family first' | 'family first, together';
  readonly given: readonly NamePart[];
  readonly family: readonly NamePart[];
}

function buildNaming(order: Naming['order'], given: string, family: string): Naming {
  return { order, given: parts(given), family: parts(family) };
}

/** `Åse` is the pair Åse, ase; anything the rules don't cover is written out as `Νίκος=nikos`. */
function parts(words: string): readonly NamePart[] {
  return words.split(' ').map((word) => {
    const [written = '', ascii] = word.split('=');
    return [written, ascii ?? toAscii(written)];
  });
}

const LETTERS: Readonly<Record<string, string>> = { ø: 'o', æ: 'ae', ß: 'ss', ł: 'l', đ: 'd', ð: 'd', þ: 'th', ı: 'i' };

export function toAscii(word: string): string {
  return word
    .toLowerCase()
    .replace(/[øæßłđðþı]/g, (letter) => LETTERS[letter] ?? letter)
    .normalize('NFD')
    .replace(/[\u0300-\u036f]/g, '');
}

/** The usual names of each country, and of those who came from elsewhere: every fifth person, wherever they work. */
export const NAMINGS = {
  no: buildNaming(
    'given first',
    'Åse Bjørn Eirik Frøydis Gro Håkon Ingrid Jørn Kåre Liv Magnus Njål Øystein Ragnhild Sølvi Torbjørn',
    'Aasen Bakke Dæhlen Engen Fossum Grønvik Haugen Kjærstad Lunde Mørk Nygård Østby Rød Skår Tveit Vågen',
  ),
  se: buildNaming(
    'given first',
    'Agnes Björn Elsa Göran Håkan Jöran Kerstin Lovisa Märta Nils Örjan Pär Saga Sören Tuva Åke',
    'Ahlström Björk Dahlgren Ekström Forsgård Hedlund Höglund Källström Lindén Nyström Öberg Sjögren Ståhl',
  ),
  de: buildNaming(
    'given first',
    'Anke Bärbel Christoph Dörte Felix Günther Heike Jörg Käte Lukas Mareike Noah Rüdiger Sönke Uwe',
    'Bäumer Dreßler Eßer Förster Größler Hübner Jäger Köhler Löwe Möbius Nöthen Rößner Schäfer Thömmes',
  ),
  elsewhere: [
    buildNaming('given first', 'Agnieszka Łukasz Małgorzata Paweł Zofia', 'Dąbrowska Jabłoński Kowalczyk Wójcik Żak'),
    buildNaming('given first', 'Ayşe Çağlar Gülşen Işıl Ömer', 'Aydoğan Çelik Güneş Şahin Yıldız'),
    buildNaming(
      'given first',
      'Анна=anna Дмитрий=dmitrij Елена=elena Иван=ivan Оксана=oksana',
      'Белова=belova Гончар=honchar Коваль=koval Мельник=melnik Шевчук=shevchuk',
    ),
    buildNaming(
      'given first',
      'Γιώργος=giorgos Ελένη=eleni Μαρία=maria Σπύρος=spyros',
      'Αγγέλου=angelou Δήμου=dimou Νικολάου=nikolaou Χατζή=chatzi',
    ),
    buildNaming(
      'given first',
      'أحمد=ahmad سارة=sara يوسف=yusuf مريم=maryam',
      'منصور=mansour خليل=khalil ناصر=nasser صالح=saleh',
    ),
    buildNaming('given first', 'דוד=david נועה=noa תמר=tamar', 'אלון=alon ברק=barak שגב=segev'),
    buildNaming('given first', 'अर्जुन=arjun मीरा=meera रोहन=rohan', 'गुप्ता=gupta जोशी=joshi वर्मा=verma'),
    buildNaming('family first, together', '芳=fang 静=jing 磊=lei 敏=min', '陈=chen 李=li 刘=liu 赵=zhao'),
    buildNaming(
      'family first',
      '太郎=taro さくら=sakura 健=ken 美咲=misaki',
      '佐藤=sato 鈴木=suzuki 高橋=takahashi 田中=tanaka',
    ),
    buildNaming('family first, together', '민준=minjun 서연=seoyeon 지훈=jihun', '김=kim 박=park 최=choi'),
  ],
} as const;

export function pickName({ given, family, order }: Naming, random: Random): PersonName {
  const n = random.below(given.length * family.length);
  const [first, firstAscii] = given[n % given.length] ?? ['', ''];
  const [last, lastAscii] = family[Math.floor(n / given.length)] ?? ['', ''];
  const ascii = `${firstAscii}.${lastAscii}`;
  if (order === 'given first') return { name: `${first} ${last}`, ascii };
  return { name: order === 'family first' ? `${last} ${first}` : `${last}${first}`, ascii };
}
