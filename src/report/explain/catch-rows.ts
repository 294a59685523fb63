import type { App } from '../../app/app.js';
import type { Connector } from '../../connectors/connector.js';
import { listenTo } from '../../connectors/listen-to.js';
import { foldLoosely } from '../../model/raw-text.js';
import type { RecordBatch, SourceRecord } from '../../model/source.js';

/** Maximum number of rows kept per stream. More rows cannot be about one object. */
const MOST = 1_000;

export type RowCatcher = ReturnType<typeof createRowCatcher>;

/**
 * Keeps the rows of a run that may be about the requested object, so that no source is read a second time. A row is kept if
 * the words matched its key in the previous run, or if it contains all the words.
 */
export function createRowCatcher(words: string, keys: readonly string[]) {
  const caught = new Map<string, SourceRecord[]>();
  const parts = foldLoosely(words).split(/[\s/]+/);
  const isWanted = ({ key, cells }: SourceRecord): boolean => {
    if (keys.includes(key)) return true;
    const text = foldLoosely(`${key} ${Object.values(cells).map(String).join(' ')}`);
    return parts.every((part) => text.includes(part));
  };
  const watchOne = (stream: string, connector: Connector): Connector => {
    const kept: SourceRecord[] = [];
    caught.set(stream, kept);
    const hear = ({ records }: RecordBatch): void => {
      for (const record of records) if (kept.length < MOST && isWanted(record)) kept.push(record);
    };
    return listenTo(connector, hear, true);
  };
  return {
    /** Returns the same app, but observes its sources while a run is derived. */
    watch(app: App): App {
      const { connectors } = app.stageContext;
      const watched = new Map([...connectors].map(([stream, connector]) => [stream, watchOne(stream, connector)]));
      return { ...app, stageContext: { ...app.stageContext, connectors: watched } };
    },
    caught: (stream: string): readonly SourceRecord[] => caught.get(stream) ?? [],
    /** True if every row with this key was kept, regardless of its content. */
    isWatched: (key: string) => keys.includes(key),
  };
}
