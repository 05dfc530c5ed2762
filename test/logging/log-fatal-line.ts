/** A service whose last line is fatal. */
import { createLogger, sharedOutput } from '../../src/logging/logger.js';

const ENDS_AFTER_MS = 500;

const logger = createLogger('info', process.argv[2] === 'shared' ? sharedOutput() : undefined);
// When nobody reads standard output any longer.
process.stdin.resume().once('end', () => {
  logger.fatal('failed');
  process.exitCode = 7;
  // While the fatal line is being written.
  logger.info('last');
  if (process.argv[3] !== 'by itself') setTimeout(() => process.exit(), ENDS_AFTER_MS);
});
