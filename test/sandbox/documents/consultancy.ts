import type { FixtureInput } from '../../../src/sandbox/fixture/fixture.js';
import { DAM, LOGO, PORTRAIT } from './drawings.js';

const PROSE = {
  en:
    'Led the modernisation of the control system of a 240 MW hydropower plant, from the first workshop with the operators to ' +
    'the last acceptance test. The team of nine replaced the telemetry of fourteen gates while the plant kept running.\n' +
    '- Planned the change in 22 steps, each of which could be reversed\n' +
    '- Cut the time to answer an alarm from 90 to 12 seconds\n' +
    '- Trained 40 operators, on site and remotely',
  no:
    'Ledet moderniseringen av kontrollsystemet i et vannkraftverk på 240 MW, fra første arbeidsmøte med driften til siste ' +
    'akseptansetest. Et team på ni byttet ut telemetrien for fjorten luker mens kraftverket var i drift.\n' +
    '- Planla endringen i 22 steg som alle kunne tas tilbake\n' +
    '- Reduserte tiden for å svare på en alarm fra 90 til 12 sekunder',
  ar:
    'قادت تحديث نظام التحكم في محطة كهرومائية بقدرة 240 ميغاواط، من أول ورشة عمل مع المشغلين حتى آخر اختبار قبول (FAT). ' +
    'استبدل فريق من تسعة أشخاص أجهزة القياس عن بعد لأربع عشرة بوابة دون إيقاف المحطة.\n' +
    '- خططت للتغيير في 22 خطوة يمكن التراجع عن كل منها\n' +
    '- خفضت زمن الاستجابة للإنذار من 90 إلى 12 ثانية',
  zh:
    '主持一座240兆瓦水电站控制系统的现代化改造，从与运行人员的第一次研讨会到最后的验收测试。九人团队在电站持续运行的情况下更换了十四座闸门的遥测设备。\n' +
    '- 将改造分为22个步骤，每一步都可以回退',
  he: 'הובילה את חידוש מערכת הבקרה של תחנת כוח הידרואלקטרית בהספק 240 MW, מהסדנה הראשונה עם המפעילים ועד מבחן הקבלה האחרון.',
  hi: 'चौबीस द्वारों वाले जलविद्युत संयंत्र की नियंत्रण प्रणाली के आधुनिकीकरण का नेतृत्व किया।',
  uk: 'Керувала модернізацією системи керування гідроелектростанції потужністю 240 МВт.',
  el: 'Ηγήθηκε του εκσυγχρονισμού του συστήματος ελέγχου ενός υδροηλεκτρικού σταθμού 240 MW.',
};

const SUMMARY = {
  en:
    'Engineer with eighteen years in energy and water. She turns old control systems into ones that their operators trust, ' +
    'and writes about how.',
  no: 'Ingeniør med atten år i kraft og vann. Hun gjør gamle kontrollsystemer til systemer som driften stoler på.',
  ar: 'مهندسة لديها ثمانية عشر عامًا من الخبرة في قطاعي الطاقة والمياه، وتكتب عن عملها.',
  zh: '拥有十八年能源与水务经验的工程师。',
  he: 'מהנדסת עם שמונה עשרה שנות ניסיון באנרגיה ובמים.',
};

const CV = {
  sections: {
    key_qualifications: [
      { label: { en: 'Control systems', no: 'Kontrollsystemer', ar: 'أنظمة التحكم' }, long_description: SUMMARY },
    ],
    technologies: [
      {
        category: { en: 'Languages', no: 'Språk', ar: 'لغات البرمجة' },
        technology_skills: [
          { tags: { en: 'TypeScript' }, base_duration_in_years: 7 },
          { tags: { en: 'Go' }, base_duration_in_years: 3 },
        ],
      },
      { category: { en: 'Methods', no: 'Metoder', ar: 'المنهجيات' }, technology_skills: [{ tags: { en: 'HAZOP' } }] },
    ],
    project_experiences: [
      {
        description: {
          en: 'Fjord dam control',
          no: 'Styring av fjorddammen',
          ar: 'التحكم في سد الفيورد',
          zh: '峡湾大坝控制系统',
          he: 'בקרת סכר הפיורד',
        },
        customer: { en: 'Fjord Power' },
        industry: { en: 'Energy', no: 'Energi', ar: 'الطاقة', zh: '能源' },
        long_description: PROSE,
        project_extent_amt: '12500000',
        project_extent_currency: 'nok',
        month_from: '3',
        year_from: '2021',
        roles: [{ name: { en: 'Lead engineer', no: 'Fagansvarlig', ar: 'كبيرة المهندسين', zh: '首席工程师' } }],
        project_experience_skills: [{ tags: { en: 'SCADA' } }, { tags: { en: 'IEC 61850' } }],
        images: [
          { image: DAM, caption: { en: 'The dam, seen from the east', no: 'Dammen fra øst', ar: 'السد من جهة الشرق' } },
          { image: DAM, caption: { en: 'A gate' } },
        ],
      },
      {
        description: { en: 'Tender for a ministry', no: 'Anbud for et departement', ar: 'مناقصة لوزارة' },
        customer: { en: 'Ministry of Secrets' },
        customer_anonymized: { en: 'A ministry', no: 'Et departement', ar: 'وزارة' },
        customer_description: { en: 'It keeps the secrets of the realm.' },
        long_description: { en: 'Wrote the requirements.', no: 'Skrev kravene.', ar: 'كتبت المتطلبات.' },
        month_from: '09',
        year_from: '2018',
        month_to: '2',
        year_to: '2021',
      },
      { description: { en: 'Hidden project' }, disabled: true },
    ],
    work_experiences: [
      { employer: { en: 'Acme' }, description: { en: 'Engineer', no: 'Ingeniør', ar: 'مهندسة' }, year_from: '2010' },
    ],
    educations: [
      {
        school: { en: 'NTNU' },
        degree: { en: 'MSc, cybernetics', no: 'Sivilingeniør, kybernetikk', ar: 'ماجستير في علم التحكم الآلي' },
        year_from: '2001',
        year_to: '2006',
      },
    ],
    certifications: [
      {
        name: { en: 'ISA/IEC 62443' },
        organiser: { en: 'ISA' },
        month: '5',
        year: '2022',
        month_expire: '5',
        year_expire: '2025',
      },
    ],
    languages: [
      {
        name: { en: 'Norwegian', no: 'Norsk', ar: 'النرويجية' },
        level: { en: 'mother tongue', no: 'morsmål', ar: 'اللغة الأم' },
      },
      {
        name: { en: 'English', no: 'Engelsk', ar: 'الإنجليزية' },
        level: { en: 'fluent', no: 'flytende', ar: 'بطلاقة' },
      },
    ],
    recommendations: [
      { recommender: { en: 'Kari Nordmann, Fjord Power' }, long_description: { en: 'Calm when the river was not.' } },
    ],
  },
};

/**
 * A consultancy in many scripts, with a CV that has everything, a reference project, and templates for office, country
 * and account.
 */
export const CONSULTANCY: FixtureInput = {
  account: {
    languages: ['en', 'no', 'ar', 'he', 'hi', 'zh', 'uk', 'el'],
    templates: [
      {
        id: 'account-look',
        company: 'Acme Consulting',
        footer: { en: 'Acme Consulting · Oslo', ar: 'أكمي للاستشارات · أوسلو' },
      },
      { id: 'country-look', accent: '#7a1f1f', page: 'letter', company: 'Acme Sweden' },
      { id: 'office-look', accent: '#116644', company: 'Acme Oslo', logo: LOGO },
    ],
    default_template_id: 'account-look',
  },
  keys: [{ key: 'admin', name: 'Admin', role: 'internationalmanager' }],
  countries: [
    {
      code: 'no',
      native_language_code: 'no',
      offices: [{ name: 'Oslo', cv_template_id: 'office-look' }, { name: 'Bergen' }],
    },
    { code: 'se', native_language_code: 'sv', cv_template_id: 'country-look', offices: [{ name: 'Stockholm' }] },
  ],
  industries: [{ values: { en: 'Energy', no: 'Energi', ar: 'الطاقة' }, external_unique_id: 'energy' }],
  custom_fields: [
    {
      field_name: 'volume',
      field_type: 'quantity',
      field_label: { en: 'Volume of concrete', ar: 'حجم الخرسانة' },
      units: ['m3'],
    },
    { field_name: 'margin', field_type: 'numeric', field_label: { en: 'Margin' } },
    { field_name: 'contract', field_type: 'currency_amount', field_label: { en: 'Contract', ar: 'العقد' } },
  ],
  users: [
    {
      email: 'anna@example.com',
      name: 'Anna Åsen',
      name_multilang: {
        ar: 'آنا أوسن',
        zh: '安娜·奥森',
        he: 'אנה אוסן',
        hi: 'आना ओसेन',
        uk: 'Анна Осен',
        el: 'Άννα Όσεν',
      },
      title: {
        en: 'Lead engineer',
        no: 'Sjefingeniør',
        ar: 'كبيرة المهندسين',
        zh: '首席工程师',
        he: 'מהנדסת ראשית',
        hi: 'मुख्य अभियंता',
        uk: 'Головна інженерка',
        el: 'Επικεφαλής μηχανικός',
      },
      telephone: '+47 22 00 00 00',
      country: 'no',
      office: 'Oslo',
      born_year: 1982,
      place_of_residence: { en: 'Oslo', no: 'Oslo', ar: 'أوسلو' },
      image: PORTRAIT,
      cv: CV,
    },
    { email: 'bo@example.com', name: 'Bo Berg', country: 'no', office: 'Bergen', title: { en: 'Designer' } },
    { email: 'sven@example.com', name: 'Sven', country: 'se', office: 'Stockholm', title: { en: 'Architect' } },
    { email: 'somchai@example.com', name: 'สมชาย ใจดี', country: 'no', office: 'Oslo', title: { en: 'Surveyor' } },
  ],
  customers: [
    {
      external_unique_id: 'C1',
      customer_name: { en: 'Fjord Power', ar: 'فيورد باور' },
      customer_description: { en: 'A utility with eleven plants.', ar: 'شركة مرافق تملك إحدى عشرة محطة.' },
      industry: 'energy',
      projects: [
        {
          external_unique_id: 'P1',
          project_name: { en: 'A dam that answers', no: 'En dam som svarer', ar: 'سد يستجيب' },
          project_introduction: {
            en: 'A new control system for a dam of 1931.',
            ar: 'نظام تحكم جديد لسد بني عام 1931.',
          },
          project_description: PROSE,
          project_notes: { en: 'The customer pays late.' },
          extent_amt: '12500000',
          extent_currency: 'nok',
          location_country_code: 'no',
          month_from: '3',
          year_from: '2021',
          workflow_stage: 'live',
          custom_fields: [
            { name: 'volume', amount: 1200, unit: 'm3' },
            { name: 'margin', value: 31, sensitivity: 'confidential' },
            {
              name: 'contract',
              amount: 7654321,
              currency: 'nok',
              sensitivity: 'anonymized',
              anonymized: { en: 'Several million', ar: 'عدة ملايين' },
            },
          ],
          project_challenges: [
            { value: { en: 'The plant could not stop.', ar: 'لم يكن ممكنًا إيقاف المحطة.' } },
            { value: { en: 'A challenge kept out.' }, disabled: true },
          ],
          project_solutions: [{ value: { en: 'One gate at a time.', ar: 'بوابة تلو الأخرى.' } }],
          customer_value_propositions: [{ value: { en: 'No hour without power.', ar: 'ولا ساعة دون كهرباء.' } }],
          customer_contacts: [{ name: 'Kari Nordmann', title: 'Plant manager', email: 'kari@fjord.example' }],
          company_project_skills: [{ tags: { en: 'SCADA' } }, { tags: { en: 'Hydrology', ar: 'علم المياه' } }],
          project_links: [{ label: { en: 'Press' }, url: 'https://fjord.example/press' }],
          project_introduction_images: [{ image: DAM, caption: { en: 'The dam', ar: 'السد' } }],
        },
      ],
    },
  ],
  proposals: [{ name: 'Bid', owner: 'anna@example.com', cvs: ['anna@example.com'], references: ['P1'] }],
};
