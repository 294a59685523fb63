import type { Problem } from '../../base/errors.js';
import type { YamlPath } from '../../base/settings/resolving.js';
import type { ExpressionProblem } from '../../mapping/check.js';
import { excerptAt } from '../../model/excerpt.js';
import { isSecret, type SyntaxProblem } from './explain-syntax.js';
import { YamlPlaces } from './yaml-place.js';

/** Collects all problems of a configuration with their places, so that they are reported together. */
export class ConfigProblems {
  readonly #places: YamlPlaces;
  readonly #problems: Problem[] = [];
  #onlySecrets = true;
  #ignored: RegExp | null = null;

  constructor(places: YamlPlaces) {
    this.#places = places;
  }

  add(path: YamlPath, message: string, remedy: string, at: 'key' | 'value' = 'value'): void {
    this.#push({ place: this.#places.place(path, at), message, remedy });
  }

  /** Adds a problem inside a text, such as an expression. */
  addInText({ path, text, start, end, message, remedy }: ExpressionProblem): void {
    if (this.#ignored?.test(text)) return;
    const place = this.#places.placeInText(path, text, start);
    this.#push({ place, message, remedy, excerpt: excerptAt(text, start, end) });
  }

  /** Skips texts that use these names, because a reported problem makes their meaning unknown. */
  ignoreTextsNaming(names: readonly string[]): void {
    if (names.length === 0) return;
    const words = names.map((name) => name.replaceAll(/[^\w]/g, '\\$&'));
    this.#ignored = new RegExp(`(^|\\W)(${words.join('|')})(\\W|$)`);
  }

  /** Adds a missing secret. This problem is not in the configuration but in its environment. */
  addMissingSecret(path: YamlPath, message: string, remedy: string): void {
    const before = this.#onlySecrets;
    this.add(path, message, remedy);
    this.#onlySecrets = before;
  }

  /** Adds a problem in the YAML itself, for which no paths exist yet. */
  addSyntax({ offset, message, remedy }: SyntaxProblem): void {
    const excerpt = this.#places.excerptAt(offset);
    this.#push({
      place: this.#places.placeAt(offset),
      message,
      remedy,
      ...(isSecret(excerpt.text) ? {} : { excerpt }),
    });
  }

  isCommentedOut(path: YamlPath): boolean {
    return this.#places.isCommentedOut(path);
  }

  /** The problems in the order of the file. */
  get problems(): readonly Problem[] {
    return [...this.#problems].sort((a, b) => YamlPlaces.compare(a.place, b.place));
  }

  get hasOnlyMissingSecrets(): boolean {
    return this.#onlySecrets;
  }

  #push(problem: Problem): void {
    this.#onlySecrets = false;
    if (this.#problems.some(({ place, message }) => place === problem.place && message === problem.message)) return;
    this.#problems.push(problem);
  }
}
