import type { ValueDifference } from '../sections/differences.js';
import { codeMarkdown as code, escapeMarkdown as text } from './markdown-text.js';
import { clip } from './style.js';

const LONGEST_VALUE = 160;

/** One value that moves, for a cell of a table; a new object has no value before. */
export function renderDifference({ field, before, after }: ValueDifference, action: string): string {
  const show = (value: string | null): string => (value === null ? '*(empty)*' : code(clip(value, LONGEST_VALUE)));
  return action === 'create' ? `${text(field)}: ${show(after)}` : `${text(field)}: ${show(before)} → ${show(after)}`;
}
