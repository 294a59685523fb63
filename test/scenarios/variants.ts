/** How an account reads the interface where it can be read in two ways (spec, users/changes 1; User). */
export interface Reading {
  readonly after_id?: 'exclude' | 'keyset';
  readonly user_tags_on_cvs?: boolean;
}

/** Words of `TALENT_VARIANT`, such as `keyset,hidden-tags`. */
const WORDS: Readonly<Record<string, Reading>> = {
  exclude: { after_id: 'exclude' },
  keyset: { after_id: 'keyset' },
  'shown-tags': { user_tags_on_cvs: true },
  'hidden-tags': { user_tags_on_cvs: false },
};

/** @throws Error when a word is none of them: a variant that is mistyped would be tested by nobody. */
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
}

export const VARIANTS: readonly Variant[] = (['exclude', 'keyset'] as const).flatMap((afterId) =>
  [true, false].flatMap((tagsOnCvs) =>
    [false, true].map((losesMirror) => ({
      name: `after_id ${afterId}, tags of people ${tagsOnCvs ? 'shown' : 'hidden'}, mirror ${losesMirror ? 'deleted' : 'kept'}`,
      afterId,
      tagsOnCvs,
      losesMirror,
    })),
  ),
);
