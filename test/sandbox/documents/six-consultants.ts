import type { Body } from '../../../src/sandbox/fields/values.js';
import type { FixtureInput } from '../../../src/sandbox/fixture/fixture.js';
import { DAM, LOGO, PORTRAIT } from './drawings.js';
import { NORWEGIAN_PROJECTS } from './norwegian-projects.js';

/** Texts of one consultant, who writes in one language. */
interface Words {
  readonly language: string;
  readonly name: string;
  readonly title: string;
  readonly place: string;
  readonly nationality: string;
  readonly summary: readonly [label: string, text: string];
  readonly skills: readonly (readonly [category: string, ...skills: readonly string[]])[];
  readonly projects: readonly {
    readonly title: string;
    readonly customer: string;
    readonly anonymous?: string;
    readonly industry: string;
    readonly text: string;
    readonly roles: readonly (readonly [name: string, text: string])[];
    readonly skills: readonly string[];
    readonly caption?: string;
  }[];
  readonly job: readonly [employer: string, title: string];
  readonly degree: readonly [school: string, degree: string];
  readonly languages: readonly (readonly [name: string, level: string])[];
}

const ARABIC: Words = {
  language: 'ar',
  name: 'ليلى حداد',
  title: 'كبيرة مهندسي أنظمة التحكم',
  place: 'أوسلو',
  nationality: 'أردنية',
  summary: [
    'أنظمة التحكم',
    'مهندسة لديها ثمانية عشر عامًا من الخبرة في قطاعي الطاقة والمياه. تحوّل أنظمة التحكم القديمة إلى أنظمة يثق بها مشغلوها، وتكتب عن عملها.',
  ],
  skills: [
    ['لغات البرمجة', 'TypeScript', 'C#', 'Go'],
    ['المنهجيات', 'HAZOP', 'تحليل المخاطر', 'IEC 61850'],
  ],
  projects: [
    {
      title: 'التحكم في سد الفيورد',
      customer: 'فيورد باور',
      industry: 'الطاقة',
      text:
        'قادت تحديث نظام التحكم في محطة كهرومائية بقدرة 240 ميغاواط، من أول ورشة عمل مع المشغلين حتى آخر اختبار قبول (FAT). ' +
        'استبدل فريق من تسعة أشخاص أجهزة القياس عن بعد لأربع عشرة بوابة دون إيقاف المحطة.\n' +
        'النتائج:\n' +
        '- خططت للتغيير في 22 خطوة يمكن التراجع عن كل منها\n' +
        '- خفضت زمن الاستجابة للإنذار من 90 إلى 12 ثانية',
      roles: [
        ['كبيرة المهندسين', 'كانت مسؤولة عن التصميم وعن السلامة، وقدمت التقارير إلى مجلس الإدارة كل شهر.'],
        ['مدربة', 'دربت 40 مشغلًا في الموقع وعن بعد.'],
      ],
      skills: ['SCADA', 'IEC 61850', 'C#'],
      caption: 'السد من جهة الشرق',
    },
    {
      title: 'مناقصة لتحديث شبكة المياه',
      customer: 'وزارة الأسرار',
      anonymous: 'القطاع العام',
      industry: 'القطاع العام',
      text: 'كتبت المتطلبات الفنية وقيّمت ستة عروض، ثم تابعت تنفيذ العقد حتى التسليم النهائي.',
      roles: [['مستشارة', '']],
      skills: ['تحليل المخاطر'],
    },
    {
      title: 'إنذار مبكر بالفيضانات',
      customer: 'معهد الأرصاد',
      industry: 'البحث العلمي',
      text: 'صممت نموذجًا يتنبأ بمنسوب النهر قبل 36 ساعة، ويرسل الإنذارات إلى البلديات عبر SMS.',
      roles: [['مهندسة بيانات', 'بنت سلسلة معالجة البيانات واختبرتها.']],
      skills: ['Go', 'PostgreSQL'],
    },
  ],
  job: ['Acme Consulting', 'كبيرة المهندسين'],
  degree: ['الجامعة الأردنية', 'ماجستير في علم التحكم الآلي'],
  languages: [
    ['العربية', 'اللغة الأم'],
    ['الإنجليزية', 'بطلاقة'],
  ],
};

const CHINESE: Words = {
  language: 'zh',
  name: '陈伟',
  title: '首席控制工程师',
  place: '上海',
  nationality: '中国',
  summary: [
    '控制系统',
    '拥有十八年能源与水务经验的工程师。擅长把陈旧的控制系统改造成运行人员信赖的系统，并撰写相关文章。',
  ],
  skills: [
    ['编程语言', 'TypeScript', 'C#', 'Go'],
    ['方法', 'HAZOP', '风险分析', 'IEC 61850'],
  ],
  projects: [
    {
      title: '峡湾大坝控制系统',
      customer: '峡湾电力',
      industry: '能源',
      text:
        '主持一座240兆瓦水电站控制系统的现代化改造，从与运行人员的第一次研讨会到最后的验收测试。九人团队在电站持续运行的情况下更换了十四座闸门的遥测设备，' +
        '没有造成一小时的停电。\n成果：\n- 将改造分为22个步骤，每一步都可以回退\n- 报警响应时间从90秒缩短到12秒',
      roles: [
        ['首席工程师', '负责总体设计与安全，每月向董事会汇报进展。'],
        ['讲师', '现场和远程培训了40名运行人员。'],
      ],
      skills: ['SCADA', 'IEC 61850', 'C#'],
      caption: '从东面看大坝',
    },
    {
      title: '供水管网改造招标',
      customer: '秘密部',
      anonymous: '公共部门',
      industry: '公共部门',
      text: '编写技术要求，评审六份投标文件，并跟踪合同执行直至最终交付。',
      roles: [['顾问', '']],
      skills: ['风险分析'],
    },
    {
      title: '洪水预警',
      customer: '气象研究所',
      industry: '科研',
      text: '设计了提前36小时预测河流水位的模型，并通过短信向市政部门发送警报。',
      roles: [['数据工程师', '搭建并测试了数据处理流程。']],
      skills: ['Go', 'PostgreSQL'],
    },
  ],
  job: ['Acme Consulting', '首席工程师'],
  degree: ['同济大学', '控制科学与工程硕士'],
  languages: [
    ['中文', '母语'],
    ['英语', '流利'],
  ],
};

const JAPANESE: Words = {
  language: 'ja',
  name: '佐藤花子',
  title: '主任制御エンジニア',
  place: '東京',
  nationality: '日本',
  summary: [
    '制御システム',
    'エネルギーと水道の分野で十八年の経験を持つエンジニア。古い制御システムを、運転員が信頼できるシステムへと生まれ変わらせる。',
  ],
  skills: [
    ['プログラミング言語', 'TypeScript', 'C#', 'Go'],
    ['手法', 'HAZOP', 'リスク分析', 'IEC 61850'],
  ],
  projects: [
    {
      title: 'フィヨルドダム制御システムの刷新',
      customer: 'フィヨルド電力',
      industry: 'エネルギー',
      text:
        '出力240メガワットの水力発電所において、運転員との最初のワークショップから最終受入試験まで、制御システムの近代化を統括した。' +
        '九名のチームで、発電所の運転を続けながら十四門のゲートのテレメトリー装置を交換した。\n成果：\n' +
        '- 変更を22段階に分け、各段階を元に戻せるように計画した\n- 警報への応答時間を90秒から12秒に短縮した',
      roles: [
        ['主任エンジニア', '全体設計と安全を担当し、毎月取締役会に進み具合を報告した。'],
        ['講師', '現地および遠隔で40名の運転員を教育した。'],
      ],
      skills: ['SCADA', 'IEC 61850', 'C#'],
      caption: '東側から見たダム',
    },
    {
      title: '上水道更新の入札支援',
      customer: '秘密省',
      anonymous: '官公庁',
      industry: '官公庁',
      text: '技術要件を作成し、六件の提案を評価したうえで、最終納品まで契約の履行を見届けた。',
      roles: [['コンサルタント', '']],
      skills: ['リスク分析'],
    },
    {
      title: '洪水の早期警報',
      customer: '気象研究所',
      industry: '研究機関',
      text: '河川の水位を36時間前に予測するモデルを設計し、自治体にショートメッセージで警報を送る仕組みを構築した。',
      roles: [['データエンジニア', 'データ処理の流れを構築し、試験した。']],
      skills: ['Go', 'PostgreSQL'],
    },
  ],
  job: ['Acme Consulting', '主任エンジニア'],
  degree: ['東京大学', '修士（制御工学）'],
  languages: [
    ['日本語', '母語'],
    ['英語', '流暢'],
  ],
};

function describeProjects({ language: code, projects }: Words): Body[] {
  return projects.map(({ title, customer, anonymous, industry, text, roles, skills, caption }, index) => ({
    description: { [code]: title },
    customer: { [code]: customer },
    ...(anonymous ? { customer_anonymized: { [code]: anonymous } } : {}),
    industry: { [code]: industry },
    long_description: { [code]: text },
    month_from: '3',
    year_from: String(2021 - 3 * index),
    ...(index === 0 ? {} : { month_to: '2', year_to: String(2024 - 3 * index) }),
    roles: roles.map(([name, said]) => ({ name: { [code]: name }, long_description: { [code]: said } })),
    project_experience_skills: skills.map((skill) => ({ tags: { [code]: skill } })),
    ...(caption ? { images: [{ image: DAM, caption: { [code]: caption } }] } : {}),
  }));
}

function describeSections(
  { language: code, summary, skills, job, degree, languages }: Words,
  projects: readonly Body[],
) {
  return {
    key_qualifications: [{ label: { [code]: summary[0] }, long_description: { [code]: summary[1] } }],
    technologies: skills.map(([category, ...names]) => ({
      category: { [code]: category },
      technology_skills: names.map((name, index) => ({ tags: { [code]: name }, base_duration_in_years: 12 - index })),
    })),
    project_experiences: [...projects],
    work_experiences: [{ employer: { [code]: job[0] }, description: { [code]: job[1] }, year_from: '2010' }],
    educations: [{ school: { [code]: degree[0] }, degree: { [code]: degree[1] }, year_from: '2001', year_to: '2006' }],
    languages: languages.map(([name, level]) => ({ name: { [code]: name }, level: { [code]: level } })),
  };
}

const NORWEGIAN: Words = {
  language: 'no',
  name: 'Nora Åsen',
  title: 'Sjefingeniør',
  place: 'Bergen',
  nationality: 'Norsk',
  summary: [
    'Kontrollsystemer',
    'Ingeniør med atten år i kraft, vann og offentlig sektor. Hun gjør gamle kontrollsystemer til systemer som driften stoler på, ' +
      'og leder team som leverer litt hver uke.\nHun er særlig opptatt av:\n- sikkerhet i drift\n- enkle løsninger\n- god opplæring',
  ],
  skills: [
    ['Språk', 'TypeScript', 'C#', 'Go', 'Python', 'SQL'],
    ['Plattformer', 'Azure', 'Kubernetes', 'PostgreSQL', 'Kafka'],
    ['Metoder', 'HAZOP', 'Scrum', 'IEC 61850', 'ROS-analyse'],
  ],
  projects: [],
  job: ['Acme Consulting', 'Sjefingeniør'],
  degree: ['NTNU', 'Sivilingeniør, kybernetikk'],
  languages: [
    ['Norsk', 'morsmål'],
    ['Engelsk', 'flytende'],
  ],
};

const LONG_TEXT = [
  'The programme replaced the control, metering and settlement systems of a national grid operator, in eleven deliveries over six years.',
  'Every delivery was rehearsed twice in a copy of the control room, with the operators who would later use it.',
  'The work began with a map of 214 interfaces, of which 90 turned out to have no owner and 31 no documentation at all.',
  'A small team wrote a simulator of the grid that could replay any hour of the past ten years in under four minutes.',
  'Because the old and the new systems ran side by side for two years, each difference between them was recorded, explained and signed off.',
  'The settlement of the balancing market moved from a weekly batch to a calculation every fifteen minutes.',
];

const LONG_PROJECT: Body = {
  description: { en: 'Replacement of the control systems of a national grid operator' },
  customer: { en: 'Grid Operator' },
  industry: { en: 'Energy' },
  long_description: {
    en: Array.from({ length: 40 }, (_, index) =>
      index % 8 === 7
        ? 'Results of the phase:\n- No hour without supply\n- All operators trained before the switch\n- Costs within the estimate'
        : Array.from({ length: 1 + (index % 4) }, (_, one) => LONG_TEXT[(index + one) % LONG_TEXT.length]).join(' '),
    ).join('\n'),
  },
  month_from: '1',
  year_from: '2018',
  roles: [
    { name: { en: 'Programme architect' }, long_description: { en: `My contribution:\n${LONG_TEXT.join(' ')}` } },
    { name: { en: 'Deputy programme manager' }, summary: { en: LONG_TEXT.slice(0, 3).join(' ') } },
  ],
  project_experience_skills: ['SCADA', 'IEC 61970', 'Kafka', 'Java'].map((skill) => ({ tags: { en: skill } })),
  images: [{ image: DAM, caption: { en: 'The control room' } }],
};

function describeUser(email: string, words: Words, projects: readonly Body[]) {
  const { language: code } = words;
  return {
    email: `${email}@example.com`,
    name: words.name,
    name_multilang: { [code]: words.name },
    title: { [code]: words.title },
    telephone: '+47 22 00 00 00',
    country: 'no',
    office: 'Bergen',
    born_year: 1982,
    place_of_residence: { [code]: words.place },
    nationality: { [code]: words.nationality },
    image: PORTRAIT,
    cv: { sections: describeSections(words, projects) },
  };
}

/** Whom to download, and in which language: one with 28 projects, three scripts, one without a CV, and one very long project. */
export const CONSULTANTS = [
  ['nora', 'no'],
  ['layla', 'ar'],
  ['wei', 'zh'],
  ['hanako', 'ja'],
  ['bare', 'en'],
  ['long', 'en'],
] as const;

export const SIX_CONSULTANTS: FixtureInput = {
  account: {
    languages: ['en', 'no', 'ar', 'zh', 'ja'],
    templates: [
      {
        id: 'look',
        accent: '#116644',
        company: 'Acme Consulting',
        footer: { en: 'Acme Consulting · Bergen', ar: 'أكمي للاستشارات · برغن' },
        logo: LOGO,
      },
    ],
    default_template_id: 'look',
  },
  keys: [{ key: 'admin', name: 'Admin', role: 'internationalmanager' }],
  countries: [{ code: 'no', native_language_code: 'no', offices: [{ name: 'Bergen' }] }],
  users: [
    describeUser('nora', NORWEGIAN, NORWEGIAN_PROJECTS),
    ...(
      [
        ['layla', ARABIC],
        ['wei', CHINESE],
        ['hanako', JAPANESE],
      ] as const
    ).map(([email, words]) => describeUser(email, words, describeProjects(words))),
    { email: 'bare@example.com', name: 'Bo Berg', country: 'no', office: 'Bergen', title: { en: 'Designer' } },
    {
      email: 'long@example.com',
      name: 'Ingrid Lund',
      country: 'no',
      office: 'Bergen',
      title: { en: 'Programme architect' },
      cv: { sections: { project_experiences: [LONG_PROJECT] } },
    },
  ],
};
