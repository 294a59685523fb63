/** How an account reads the interface where it can be read in two ways (spec, users/changes 1; User; Customers; Users). */
export interface Reading {
  readonly after_id?: 'exclude' | 'keyset';
  readonly user_tags_on_cvs?: boolean;
  readonly customer_lists?: 'wrapped' | 'bare';
  readonly user_lists?: 'scoped' | 'plain';
}

/** Words of `TALENT_VARIANT`, such as `keyset,hidden-tags`. */
const WORDS: Readonly<Record<string, Reading>> = {
  exclude: { after_id: 'exclude' },
  keyset: { after_id: 'keyset' },
  'shown-tags': { user_tags_on_cvs: true },
  'hidden-tags': { user_tags_on_cvs: false },
  'wrapped-customers': { customer_lists: 'wrapped' },
  'bare-customers': { customer_lists: 'bare' },
  'scoped-users': { user_lists: 'scoped' },
  'plain-users': { user_lists: 'plain' },
};

/** @throws Error for an unknown word, because nobody would test a mistyped variant */
export function readVariant(text: string): Reading {
  const words = text.split(',').filter((word) => word !== '');
  return Object.assign(
    {},
    ...words.map((word) => {
      const reading = WORDS[word];
      if (reading === undefined)
        throw new Error(`TALENT_VARIANT: "${word}" is none of ${Object.keys(WORDS).join(', ')}`);
      return reading;
    }),
  ) as Reading;
}

/** An account's reading, and whether the mirror is deleted before every second run. */
export interface Variant {
  readonly name: string;
  readonly afterId: 'exclude' | 'keyset';
  readonly tagsOnCvs: boolean;
  readonly losesMirror: boolean;
  readonly customerLists: 'wrapped' | 'bare';
  readonly userLists: 'scoped' | 'plain';
}

/** All combinations of three readings; the other two are chosen so that any two of the five meet in all ways. */
export const VARIANTS: readonly Variant[] = (['exclude', 'keyset'] as const).flatMap((afterId) =>
  [true, false].flatMap((tagsOnCvs) =>
    [false, true].map((losesMirror) => {
      const isBare = [afterId === 'keyset', tagsOnCvs, losesMirror].filter(Boolean).length % 2 === 1;
      const customerLists = isBare ? 'bare' : 'wrapped';
      const userLists = (afterId === 'keyset') === tagsOnCvs ? 'scoped' : 'plain';
      const name = `after_id ${afterId}, tags of people ${tagsOnCvs ? 'shown' : 'hidden'}, mirror ${losesMirror ? 'deleted' : 'kept'}, list of customers ${customerLists}, lists of users ${userLists}`;
      return { name, afterId, tagsOnCvs, losesMirror, customerLists, userLists };
    }),
  ),
);
