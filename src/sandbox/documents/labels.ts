const KEYS = [
  'key_qualifications',
  'technologies',
  'project_experiences',
  'work_experiences',
  'educations',
  'certifications',
  'courses',
  'languages',
  'positions',
  'presentations',
  'blogs',
  'honors_awards',
  'mentorings',
  'recommendations',
  'now',
  'validUntil',
  'role',
  'customer',
  'industry',
  'period',
  'place',
  'cost',
  'hours',
  'projectType',
  'contractType',
  'area',
  'architect',
  'buildingOwner',
  'partners',
  'introduction',
  'description',
  'challenges',
  'solutions',
  'benefits',
  'contacts',
  'links',
  'keyFacts',
  'born',
  'draft',
  'notShown',
  'moreInCv',
  'moreProjects',
] as const;

export type Labels = Readonly<Record<(typeof KEYS)[number], string>>;

/** Language → words in the order of KEYS, eight per line. */
const WORDS: Readonly<Record<string, string>> = {
  en: `Summary|Skills|Projects|Work experience|Education|Certifications|Courses|Languages
Positions|Presentations|Publications|Honours and awards|Mentoring|Recommendations|present|valid until
Role|Customer|Industry|Period|Place|Project cost|Hours|Type of project
Type of contract|Area|Architect|Building owner|Partners|Introduction|Description|Challenge
Solution|Value for the customer|Contacts|Links|Key facts|Born|Draft|Not shown, because no font has it
More in the CV|More projects in the CV`,
  no: `Sammendrag|Kompetanse|Prosjekter|Arbeidserfaring|Utdanning|Sertifiseringer|Kurs|Språk
Verv|Foredrag|Publikasjoner|Priser og utmerkelser|Mentoroppdrag|Anbefalinger|nå|gyldig til
Rolle|Kunde|Bransje|Periode|Sted|Prosjektkostnad|Timer|Prosjekttype
Kontraktstype|Areal|Arkitekt|Byggherre|Partnere|Innledning|Beskrivelse|Utfordring
Løsning|Verdi for kunden|Kontakter|Lenker|Nøkkeltall|Født|Utkast|Ikke vist, fordi ingen skrift har det
Mer i CV-en|Flere prosjekter i CV-en`,
  sv: `Sammanfattning|Kompetens|Projekt|Arbetslivserfarenhet|Utbildning|Certifieringar|Kurser|Språk
Uppdrag|Föredrag|Publikationer|Utmärkelser|Mentorskap|Rekommendationer|nu|giltigt till
Roll|Kund|Bransch|Period|Plats|Projektkostnad|Timmar|Projekttyp
Kontraktstyp|Area|Arkitekt|Byggherre|Partner|Inledning|Beskrivning|Utmaning
Lösning|Värde för kunden|Kontakter|Länkar|Nyckeltal|Född|Utkast|Visas inte, eftersom inget typsnitt har det
Mer i CV:t|Fler projekt i CV:t`,
  da: `Resumé|Kompetencer|Projekter|Erhvervserfaring|Uddannelse|Certificeringer|Kurser|Sprog
Hverv|Foredrag|Publikationer|Priser|Mentorskab|Anbefalinger|nu|gyldig til
Rolle|Kunde|Branche|Periode|Sted|Projektomkostning|Timer|Projekttype
Kontrakttype|Areal|Arkitekt|Bygherre|Partnere|Indledning|Beskrivelse|Udfordring
Løsning|Værdi for kunden|Kontakter|Links|Nøgletal|Født|Udkast|Ikke vist, fordi ingen skrift har det
Mere i CV’et|Flere projekter i CV’et`,
  de: `Profil|Kenntnisse|Projekte|Berufserfahrung|Ausbildung|Zertifizierungen|Kurse|Sprachen
Ämter|Vorträge|Veröffentlichungen|Auszeichnungen|Mentoring|Empfehlungen|heute|gültig bis
Rolle|Kunde|Branche|Zeitraum|Ort|Projektkosten|Stunden|Art des Projekts
Vertragsart|Fläche|Architekt|Bauherr|Partner|Einleitung|Beschreibung|Herausforderung
Lösung|Nutzen für den Kunden|Ansprechpartner|Links|Eckdaten|Geboren|Entwurf|Nicht gezeigt, weil keine Schrift es enthält
Mehr im Lebenslauf|Weitere Projekte im Lebenslauf`,
  fr: `Profil|Compétences|Projets|Expérience professionnelle|Formation|Certifications|Cours|Langues
Fonctions|Présentations|Publications|Distinctions|Mentorat|Recommandations|aujourd’hui|valable jusqu’à
Rôle|Client|Secteur|Période|Lieu|Coût du projet|Heures|Type de projet
Type de contrat|Surface|Architecte|Maître d’ouvrage|Partenaires|Introduction|Description|Défi
Solution|Valeur pour le client|Contacts|Liens|Chiffres clés|Né(e) en|Brouillon|Non affiché, faute de police
Suite dans le CV|Autres projets dans le CV`,
  es: `Perfil|Competencias|Proyectos|Experiencia laboral|Formación|Certificaciones|Cursos|Idiomas
Cargos|Presentaciones|Publicaciones|Premios|Mentoría|Recomendaciones|actualidad|válido hasta
Función|Cliente|Sector|Período|Lugar|Coste del proyecto|Horas|Tipo de proyecto
Tipo de contrato|Superficie|Arquitecto|Promotor|Socios|Introducción|Descripción|Reto
Solución|Valor para el cliente|Contactos|Enlaces|Datos clave|Nacimiento|Borrador|No se muestra, porque ninguna fuente lo tiene
Más en el CV|Más proyectos en el CV`,
  el: `Περίληψη|Δεξιότητες|Έργα|Επαγγελματική εμπειρία|Εκπαίδευση|Πιστοποιήσεις|Σεμινάρια|Γλώσσες
Θέσεις|Παρουσιάσεις|Δημοσιεύσεις|Διακρίσεις|Καθοδήγηση|Συστάσεις|σήμερα|ισχύει έως
Ρόλος|Πελάτης|Κλάδος|Περίοδος|Τόπος|Κόστος έργου|Ώρες|Είδος έργου
Είδος σύμβασης|Εμβαδόν|Αρχιτέκτονας|Κύριος του έργου|Συνεργάτες|Εισαγωγή|Περιγραφή|Πρόκληση
Λύση|Αξία για τον πελάτη|Επαφές|Σύνδεσμοι|Βασικά στοιχεία|Έτος γέννησης|Προσχέδιο|Δεν εμφανίζεται, γιατί λείπει η γραμματοσειρά
Περισσότερα στο βιογραφικό|Περισσότερα έργα στο βιογραφικό`,
  uk: `Резюме|Навички|Проєкти|Досвід роботи|Освіта|Сертифікати|Курси|Мови
Посади|Виступи|Публікації|Нагороди|Наставництво|Рекомендації|дотепер|дійсний до
Роль|Замовник|Галузь|Період|Місце|Вартість проєкту|Години|Тип проєкту
Тип договору|Площа|Архітектор|Власник будівлі|Партнери|Вступ|Опис|Виклик
Рішення|Цінність для замовника|Контакти|Посилання|Основні дані|Рік народження|Чернетка|Не показано, бо немає шрифту
Докладніше в резюме|Інші проєкти в резюме`,
  ar: `نبذة|المهارات|المشاريع|الخبرة المهنية|التعليم|الشهادات المهنية|الدورات|اللغات
المناصب|العروض التقديمية|المنشورات|الجوائز|الإرشاد|التوصيات|الآن|صالحة حتى
الدور|العميل|القطاع|الفترة|المكان|تكلفة المشروع|الساعات|نوع المشروع
نوع العقد|المساحة|المهندس المعماري|مالك المبنى|الشركاء|مقدمة|الوصف|التحدي
الحل|القيمة للعميل|جهات الاتصال|الروابط|بيانات أساسية|سنة الميلاد|مسودة|غير معروض لعدم وجود خط
المزيد في السيرة الذاتية|مشاريع أخرى في السيرة الذاتية`,
  he: `תקציר|כישורים|פרויקטים|ניסיון תעסוקתי|השכלה|הסמכות|קורסים|שפות
תפקידים|הרצאות|פרסומים|פרסים|חונכות|המלצות|היום|בתוקף עד
תפקיד|לקוח|ענף|תקופה|מקום|עלות הפרויקט|שעות|סוג הפרויקט
סוג החוזה|שטח|אדריכל|בעל המבנה|שותפים|מבוא|תיאור|האתגר
הפתרון|הערך ללקוח|אנשי קשר|קישורים|נתוני מפתח|שנת לידה|טיוטה|לא מוצג, כי אין לו גופן
עוד בקורות החיים|פרויקטים נוספים בקורות החיים`,
  hi: `सारांश|कौशल|परियोजनाएँ|कार्य अनुभव|शिक्षा|प्रमाणपत्र|पाठ्यक्रम|भाषाएँ
पद|प्रस्तुतियाँ|प्रकाशन|पुरस्कार|मार्गदर्शन|अनुशंसाएँ|वर्तमान|मान्य तिथि
भूमिका|ग्राहक|उद्योग|अवधि|स्थान|परियोजना लागत|घंटे|परियोजना का प्रकार
अनुबंध का प्रकार|क्षेत्रफल|वास्तुकार|भवन स्वामी|भागीदार|परिचय|विवरण|चुनौती
समाधान|ग्राहक के लिए मूल्य|संपर्क|लिंक|मुख्य तथ्य|जन्म वर्ष|प्रारूप|फ़ॉन्ट न होने से नहीं दिखाया गया
और जानकारी सीवी में|सीवी में अन्य परियोजनाएँ`,
  zh: `概述|技能|项目经验|工作经历|教育背景|证书|课程|语言
职务|演讲|出版物|荣誉与奖项|指导经历|推荐信|至今|有效期至
角色|客户|行业|时间|地点|项目造价|工时|项目类型
合同类型|面积|建筑师|业主|合作伙伴|简介|项目描述|挑战
解决方案|客户价值|联系人|链接|关键信息|出生年份|草稿|缺少字体，未显示
详见简历|简历中的其他项目`,
  ja: `概要|スキル|プロジェクト経験|職歴|学歴|資格|研修|言語
役職|講演|出版物|受賞歴|メンタリング|推薦|現在|有効期限
役割|顧客|業種|期間|場所|プロジェクト費用|工数|プロジェクト種別
契約種別|面積|建築家|施主|協力会社|はじめに|説明|課題
解決策|顧客への価値|連絡先|リンク|主要データ|生年|下書き|フォントがないため表示されません
詳細は職務経歴書を参照|職務経歴書に記載のその他のプロジェクト`,
  ko: `요약|기술|프로젝트|경력|학력|자격증|교육 과정|언어
직책|발표|출판물|수상 경력|멘토링|추천|현재|유효 기간
역할|고객|산업|기간|장소|프로젝트 비용|시간|프로젝트 유형
계약 유형|면적|건축가|건축주|협력사|소개|설명|과제
해결 방안|고객 가치|연락처|링크|주요 정보|출생 연도|초안|글꼴이 없어 표시하지 않음
자세한 내용은 이력서 참조|이력서의 다른 프로젝트`,
};

/** Language code → the code whose words it uses. */
const SAME: Readonly<Record<string, string>> = { nb: 'no', nn: 'no' };

export const LABELLED_LANGUAGES: readonly string[] = Object.keys(WORDS);

/** Returns the labels of a document in the language of its content, or else in English. */
export function labelsOf(language: string): Labels {
  const words = (WORDS[SAME[language] ?? language] ?? WORDS.en ?? '').split(/[|\n]/);
  return Object.fromEntries(KEYS.map((key, index) => [key, words[index]])) as Labels;
}
