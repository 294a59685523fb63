import { type Document, isAlias, isMap, isScalar, isSeq, type LineCounter, type Node } from 'yaml';
import type { YamlPath } from '../../base/settings/resolving.js';
import { type Excerpt, excerptAt } from '../../model/excerpt.js';

/** Finds lines and columns for paths of a YAML document. */
export class YamlPlaces {
  readonly #document: Document;
  readonly #lines: LineCounter;
  readonly #text: string;
  readonly #file: string;

  constructor(document: Document, lines: LineCounter, text: string, file: string) {
    this.#document = document;
    this.#lines = lines;
    this.#text = text;
    this.#file = file;
  }

  /**
   * Formats a place: `talent-sync.yaml:12:5 users.fields.email`. It is the place of the key or the value, or of the parent if
   * it is missing.
   */
  place(path: YamlPath, at: 'key' | 'value' = 'value'): string {
    return this.#format(this.#offset(path, at), path);
  }

  /**
   * Returns the place of a position inside a text. If the file does not contain the text in one piece, it is the beginning of
   * the value.
   */
  placeInText(path: YamlPath, text: string, start: number): string {
    const offset = this.#offset(path, 'value');
    const node = this.#find(path).node;
    const end = node?.range?.[1] ?? offset;
    const found = this.#text.slice(offset, end).indexOf(text);
    return this.#format(found === -1 ? offset : offset + found + Math.min(start, text.length), path);
  }

  placeAt(offset: number): string {
    return this.#format(offset, []);
  }

  excerptAt(offset: number): Excerpt {
    return excerptAt(this.#text, offset);
  }

  /** True if a value is empty because a comment follows its key directly. */
  isCommentedOut(path: YamlPath): boolean {
    const key = this.#find(path).key;
    return key?.range != null && /^[^\n]*?:[ \t]+#/.test(this.#text.slice(key.range[0]));
  }

  /** Compares two places by their order in the file. */
  static compare(a: string, b: string): number {
    const [lineA = 0, columnA = 0] = positions(a);
    const [lineB = 0, columnB = 0] = positions(b);
    return lineA - lineB || columnA - columnB;
  }

  #format(offset: number, path: YamlPath): string {
    const { line, col } = this.#lines.linePos(offset);
    const words = formatPath(path);
    return `${this.#file}:${line}:${col}${words === '' ? '' : ` ${words}`}`;
  }

  #offset(path: YamlPath, at: 'key' | 'value'): number {
    const { node, key } = this.#find(path);
    const target = at === 'key' ? (key ?? node) : (node ?? key);
    if (target?.range !== undefined && target.range !== null) return target.range[0];
    return path.length === 0 ? 0 : this.#offset(path.slice(0, -1), 'key');
  }

  #find(path: YamlPath): { readonly node: Node | null; readonly key: Node | null } {
    let node: Node | null = this.#document.contents;
    let key: Node | null = null;
    for (const segment of path) {
      const owner: Node | null = isAlias(node) ? (node.resolve(this.#document) ?? null) : node;
      key = null;
      if (isMap<Node, Node | null>(owner)) {
        const pair = owner.items.find((item) => isScalar(item.key) && String(item.key.value) === String(segment));
        key = pair?.key ?? null;
        node = pair?.value ?? null;
      } else if (isSeq<Node>(owner) && typeof segment === 'number') {
        node = owner.items[segment] ?? null;
      } else {
        node = null;
      }
    }
    return { node, key };
  }
}

/** Formats a path: `users.match[0]`, `users.fields.title.en`. */
export function formatPath(path: YamlPath): string {
  return path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${part}`))
    .join('')
    .replace(/^\./, '');
}

function positions(place: string): readonly number[] {
  const found = /:(\d+):(\d+)( |$)/.exec(place);
  return found === null ? [] : [Number(found[1]), Number(found[2])];
}
