/** A service whose last line is fatal. */
import { createLogger, sharedOutput } from '../../src/logging/logger.js';

const ENDS_AFTER_MS = 500;

const logger = createLogger('info', process.argv[2] === 'shared' ? sharedOutput() : undefined);
// When nobody reads standard output any longer.
process.stdin.resume().once('end', () => {
  logger.fatal('failed');
  setTimeout(() => process.exit(7), ENDS_AFTER_MS);
});
