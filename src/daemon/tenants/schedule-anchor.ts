import type { Anchor } from '../../config/schedule/due.js';
import type { HistoryStore } from '../../store/state/history-store.js';

/** Under this name the anchor of the schedule is in state.db. */
const ANCHOR = 'schedule';

export function readAnchor(history: HistoryStore): Anchor | null {
  const text = history.fact(ANCHOR);
  return text === null ? null : (JSON.parse(text) as Anchor);
}

export function saveAnchor(history: HistoryStore, anchor: Anchor): Anchor {
  history.setFact(ANCHOR, JSON.stringify(anchor));
  return anchor;
}
