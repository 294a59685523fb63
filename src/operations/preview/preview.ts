import { SyncError } from '../../base/errors.js';
import type { Preview } from '../../model/preview.js';
import { findPushed, lockPreview, removePreviewCopy } from '../../store/preview-copy.js';
import type { TenantOperation } from '../operation.js';
import { previewApart } from './preview-apart.js';

export interface PreviewQuestion {
  /** The YAML of the edited configuration. */
  readonly text: string;
  /** True to list changes with their values. */
  readonly values: boolean;
}

/** Maximum length of a configuration in characters. Real configurations have about ten thousand. */
export const MOST_TEXT = 256 * 1024;
/** A preview that takes longer is cancelled. */
const LIMIT_MS = 60_000;

/**
 * Derives the plan under an edited configuration in a separate process. The process has no secrets, can be killed at any
 * moment, and works on a copy of the state. So no configuration can block or change this process or its state.
 */
export const PREVIEW: TenantOperation<PreviewQuestion, Preview> = {
  name: 'preview',
  // Only the machine of the holder has the mirror.
  needs: 'a turn',
  answerMs: LIMIT_MS,
  async perform({ config, clock, isVeiled = false }, { text, values }) {
    if (values && isVeiled) throw refuseValues();
    const { file, text: inForce, state } = config;
    const lock = lockOne(state);
    try {
      const order = { file, inForce, edited: text, values, pushed: findPushed(state) };
      return await previewApart(order, { limitMs: LIMIT_MS, nowMs: clock.now() });
    } finally {
      removePreviewCopy(state);
      lock.close();
    }
  },
};

function lockOne(state: string) {
  try {
    return lockPreview(state, `a preview, process ${process.pid}`);
  } catch (error) {
    if (!(error instanceof SyncError && error.code === 'SYNC_STATE_LOCKED')) throw error;
    throw new SyncError('SYNC_PREVIEW_BUSY', {
      message: 'Another configuration of this tenant is being previewed.',
      place: state,
      remedy: 'Try again in a minute.',
    });
  }
}

function refuseValues(): SyncError {
  return new SyncError('SYNC_WEB_REFUSED', {
    message: 'Your role shows people under pseudonyms, so a preview shows you no values.',
    place: 'values',
    remedy: 'Leave `--values` out, or use a token whose role shows names.',
  });
}
