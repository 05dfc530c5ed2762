/** Composition root of the thread that renders texts. */
import { type Logger } from 'pino';
import { renderingThread } from '../artifacts/rendering/rendering-thread.js';
import { textRendering, type TextRendering } from '../artifacts/rendering/text-rendering.js';
import { startThread } from '../stores/shared/thread.js';

/** A text that takes all of it ends the thread, and nothing else. */
const MEMORY_MB = 256;

export function renderingOnThread(logger: Logger): TextRendering {
  const start = () =>
    startThread('src/artifacts/rendering/worker', { resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB } });
  const onFailed = (error: Error): void => {
    logger.error({ err: error }, 'rendering thread stopped, text escaped instead');
  };
  return textRendering(renderingThread(start, onFailed));
}
